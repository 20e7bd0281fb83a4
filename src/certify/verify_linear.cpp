// Linearizability: each key by itself is strict-serializable. So a witness is checked key by
// key, each transaction being one step; and a finding or refutation is checked, as one of
// strict serializability, on the part of the history that concerns its key alone. There, which
// transactions took effect is judged by that key alone too.
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/csr.hpp"
#include "certify/aggregates.hpp"
#include "certify/external_reads.hpp"
#include "certify/proof_parts.hpp"
#include "history/key_columns.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::certify {
namespace {

const LevelInfo& strict_serializable() { return info(Level::kStrictSerializable); }

bool is_use(const Op& op) { return op.kind != OpKind::kReadUnknown; }

bool uses(const History& history, TxnId txn, KeyId key) {
  for (const Op& op : history.ops(txn)) {
    if (op.key == key && is_use(op)) return true;
  }
  return false;
}

/// One order for each key, each carried out by itself.
class KeyWitnessCheck {
 public:
  KeyWitnessCheck(const History& history, std::int64_t clock_error_ns,
                  const KeyWitness& witness)
      : history_(history),
        clock_error_ns_(clock_error_ns),
        witness_(witness),
        uses_(base::Csr<Use>::build(history.key_count(),
                                    [&](const auto& add) { list_uses(add); })),
        first_use_(history.txn_count(), 0) {}

  Objection run() {
    const std::vector<std::size_t>& begin = witness_.begin;
    if (begin.size() != history_.key_count() + 1 || begin.front() != 0 ||
        begin.back() != witness_.order.size()) {
      return "there is not one order for each key";
    }
    for (std::size_t k = 0; k + 1 < begin.size(); ++k) {
      if (begin[k] > begin[k + 1]) return "there is not one order for each key";
      Objection objection = check_key(k);
      if (!objection.empty()) {
        return "key " + history_.text(KeyId::at(k)) + ": " + objection;
      }
    }
    return check_aggregates();
  }

 private:
  /// An operation on the key; those of a transaction are neighbours, in program order.
  struct Use {
    TxnId txn;
    std::uint32_t op = 0;
  };

  template <typename Add>
  void list_uses(const Add& add) const {
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      const std::span<const Op> ops = history_.ops(TxnId::at(i));
      for (std::uint32_t at = 0; at < ops.size(); ++at) {
        if (is_use(ops[at])) add(ops[at].key.raw(), Use{TxnId::at(i), at});
      }
    }
  }

  /// Each aggregate has its result from what its items found in the orders of their keys. One
  /// of unknown outcome that is in none of these orders says nothing.
  Objection check_aggregates() const {
    for (std::size_t i = 0; history_.has_aggregates() && i < history_.txn_count(); ++i) {
      const TxnId txn = TxnId::at(i);
      if (history_.status(txn) == TxnStatus::kAborted || !has_aggregate(history_, txn))
        continue;
      bool all = true;
      bool any = history_.status(txn) == TxnStatus::kCommitted;
      for (const Selection& selection : history_.selections(txn)) {
        for (std::uint32_t op = selection.first; op < selection.end(); ++op) {
          if (!selection.is_aggregate()) break;
          const bool is_found = item_versions_.count({txn, op}) != 0;
          all = all && is_found;
          any = any || is_found;
        }
      }
      if (!any) continue;
      if (!all) return name_of(history_, txn) + " is not in the orders of all keys it counts";
      Objection objection = certify::check_aggregates(history_, txn, [&](std::uint32_t op) {
        return item_versions_.at({txn, op});
      });
      if (!objection.empty()) return objection;
    }
    return kNoObjection;
  }

  Objection check_key(std::size_t key) {
    const std::span<const Use> uses = uses_.row(key);
    for (std::size_t at = uses.size(); at-- > 0;) {
      // Only this key's, and of a transaction those after it.
      ISOLDE_INVARIANT(first_use_[uses[at].txn.raw()] == 0 ||
                       first_use_[uses[at].txn.raw()] == at + 2);
      first_use_[uses[at].txn.raw()] = static_cast<std::uint32_t>(at + 1);
    }
    Objection objection = carry_out(key, uses);
    for (const Use& use : uses) {
      const bool missing =
          first_use_[use.txn.raw()] != 0 && history_.status(use.txn) == TxnStatus::kCommitted;
      if (missing && objection.empty()) {
        objection = name_of(history_, use.txn) + " committed but is not in the order";
      }
    }
    for (const Use& use : uses) first_use_[use.txn.raw()] = 0;
    return objection;
  }

