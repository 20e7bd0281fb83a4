#include "stream/gatherer.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace isolde::stream {

bool Gatherer::is_enough(std::size_t open) const {
  const std::size_t times = open / options_.txns + 1;
  return gathered_.txn_count() >= times * options_.txns ||
         gathered_.op_count() >= times * options_.ops;
}

Result<std::optional<Part>> Gatherer::give(std::int64_t open_since) {
  Result<History> history = gathered_.take();
  if (!history) return history.error();
  return std::optional<Part>({std::move(history).value(), open_since});
}

std::optional<Position> Gatherer::position() const {
  if (held_) return std::nullopt;
  return source_.position();
}

Result<std::optional<Part>> Gatherer::next(std::size_t open, base::Budget& budget) {
  if (problem_) return *problem_;
  if (held_) return std::exchange(held_, {});
  std::int64_t open_since = kNoTime;
  const Clock::time_point begin = Clock::now();
  const auto is_late = [&] { return Clock::now() - begin >= options_.patience; };
  while (true) {
    Result<Source::Next> next = source_.next(budget);
    if (!next && gathered_.is_empty()) return next.error();
    if (!next) {
      problem_ = next.error();  // which says nothing of what came before
      return give(open_since);
    }
    if (next->part) {
      Part& part = *next->part;
      if (!Gathered::can_hold(part.history)) {
        if (gathered_.is_empty()) return std::move(next->part);
        held_ = std::move(next->part);
        return give(open_since);
      }
      open_since = std::max(open_since, part.open_since);
      if (!budget.spend(part.history.txn_count() + part.history.op_count())) {
        return Error{ErrorCode::kLimit, budget.reason()};
      }
      if (const Status added = gathered_.add(std::move(part.history)); !added) {
        return added.error();
      }
      if (is_enough(open) || (options_.follows && is_late())) return give(open_since);
      continue;
    }
    if (next->is_over) {
      if (gathered_.is_empty()) return std::optional<Part>();
      return give(open_since);
    }
    if (!gathered_.is_empty() && is_late()) return give(open_since);
    constexpr std::chrono::milliseconds kPause(50);
    std::this_thread::sleep_for(kPause);
    if (!budget.look()) return Error{ErrorCode::kLimit, budget.reason()};
  }
}

}  // namespace isolde::stream
