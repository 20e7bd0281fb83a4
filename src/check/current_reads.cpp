#include "check/current_reads.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "check/asked_levels.hpp"
#include "check/closure.hpp"
#include "history/base_levels.hpp"
#include "history/current_reads.hpp"

namespace isolde::checker {
namespace {

/// Levels that read refused inserts alike.
enum class Group : std::uint8_t { kRead, kReadBySome, kDisregarded };

Group group_of(BaseLevel base) {
  if (base == BaseLevel::kMixed) return Group::kReadBySome;
  return counts_refused_inserts(base) ? Group::kRead : Group::kDisregarded;
}

class CurrentReads {
 public:
  CurrentReads(const History& history, const CheckOptions& options, base::Budget& budget)
      : history_(history), options_(options), budget_(budget) {}

  CheckReport run() {
    const std::vector<Level> all = asked_levels(history_, options_);
    std::size_t left = all.size();
    for (const Group group : {Group::kRead, Group::kReadBySome, Group::kDisregarded}) {
      std::vector<Level> levels;
      std::ranges::copy_if(all, std::back_inserter(levels),
                           [&](Level level) { return group_of(info(level).base) == group; });
      if (levels.empty()) continue;
      const double part = static_cast<double>(levels.size()) / static_cast<double>(left);
      left -= levels.size();
      const base::Budget::Share share(budget_, budget_.seconds_left() * part);
      decide(group, std::move(levels));
    }
    std::ranges::sort(report_.levels, {}, &LevelReport::level);
    // This copies proofs. If memory runs out, the verdicts so far stay valid.
    base::fits_memory([&] { close_by_implication(report_, false); });
    return std::move(report_);
  }

 private:
  void decide(Group group, std::vector<Level> levels) {
    CheckOptions options = options_;
    options.levels = std::move(levels);
    std::optional<History> reading;
    if (group != Group::kDisregarded) {
      if (!budget_.spend(history_.op_count())) return leave_open(options.levels);
      reading = history::as_read_at(history_, options.levels.front());
    }
    add(check_as_it_is(reading ? *reading : history_, options, budget_));
  }

  void leave_open(const std::vector<Level>& levels) {
    for (const Level level : levels) {
      report_.levels.push_back({level, Verdict::kUnknown, budget_.reason(), 0});
    }
  }

  void add(CheckReport more) {
    for (LevelReport& level : more.levels) {
      level.proof += report_.proofs.size();
      level.sums += report_.sums.size();
      report_.levels.push_back(std::move(level));
    }
    for (Proof& proof : more.proofs) report_.proofs.push_back(std::move(proof));
    for (auto& sums : more.sums) report_.sums.push_back(std::move(sums));
    report_.sessions_respect_time = more.sessions_respect_time;
    report_.rows = more.rows;
    CheckStatistics& all = report_.statistics;
    all.included_txns = std::max(all.included_txns, more.statistics.included_txns);
    all.add_work(more.statistics);
  }

  const History& history_;
  const CheckOptions& options_;
  base::Budget& budget_;
  CheckReport report_;
};

}  // namespace

CheckReport check_current_reads(const History& history, const CheckOptions& options,
                                base::Budget& budget) {
  return CurrentReads(history, options, budget).run();
}

}  // namespace isolde::checker
