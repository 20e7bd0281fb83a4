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

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "db/driver.hpp"
#include "db/embedded.hpp"
#include "db/key_values.hpp"

namespace isolde::db {
namespace {

constexpr unsigned kReaders = 2048;
constexpr std::uint32_t kMapMib = 1024;

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

class LmdbDatabase final : public EmbeddedDatabase {
 public:
  LmdbDatabase(OwnFolder folder, Mode mode, std::uint32_t map_mib, bool sync,
               const OpenOptions& options)
      : EmbeddedDatabase(std::move(folder), options),
        mode_(mode),
        map_mib_(map_mib),
        sync_(sync) {}

  ~LmdbDatabase() override { close_store(); }

  std::string version() const override {
    int major = 0;
    int minor = 0;
    int patch = 0;
    mdb_version(&major, &minor, &patch);
    return "LMDB " + std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(patch);
  }

  Mode mode() const { return mode_; }
  MDB_env* env() const { return env_; }
  MDB_dbi table() const { return table_; }
  Turn& turn() { return turn_; }

 private:
  Status open_store() override;
  void close_store() override;
  bool is_own_file(std::string_view name) const override {
    return name == "data.mdb" || name == "lock.mdb";
  }
  std::unique_ptr<Session> new_session() override;
  int open_table();

  const Mode mode_;
  const std::uint32_t map_mib_;
  const bool sync_;
  MDB_env* env_ = nullptr;
  MDB_dbi table_ = 0;
  std::string open_as_;  // entry in open_folders()
  Turn turn_;
};

class LmdbSession final : public EmbeddedSession {
 public:
  explicit LmdbSession(LmdbDatabase& database)
      : EmbeddedSession(database), database_(database) {}
  ~LmdbSession() override { abandon(); }

 private:
  Reply start(Purpose purpose) override {
    const bool writes = purpose == Purpose::kToWrite || database_.mode() == Mode::kSerializable;
    return writes ? start_writing() : start_reading();
  }

  Reply start_reading() {
    const int code = mdb_txn_begin(database_.env(), nullptr, MDB_RDONLY, &txn_);
    if (code == MDB_SUCCESS) return {};
    txn_ = nullptr;
    return kv::failed(said(code));
  }

  Reply start_writing() {
    if (!database_.turn().take(database_.timeout_seconds())) {
      return kv::aborted("another transaction has been writing for " +
                         std::to_string(database_.timeout_seconds()) + " s");
    }
    MDB_txn* writer = nullptr;
    const int code = mdb_txn_begin(database_.env(), nullptr, 0, &writer);
    if (code != MDB_SUCCESS) {
      database_.turn().give();
      return kv::failed(said(code));
    }
    // A writer's number is one more than that of the last commit, which is what a reader has.
    const bool stale = txn_ != nullptr && mdb_txn_id(txn_) + 1 != mdb_txn_id(writer);
    if (txn_ != nullptr) mdb_txn_abort(txn_);
    txn_ = writer;
    writing_ = true;
    if (stale && database_.mode() == Mode::kUpgrade) {
      return kv::aborted("a transaction was committed after this one's snapshot");
    }
    return {};
  }

  Reply ensure_writing() { return writing_ ? Reply{} : start_writing(); }

  Reply get(const std::string& name, Purpose purpose,
            std::optional<std::string>& text) override {
    if (purpose == Purpose::kToWrite) {
      if (Reply reply = ensure_writing(); !reply.ok()) return reply;
    }
    std::string copy = name;
    MDB_val key = {copy.size(), copy.data()};
    MDB_val data = {0, nullptr};
    const int code = mdb_get(txn_, database_.table(), &key, &data);
    if (code == MDB_NOTFOUND) return {};
    if (code != MDB_SUCCESS) return kv::failed(said(code));
    text.emplace(static_cast<const char*>(data.mv_data), data.mv_size);
    return {};
  }

  Reply put(const std::string& name, const std::string& text) override {
    if (Reply reply = ensure_writing(); !reply.ok()) return reply;
    std::string own_name = name;
    std::string own_text = text;
    MDB_val key = {own_name.size(), own_name.data()};
    MDB_val data = {own_text.size(), own_text.data()};
    const int code = mdb_put(txn_, database_.table(), &key, &data, 0);
    return code == MDB_SUCCESS ? Reply{} : refused(code);
  }

  Reply finish() override {
    int code = MDB_SUCCESS;
    // Frees the transaction in any case.
    if (writing_) code = mdb_txn_commit(std::exchange(txn_, nullptr));
    abandon();
    if (code == MDB_SUCCESS) return {};
    const bool is_certain = code == MDB_MAP_FULL || code == MDB_TXN_FULL;
    return is_certain ? refused(code) : kv::unknown(said(code));
  }

  void abandon() override {
    if (txn_ != nullptr) mdb_txn_abort(std::exchange(txn_, nullptr));
    if (std::exchange(writing_, false)) database_.turn().give();
  }

  static Reply refused(int code) {
    const char* hint = code == MDB_MAP_FULL ? "; give the database more with map_mib" : "";
    return kv::failed(said(code) + hint);
  }

  LmdbDatabase& database_;
  MDB_txn* txn_ = nullptr;
  bool writing_ = false;  // has the turn
};

std::unique_ptr<Session> LmdbDatabase::new_session() {
  return std::make_unique<LmdbSession>(*this);
}

Status LmdbDatabase::open_store() {
  if (env_ != nullptr) return ok_status();
  std::error_code error;
  const std::string real = std::filesystem::canonical(path(), error).string();
  if (error) return environment(error.message());
  if (!open_folders().add(real)) return environment("is already open in this process");
  open_as_ = real;
  int code = mdb_env_create(&env_);
  if (code == MDB_SUCCESS) code = mdb_env_set_maxreaders(env_, kReaders);
  if (code == MDB_SUCCESS) {
    code = mdb_env_set_mapsize(env_, static_cast<std::size_t>(map_mib_) << 20);
  }
  // NOTLS: a session's reader belongs to the session, not to the thread.
  const unsigned flags = MDB_NOTLS | (sync_ ? 0U : MDB_NOSYNC);
  if (code == MDB_SUCCESS) code = mdb_env_open(env_, path().c_str(), flags, 0644);
  if (code == MDB_SUCCESS) code = open_table();
  if (code == MDB_SUCCESS) return ok_status();
  close_store();
  return environment(said(code));
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

void LmdbDatabase::close_store() {
  if (env_ != nullptr) mdb_env_close(std::exchange(env_, nullptr));
  if (!open_as_.empty()) open_folders().remove(std::exchange(open_as_, {}));
}

Result<std::unique_ptr<Database>> open_lmdb(const Dsn& dsn, const OpenOptions& options,
                                            const Cancelled&) {
  constexpr std::uint32_t kMostMib = 1U << 24;
  if (Status known = check_parameters(dsn, {"map_mib", "sync"}); !known) return known.error();
  const Result<std::uint32_t> map_mib = number_in(dsn, "map_mib", 1, kMostMib, kMapMib);
  if (!map_mib) return map_mib.error();
  const Result<bool> sync = flag_in(dsn, "sync", false);
  if (!sync) return sync.error();
  Result<OwnFolder> folder = own_folder_of(dsn, "LMDB");
  if (!folder) return folder.error();
  const auto mode = static_cast<Mode>(isolation_index(kIsolations, options.isolation));
  return std::unique_ptr<Database>(
      std::make_unique<LmdbDatabase>(std::move(*folder), mode, *map_mib, *sync, options));
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
