// RocksDB in this process, through its C++ transactions.
//
// RocksDB leaves isolation to the application: which database class is opened (locks or
// validation at commit), and how a transaction reads (Get, GetForUpdate, or from a snapshot).
// The isolation names are these combinations. A plain Get takes no lock and is not validated,
// so that the first name, which is what a program gets that just calls Get and Put, loses
// updates.
//
// Lists use a merge operator: an append is one blind request, as an application would do it.
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "db/databases.hpp"
#include "db/key_values.hpp"
#include "db/own_folder.hpp"

namespace isolde::db {
namespace {

enum class Reads : std::uint8_t { kLatest, kForUpdate, kSnapshot };

struct Mode {
  bool optimistic;
  Reads reads;
};

constexpr std::array<IsolationInfo, 6> kIsolations = {{
    {"pessimistic", Level::kReadCommitted,
     "TransactionDB, Get and Put: writes lock their key, reads do not; loses updates"},
    {"pessimistic-get-for-update", Level::kSerializable,
     "TransactionDB, GetForUpdate and Put: reads lock their key too, until the end"},
    {"pessimistic-snapshot", Level::kSnapshotIsolation,
     "TransactionDB, SetSnapshot: reads from the snapshot, a write of a newer key is refused"},
    {"optimistic", Level::kReadCommitted,
     "OptimisticTransactionDB, Get and Put: no locks, commit validates writes only; loses "
     "updates"},
    {"optimistic-get-for-update", Level::kSerializable,
     "OptimisticTransactionDB, GetForUpdate and Put: commit validates reads and writes"},
    {"optimistic-snapshot", Level::kSnapshotIsolation,
     "OptimisticTransactionDB, SetSnapshot: reads from the snapshot, commit validates writes"},
}};

/// In the order of kIsolations.
constexpr std::array<Mode, 6> kModes = {{{false, Reads::kLatest},
                                         {false, Reads::kForUpdate},
                                         {false, Reads::kSnapshot},
                                         {true, Reads::kLatest},
                                         {true, Reads::kForUpdate},
                                         {true, Reads::kSnapshot}}};

/// Adds an element to a list kept as text.
class AppendElement : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "isolde.append"; }
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* existing,
             const rocksdb::Slice& element, std::string* result,
             rocksdb::Logger*) const override {
    result->clear();
    if (existing != nullptr && !existing->empty()) {
      result->assign(existing->data(), existing->size());
      *result += ',';
    }
    result->append(element.data(), element.size());
    return true;
  }
};

/// RocksDB refused and will let another attempt through.
bool is_conflict(const rocksdb::Status& status) {
  return status.IsBusy() || status.IsTimedOut() || status.IsTryAgain() || status.IsDeadlock() ||
         status.IsExpired() || status.IsAborted();
}

std::string said(const rocksdb::Status& status) { return "RocksDB: " + status.ToString(); }

Reply reply_to(const rocksdb::Status& status) {
  if (status.ok()) return {};
  return is_conflict(status) ? kv::aborted(said(status)) : kv::failed(said(status));
}

/// How commits are written.
struct Writing {
  bool prepared = false;    ///< write policy WRITE_PREPARED
  bool two_queues = false;  ///< commits have a queue of their own
  bool churn = false;       ///< see Churn
};

/// Commits all the time, on a key of its own, so that RocksDB forgets. With the policy prepared
/// it keeps the last 8 million commits in a table, and what a snapshot has to know of those
/// that fall out of it elsewhere. Sessions alone would need hours to get there. Each repeated
/// write of a transaction counts as a commit of its own.
class Churn {
 public:
  explicit Churn(rocksdb::TransactionDB& database)
      : database_(database), thread_([this](const std::stop_token& stop) { work(stop); }) {}

 private:
  void work(const std::stop_token& stop) {
    constexpr int kWrites = 1000;
    std::unique_ptr<rocksdb::Transaction> txn;
    for (std::uint64_t number = 0; !stop.stop_requested(); ++number) {
      txn.reset(database_.BeginTransaction({}, {}, txn.release()));
      rocksdb::Status status = txn->SetName("isolde-churn" + std::to_string(number));
      for (int i = 0; status.ok() && i < kWrites; ++i) status = txn->Put("isolde-churn", "");
      if (status.ok()) status = txn->Prepare();
      if (status.ok()) status = txn->Commit();
      if (!status.ok()) return;  // the sessions will meet the same
    }
  }

