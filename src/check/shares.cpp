#include "check/shares.hpp"

#include <algorithm>
#include <optional>

#include "base/memory.hpp"
#include "base/memory_guard.hpp"

namespace isolde::checker {

namespace {
/// Work of one stage for one level before the others go on: some seconds, far more than any
/// near-linear stage takes.
constexpr std::uint64_t kTurnTicks = 1'000'000'000;
constexpr std::uint64_t kTurnTicksPerOp = 2'000;
}  // namespace

bool is_main(Level level) {
  switch (level) {
    case Level::kStrictSerializable:
    case Level::kSerializable:
    case Level::kRepeatableRead:
    case Level::kSnapshotIsolation:
    case Level::kSequential:
    case Level::kLinearizable:
    case Level::kTransactionalCausal:
    case Level::kCausal:
    case Level::kReadAtomic:
    case Level::kReadCommitted:
    case Level::kReadUncommitted:
      return true;
    default:
      return false;
  }
}

Shares::Shares(const std::vector<LevelReport>& levels, const std::vector<bool>& is_open,
               std::uint64_t op_count, base::Budget& budget)
    : budget_(budget),
      is_open_(is_open),
      turn_ticks_(kTurnTicks + op_count * kTurnTicksPerOp),
      tried_again_(levels.size(), false),
      used_(levels.size(), 0),
      reasons_(levels.size()) {
  for (const LevelReport& level : levels) {
    is_main_.push_back(is_main(level.level));
    std::vector<std::size_t>& implied = implied_.emplace_back();
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const bool is_other = levels[i].level != level.level;
      if (is_other && implies(level.level, levels[i].level, true)) implied.push_back(i);
    }
  }
}

/// The level's part of its group's time, relative to the others'.
double Shares::weight(std::size_t level) const {
  constexpr double kOwn = 4;  // of each level, so that the weakest have a part as well
  return kOwn + static_cast<double>(std::ranges::count_if(
                    implied_[level], [&](std::size_t i) { return bool{is_open_[i]}; }));
}

/// What is left of the level's part of the time for all open levels.
double Shares::seconds(std::size_t level) const {
  double all = budget_.seconds_left();
  double mains = 0;
  double others = 0;
  for (std::size_t i = 0; i < is_open_.size(); ++i) {
    if (!is_open_[i]) continue;
    all += used_[i];
    (is_main_[i] ? mains : others) += weight(i);
  }
  constexpr double kMainPart = 0.75;
  const double group = is_main_[level] ? mains : others;
  const double part = mains == 0 || others == 0 ? 1
                      : is_main_[level]         ? kMainPart
                                                : 1 - kMainPart;
  return all * part * weight(level) / std::max(group, weight(level)) - used_[level];
}

void Shares::run(std::size_t level, const std::function<void()>& work,
                 const std::function<void(bool all)>& release) {
  const double before = budget_.seconds_left();
  const double share = seconds(level);
  using Stop = base::Budget::Stop;
  const auto is_over = [&] {
    return budget_.stop() == Stop::kTime || budget_.stop() == Stop::kCancelled;
  };
  if (share <= 0 || is_over()) {
    budget_.look();  // is there no time at all?
    reasons_[level] = is_over() ? budget_.reason() : "its share of the time limit was used";
    release(false);
    return;
  }
  {
    const base::Budget::Share limits(budget_, share);
    std::optional<base::Budget::Allowance> turn;
    if (!budget_.limits_time() && !tried_again_[level] && !is_last()) {
      turn.emplace(budget_, turn_ticks_);
    }
    if (!base::fits_memory(work)) reasons_[level] = budget_.memory_reason();
    const Stop stop = budget_.stop();
    if (stop == Stop::kShare || stop == Stop::kMemory) {
      reasons_[level] = budget_.reason();
    } else if (turn && stop == Stop::kAllowance) {
      reasons_[level] = "it takes long, and the check ended before its second turn";
    }
  }
  used_[level] += before - budget_.seconds_left();
  if (has_stopped(level)) give_back(release);
}

void Shares::give_back(const std::function<void(bool all)>& release) {
  release(false);
  const auto look = [&] {
    base::give_back_memory();
    budget_.look_again_at_memory();
  };
  look();
  if (budget_.stop() != base::Budget::Stop::kMemory) return;
  release(true);
  look();
}

bool Shares::try_again(std::size_t level) {
  if (!has_stopped(level) || tried_again_[level] || budget_.exhausted()) return false;
  if (!is_last() && seconds(level) < used_[level]) return false;
  tried_again_[level] = true;
  reasons_[level].clear();
  return true;
}

bool Shares::is_last() const { return std::count(is_open_.begin(), is_open_.end(), true) <= 1; }

std::vector<std::size_t> Shares::by_rank() const {
  std::vector<std::size_t> order;
  for (const bool main : {true, false}) {
    for (std::size_t i = 0; i < is_main_.size(); ++i) {
      if (is_main_[i] == main) order.push_back(i);
    }
  }
  return order;
}

}  // namespace isolde::checker
