// Which transactions of unknown outcome rounds keep apart, or forget: see
// stream/possible_writers.hpp and stream/deadlines.hpp.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "stream/rounds.hpp"
#include "stream/settled_lists.hpp"

namespace isolde::stream {

/// Of a list that holds nothing, a read looks like that of a register.
bool Rounds::may_have_read_a_list(const History& open, TxnId txn) {
  return std::ranges::any_of(open.ops(txn), [&](const Op& op) {
    if (op.kind == OpKind::kReadList) return true;
    return op.kind == OpKind::kRead && op.value.is_null() &&
           boundary_.holds_nothing(boundary_.key(open, op.key));
  });
}

/// Says which of them nobody has read from: these are kept apart, or forgotten.
std::vector<bool> Rounds::set_apart(const History& open, const std::vector<bool>& left_open) {
  if (!budget_.spend(open.op_count() + elements_read(open))) give_up(budget_.reason());
  const std::vector<bool> has_passed = deadlines_.passed_among(open, left_open, boundary_);
  if (deadlines_.are_told()) {
    const Result<std::size_t> forgotten = apart_.forget(deadlines_);
    if (!forgotten) give_up(forgotten.error().message);
    if (forgotten) forgotten_ += *forgotten;
  }
  // What is read of a list is cut as more of it is settled, which takes an open transaction.
  std::vector<bool> unread = unread_among(open, left_open, [&](std::size_t i) {
    return !has_passed[i] && may_have_read_a_list(open, TxnId::at(i));
  });
  std::vector<bool> kept = unread;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!unread[i] || !has_passed[i]) continue;
    kept[i] = false;
    ++forgotten_;
  }
  if (const Status added = apart_.add(open, kept); !added) give_up(added.error().message);
  return unread;
}

}  // namespace isolde::stream