  /// Takes those that it meets out of first_use_.
  Objection carry_out(std::size_t key, std::span<const Use> uses) {
    value_ = Value();
    list_.clear();
    TxnId last_start;  // of those so far, who started last
    for (std::size_t at = witness_.begin[key]; at < witness_.begin[key + 1]; ++at) {
      const TxnId txn = witness_.order[at];
      if (!exists(history_, txn)) return "the order names " + name_of(history_, txn);
      const std::uint32_t first = std::exchange(first_use_[txn.raw()], 0);
      if (first == 0) {
        return name_of(history_, txn) + " is in the order twice or does not use the key";
      }
      ISOLDE_INVARIANT(first <= uses.size() && uses[first - 1].txn == txn);
      if (history_.status(txn) == TxnStatus::kAborted) {
        return name_of(history_, txn) + " is in the order but aborted";
      }
      if (last_start.is_some() && ended_before(history_, txn, last_start, clock_error_ns_)) {
        return name_of(history_, last_start) + " comes before " + name_of(history_, txn) +
               ", against real time";
      }
      // No time of start is the smallest number, and then nothing ended before it.
      if (last_start.is_none() ||
          history_.times(txn).start > history_.times(last_start).start) {
        last_start = txn;
      }
      for (std::size_t use = first - 1; use < uses.size() && uses[use].txn == txn; ++use) {
        if (is_wrong_row(history_, txn, uses[use].op)) {
          return name_of(history_, txn) + " operation " + std::to_string(uses[use].op) +
                 " is a row that its selection does not select";
        }
        if (history_.has_aggregates() &&
            history_.ops(txn)[uses[use].op].kind == OpKind::kReadAbsent) {
          item_versions_[{txn, uses[use].op}] = value_;
        }
        if (!apply(history_.ops(txn)[uses[use].op])) {
          return name_of(history_, txn) + " operation " + std::to_string(uses[use].op) +
                 " does not return the state of the key";
        }
      }
    }
    return kNoObjection;
  }

  bool apply(const Op& op) {
    switch (op.kind) {
      case OpKind::kRead:
        return op.value == value_;
      case OpKind::kWrite:
        value_ = op.value;
        return true;
      case OpKind::kAppend:
        list_.push_back(op.value);
        return true;
      case OpKind::kReadList: {
        const std::span<const Value> seen = history_.list(op);
        return std::equal(seen.begin(), seen.end(), list_.begin(), list_.end());
      }
      case OpKind::kReadUnknown:
        return true;
      case OpKind::kReadAbsent:
      case OpKind::kReadExcept:
      case OpKind::kReadMatch:
        return history_.fits(op, value_);
    }
    return false;
  }

  const History& history_;
  const std::int64_t clock_error_ns_;
  const KeyWitness& witness_;
  const base::Csr<Use> uses_;
  std::vector<std::uint32_t> first_use_;  // by transaction: place of its first use, from 1
  std::map<std::pair<TxnId, std::uint32_t>, Value> item_versions_;  // of aggregates
  Value value_;              // the key now, if it is a register
  std::vector<Value> list_;  // the key now, if it is a list
};

