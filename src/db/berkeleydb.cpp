// Berkeley DB in this process, through its C API, with transactions.
//
// By default a transaction locks the pages that it reads and writes until its end. The other
// isolation names give read locks back at once, or read what others have not committed. Locks
// are on pages, and a refused lock ends the transaction: neighbouring keys conflict, too.
//
// DB_TXN_SNAPSHOT is not offered: version 5.3.28 crashes (in __memp_fput, called by
// __bam_get_root) as soon as two such transactions write one page.
#include <db.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "db/driver.hpp"
#include "db/embedded.hpp"
#include "db/key_values.hpp"

namespace isolde::db {
namespace {

constexpr std::array<IsolationInfo, 3> kIsolations = {{
    {"serializable", Level::kSerializable, "reads and writes lock their page until the end"},
    {"read-committed", Level::kReadCommitted,
     "DB_READ_COMMITTED: locks of reads are given back after each read; loses updates"},
    {"read-uncommitted", Level::kReadUncommitted,
     "DB_READ_UNCOMMITTED: reads uncommitted changes"},
}};

/// Of a transaction, in the order of kIsolations.
constexpr std::array<u_int32_t, 3> kFlags = {0, DB_READ_COMMITTED, DB_READ_UNCOMMITTED};
constexpr const char* kFile = "isolde.db";

std::string said(int code) { return std::string("Berkeley DB: ") + db_strerror(code); }

bool is_conflict(int code) { return code == DB_LOCK_DEADLOCK || code == DB_LOCK_NOTGRANTED; }

Reply reply_to(int code) {
  if (code == 0) return {};
  return is_conflict(code) ? kv::aborted(said(code)) : kv::failed(said(code));
}

/// Bytes that Berkeley DB reads only.
DBT given(const std::string& text) {
  DBT part = {};
  part.data = const_cast<char*>(text.data());
  part.size = static_cast<u_int32_t>(text.size());
  return part;
}

/// Refuses locks that have been waited for too long: Berkeley DB looks at time limits only when
/// somebody asks it to, which is what its program db_deadlock is for.
///
/// It does not look where it believes that no limit has passed, and version 5.3.28 forgets the
/// limit of a transaction that begins to wait while a look ends: the next limit is written
/// without a lock (`__dd_build`). Such a transaction would wait for ever. A locker without
/// locks, whose time has always run out, makes every look a whole one.
class Detector {
 public:
  explicit Detector(DB_ENV& environment)
      : thread_([&environment](const std::stop_token& stop) {
          constexpr auto kPause = std::chrono::milliseconds(5);
          u_int32_t locker = 0;
          environment.lock_id(&environment, &locker);
          DB_LOCKREQ expire = {};
          expire.op = DB_LOCK_TIMEOUT;
          while (!stop.stop_requested()) {
            environment.lock_vec(&environment, locker, 0, &expire, 1, nullptr);
            environment.lock_detect(&environment, 0, DB_LOCK_DEFAULT, nullptr);
            std::this_thread::sleep_for(kPause);
          }
          environment.lock_id_free(&environment, locker);
        }) {}

 private:
  std::jthread thread_;
};

class BerkeleyDatabase final : public EmbeddedDatabase {
 public:
  BerkeleyDatabase(OwnFolder folder, std::size_t isolation, bool sync,
                   const OpenOptions& options)
      : EmbeddedDatabase(std::move(folder), options),
        begin_flags_(kFlags[isolation]),
        commit_flags_(sync ? DB_TXN_SYNC : DB_TXN_WRITE_NOSYNC),
        read_flags_(begin_flags_ == DB_READ_UNCOMMITTED ? DB_READ_UNCOMMITTED : 0) {}
  ~BerkeleyDatabase() override { close_store(); }

  std::string version() const override {
    int major = 0;
    int minor = 0;
    int patch = 0;
    db_version(&major, &minor, &patch);
    return "Berkeley DB " + std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(patch);
  }

  DB_ENV* environment_handle() const { return environment_; }
  DB* table() const { return table_; }
  u_int32_t begin_flags() const { return begin_flags_; }
  u_int32_t commit_flags() const { return commit_flags_; }
  u_int32_t read_flags() const { return read_flags_; }

 private:
  Status open_store() override;
  void close_store() override;
  bool is_own_file(std::string_view name) const override {
    return name == kFile || name.starts_with("log.") || name.starts_with("__db");
  }
  std::unique_ptr<Session> new_session() override;
  int open_environment();
  int open_table();

  int folder_lock_ = -1;  // the open folder, locked
  const u_int32_t begin_flags_;
  const u_int32_t commit_flags_;
  const u_int32_t read_flags_;
  DB_ENV* environment_ = nullptr;
  DB* table_ = nullptr;
  std::optional<Detector> detector_;  // ends before environment_
};

class BerkeleySession final : public EmbeddedSession {
 public:
  explicit BerkeleySession(BerkeleyDatabase& database)
      : EmbeddedSession(database), database_(database) {}
  ~BerkeleySession() override { abandon(); }

 private:
  Reply start(Purpose) override {
    DB_ENV* const environment = database_.environment_handle();
    return reply_to(
        environment->txn_begin(environment, nullptr, &txn_, database_.begin_flags()));
  }

