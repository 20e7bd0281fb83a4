#include "stream/deadlines.hpp"

#include <algorithm>
#include <limits>

namespace isolde::stream {
namespace {

/// Who does so later sees nothing of the key that was there before. Other reads may be of many
/// values, and a list that was appended to still has what it had.
bool shows_or_hides(const Op& op) {
  return op.kind == OpKind::kWrite || op.kind == OpKind::kRead || op.kind == OpKind::kReadList;
}

/// REQUIRES: `more` is not negative.
std::int64_t later(std::int64_t time, std::int64_t more) {
  constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();
  return time > kLatest - more ? kLatest : time + more;
}

}  // namespace

/// Who started behind it did so in real time, too. None is known: the latest of all.
std::int64_t Deadlines::deadline(TxnTimes times) const {
  const std::int64_t last = std::max(times.start, times.end);
  if (last == kNoTime) return std::numeric_limits<std::int64_t>::max();
  return later(later(last, within_ns_), clock_error_ns_);
}

void Deadlines::settle(const History& history, TxnId txn, std::span<const Boundary::Key> keys) {
  if (!are_told() || history.status(txn) != TxnStatus::kCommitted) return;
  const std::int64_t start = history.times(txn).start;
  for (const Op& op : history.ops(txn)) {
    if (!shows_or_hides(op)) continue;
    const std::uint32_t place = Boundary::place(keys[op.key.raw()]);
    if (place >= uses_.size()) uses_.resize(place + std::size_t{1}, kNoTime);
    uses_[place] = std::max(uses_[place], start);
  }
}

bool Deadlines::has_passed(const History& history, TxnId txn,
                           std::span<const Boundary::Key> keys) const {
  if (!are_told()) return false;
  const std::int64_t deadline = this->deadline(history.times(txn));
  return std::ranges::all_of(history.ops(txn), [&](const Op& op) {
    if (!op.is_write()) return true;
    const std::uint32_t place = Boundary::place(keys[op.key.raw()]);
    return place < uses_.size() && uses_[place] > deadline;
  });
}

std::vector<bool> Deadlines::passed_among(const History& open, const std::vector<bool>& which,
                                          Boundary& boundary) const {
  std::vector<bool> passed(open.txn_count());
  if (!are_told()) return passed;
  const std::vector<Boundary::Key> keys = boundary.keys(open);
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const bool is_unknown = open.status(TxnId::at(i)) == TxnStatus::kIndeterminate;
    passed[i] = which[i] && is_unknown && has_passed(open, TxnId::at(i), keys);
  }
  return passed;
}

}  // namespace isolde::stream
