#include "schedule/unlocked.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "history/copier.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::schedule {
namespace {

using replay::Step;

constexpr std::int64_t kStepNs = 1000;

/// A register, null where there is no row, or a list.
struct Item {
  Value value;
  std::vector<Value> elements;
};

/// An operation and what it returned.
struct Done {
  Op op;
  std::vector<Value> elements = {};          ///< of a read of a list
  const db::Condition* condition = nullptr;  ///< of a selection
  std::vector<Row> rows = {};                ///< likewise
};

struct Txn {
  std::vector<Done> ops;
  /// What was there before each of its writes.
  std::vector<std::pair<KeyId, Item>> before;
  TxnTimes times;
  TxnStatus status = TxnStatus::kCommitted;
  bool is_open = false;
};

class UnlockedStore {
 public:
  explicit UnlockedStore(const replay::Steps& steps)
      : steps_(steps),
        history_(steps.history),
        items_(history_.key_count()),
        txns_(history_.txn_count()) {}

  Result<History> run() {
    for (const Step& step : steps_.steps) {
      if (const Status done = perform(step); !done) return done.error();
      now_ += kStepNs;
    }
    return recorded();
  }

 private:
  Txn& txn_of(const Step& step) { return txns_[step.txn.raw()]; }
  Item& item(KeyId key) { return items_[key.raw()]; }

  Status perform(const Step& step);
  void operation(const Step& step, Txn& txn);
  void read(const Step& step, const Op& op, Txn& txn);
  void write(const Op& op, Txn& txn);
  void select(const Step& step, Txn& txn);
  void end(TxnId id, TxnStatus status);
  bool has_returned(const Op& wanted, const Done& read) const;
  Result<History> recorded() const;

  const replay::Steps& steps_;
  const History& history_;
  std::vector<Item> items_;  // by key
  std::vector<Txn> txns_;
  std::vector<TxnId> ended_;
  std::int64_t now_ = 0;
};

Status UnlockedStore::perform(const Step& step) {
  Txn& txn = txn_of(step);
  switch (step.kind) {
    case Step::Kind::kBegin:
      txn.is_open = true;
      txn.times.start = now_;
      return ok_status();
    case Step::Kind::kStatement:
      return usage_error("sql " + steps_.statements[step.op] +
                         ": a store without locks has no language; play these steps on a "
                         "database with SQL");
    case Step::Kind::kAggregate:
      return usage_error(steps_.statements[step.op] +
                         ": a store without locks computes nothing; play these steps on a "
                         "database with SQL");
    case Step::Kind::kCrash:
      return usage_error("crash: a store without locks has no servers to crash");
    case Step::Kind::kWait:
      return ok_status();
    default:
      break;
  }
  if (!txn.is_open) return ok_status();
  switch (step.kind) {
    case Step::Kind::kOperation:
      operation(step, txn);
      break;
    case Step::Kind::kSelect:
    case Step::Kind::kDeleteSelected:
      select(step, txn);
      break;
    default:
      end(step.txn,
          step.kind == Step::Kind::kCommit ? TxnStatus::kCommitted : TxnStatus::kAborted);
  }
  return ok_status();
}

void UnlockedStore::operation(const Step& step, Txn& txn) {
  const Op& op = history_.ops(step.txn)[step.op];
  op.is_write() ? write(op, txn) : read(step, op, txn);
}

void UnlockedStore::read(const Step& step, const Op& op, Txn& txn) {
  Done read{op};
  read.op.kind = history_.is_list(op.key) ? OpKind::kReadList : OpKind::kRead;
  read.op.value = item(op.key).value;
  read.elements = item(op.key).elements;
  txn.ops.push_back(read);
  const bool is_last = step.pace == Step::Pace::kUntil && !has_returned(op, read);
  if (is_last) end(step.txn, TxnStatus::kAborted);
}

bool UnlockedStore::has_returned(const Op& wanted, const Done& read) const {
  if (wanted.kind != OpKind::kReadList) {
    return read.op.value == (history_.found_nothing(wanted) ? Value::null() : wanted.value);
  }
  return std::ranges::equal(history_.list(wanted), read.elements);
}

void UnlockedStore::write(const Op& op, Txn& txn) {
  Item& target = item(op.key);
  if (op.is_delete() && target.value.is_null()) return;
  txn.before.emplace_back(op.key, target);
  txn.ops.push_back({op});
  if (op.kind == OpKind::kAppend) {
    target.elements.push_back(op.value);
  } else {
    target.value = op.is_delete() ? Value::null() : op.value;
  }
}

void UnlockedStore::select(const Step& step, Txn& txn) {
  const db::Condition& condition = steps_.conditions.at(step.op);
  PredicateView predicate;
  predicate.keys = condition.keys;
  predicate.values = condition.values;
  Done selection;
  selection.condition = &condition;
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const KeyId key = KeyId::at(k);
    const Value value = item(key).value;
    const bool meets =
        predicate.selects_key(history_.key_name(key)) && predicate.selects_value(value);
    if (meets) selection.rows.push_back({key, value});
  }
  const std::vector<Row> rows = selection.rows;
  txn.ops.push_back(std::move(selection));
  if (step.kind == Step::Kind::kSelect) return;
  for (const Row& row : rows) write({Value::dead(), row.key, OpKind::kWrite}, txn);
}

void UnlockedStore::end(TxnId id, TxnStatus status) {
  Txn& txn = txns_[id.raw()];
  txn.is_open = false;
  txn.status = status;
  txn.times.end = now_ + kStepNs / 2;
  ended_.push_back(id);
  if (status == TxnStatus::kCommitted) return;
  for (auto undone = txn.before.rbegin(); undone != txn.before.rend(); ++undone) {
    item(undone->first) = undone->second;
  }
}

Result<History> UnlockedStore::recorded() const {
  HistoryBuilder builder;
  history::Copier copier(history_, builder);
  for (const TxnId id : ended_) {
    const Txn& txn = txns_[id.raw()];
    builder.begin_txn(builder.session(history_.session_name(history_.session_of(id))));
    builder.set_status(txn.status);
    builder.set_times(txn.times);
    for (const Done& done : txn.ops) {
      if (done.condition != nullptr) {
        std::vector<Row> rows;
        for (const Row& row : done.rows) {
          rows.push_back({copier.key(row.key), copier.value(row.value)});
        }
        builder.select(Predicate{done.condition->keys, done.condition->values, {}, {}}, rows);
      } else if (done.op.kind == OpKind::kReadList) {
        copier.read_list(copier.key(done.op.key), done.elements);
      } else {
        copier.op(done.op, copier.key(done.op.key));
      }
    }
  }
  builder.origin().database = "a store without locks";
  return builder.finish();
}

}  // namespace

Result<History> run_unlocked(const replay::Steps& steps) { return UnlockedStore(steps).run(); }

}  // namespace isolde::schedule
