#include "cli/database_options.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/secrets.hpp"
#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "db/sql.hpp"

namespace isolde::cli {
void DatabaseArguments::add_to(CLI::App& app) {
  app.add_option("--db", dsn_, "The database, see isolde databases")->type_name("DSN");
  app.add_option("--db-env", dsn_variable_,
                 "Take the DSN from this environment variable, so that no password is in the "
                 "list of processes")
      ->type_name("NAME")
      ->excludes("--db");
  app.add_option("--db-file", dsn_file_, "Take the DSN from the first line of this file")
      ->type_name("FILE")
      ->excludes("--db")
      ->excludes("--db-env");
  app.add_option("--server", server_,
                 "Start a private server of this kind for the run, see isolde server")
      ->type_name("KIND")
      ->excludes("--db")
      ->excludes("--db-env")
      ->excludes("--db-file");
  app.add_option("--set", settings_, "Setting of the private server, see isolde server")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--param", parameters_, "Parameter of the DSN, see isolde databases NAME")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--isolation", isolation_,
                 "Isolation level by the database's own name, see isolde databases NAME")
      ->type_name("NAME");
  app.add_option("--request-timeout", request_timeout_, "Time after which a request has failed")
      ->type_name("DURATION")
      ->default_str("10s")
      ->transform(seconds_text(1e-3, 1e6));
  app.add_flag("--force-reset", force_reset_,
               "Remove what an earlier run left in the database, and nothing else");
}

void DatabaseArguments::add_with_dsn_to(CLI::App& app) {
  CLI::Option* const dsn =
      app.add_option("dsn", dsn_, "The database, as with --db")->type_name("DSN");
  add_to(app);
  for (const char* const other : {"--db", "--db-env", "--db-file", "--server"}) {
    dsn->excludes(other);
  }
}

Status DatabaseArguments::read_dsn() {
  if (!dsn_variable_.empty()) {
    const char* const value = std::getenv(dsn_variable_.c_str());
    if (value == nullptr || *value == '\0') {
      return usage_error("--db-env: the environment variable " + dsn_variable_ + " is not set");
    }
    dsn_ = value;
  }
  if (!dsn_file_.empty()) {
    std::ifstream file(dsn_file_);
    // A folder can be opened.
    if (!file.is_open() || (file.peek(), file.bad())) {
      return Error{ErrorCode::kEnvironment, "--db-file: " + dsn_file_ + " cannot be read: " +
                                                std::strerror(errno) + "; check the path"};
    }
    std::getline(file, dsn_);
    while (!dsn_.empty() && (dsn_.back() == '\r' || dsn_.back() == ' ')) dsn_.pop_back();
    if (dsn_.empty()) return usage_error("--db-file: " + dsn_file_ + " has no first line");
  }
  return ok_status();
}

Status DatabaseArguments::check() {
  if (const Status read = read_dsn(); !read) return read;
  if (server_.empty() && !settings_.empty()) {
    return usage_error("--set is for the server that --server starts; there is none");
  }
  if (dsn_.empty() != server_.empty()) return ok_status();
  return usage_error(
      "say which database: --db DSN (isolde databases) or --server KIND "
      "(isolde server)");
}

Status DatabaseArguments::launch(base::Budget& budget, server::LaunchOptions launch) {
  if (server_.empty()) return ok_status();
  launch.cancelled = [&budget] { return !budget.look(); };
  for (const std::string& setting : settings_) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return usage_error("--set " + setting + ": expected NAME=VALUE");
    }
    launch.settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  Result<std::unique_ptr<server::Cluster>> cluster = server::Cluster::launch(server_, launch);
  if (!cluster) return cluster.error();
  cluster_ = std::move(cluster).value();
  dsn_ = cluster_->dsn();
  return ok_status();
}

namespace {

db::Cancelled when_exhausted(base::Budget& budget) {
  return [&budget] { return !budget.look(); };
}

}  // namespace

