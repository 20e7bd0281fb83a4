// How statements locked what they read, and which inserts were refused, beside the operations:
// a history without them pays nothing. Locks are for people and for replays, and no level looks
// at them. A refused insert is a read of unknown result, and at some levels one of some row.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "base/assert.hpp"
#include "history/builder_state.hpp"

namespace isolde {

namespace {

/// Texts are made of operations of other histories, too.
std::optional<std::uint32_t> place_of(std::span<const Op> ops, const Op& op) {
  const std::less<const Op*> is_before;
  const bool is_here =
      !ops.empty() && !is_before(&op, ops.data()) && !is_before(&ops.back(), &op);
  if (!is_here) return std::nullopt;
  return static_cast<std::uint32_t>(&op - ops.data());
}

}  // namespace

LockMode History::lock(const Op& op) const {
  if (locked_reads_.empty()) return LockMode::kNone;
  const std::optional<std::uint32_t> place = place_of(ops_, op);
  if (!place) return LockMode::kNone;
  const auto found = std::lower_bound(
      locked_reads_.begin(), locked_reads_.end(), *place,
      [](const LockedRead& each, std::uint32_t wanted) { return each.op < wanted; });
  return found == locked_reads_.end() || found->op != *place ? LockMode::kNone : found->mode;
}

bool History::is_refused_insert(const Op& op) const {
  const bool may_be = op.kind == OpKind::kReadUnknown || op.kind == OpKind::kReadMatch;
  if (!may_be || refused_inserts_.empty()) return false;
  const std::optional<std::uint32_t> place = place_of(ops_, op);
  return place && std::binary_search(refused_inserts_.begin(), refused_inserts_.end(), *place);
}

History History::with_current_reads(const std::vector<bool>& counts) const {
  ISOLDE_ASSERT(counts.size() == txn_count());
  std::vector<bool> which;
  std::size_t txn = 0;
  for (const std::uint32_t place : refused_inserts_) {
    while (op_begin_[txn + 1] <= place) ++txn;
    const Op& op = ops_[place];
    const bool is_open = is_list(op.key) || open_numbers(op.key) != nullptr;
    which.push_back(counts[txn] && !is_open);
  }
  return with_refused_inserts_read(which);
}

History History::with_refused_inserts_read(const std::vector<bool>& which) const {
  ISOLDE_ASSERT(which.size() == refused_inserts_.size());
  History copy = *this;
  // A row without columns, and a condition that asks for nothing.
  copy.pool_chars_.edit() += "{}";
  copy.pool_begin_.edit().push_back(copy.pool_chars_.size());
  const std::size_t row = copy.pool_begin_.size() - 2;
  std::vector<std::uint32_t>& column_begin = copy.column_begin_.edit();
  if (column_begin.empty()) column_begin.push_back(0);
  std::vector<std::uint32_t>& row_of_slot = copy.row_of_slot_.edit();
  row_of_slot.resize(row + 1, 0);
  row_of_slot[row] = static_cast<std::uint32_t>(column_begin.size());
  column_begin.push_back(static_cast<std::uint32_t>(copy.columns_.size()));
  const std::size_t predicate = copy.predicates_.size();
  copy.predicates_.edit().add(Predicate{});
  const Value some = Value::from_bits((std::uint64_t{row} << 32) | predicate);
  for (std::size_t i = 0; i < which.size(); ++i) {
    Op& op = copy.ops_[refused_inserts_[i]];
    if (which[i]) op = {some, op.key, OpKind::kReadMatch};
  }
  return copy;
}

bool History::has_locks() const {
  return !locked_reads_.empty() ||
         std::any_of(selections_.begin(), selections_.end(), [](const Selection& selection) {
           return selection.lock != LockMode::kNone;
         });
}

void HistoryBuilder::set_lock(LockMode mode) {
  constexpr const char* kWhose =
      "a lock belongs to a selection, or to a read whose result is known";
  if (mode == LockMode::kNone) return;
  State& state = *state_;
  History& history = state.history;
  if (history.txn_status_.empty()) return state.fail(kWhose);
  const TxnId txn = TxnId::at(history.txn_status_.size() - 1);
  // A read behind a selection would have moved the end.
  const bool is_selection =
      !state.asked.empty() && state.asked.back().txn == txn &&
      state.asked.back().op + state.asked.back().rows == history.ops_.size();
  const bool is_read =
      history.ops_.size() > history.op_begin_.back() &&
      (history.ops_.back().is_read() || history.ops_.back().kind == OpKind::kReadExcept);
  if (is_selection ? state.asked.back().aggregate != Selection::kNoAggregate : !is_read) {
    return state.fail(kWhose);
  }
  // Who does not know locks refuses the line.
  history.origin_.rows_are_deleted = true;
  if (is_selection) {
    state.asked.back().lock = mode;
    return;
  }
  const auto place = static_cast<std::uint32_t>(history.ops_.size() - 1);
  if (!history.locked_reads_.empty() && history.locked_reads_.back().op == place) {
    history.locked_reads_.back().mode = mode;
  } else {
    history.locked_reads_.push_back({place, mode});
  }
}

void HistoryBuilder::insert_refused(KeyId key) {
  History& history = state_->history;
  // Who does not know refused inserts must not read on.
  history.origin_.rows_are_deleted = true;
  history.refused_inserts_.push_back(static_cast<std::uint32_t>(history.ops_.size()));
  read_unknown(key);
}

void HistoryBuilder::compare_and_set(KeyId key, Value expected, Value value, Swap swap,
                                     Value found) {
  state_->history.origin_.rows_are_deleted = true;  // as in any history of version 2
  switch (swap) {
    case Swap::kDone:
      read(key, expected);
      return write(key, value);
    case Swap::kFound:
      if (found == expected) {
        state_->fail("a compare-and-set that found what it expected has not failed");
      }
      return read(key, found);
    case Swap::kFailed:
      // What is not nothing is something.
      return expected.is_absent() ? read(key, row({})) : read_except(key, expected);
  }
}

}  // namespace isolde
