// The kit for key-value stores that live in this process, in a folder of their own. A store
// says how it is opened and closed, which files are its own, and what a transaction does with
// names and texts; sessions, registers, lists, comparing and setting, whose folder it is, and
// in which order things may happen are the same for all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/driver.hpp"
#include "db/own_folder.hpp"

namespace isolde::db {

class EmbeddedDatabase : public Database {
 public:
  EmbeddedDatabase(OwnFolder folder, const OpenOptions& options)
      : folder_(std::move(folder)), options_(options) {}
  /// REQUIRES: no session is left. A store closes itself in its own destructor.
  ~EmbeddedDatabase() override;

  Status create(std::span<const Key> registers, std::span<const Key> lists) final;
  Result<std::unique_ptr<Session>> connect(std::uint32_t session) final;
  Status destroy() final;

  double timeout_seconds() const { return options_.timeout_seconds; }

 protected:
  const std::string& path() const { return folder_.path(); }
  Error environment(const std::string& what) const {
    return {ErrorCode::kEnvironment, path() + ": " + what};
  }

  // Called one at a time.

  /// Opens the folder, which has what an earlier call left there, or nothing. Does nothing when
  /// it is open. ERRORS: kEnvironment.
  virtual Status open_store() = 0;
  /// Does nothing when it is not open.
  virtual void close_store() = 0;
  /// Removes what the store has made in the folder, and nothing else; it is closed. ERRORS:
  /// kEnvironment.
  virtual Status remove_store();
  /// Whether a file of that name is the store's, for remove_store().
  virtual bool is_own_file(std::string_view) const { return false; }
  virtual std::unique_ptr<Session> new_session() = 0;

 private:
  friend class EmbeddedSession;
  Status open();
  Status remove();

  OwnFolder folder_;
  const OpenOptions options_;
  std::mutex mutex_;
  std::atomic<int> sessions_ = 0;
};

/// A session whose transactions hold texts under names (key_values.hpp).
class EmbeddedSession : public Session {
 public:
  explicit EmbeddedSession(EmbeddedDatabase& database) : database_(database) {
    ++database.sessions_;
  }
  /// REQUIRES: no transaction is open; the store ends it in its own destructor.
  ~EmbeddedSession() override { --database_.sessions_; }

  Reply begin() final;
  Reply read(Key key, std::optional<std::int64_t>& value) final;
  Reply write(Key key, std::int64_t value) final;
  Reply read_list(Key key, std::vector<std::int64_t>& elements) final;
  Reply append(Key key, std::int64_t element) final;
  Reply compare_and_set(Key key, std::optional<std::int64_t> expected, std::int64_t value,
                        CasResult& result) final;
  Reply commit() final;
  Reply rollback() final;

 protected:
  enum class Purpose : std::uint8_t {
    kAsIsolated,  ///< whatever the isolation does
    kToWrite      ///< what is read will be written, and must not change in between
  };

  // What a store does. A reply other than kOk ends the transaction: abandon() follows, unless
  // it is the reply of start() or finish().

  virtual Reply start(Purpose purpose) = 0;
  /// Nothing under that name: null.
  virtual Reply get(const std::string& name, Purpose purpose,
                    std::optional<std::string>& text) = 0;
  virtual Reply put(const std::string& name, const std::string& text) = 0;
  /// Adds an element behind those of a list; by default reads it and puts it back.
  virtual Reply add(const std::string& name, const std::string& element);
  /// Commits. The transaction is over, whatever the reply.
  virtual Reply finish() = 0;
  /// Ends it without committing.
  virtual void abandon() = 0;

 private:
  Reply settled(Reply reply);
  Reply read_register(Key key, Purpose purpose, std::optional<std::int64_t>& value);

  EmbeddedDatabase& database_;
  bool open_ = false;
};

/// The folder of a data source name without endpoints and user. `product`, for messages:
/// "RocksDB". ERRORS: kUsage; as OwnFolder::at().
Result<OwnFolder> own_folder_of(const Dsn& dsn, std::string_view product);

/// The row with that name. REQUIRES: there is one.
std::size_t isolation_index(std::span<const IsolationInfo> rows, std::string_view name);

}  // namespace isolde::db
