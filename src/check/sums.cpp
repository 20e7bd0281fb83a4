#include "check/sums.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "check/pipeline.hpp"
#include "check/sum_bounds.hpp"
#include "check/sum_guess.hpp"

namespace isolde::checker {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr const char* kNoSums =
    "the results of increments are not known, and none were found with which it holds, nor all "
    "ruled out";

class SumCheck {
 public:
  SumCheck(const History& history, const CheckOptions& options, base::Budget& budget)
      : history_(history), options_(options), budget_(budget) {}

  CheckReport run();

 private:
  void add_strong(std::vector<Level>& levels) const;
  bool any_open() const;
  void look_for_impossible();
  bool may_be(const LevelReport& level) const;
  void settle_impossible();
  void try_sums(Numbers sums);
  void try_all();

  const History& history_;
  CheckOptions options_;
  base::Budget& budget_;
  std::vector<std::optional<Finding>> impossible_;  // by level
  CheckReport report_;
  std::set<Numbers> tried_;
};

void SumCheck::look_for_impossible() {
  SumBounds bounds(history_, options_.clock_error_ns, budget_);
  for (const LevelInfo& level : all_levels()) impossible_.push_back(bounds.find(level));
}

/// The level is not decided, or by having tried all orders, which tells nobody why.
bool SumCheck::may_be(const LevelReport& level) const {
  if (level.verdict != Verdict::kViolated) return level.verdict == Verdict::kUnknown;
  return std::holds_alternative<KeyExhaustion>(report_.proofs[level.proof]);
}

/// What no sums explain is violated.
void SumCheck::settle_impossible() {
  for (LevelReport& level : report_.levels) {
    const std::optional<Finding>& finding = impossible_[static_cast<std::size_t>(level.level)];
    if (!finding || !may_be(level)) continue;
    const auto same = std::ranges::find(report_.proofs, Proof(*finding));
    const auto proof = static_cast<std::size_t>(same - report_.proofs.begin());
    if (same == report_.proofs.end()) report_.proofs.emplace_back(*finding);
    level = {level.level, Verdict::kViolated, "", proof};
  }
}

/// What holds with these sums holds.
void SumCheck::try_sums(Numbers sums) {
  if (budget_.exhausted() || !tried_.insert(sums).second) return;
  CheckOptions options = options_;
  options.levels.clear();
  for (const LevelReport& level : report_.levels) {
    if (level.verdict == Verdict::kUnknown) options.levels.push_back(level.level);
  }
  if (options.levels.empty()) return;
  add_strong(options.levels);
  const Result<History> with_sums = history_.with_sums(sums);
  if (!with_sums.ok()) return;
  CheckReport found = Pipeline(*with_sums, options, budget_).run();
  bool any = false;
  for (const LevelReport& each : found.levels) {
    if (each.verdict != Verdict::kHolds) continue;
    any = true;
    for (LevelReport& level : report_.levels) {
      if (level.level != each.level) continue;
      level = {each.level, Verdict::kHolds, "", report_.proofs.size() + each.proof,
               report_.sums.size()};
    }
  }
  if (!any) return;
  for (Proof& proof : found.proofs) report_.proofs.push_back(std::move(proof));
  report_.sums.push_back(std::move(sums));
  report_.statistics.included_txns =
      std::max(report_.statistics.included_txns, found.statistics.included_txns);
}

bool SumCheck::any_open() const {
  return std::ranges::any_of(report_.levels, [](const LevelReport& level) {
    return level.verdict == Verdict::kUnknown;
  });
}

/// Of a small history, where there are few.
void SumCheck::try_all() {
  constexpr std::uint64_t kMost = 2'000;  // sums times operations
  std::vector<Predicate::Bounds> ranges;
  std::uint64_t count = history_.op_count();
  for (const Increment& each : history_.increments()) {
    if (each.is_known) continue;
    ranges.push_back(*history_.open_numbers(history_.all_ops()[each.op].key));
    const auto wide = static_cast<std::uint64_t>(ranges.back().max - ranges.back().min);
    if (wide >= kMost || (count *= wide + 1) > kMost) return;
  }
  Numbers sums;
  for (const Predicate::Bounds& range : ranges) sums.push_back(range.min);
  for (bool more = true; more && any_open() && !budget_.exhausted();) {
    try_sums(sums);
    more = false;
    for (std::size_t i = 0; i < sums.size() && !more; ++i) {
      more = ++sums[i] <= ranges[i].max;
      if (!more) sums[i] = ranges[i].min;
    }
  }
}

/// An order of all transactions is found sooner than what a weaker level needs, and proves it.
void SumCheck::add_strong(std::vector<Level>& levels) const {
  if (levels.empty()) return;  // all
  for (const Level strong : {Level::kStrictSerializable, Level::kSerializable}) {
    if (strong == Level::kStrictSerializable && !history_.has_times()) continue;
    if (std::ranges::find(levels, strong) == levels.end()) levels.push_back(strong);
  }
}

CheckReport SumCheck::run() {
  look_for_impossible();
  CheckOptions options = options_;
  add_strong(options.levels);
  report_ = Pipeline(history_, options, budget_).run();
  std::erase_if(report_.levels, [&](const LevelReport& level) {
    return !options_.levels.empty() &&
           std::ranges::find(options_.levels, level.level) == options_.levels.end();
  });
  std::vector<Witness> orders;
  for (LevelReport& level : report_.levels) {
    if (level.verdict != Verdict::kHolds) continue;
    level.verdict = Verdict::kUnknown;
    level.reason = kNoSums;
    const auto* const witness = std::get_if<Witness>(&report_.proofs[level.proof]);
    if (witness != nullptr) orders.push_back(*witness);
    level.proof = 0;
  }
  settle_impossible();
  if (options_.progress) options_.progress("guessing the results of increments");
  SumGuess guess(history_, budget_);
  try_sums(guess.by_search());
  for (const Witness& order : orders) try_sums(guess.along(order));
  try_sums(guess.from_reads());
  try_sums(guess.by_time());
  try_all();
  for (LevelReport& level : report_.levels) {
    const bool is_stopped = budget_.exhausted() && level.verdict == Verdict::kUnknown;
    if (is_stopped && level.reason == kNoSums) level.reason = budget_.reason();
  }
  return std::move(report_);
}

}  // namespace

CheckReport check_sums(const History& history, const CheckOptions& options,
                       base::Budget& budget) {
  return SumCheck(history, options, budget).run();
}

}  // namespace isolde::checker
