// WiredTiger in this process, the storage engine below MongoDB, through its C API.
//
// A transaction says its isolation when it begins. Only snapshots are checked for conflicts
// with what others committed in between: at read-committed a write replaces a newer version
// than the one that was read, so updates are lost.
#include <wiredtiger.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "db/driver.hpp"
#include "db/embedded.hpp"
#include "db/key_values.hpp"

namespace isolde::db {
namespace {

constexpr std::string_view kUnchecked = "only snapshot checks what comes in between";

constexpr std::array<IsolationInfo, 3> kIsolations = {{
    {"read-committed",
     Level::kReadCommitted,
     "each read sees what was committed before it; loses updates",
     {},
     kUnchecked},
    {"snapshot", Level::kSnapshotIsolation,
     "reads from a snapshot, a write of a key that has changed since is refused"},
    {"read-uncommitted", Level::kReadUncommitted, "reads uncommitted changes", {}, kUnchecked},
}};

constexpr const char* kTable = "table:isolde";

std::string said(int code) { return std::string("WiredTiger: ") + wiredtiger_strerror(code); }

Reply reply_to(int code) {
  if (code == 0) return {};
  return code == WT_ROLLBACK ? kv::aborted(said(code)) : kv::failed(said(code));
}

class WiredTigerDatabase final : public EmbeddedDatabase {
 public:
  WiredTigerDatabase(OwnFolder folder, bool sync, const OpenOptions& options)
      : EmbeddedDatabase(std::move(folder), options),
        begin_("isolation=" + options.isolation),
        commit_(sync ? "sync=on" : "sync=off") {}
  ~WiredTigerDatabase() override { close_store(); }

  std::string version() const override {
    int major = 0;
    int minor = 0;
    int patch = 0;
    wiredtiger_version(&major, &minor, &patch);
    return "WiredTiger " + std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(patch);
  }

  WT_CONNECTION* connection() const { return connection_; }
  const char* begin() const { return begin_.c_str(); }
  const char* commit() const { return commit_.c_str(); }

 private:
  Status open_store() override;
  void close_store() override {
    if (connection_ != nullptr) connection_->close(connection_, nullptr);
    connection_ = nullptr;
  }
  bool is_own_file(std::string_view name) const override {
    return name.starts_with("WiredTiger") || name == "isolde.wt";
  }
  std::unique_ptr<Session> new_session() override;

  const std::string begin_;
  const std::string commit_;
  WT_CONNECTION* connection_ = nullptr;
};

class WiredTigerSession final : public EmbeddedSession {
 public:
  explicit WiredTigerSession(WiredTigerDatabase& database)
      : EmbeddedSession(database), database_(database) {
    WT_CONNECTION* const connection = database.connection();
    problem_ = connection->open_session(connection, nullptr, nullptr, &session_);
    if (problem_ == 0) {
      problem_ = session_->open_cursor(session_, kTable, nullptr, nullptr, &cursor_);
    }
  }
  /// Ends the transaction as well.
  ~WiredTigerSession() override {
    if (session_ != nullptr) session_->close(session_, nullptr);
  }

 private:
  /// Where what is read will be written, a snapshot refuses the write of what has changed.
  Reply start(Purpose purpose) override {
    if (problem_ != 0) return kv::failed(said(problem_));
    const bool to_write = purpose == Purpose::kToWrite;
    return reply_to(session_->begin_transaction(
        session_, to_write ? "isolation=snapshot" : database_.begin()));
  }

  Reply get(const std::string& name, Purpose purpose,
            std::optional<std::string>& text) override {
    cursor_->set_key(cursor_, name.c_str());
    const int code = cursor_->search(cursor_);
    if (code != 0 && code != WT_NOTFOUND) return reply_to(code);
    if (code == 0) {
      const char* found = nullptr;
      if (const int got = cursor_->get_value(cursor_, &found); got != 0) return reply_to(got);
      text = found;
    }
    cursor_->reset(cursor_);
    // A write locks the key until the end; one of the same value says no more than was there.
    return purpose == Purpose::kToWrite && text ? put(name, *text) : Reply{};
  }

  Reply put(const std::string& name, const std::string& text) override {
    cursor_->set_key(cursor_, name.c_str());
    cursor_->set_value(cursor_, text.c_str());
    const int code = cursor_->insert(cursor_);  // or update
    cursor_->reset(cursor_);
    return reply_to(code);
  }

  Reply finish() override {
    const int code = session_->commit_transaction(session_, database_.commit());
    if (code == 0) return {};
    return code == WT_ROLLBACK ? kv::aborted(said(code)) : kv::unknown(said(code));
  }

  void abandon() override { session_->rollback_transaction(session_, nullptr); }

  WiredTigerDatabase& database_;
  WT_SESSION* session_ = nullptr;
  WT_CURSOR* cursor_ = nullptr;
  int problem_ = 0;
};

Status WiredTigerDatabase::open_store() {
  if (connection_ != nullptr) return ok_status();
  int code =
      wiredtiger_open(path().c_str(), nullptr,
                      "create,log=(enabled),session_max=2000,cache_size=256M", &connection_);
  if (code != 0) return environment(said(code));
  WT_SESSION* session = nullptr;
  code = connection_->open_session(connection_, nullptr, nullptr, &session);
  if (code == 0) {
    code = session->create(session, kTable, "key_format=S,value_format=S");
    session->close(session, nullptr);
  }
  if (code == 0) return ok_status();
  close_store();
  return environment(said(code));
}

std::unique_ptr<Session> WiredTigerDatabase::new_session() {
  return std::make_unique<WiredTigerSession>(*this);
}

Result<std::unique_ptr<Database>> open_wiredtiger(const Dsn& dsn, const OpenOptions& options,
                                                  const Cancelled&) {
  if (Status known = check_parameters(dsn, {"sync"}); !known) return known.error();
  const Result<bool> sync = flag_in(dsn, "sync", false);
  if (!sync) return sync.error();
  Result<OwnFolder> folder = own_folder_of(dsn, "WiredTiger");
  if (!folder) return folder.error();
  return std::unique_ptr<Database>(
      std::make_unique<WiredTigerDatabase>(std::move(*folder), *sync, options));
}

}  // namespace

const DatabaseInfo& wiredtiger_info() {
  static const DatabaseInfo kInfo = {
      .name = "wiredtiger",
      .summary = "WiredTiger, embedded",
      .dsn = "wiredtiger:PATH?sync=no|yes (no path: a temporary folder)",
      .capabilities = {.lists = true, .compare_and_set = true, .embedded = true},
      .isolations = kIsolations,
      .open = open_wiredtiger,
  };
  return kInfo;
}

}  // namespace isolde::db