  Reply get(const std::string& name, Purpose purpose,
            std::optional<std::string>& text) override {
    DBT key = given(name);
    DBT data = {};
    data.flags = DB_DBT_MALLOC;
    DB* const table = database_.table();
    const u_int32_t how = purpose == Purpose::kToWrite ? DB_RMW : database_.read_flags();
    const int code = table->get(table, txn_, &key, &data, how);
    if (code == DB_NOTFOUND) return {};
    if (code != 0) return reply_to(code);
    text.emplace(static_cast<const char*>(data.data), data.size);
    std::free(data.data);
    return {};
  }

  Reply put(const std::string& name, const std::string& text) override {
    DBT key = given(name);
    DBT data = given(text);
    DB* const table = database_.table();
    return reply_to(table->put(table, txn_, &key, &data, 0));
  }

  Reply finish() override {
    // Frees the transaction in any case.
    DB_TXN* const txn = std::exchange(txn_, nullptr);
    const int code = txn->commit(txn, database_.commit_flags());
    if (code == 0) return {};
    return is_conflict(code) ? kv::aborted(said(code)) : kv::unknown(said(code));
  }

  void abandon() override {
    DB_TXN* const txn = std::exchange(txn_, nullptr);
    if (txn != nullptr) txn->abort(txn);
  }

  BerkeleyDatabase& database_;
  DB_TXN* txn_ = nullptr;
};

int BerkeleyDatabase::open_environment() {
  constexpr u_int32_t kMany = 100000;
  constexpr u_int32_t kCacheBytes = 64U << 20;
  const auto micros = static_cast<db_timeout_t>(std::max(timeout_seconds(), 1e-3) * 1e6);
  int code = db_env_create(&environment_, 0);
  if (code != 0) return code;
  DB_ENV* const made = environment_;
  made->set_errcall(made, [](const DB_ENV*, const char*, const char*) {});
  for (const int done :
       {made->set_cachesize(made, 0, kCacheBytes, 1), made->set_lk_max_locks(made, kMany),
        made->set_lk_max_objects(made, kMany), made->set_lk_max_lockers(made, kMany),
        made->set_tx_max(made, kMany), made->set_lk_detect(made, DB_LOCK_DEFAULT),
        made->set_timeout(made, micros, DB_SET_LOCK_TIMEOUT)}) {
    if (code == 0) code = done;
  }
  if (code != 0) return code;
  return made->open(made, path().c_str(),
                    DB_CREATE | DB_INIT_MPOOL | DB_INIT_LOCK | DB_INIT_LOG | DB_INIT_TXN |
                        DB_THREAD | DB_PRIVATE,
                    0600);
}

int BerkeleyDatabase::open_table() {
  const int code = db_create(&table_, environment_, 0);
  if (code != 0) return code;
  return table_->open(table_, nullptr, kFile, nullptr, DB_BTREE,
                      DB_CREATE | DB_AUTO_COMMIT | DB_THREAD | read_flags_, 0600);
}

Status BerkeleyDatabase::open_store() {
  if (environment_ != nullptr) return ok_status();
  // What Berkeley DB locks by is private to the environment, so that a second one in the
  // folder, here or in another process, would know nothing of the first.
  folder_lock_ = ::open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_lock_ < 0 || flock(folder_lock_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    close_store();
    return environment(reason == EWOULDBLOCK ? "is already open" : std::strerror(reason));
  }
  int code = open_environment();
  if (code == 0) code = open_table();
  if (code == 0) {
    detector_.emplace(*environment_);
    return ok_status();
  }
  close_store();
  return environment(said(code));
}

void BerkeleyDatabase::close_store() {
  detector_.reset();
  if (DB* const table = std::exchange(table_, nullptr); table != nullptr)
    table->close(table, 0);
  DB_ENV* const made = std::exchange(environment_, nullptr);
  if (made != nullptr) made->close(made, 0);
  if (const int folder = std::exchange(folder_lock_, -1); folder >= 0) ::close(folder);
}

std::unique_ptr<Session> BerkeleyDatabase::new_session() {
  return std::make_unique<BerkeleySession>(*this);
}

Result<std::unique_ptr<Database>> open_berkeleydb(const Dsn& dsn, const OpenOptions& options,
                                                  const Cancelled&) {
  if (Status known = check_parameters(dsn, {"sync"}); !known) return known.error();
  const Result<bool> sync = flag_in(dsn, "sync", false);
  if (!sync) return sync.error();
  Result<OwnFolder> folder = own_folder_of(dsn, "Berkeley DB");
  if (!folder) return folder.error();
  return std::unique_ptr<Database>(std::make_unique<BerkeleyDatabase>(
      std::move(*folder), isolation_index(kIsolations, options.isolation), *sync, options));
}

}  // namespace

const DatabaseInfo& berkeleydb_info() {
  static const DatabaseInfo kInfo = {
      .name = "berkeleydb",
      .summary = "Berkeley DB, embedded",
      .dsn = "berkeleydb:PATH?sync=no|yes (no path: a temporary folder)",
      .capabilities = {.lists = true, .compare_and_set = true, .embedded = true},
      .isolations = kIsolations,
      .open = open_berkeleydb,
      .deadlock = {.words = "DB_LOCK_DEADLOCK"},
  };
  return kInfo;
}

}  // namespace isolde::db
