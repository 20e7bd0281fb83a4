#include "check/right_results.hpp"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "history/base_levels.hpp"
#include "level/level_traits.hpp"
#include "search/groups.hpp"

namespace isolde::checker {
namespace {

/// What each item found at its transaction's place in the order of its key.
std::vector<std::uint8_t> items_by_key(const History& history, const KeyWitness& witness,
                                       std::vector<Value>& found) {
  std::vector<std::uint8_t> is_found(history.op_count(), 0);
  found.assign(history.op_count(), Value());
  std::vector<std::vector<std::uint32_t>> items(history.txn_count());
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const std::span<const Op> ops = history.ops(TxnId::at(t));
    for (std::uint32_t op = 0; op < ops.size(); ++op) {
      if (ops[op].kind == OpKind::kReadAbsent || ops[op].kind == OpKind::kWrite) {
        items[t].push_back(op);
      }
    }
  }
  for (std::size_t k = 0; k + 1 < witness.begin.size(); ++k) {
    Value value;
    for (std::size_t at = witness.begin[k]; at < witness.begin[k + 1]; ++at) {
      const TxnId txn = witness.order[at];
      for (const std::uint32_t number : items[txn.raw()]) {
        const Op& op = history.ops(txn)[number];
        if (op.key != KeyId::at(k)) continue;
        if (op.kind == OpKind::kWrite) value = op.value;
        is_found[history.first_op(txn) + number] = 1;
        found[history.first_op(txn) + number] = value;
      }
    }
  }
  return is_found;
}

bool has_right_results(const History& history, const KeyWitness& witness) {
  std::vector<Value> found;
  const std::vector<std::uint8_t> is_found = items_by_key(history, witness, found);
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::uint32_t first = history.first_op(txn);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    bool all = true;
    bool any = history.status(txn) == TxnStatus::kCommitted;
    bool is_right = true;
    for (const Selection& selection : history.selections(txn)) {
      if (!selection.is_aggregate()) continue;
      for (std::uint32_t op = selection.first; op < selection.end(); ++op) {
        all = all && is_found[first + op] != 0;
        any = any || is_found[first + op] != 0;
      }
      is_right = is_right && has_result(history, txn, selection,
                                        [&](std::uint32_t op) { return found[first + op]; });
    }
    // One of unknown outcome is in all orders of these keys, or in none.
    if (any && !(all && is_right)) return false;
  }
  return true;
}

}  // namespace

bool has_aggregates_with_results(const History& history) {
  if (!history.has_aggregates()) return false;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Selection& selection : history.selections(TxnId::at(t))) {
      if (selection.is_aggregate()) return true;
    }
  }
  return false;
}

bool has_right_results(const History& history, const LevelInfo& level, Proof& proof,
                       base::Budget& budget) {
  if (is_uncommitted(level.level)) return true;
  if (auto* const witness = std::get_if<Witness>(&proof)) {
    return tells_results(level) && wrong_results(history, level, *witness, budget).empty() &&
           !budget.exhausted();
  }
  if (const auto* const keys = std::get_if<KeyWitness>(&proof)) {
    return has_right_results(history, *keys);
  }
  return !std::holds_alternative<SessionWitness>(proof);
}

}  // namespace isolde::checker
