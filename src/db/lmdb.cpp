// LMDB in this process: one writer at a time, readers on snapshots.
//
// Whether a transaction will write must be said when it begins, which an application that reads
// first often does not know. The isolation names are the three ways out: always begin as a
// writer; begin as a reader and, at the first write, go on as a writer provided that nothing
// was committed meanwhile; or the same without looking, which loses updates.
//
// LMDB waits for the writer's turn without a limit, and for ever when it is the same thread
// that has it. So sessions queue for the turn here, with the timeout of the run.
#include <lmdb.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/assert.hpp"
#include "db/databases.hpp"
#include "db/key_values.hpp"
#include "db/own_folder.hpp"

namespace isolde::db {
namespace {

constexpr unsigned kReaders = 2048;
constexpr std::int64_t kMapMib = 1024;

enum class Mode : std::uint8_t { kSerializable, kUpgrade, kCareless };

/// In the order of Mode.
constexpr std::array<IsolationInfo, 3> kIsolations = {{
    {"serializable", Level::kStrictSerializable,
     "every transaction is a write transaction: one after the other"},
    {"snapshot-upgrade", Level::kStrictSerializable,
     "reads a snapshot; the first write aborts when anything was committed since, else it "
     "becomes a write transaction"},
    {"read-then-write", Level::kReadCommitted,
     "reads a snapshot, then writes in a write transaction without looking again; loses "
     "updates"},
}};

std::string said(int code) { return std::string("LMDB: ") + mdb_strerror(code); }

Error environment(const std::string& path, int code) {
  return {ErrorCode::kEnvironment, path + ": " + said(code)};
}

/// The turn to write, which can be waited for with a limit.
class Turn {
 public:
  bool take(double seconds) {
    std::unique_lock lock(mutex_);
    const bool free = free_.wait_for(lock, std::chrono::duration<double>(seconds),
                                     [this] { return !taken_; });
    taken_ = taken_ || free;
    return free;
  }
  void give() {
    const std::lock_guard lock(mutex_);
    taken_ = false;
    free_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
};

/// Folders that are open in this process: a second environment in one of them would undo the
/// file locks of the first, says LMDB's documentation.
class OpenFolders {
 public:
  bool add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return paths_.insert(path).second;
  }
  void remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.erase(path);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> paths_;
};

OpenFolders& open_folders() {
  static OpenFolders folders;
  return folders;
}

class LmdbDatabase final : public Database {
 public:
  LmdbDatabase(OwnFolder folder, Mode mode, std::int64_t map_mib, bool sync,
               const OpenOptions& options)
      : folder_(std::move(folder)),
        mode_(mode),
        map_mib_(map_mib),
        sync_(sync),
        options_(options) {}

  ~LmdbDatabase() override {
    ISOLDE_CHECK(sessions_ == 0);
    close();
  }

  std::string version() const override {
    int major = 0;
    int minor = 0;
    int patch = 0;
    mdb_version(&major, &minor, &patch);
    return "LMDB " + std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(patch);
  }

  Status create(std::span<const Key> registers, std::span<const Key> lists) override;
  Result<std::unique_ptr<Session>> connect(std::uint32_t session) override;
  Status destroy() override;

  Mode mode() const { return mode_; }
  double timeout_seconds() const { return options_.timeout_seconds; }
  MDB_env* env() const { return env_; }
  MDB_dbi table() const { return table_; }
  Turn& turn() { return turn_; }
  void disconnected() { --sessions_; }

 private:
  Status open();
  int open_table();
  void close();
  Status remove();

  OwnFolder folder_;
  const Mode mode_;
  const std::int64_t map_mib_;
  const bool sync_;
  const OpenOptions options_;
  std::mutex mutex_;  // open, close
  MDB_env* env_ = nullptr;
  MDB_dbi table_ = 0;
  std::string open_as_;  // entry in open_folders()
  Turn turn_;
  std::atomic<int> sessions_ = 0;
};

class LmdbSession final : public Session {
 public:
  explicit LmdbSession(LmdbDatabase& database) : database_(database) {}
  ~LmdbSession() override {
    end({});
    database_.disconnected();
  }

  Reply begin() override {
    ISOLDE_CHECK(txn_ == nullptr);
    return database_.mode() == Mode::kSerializable ? begin_writing() : begin_reading();
  }

  Reply read(Key key, std::optional<std::int64_t>& value) override {
    const std::string name = kv::register_name(key);
    std::string text;
    const int code = get(name, text);
    value.reset();
    if (code == MDB_NOTFOUND) return {};
    if (code != MDB_SUCCESS) return end(kv::failed(said(code)));
    value = kv::parse_number(text);
    return value ? Reply{} : end(kv::not_a_value(name, text));
  }

  Reply write(Key key, std::int64_t value) override {
    if (const Reply reply = ensure_writing(); !reply.ok()) return reply;
    return put(kv::register_name(key), std::to_string(value));
  }

  Reply read_list(Key key, std::vector<std::int64_t>& elements) override {
    const std::string name = kv::list_name(key);
    std::string text;
    const int code = get(name, text);
    elements.clear();
    if (code != MDB_SUCCESS && code != MDB_NOTFOUND) return end(kv::failed(said(code)));
    if (!kv::parse_list(text, elements)) return end(kv::not_a_value(name, text));
    return {};
  }

