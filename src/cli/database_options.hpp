// Which database a command works on: options that commands share, private servers,
// and opening it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "cli/cli11.hpp"
#include "db/driver.hpp"
#include "explain/report_model.hpp"
#include "isolde/recorder.hpp"
#include "isolde/status.hpp"
#include "server/server.hpp"

namespace isolde::cli {

/// Use: check(), launch(), find(), open(), ..., shut_down().
class DatabaseArguments {
 public:
  /// The parser keeps references into this object.
  void add_to(CLI::App& app);
  /// The same, and the data source name may be an argument.
  void add_with_dsn_to(CLI::App& app);

  bool given() const {
    return !dsn_.empty() || !server_.empty() || !dsn_variable_.empty() || !dsn_file_.empty();
  }
  bool has_server() const { return !server_.empty(); }
  /// Its kind, as given.
  const std::string& server_kind() const { return server_; }
  /// Reads the data source name from where it is. ERRORS: kUsage unless there is exactly one
  /// database.
  Status check();

  /// Starts the private server, if one is asked for.
  Status launch(base::Budget& budget, server::LaunchOptions launch = {});
  /// Finds the row of the table of databases, and asks the database where that is necessary.
  /// ERRORS: as db::find_database_of(); kLimit once the budget is exhausted.
  Status find(base::Budget& budget);
  /// The same for a database of that name of which nothing is known but --param.
  Status find_named(const std::string& name, base::Budget& budget);
  /// As often as needed. ERRORS: as db::open_database(); kLimit once the budget is exhausted.
  Result<std::unique_ptr<db::Database>> open(base::Budget& budget) const;
  /// The same at this isolation, whatever was given, and where it is asked for with an index on
  /// values. REQUIRES: `adds_index` only where can_add_index().
  Result<std::unique_ptr<db::Database>> open_at(std::string_view isolation, bool adds_index,
                                                base::Budget& budget) const;
  /// From here on, open() opens so that sessions tell versions. ERRORS: kUsage: they cannot.
  Status record_versions();
  /// REQUIRES: info().shell != nullptr.
  Result<db::sql::Shell> shell() const;
  /// No database that was opened is used any more.
  void shut_down() { cluster_.reset(); }

  // After find().
  /// It goes when it is closed: a private server's, or one in a temporary folder.
  bool is_temporary() const { return is_temporary_; }
  const db::DatabaseInfo& info() const { return *info_; }
  /// The database has such an index, and nobody has said whether there shall be one.
  bool can_add_index() const;
  bool is_isolation_given() const { return is_isolation_given_; }
  /// The options that name the database, for another command, without its password.
  std::string command_words() const;
  /// As given, or the database's first one.
  const std::string& isolation() const { return isolation_; }
  /// The data source name without its password.
  const std::string& display() const { return display_; }
  /// What its makers promise at this isolation.
  explain::Promise promise() const;
  double request_timeout_seconds() const { return request_timeout_; }
  /// Null without a private server.
  server::Cluster* cluster() { return cluster_.get(); }

 private:
  Status read_dsn();
  db::OpenOptions open_options() const;

  std::string dsn_;
  std::string dsn_variable_;
  std::string dsn_file_;
  std::string server_;
  std::vector<std::string> settings_;
  std::vector<std::string> parameters_;
  std::string isolation_;
  bool is_isolation_given_ = false;
  double request_timeout_ = 10;
  bool force_reset_ = false;
  bool versions_ = false;

  std::unique_ptr<server::Cluster> cluster_;
  const db::DatabaseInfo* info_ = nullptr;
  bool is_temporary_ = false;
  std::string display_;
};

/// For the header of the recording, so that who checks it knows the promise, too.
void add_promise(const explain::Promise& promise, RecorderOptions& options);

}  // namespace isolde::cli