  rocksdb::TransactionDB& database_;
  std::jthread thread_;
};

class RocksDatabase final : public Database {
 public:
  RocksDatabase(OwnFolder folder, Mode mode, Writing writing, const OpenOptions& options)
      : folder_(std::move(folder)), mode_(mode), writing_(writing), options_(options) {}

  ~RocksDatabase() override { ISOLDE_CHECK(sessions_ == 0); }

  std::string version() const override {
    return "RocksDB " + rocksdb::GetRocksVersionAsString() +
           (writing_.prepared ? " with write policy prepared" : "") +
           (writing_.two_queues ? " and two write queues" : "") +
           (writing_.churn ? ", with churn" : "");
  }

  Status create(std::span<const Key> registers, std::span<const Key> lists) override;
  Result<std::unique_ptr<Session>> connect(std::uint32_t session) override;
  Status destroy() override;

  const Mode& mode() const { return mode_; }
  bool prepared() const { return writing_.prepared; }

  /// Begins a transaction, reusing the object of an earlier one.
  void begin(std::unique_ptr<rocksdb::Transaction>& txn, bool snapshot);
  /// Names that Prepare needs, each once.
  std::string next_name() { return "isolde" + std::to_string(names_++); }
  void disconnected() { --sessions_; }

 private:
  Status open();
  Status remove();
  rocksdb::Options rocksdb_options() const;

  OwnFolder folder_;
  const Mode mode_;
  const Writing writing_;
  const OpenOptions options_;
  std::mutex mutex_;  // open, close
  std::unique_ptr<rocksdb::TransactionDB> locking_;
  std::optional<Churn> churn_;  // ends before locking_
  std::unique_ptr<rocksdb::OptimisticTransactionDB> validating_;
  std::atomic<int> sessions_ = 0;
  std::atomic<std::uint64_t> names_ = 0;
};

class RocksSession final : public Session {
 public:
  explicit RocksSession(RocksDatabase& database) : database_(database) {}
  ~RocksSession() override {
    txn_.reset();
    database_.disconnected();
  }

  Reply begin() override {
    ISOLDE_CHECK(!open_);
    database_.begin(txn_, database_.mode().reads == Reads::kSnapshot);
    open_ = true;
    return {};
  }

  Reply read(Key key, std::optional<std::int64_t>& value) override {
    return read_register(key, database_.mode().reads, value);
  }

  Reply write(Key key, std::int64_t value) override {
    return checked(txn_->Put(kv::register_name(key), std::to_string(value)));
  }

  Reply read_list(Key key, std::vector<std::int64_t>& elements) override {
    std::string text;
    const rocksdb::Status status = get(kv::list_name(key), database_.mode().reads, text);
    elements.clear();
    if (!status.ok() && !status.IsNotFound()) return end(reply_to(status));
    if (status.ok() && !kv::parse_list(text, elements)) {
      return end(kv::not_a_value(kv::list_name(key), text));
    }
    return {};
  }

  Reply append(Key key, std::int64_t element) override {
    return checked(txn_->Merge(kv::list_name(key), std::to_string(element)));
  }

  Reply compare_and_set(Key key, std::optional<std::int64_t> expected, std::int64_t value,
                        CasResult& result) override;
  Reply commit() override;

  Reply rollback() override { return end({}); }

 private:
  rocksdb::Status get(const std::string& name, Reads reads, std::string& text) {
    ISOLDE_CHECK(open_);
    rocksdb::ReadOptions how;
    if (reads == Reads::kSnapshot) how.snapshot = txn_->GetSnapshot();
    if (reads == Reads::kForUpdate) return txn_->GetForUpdate(how, name, &text);
    return txn_->Get(how, name, &text);
  }

  Reply read_register(Key key, Reads reads, std::optional<std::int64_t>& value) {
    std::string text;
    const rocksdb::Status status = get(kv::register_name(key), reads, text);
    value.reset();
    if (status.IsNotFound()) return {};
    if (!status.ok()) return end(reply_to(status));
    value = kv::parse_number(text);
    return value ? Reply{} : end(kv::not_a_value(kv::register_name(key), text));
  }