  Reply append(Key key, std::int64_t element) override {
    if (const Reply reply = ensure_writing(); !reply.ok()) return reply;
    const std::string name = kv::list_name(key);
    std::string text;
    const int code = get(name, text);
    if (code != MDB_SUCCESS && code != MDB_NOTFOUND) return end(kv::failed(said(code)));
    if (!text.empty()) text += ',';
    return put(name, text + std::to_string(element));
  }

  Reply compare_and_set(Key key, std::optional<std::int64_t> expected, std::int64_t value,
                        CasResult& result) override;
  Reply commit() override;
  Reply rollback() override { return end({}); }

 private:
  Reply begin_reading() {
    const int code = mdb_txn_begin(database_.env(), nullptr, MDB_RDONLY, &txn_);
    return code == MDB_SUCCESS ? Reply{} : end(kv::failed(said(code)));
  }

  Reply begin_writing() {
    if (!database_.turn().take(database_.timeout_seconds())) {
      return end(kv::aborted("another transaction has been writing for " +
                             std::to_string(database_.timeout_seconds()) + " s"));
    }
    MDB_txn* writer = nullptr;
    const int code = mdb_txn_begin(database_.env(), nullptr, 0, &writer);
    if (code != MDB_SUCCESS) {
      database_.turn().give();
      return end(kv::failed(said(code)));
    }
    // A writer's number is one more than that of the last commit, which is what a reader has.
    const bool stale = txn_ != nullptr && mdb_txn_id(txn_) + 1 != mdb_txn_id(writer);
    if (txn_ != nullptr) mdb_txn_abort(txn_);
    txn_ = writer;
    writing_ = true;
    if (stale && database_.mode() == Mode::kUpgrade) {
      return end(kv::aborted("a transaction was committed after this one's snapshot"));
    }
    return {};
  }

  Reply ensure_writing() {
    ISOLDE_CHECK(txn_ != nullptr);
    return writing_ ? Reply{} : begin_writing();
  }

  /// Leaves `text` empty when there is no such key.
  int get(const std::string& name, std::string& text) {
    ISOLDE_CHECK(txn_ != nullptr);
    std::string copy = name;
    MDB_val key = {copy.size(), copy.data()};
    MDB_val data = {0, nullptr};
    const int code = mdb_get(txn_, database_.table(), &key, &data);
    text.clear();
    if (code == MDB_SUCCESS) text.assign(static_cast<const char*>(data.mv_data), data.mv_size);
    return code;
  }

  Reply put(std::string name, std::string text) {
    MDB_val key = {name.size(), name.data()};
    MDB_val data = {text.size(), text.data()};
    const int code = mdb_put(txn_, database_.table(), &key, &data, 0);
    return code == MDB_SUCCESS ? Reply{} : end(refused(code));
  }

  static Reply refused(int code) {
    const char* hint = code == MDB_MAP_FULL ? "; give the database more with map_mib" : "";
    return kv::failed(said(code) + hint);
  }

  /// Ends the transaction, if there is one, without committing.
  Reply end(Reply reply) {
    if (txn_ != nullptr) mdb_txn_abort(std::exchange(txn_, nullptr));
    if (std::exchange(writing_, false)) database_.turn().give();
    return reply;
  }