/// The history without the other keys: the same transactions, fewer operations. Its only key
/// has the number 0.
class KeyHistory {
 public:
  KeyHistory(const History& history, KeyId key)
      : from_(history), key_(key), key_columns_(history, history.all_ops()) {
    into_.origin().truncated = history.origin().truncated;
    into_.origin().values_repeat = history.origin().values_repeat;
    into_.origin().rows_are_deleted = history.origin().rows_are_deleted;
    only_ = into_.key(copy(history.key_name(key)));
    into_.set_initial(only_, copy(history.initial(key)));
    into_.set_initial_list(only_, copy(history.initial_list(key)));
    if (const auto* const numbers = history.open_numbers(key)) into_.hold_open(only_, *numbers);
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      const TxnId txn = TxnId::at(i);
      into_.begin_txn(into_.session(history.session_name(history.session_of(txn))));
      into_.set_status(history.status(txn));
      into_.set_times(history.times(txn));
      for (std::uint32_t at = 0; at < history.ops(txn).size(); ++at) {
        if (history.ops(txn)[at].key == key_) add(txn, at);
      }
    }
  }

  Result<History> finish() { return into_.finish(); }

 private:
  Value copy(Value value) {
    if (const Value version = from_.trusted_version(value); !version.is_null()) {
      return into_.versioned(copy(from_.plain(value)), copy(version));
    }
    if (value.kind() == Value::Kind::kString) return into_.string(from_.pooled_text(value));
    if (from_.is_row(value)) return row(from_.columns(value));
    if (value.kind() == Value::Kind::kLiteral) return into_.literal(from_.pooled_text(value));
    return value;
  }

  Value row(std::span<const ColumnValue> columns) {
    std::vector<ColumnValue> copies;
    for (const ColumnValue& column : columns) {
      copies.push_back({copy(column.name), copy(column.value)});
    }
    return into_.row(copies);
  }

  std::vector<Value> copy(std::span<const Value> elements) {
    std::vector<Value> copies;
    for (const Value element : elements) copies.push_back(copy(element));
    return copies;
  }

  /// What the read returned, as it told it.
  Value result(const Op& op) {
    const Value whole = op.kind == OpKind::kReadMatch ? from_.read_value(op) : from_.seen(op);
    if (op.kind == OpKind::kReadMatch && whole.is_null()) return row(from_.read_columns(op));
    if (!from_.is_row(whole) || !from_.trusted_version(whole).is_null()) return copy(whole);
    return row(key_columns_.with_nulls(op.key, whole));
  }

  Predicate copy(const PredicateView& asked) {
    Predicate predicate = asked.owned();
    predicate.equal = copy(predicate.equal);
    for (Predicate::Test& test : predicate.tests) {
      test.column = copy(test.column);
      for (Value& value : test.not_in) value = copy(value);
      if (!test.in) continue;
      for (Value& value : *test.in) value = copy(value);
    }
    return predicate;
  }

  /// A row that its selection does not select must stay one, and so must one of which the
  /// selection says more than its columns; the others are reads.
  void add(TxnId txn, std::uint32_t at) {
    const Op& op = from_.ops(txn)[at];
    const bool is_selected =
        op.kind == OpKind::kReadMatch && from_.selection_of(txn, at) != nullptr;
    if (is_selected || is_wrong_row(from_, txn, at)) {
      const Selection& selection = *from_.selection_of(txn, at);
      return into_.select(copy(from_.predicates()[selection.predicate]),
                          std::array{Row{only_, result(op)}});
    }
    switch (op.kind) {
      case OpKind::kRead:
      case OpKind::kReadMatch:
        return into_.read(only_, result(op));
      case OpKind::kWrite:
        return op.is_delete() ? into_.remove(only_) : into_.write(only_, copy(op.value));
      case OpKind::kAppend:
        return into_.append(only_, copy(op.value));
      case OpKind::kReadList:
        return into_.read_list(only_, copy(from_.seen_list(op)));
      case OpKind::kReadUnknown:
        return into_.read_unknown(only_);
      case OpKind::kReadAbsent:
      case OpKind::kReadExcept:
        return into_.read_except(only_, copy(from_.predicate(op)));
    }
  }

  const History& from_;
  const KeyId key_;
  const history::KeyColumns key_columns_;
  HistoryBuilder into_;
  KeyId only_;
};

/// Position among the transaction's operations on the key, or none where it is on another.
std::optional<std::uint32_t> position_on_key(const History& history, TxnId txn,
                                             std::uint32_t op, KeyId key) {
  if (!exists(history, txn) || op >= history.ops(txn).size()) return std::nullopt;
  const std::span<const Op> ops = history.ops(txn);
  if (ops[op].key != key) return std::nullopt;
  std::uint32_t position = 0;
  for (std::uint32_t at = 0; at < op; ++at) position += ops[at].key == key ? 1 : 0;
  return position;
}