Status DatabaseArguments::find(base::Budget& budget) {
  const Result<db::Dsn> bare = db::parse_dsn(dsn_);
  if (!bare) {
    const Result<const db::DatabaseInfo*> named = db::find_database(dsn_);
    if (!named) return bare.error();
    return usage_error(dsn_ + " is the name of a database; its data source name is " +
                       std::string((*named)->dsn));
  }
  if (!parameters_.empty() && bare->scheme == "exec") {
    return usage_error("--param is for data source names; exec: takes a command");
  }
  for (const std::string& parameter : parameters_) {
    dsn_ = db::with_parameter(dsn_, parameter);
  }
  const Result<db::Dsn> dsn = db::parse_dsn(dsn_);
  if (!dsn) return dsn.error();
  // One that is another word of the name as well is no secret, and messages need that word.
  if (dsn->password != dsn->user && dsn->password != dsn->scheme) {
    base::keep_secret(dsn->password);
  }
  const Result<const db::DatabaseInfo*> row =
      db::find_database_of(*dsn, request_timeout_, when_exhausted(budget));
  if (!row) return before_first_transaction(row.error(), budget);
  info_ = *row;
  display_ = dsn->display();
  const bool has_place = !dsn->endpoints.empty() || !dsn->path.empty();
  is_temporary_ = has_server() || (info_->capabilities.embedded && !has_place);
  // A wrong name is for open() to tell, which knows more.
  is_isolation_given_ = !isolation_.empty();
  const Result<db::OpenOptions> chosen = db::with_isolation(*info_, open_options());
  if (chosen) isolation_ = chosen->isolation;
  return ok_status();
}

Status DatabaseArguments::find_named(const std::string& name, base::Budget& budget) {
  const Result<const db::DatabaseInfo*> row = db::find_database(name);
  if (!row) return row.error();
  dsn_ = name + ":";
  const Result<db::OpenOptions> known = db::with_isolation(**row, open_options());
  return known ? find(budget) : known.error();
}

db::OpenOptions DatabaseArguments::open_options() const {
  db::OpenOptions open;
  open.isolation = isolation_;
  open.timeout_seconds = request_timeout_;
  open.force_reset = force_reset_;
  open.versions = versions_;
  return open;
}

Status DatabaseArguments::record_versions() {
  if (info_->capabilities.versions == db::Capabilities::Versions::kNone) {
    return usage_error("--record-versions: " + std::string(info_->name) +
                       " does not tell which version of a register or row it reads or writes");
  }
  versions_ = true;
  return ok_status();
}

Result<std::unique_ptr<db::Database>> DatabaseArguments::open(base::Budget& budget) const {
  return open_at(isolation_, false, budget);
}

bool DatabaseArguments::can_add_index() const {
  const Result<db::Dsn> dsn = db::parse_dsn(dsn_);
  return info_->capabilities.indexes && dsn && !dsn->parameters.contains("index");
}

Result<std::unique_ptr<db::Database>> DatabaseArguments::open_at(std::string_view isolation,
                                                                 bool adds_index,
                                                                 base::Budget& budget) const {
  db::OpenOptions options = open_options();
  options.isolation = isolation;
  const std::string dsn = adds_index ? db::with_parameter(dsn_, "index=1") : dsn_;
  auto database = db::open_database(dsn, options, when_exhausted(budget));
  if (!database) return before_first_transaction(database.error(), budget);
  return database;
}

std::string DatabaseArguments::command_words() const {
  std::string words;
  const auto add = [&](const std::string& option, const std::string& value) {
    words += (words.empty() ? "--" : " --") + option + " " + base::shell_word(value);
  };
  if (!server_.empty()) {
    add("server", server_);
  } else if (!dsn_variable_.empty()) {
    add("db-env", dsn_variable_);
  } else if (!dsn_file_.empty()) {
    add("db-file", dsn_file_);
  } else {
    add("db", display_);
  }
  for (const std::string& setting : settings_) add("set", setting);
  // Those of a data source name stand in it already.
  const bool in_name = server_.empty() && dsn_variable_.empty() && dsn_file_.empty();
  for (const std::string& parameter : parameters_) {
    if (!in_name) add("param", parameter);
  }
  return words;
}

Result<db::sql::Shell> DatabaseArguments::shell() const {
  Result<db::Dsn> dsn = db::parse_dsn(dsn_);
  if (!dsn) return dsn.error();
  const Result<db::OpenOptions> options = db::with_isolation(*info_, open_options());
  if (!options) return options.error();
  if (info_->capabilities.embedded) dsn->take_third_slash();
  return info_->shell(*dsn, *options);
}

explain::Promise DatabaseArguments::promise() const {
  explain::Promise promise{std::string(info_->name), isolation_, {}, {}};
  for (const db::IsolationInfo& row : info_->isolations) {
    if (row.name != isolation_) continue;
    promise.level = row.claims;
    promise.why_none = row.no_claim;
  }
  return promise;
}

void add_promise(const explain::Promise& promise, RecorderOptions& options) {
  options.about.emplace_back("product", promise.database);
  if (promise.level) {
    options.about.emplace_back("promise", info(*promise.level).name);
    if (promise.is_asked) options.about.emplace_back("promised_by", "user");
  } else if (!promise.why_none.empty()) {
    options.about.emplace_back("no_promise", promise.why_none);
  }
}

}  // namespace isolde::cli