  LmdbDatabase& database_;
  MDB_txn* txn_ = nullptr;
  bool writing_ = false;  // has the turn
};

Reply LmdbSession::compare_and_set(Key key, std::optional<std::int64_t> expected,
                                   std::int64_t value, CasResult& result) {
  const bool alone = txn_ == nullptr;
  if (alone) {
    if (const Reply reply = begin_writing(); !reply.ok()) return reply;
  }
  std::optional<std::int64_t> found;
  if (const Reply reply = read(key, found); !reply.ok()) return reply;
  result.applied = found == expected;
  result.seen.reset();
  if (!result.applied) {
    result.seen = found;
    return alone ? rollback() : Reply{};
  }
  if (const Reply reply = write(key, value); !reply.ok()) return reply;
  return alone ? commit() : Reply{};
}

Reply LmdbSession::commit() {
  ISOLDE_CHECK(txn_ != nullptr);
  if (!writing_) return end({});
  // Frees the transaction in any case.
  const int code = mdb_txn_commit(std::exchange(txn_, nullptr));
  if (code == MDB_SUCCESS) return end({});
  if (code == MDB_MAP_FULL || code == MDB_TXN_FULL) return end(refused(code));
  return end(kv::unknown(said(code)));
}

/// REQUIRES: mutex_ is held.
Status LmdbDatabase::open() {
  if (env_ != nullptr) return ok_status();
  if (!folder_.marked()) {
    return Error{ErrorCode::kEnvironment,
                 folder_.path() + ": holds no database created by Isolde"};
  }
  std::error_code error;
  const std::string real = std::filesystem::canonical(folder_.path(), error).string();
  if (error) return Error{ErrorCode::kEnvironment, folder_.path() + ": " + error.message()};
  if (!open_folders().add(real)) {
    return Error{ErrorCode::kEnvironment, folder_.path() + ": is already open in this process"};
  }
  open_as_ = real;
  int code = mdb_env_create(&env_);
  if (code == MDB_SUCCESS) code = mdb_env_set_maxreaders(env_, kReaders);
  if (code == MDB_SUCCESS) {
    code = mdb_env_set_mapsize(env_, static_cast<std::size_t>(map_mib_) << 20);
  }
  // NOTLS: a session's reader belongs to the session, not to the thread.
  const unsigned flags = MDB_NOTLS | (sync_ ? 0U : MDB_NOSYNC);
  if (code == MDB_SUCCESS) code = mdb_env_open(env_, folder_.path().c_str(), flags, 0644);
  if (code == MDB_SUCCESS) code = open_table();
  if (code == MDB_SUCCESS) return ok_status();
  close();
  return environment(folder_.path(), code);
}

int LmdbDatabase::open_table() {
  MDB_txn* txn = nullptr;
  int code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
  if (code != MDB_SUCCESS) return code;
  code = mdb_dbi_open(txn, nullptr, 0, &table_);
  if (code == MDB_SUCCESS) return mdb_txn_commit(txn);
  mdb_txn_abort(txn);
  return code;
}

void LmdbDatabase::close() {
  if (env_ != nullptr) mdb_env_close(std::exchange(env_, nullptr));
  if (!open_as_.empty()) open_folders().remove(std::exchange(open_as_, {}));
}

/// REQUIRES: mutex_ is held.
Status LmdbDatabase::remove() {
  if (sessions_ > 0) {
    return Error{ErrorCode::kUsage, folder_.path() + ": sessions are still connected"};
  }
  close();
  for (const char* file : {"data.mdb", "lock.mdb"}) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::path(folder_.path()) / file;
    std::filesystem::remove(path, error);
    if (error) return Error{ErrorCode::kEnvironment, path.string() + ": " + error.message()};
  }
  return folder_.release();
}

Status LmdbDatabase::create(std::span<const Key>, std::span<const Key>) {
  const std::lock_guard lock(mutex_);
  if (folder_.marked()) {
    if (!options_.force_reset) {
      return Error{ErrorCode::kUsage, folder_.path() +
                                          ": holds a database of an earlier run; remove it or "
                                          "use --force-reset"};
    }
    if (Status removed = remove(); !removed) return removed;
  }
  // Registers and lists without a value have no key.
  if (Status claimed = folder_.claim(); !claimed) return claimed;
  return open();
}

Result<std::unique_ptr<Session>> LmdbDatabase::connect(std::uint32_t) {
  const std::lock_guard lock(mutex_);
  if (const Status opened = open(); !opened) return opened.error();
  ++sessions_;
  return std::unique_ptr<Session>(std::make_unique<LmdbSession>(*this));
}

Status LmdbDatabase::destroy() {
  const std::lock_guard lock(mutex_);
  return folder_.marked() ? remove() : ok_status();
}

Result<std::unique_ptr<Database>> open_lmdb(const Dsn& dsn, const OpenOptions& options) {
  if (Status known = check_parameters(dsn, {"map_mib", "sync"}); !known) return known.error();
  if (!dsn.endpoints.empty() || !dsn.user.empty()) {
    return Error{ErrorCode::kUsage, "LMDB is embedded and has no server; expected lmdb:PATH"};
  }
  std::size_t row = 0;
  while (row < kIsolations.size() && kIsolations[row].name != options.isolation) ++row;
  ISOLDE_CHECK(row < kIsolations.size());
  std::int64_t map_mib = kMapMib;
  if (const auto found = dsn.parameters.find("map_mib"); found != dsn.parameters.end()) {
    map_mib = kv::parse_number(found->second).value_or(0);
    if (map_mib < 1 || map_mib > (std::int64_t{1} << 24)) {
      return Error{ErrorCode::kUsage,
                   "lmdb: map_mib '" + found->second + "' is not a number from 1 to 16777216"};
    }
  }
  const auto sync = dsn.parameters.find("sync");
  if (sync != dsn.parameters.end() && sync->second != "yes" && sync->second != "no") {
    return Error{ErrorCode::kUsage, "lmdb: sync '" + sync->second + "' is neither yes nor no"};
  }
  Result<OwnFolder> folder = OwnFolder::at(dsn.path, "lmdb");
  if (!folder) return folder.error();
  return std::unique_ptr<Database>(std::make_unique<LmdbDatabase>(
      std::move(*folder), static_cast<Mode>(row), map_mib,
      sync != dsn.parameters.end() && sync->second == "yes", options));
}

}  // namespace

const DatabaseInfo& lmdb_info() {
  static const DatabaseInfo kInfo = {
      .name = "lmdb",
      .summary = "LMDB, embedded",
      .dsn = "lmdb:PATH?sync=yes|no&map_mib=SIZE (no path: a temporary folder)",
      .capabilities = {.lists = true, .compare_and_set = true, .embedded = true},
      .isolations = kIsolations,
      .open = open_lmdb,
  };
  return kInfo;
}

}  // namespace isolde::db
