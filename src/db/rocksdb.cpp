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

class RocksDatabase final : public EmbeddedDatabase {
 public:
  RocksDatabase(OwnFolder folder, Mode mode, Writing writing, const OpenOptions& options)
      : EmbeddedDatabase(std::move(folder), options), mode_(mode), writing_(writing) {}

  std::string version() const override {
    return "RocksDB " + rocksdb::GetRocksVersionAsString() +
           (writing_.prepared ? " with write policy prepared" : "") +
           (writing_.two_queues ? " and two write queues" : "") +
           (writing_.churn ? ", with churn" : "");
  }

  const Mode& mode() const { return mode_; }
  bool prepared() const { return writing_.prepared; }

  /// Begins a transaction, reusing the object of an earlier one.
  void begin(std::unique_ptr<rocksdb::Transaction>& txn, bool snapshot);
  /// Names that Prepare needs, each once.
  std::string next_name() { return "isolde" + std::to_string(names_++); }

 private:
  Status open_store() override;
  void close_store() override;
  Status remove_store() override;
  std::unique_ptr<Session> new_session() override;
  rocksdb::Options rocksdb_options() const;

  const Mode mode_;
  const Writing writing_;
  std::unique_ptr<rocksdb::TransactionDB> locking_;
  std::optional<Churn> churn_;  // ends before locking_
  std::unique_ptr<rocksdb::OptimisticTransactionDB> validating_;
  std::atomic<std::uint64_t> names_ = 0;
};

class RocksSession final : public EmbeddedSession {
 public:
  explicit RocksSession(RocksDatabase& database)
      : EmbeddedSession(database), database_(database) {}

 private:
  Reply start(Purpose purpose) override {
    const bool snapshot = database_.mode().reads == Reads::kSnapshot;
    database_.begin(txn_, snapshot && purpose == Purpose::kAsIsolated);
    return {};
  }

  Reply get(const std::string& name, Purpose purpose,
            std::optional<std::string>& text) override {
    const Reads reads =
        purpose == Purpose::kToWrite ? Reads::kForUpdate : database_.mode().reads;
    rocksdb::ReadOptions how;
    if (reads == Reads::kSnapshot) how.snapshot = txn_->GetSnapshot();
    std::string found;
    const rocksdb::Status status = reads == Reads::kForUpdate
                                       ? txn_->GetForUpdate(how, name, &found)
                                       : txn_->Get(how, name, &found);
    if (status.ok()) text = std::move(found);
    return status.IsNotFound() ? Reply{} : reply_to(status);
  }

  Reply put(const std::string& name, const std::string& text) override {
    return reply_to(txn_->Put(name, text));
  }

  Reply add(const std::string& name, const std::string& element) override {
    return reply_to(txn_->Merge(name, element));
  }

  Reply finish() override {
    // Without Prepare, the policy would make no difference to a small transaction.
    if (database_.prepared()) {
      rocksdb::Status status = txn_->SetName(database_.next_name());
      if (status.ok()) status = txn_->Prepare();
      if (!status.ok()) {
        abandon();
        return reply_to(status);
      }
    }
    const rocksdb::Status status = txn_->Commit();
    if (status.ok()) return {};
    abandon();
    // A conflict is found before anything is written; an error of the disk may come after.
    return is_conflict(status) ? kv::aborted(said(status)) : kv::unknown(said(status));
  }

  void abandon() override {
    const rocksdb::Status status = txn_->Rollback();
    if (!status.ok()) txn_.reset();  // which gives the locks back all the same
  }

  RocksDatabase& database_;
  std::unique_ptr<rocksdb::Transaction> txn_;
};

std::unique_ptr<Session> RocksDatabase::new_session() {
  return std::make_unique<RocksSession>(*this);
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

Status RocksDatabase::open_store() {
  if (locking_ || validating_) return ok_status();
  rocksdb::Status status;
  if (mode_.optimistic) {
    rocksdb::OptimisticTransactionDB* opened = nullptr;
    status = rocksdb::OptimisticTransactionDB::Open(rocksdb_options(), path(), &opened);
    validating_.reset(opened);
  } else {
    rocksdb::TransactionDBOptions how;
    const auto timeout = static_cast<std::int64_t>(timeout_seconds() * 1000);
    how.transaction_lock_timeout = std::max<std::int64_t>(timeout, 1);
    how.default_lock_timeout = how.transaction_lock_timeout;
    how.rollback_merge_operands = true;
    if (writing_.prepared) how.write_policy = rocksdb::TxnDBWritePolicy::WRITE_PREPARED;
    rocksdb::TransactionDB* opened = nullptr;
    status = rocksdb::TransactionDB::Open(rocksdb_options(), how, path(), &opened);
    locking_.reset(opened);
    if (status.ok() && writing_.churn) churn_.emplace(*locking_);
  }
  return status.ok() ? ok_status() : Status(environment(said(status)));
}

void RocksDatabase::close_store() {
  churn_.reset();
  locking_.reset();
  validating_.reset();
}

Status RocksDatabase::remove_store() {
  const rocksdb::Status status = rocksdb::DestroyDB(path(), rocksdb_options());
  return status.ok() ? ok_status() : Status(environment(said(status)));
}

Result<Writing> writing_of(const Dsn& dsn) {
  constexpr std::array<std::string_view, 2> kPolicies = {"committed", "prepared"};
  const Result<std::string> policy = word_in(dsn, "policy", kPolicies, "committed");
  if (!policy) return policy.error();
  const Result<std::uint32_t> queues = number_in(dsn, "write_queues", 1, 2, 1);
  if (!queues) return queues.error();
  const Result<bool> churn = flag_in(dsn, "churn", false);
  if (!churn) return churn.error();
  const Writing writing{*policy == "prepared", *queues == 2, *churn};
  if (writing.two_queues && !writing.prepared) {
    return usage_error("rocksdb: write_queues=2 needs policy=prepared");
  }
  if (writing.churn && !writing.prepared) {
    return usage_error("rocksdb: churn=yes needs policy=prepared");
  }
  return writing;
}

Result<std::unique_ptr<Database>> open_rocksdb(const Dsn& dsn, const OpenOptions& options,
                                               const Cancelled&) {
  Status known = check_parameters(dsn, {"policy", "write_queues", "churn"});
  if (!known) return known.error();
  const Mode mode = kModes[isolation_index(kIsolations, options.isolation)];
  const Result<Writing> writing = writing_of(dsn);
  if (!writing) return writing.error();
  if (writing->prepared && mode.optimistic) {
    return usage_error("rocksdb: policy prepared needs one of the pessimistic isolations");
  }
  Result<OwnFolder> folder = own_folder_of(dsn, "RocksDB");
  if (!folder) return folder.error();
  return std::unique_ptr<Database>(
      std::make_unique<RocksDatabase>(std::move(*folder), mode, *writing, options));
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
      .deadlock = {.words = "Deadlock"},
  };
  return kInfo;
}

}  // namespace isolde::db