Objection check_key_finding(const History& history, std::int64_t clock_error_ns,
                            const Finding& finding) {
  if (finding.kind == FindingKind::kImpossibleNumber) {
    return check_finding(history, info(Level::kLinearizable), clock_error_ns, finding);
  }
  if (!exists(history, finding.txn) || finding.op >= history.ops(finding.txn).size()) {
    return "there is no such operation";
  }
  const KeyId key = history.ops(finding.txn)[finding.op].key;
  Finding moved = finding;
  const std::optional<std::uint32_t> position =
      position_on_key(history, finding.txn, finding.op, key);
  ISOLDE_ASSERT(position);  // the key is that of the operation
  moved.op = *position;
  const bool with_other_op = finding.kind == FindingKind::kNonRepeatableRead ||
                             finding.kind == FindingKind::kIncompatibleOrder;
  if (with_other_op) {
    const bool same = finding.kind == FindingKind::kNonRepeatableRead;
    const auto other =
        position_on_key(history, same ? finding.txn : finding.other, finding.other_op, key);
    if (!other) return "the other read is not one of the key";
    moved.other_op = *other;
  }
  const Result<History> projected = KeyHistory(history, key).finish();
  if (!projected) return projected.error().message;
  ISOLDE_ASSERT(projected->txn_count() == history.txn_count());
  return check_finding(*projected, strict_serializable(), 0, moved);
}

/// An aggregate that no versions of its rows explain needs no key.
Objection check_impossible_result(const History& history, const RefutationStep& step) {
  if (!step.clause.empty() || !step.claims.empty()) return "its clause is not empty";
  const TxnId txn = step.wrong_result->txn;
  PossibleSources sources(history);
  return check_wrong_result(
      history, step, sources,
      exists(history, txn) && history.status(txn) == TxnStatus::kCommitted);
}

Objection check_key_refutation(const History& history, std::int64_t clock_error_ns,
                               const Refutation& refutation) {
  if (refutation.steps.size() == 1 && refutation.steps.front().wrong_result) {
    return check_impossible_result(history, refutation.steps.front());
  }
  KeyId key;
  Refutation moved = refutation;
  for (RefutationStep& step : moved.steps) {
    if (step.wrong_result) return "an aggregate is of several keys";
    for (Edge& edge : step.cycle) {
      if (edge.key.is_none()) continue;
      if (key.is_none()) key = edge.key;
      if (edge.key != key) return "its edges are on several keys";
      edge.key = KeyId::at(0);
    }
  }
  if (key.is_none() || !exists(history, key)) return "its edges are on no key";
  for (const RefutationStep& step : refutation.steps) {
    for (const Edge& edge : step.cycle) {
      for (const TxnId txn : {edge.from, edge.to}) {
        if (!exists(history, txn) || !uses(history, txn, key)) {
          return name_of(history, txn) + " does not use the key";
        }
      }
    }
  }
  const Result<History> projected = KeyHistory(history, key).finish();
  if (!projected) return projected.error().message;
  ISOLDE_ASSERT(projected->txn_count() == history.txn_count());
  return check_refutation(*projected, strict_serializable(), clock_error_ns, moved);
}

}  // namespace

Objection check_linearizable(const History& history, std::int64_t clock_error_ns,
                             const Proof& proof) {
  if (const auto* orders = std::get_if<KeyWitness>(&proof)) {
    return KeyWitnessCheck(history, clock_error_ns, *orders).run();
  }
  if (const auto* witness = std::get_if<Witness>(&proof)) {
    // One order for all keys is one for each.
    return check_witness(history, strict_serializable(), clock_error_ns, *witness);
  }
  if (const auto* finding = std::get_if<Finding>(&proof)) {
    return check_key_finding(history, clock_error_ns, *finding);
  }
  if (const auto* refutation = std::get_if<Refutation>(&proof)) {
    return check_key_refutation(history, clock_error_ns, *refutation);
  }
  if (const auto* exhaustion = std::get_if<KeyExhaustion>(&proof)) {
    return check_key_exhaustion(history, clock_error_ns, *exhaustion);
  }
  return "this form of proof is not for linearizability";
}

}  // namespace isolde::certify