  Reply checked(const rocksdb::Status& status) {
    ISOLDE_CHECK(open_);
    return status.ok() ? Reply{} : end(reply_to(status));
  }

  /// Ends the transaction without committing.
  Reply end(Reply reply) {
    ISOLDE_CHECK(open_);
    open_ = false;
    const rocksdb::Status status = txn_->Rollback();
    if (!status.ok()) txn_.reset();  // which gives the locks back all the same
    return reply;
  }

  RocksDatabase& database_;
  std::unique_ptr<rocksdb::Transaction> txn_;
  bool open_ = false;
};

Reply RocksSession::compare_and_set(Key key, std::optional<std::int64_t> expected,
                                    std::int64_t value, CasResult& result) {
  const bool alone = !open_;
  if (alone) {
    database_.begin(txn_, false);
    open_ = true;
  }
  std::optional<std::int64_t> found;
  if (const Reply reply = read_register(key, Reads::kForUpdate, found); !reply.ok()) {
    return reply;
  }
  result.applied = found == expected;
  result.seen.reset();
  if (!result.applied) {
    result.seen = found;
    return alone ? rollback() : Reply{};
  }
  if (const Reply reply = write(key, value); !reply.ok()) return reply;
  return alone ? commit() : Reply{};
}

Reply RocksSession::commit() {
  ISOLDE_CHECK(open_);
  // Without Prepare, the policy would make no difference to a small transaction.
  if (database_.prepared()) {
    rocksdb::Status status = txn_->SetName(database_.next_name());
    if (status.ok()) status = txn_->Prepare();
    if (!status.ok()) return end(reply_to(status));
  }
  const rocksdb::Status status = txn_->Commit();
  if (status.ok()) {
    open_ = false;
    return {};
  }
  // A conflict is found before anything is written; an error of the disk may come after.
  return end(is_conflict(status) ? kv::aborted(said(status)) : kv::unknown(said(status)));
}

void RocksDatabase::begin(std::unique_ptr<rocksdb::Transaction>& txn, bool snapshot) {
  const rocksdb::WriteOptions write;
  rocksdb::Transaction* begun = nullptr;
  if (mode_.optimistic) {
    rocksdb::OptimisticTransactionOptions how;
    how.set_snapshot = snapshot;
    begun = validating_->BeginTransaction(write, how, txn.get());
  } else {
    rocksdb::TransactionOptions how;
    how.set_snapshot = snapshot;
    how.deadlock_detect = true;
    begun = locking_->BeginTransaction(write, how, txn.get());
  }
  if (!txn) txn.reset(begun);
}

rocksdb::Options RocksDatabase::rocksdb_options() const {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.merge_operator = std::make_unique<AppendElement>();
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.keep_log_file_num = 2;
  options.two_write_queues = writing_.two_queues;
  return options;
}

/// REQUIRES: mutex_ is held.
Status RocksDatabase::open() {
  if (locking_ || validating_) return ok_status();
  if (!folder_.marked()) {
    return Error{ErrorCode::kEnvironment,
                 folder_.path() + ": holds no database created by Isolde"};
  }
  rocksdb::Status status;
  if (mode_.optimistic) {
    rocksdb::OptimisticTransactionDB* opened = nullptr;
    status = rocksdb::OptimisticTransactionDB::Open(rocksdb_options(), folder_.path(), &opened);
    validating_.reset(opened);
  } else {
    rocksdb::TransactionDBOptions how;
    const auto timeout = static_cast<std::int64_t>(options_.timeout_seconds * 1000);
    how.transaction_lock_timeout = std::max<std::int64_t>(timeout, 1);
    how.default_lock_timeout = how.transaction_lock_timeout;
    how.rollback_merge_operands = true;
    if (writing_.prepared) how.write_policy = rocksdb::TxnDBWritePolicy::WRITE_PREPARED;
    rocksdb::TransactionDB* opened = nullptr;
    status = rocksdb::TransactionDB::Open(rocksdb_options(), how, folder_.path(), &opened);
    locking_.reset(opened);
    if (status.ok() && writing_.churn) churn_.emplace(*locking_);
  }
  if (status.ok()) return ok_status();
  return Error{ErrorCode::kEnvironment, folder_.path() + ": " + said(status)};
}

/// REQUIRES: mutex_ is held.
Status RocksDatabase::remove() {
  if (sessions_ > 0) {
    return Error{ErrorCode::kUsage, folder_.path() + ": sessions are still connected"};
  }
  churn_.reset();
  locking_.reset();
  validating_.reset();
  const rocksdb::Status status = rocksdb::DestroyDB(folder_.path(), rocksdb_options());
  if (!status.ok()) {
    return Error{ErrorCode::kEnvironment, folder_.path() + ": " + said(status)};
  }
  return folder_.release();
}

Status RocksDatabase::create(std::span<const Key>, std::span<const Key>) {
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

Result<std::unique_ptr<Session>> RocksDatabase::connect(std::uint32_t) {
  const std::lock_guard lock(mutex_);
  if (const Status opened = open(); !opened) return opened.error();
  ++sessions_;
  return std::unique_ptr<Session>(std::make_unique<RocksSession>(*this));
}

Status RocksDatabase::destroy() {
  const std::lock_guard lock(mutex_);
  return folder_.marked() ? remove() : ok_status();
}

Result<Writing> parse_writing(const std::map<std::string, std::string>& parameters) {
  const auto value = [&parameters](const char* name, const char* otherwise) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string(otherwise) : found->second;
  };
  Writing writing;
  const std::string policy = value("policy", "committed");
  if (policy != "committed" && policy != "prepared") {
    return Error{ErrorCode::kUsage,
                 "rocksdb: policy '" + policy + "' is neither committed nor prepared"};
  }
  writing.prepared = policy == "prepared";
  const std::string queues = value("write_queues", "1");
  if (queues != "1" && queues != "2") {
    return Error{ErrorCode::kUsage,
                 "rocksdb: write_queues '" + queues + "' is neither 1 nor 2"};
  }
  writing.two_queues = queues == "2";
  if (writing.two_queues && !writing.prepared) {
    return Error{ErrorCode::kUsage, "rocksdb: write_queues=2 needs policy=prepared"};
  }
  const std::string churn = value("churn", "no");
  if (churn != "no" && churn != "yes") {
    return Error{ErrorCode::kUsage, "rocksdb: churn '" + churn + "' is neither yes nor no"};
  }
  writing.churn = churn == "yes";
  if (writing.churn && !writing.prepared) {
    return Error{ErrorCode::kUsage, "rocksdb: churn=yes needs policy=prepared"};
  }
  return writing;
}

Result<std::unique_ptr<Database>> open_rocksdb(const Dsn& dsn, const OpenOptions& options) {
  Status known = check_parameters(dsn, {"policy", "write_queues", "churn"});
  if (!known) return known.error();
  if (!dsn.endpoints.empty() || !dsn.user.empty()) {
    return Error{ErrorCode::kUsage,
                 "RocksDB is embedded and has no server; expected rocksdb:PATH"};
  }
  std::size_t row = 0;
  while (row < kIsolations.size() && kIsolations[row].name != options.isolation) ++row;
  ISOLDE_CHECK(row < kIsolations.size());
  const Result<Writing> writing = parse_writing(dsn.parameters);
  if (!writing) return writing.error();
  if (writing->prepared && kModes[row].optimistic) {
    return Error{ErrorCode::kUsage,
                 "rocksdb: policy prepared needs one of the pessimistic isolations"};
  }
  Result<OwnFolder> folder = OwnFolder::at(dsn.path, "rocksdb");
  if (!folder) return folder.error();
  return std::unique_ptr<Database>(
      std::make_unique<RocksDatabase>(std::move(*folder), kModes[row], *writing, options));
}

}  // namespace

const DatabaseInfo& rocksdb_info() {
  static const DatabaseInfo kInfo = {
      .name = "rocksdb",
      .summary = "RocksDB, embedded, through its transactions",
      .dsn =
          "rocksdb:PATH?policy=committed|prepared&write_queues=1|2&churn=no|yes "
          "(no path: a temporary folder)",
      .capabilities = {.lists = true, .compare_and_set = true, .embedded = true},
      .isolations = kIsolations,
      .open = open_rocksdb,
  };
  return kInfo;
}

}  // namespace isolde::db
