// Shares: how the levels of one check divide the limits of time and memory. Each level works
// within a share of the remaining time, so that one hard level never starves the others, and a
// level that runs out of memory frees what it took before the others go on.
//
// While main levels are open they get three quarters of the time, and the others one quarter.
// Within its group a level's part grows with the open levels that it implies: an execution that
// proves it proves them all, and then their time would have been saved. What a level has used
// counts until it is decided; decided levels return the rest of their share.
//
// Without a time limit, a level that exceeds a fixed amount of work in a stage waits until the
// others have had theirs, and then starts over without a bound. Work is counted, so that
// results do not depend on the machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "check/check.hpp"

namespace isolde::checker {

/// The levels that databases promise and papers compare. Classification decides them first.
bool is_main(Level level);

class Shares {
 public:
  /// `is_open`: by level, whether there is more to do for it; what the others have used no
  /// longer counts. It and the budget must outlive this object. `op_count`: of the history;
  /// large ones need more work in every stage.
  Shares(const std::vector<LevelReport>& levels, const std::vector<bool>& is_open,
         std::uint64_t op_count, base::Budget& budget);

  /// Whether the level has run out of its share, or of memory. Then call try_again() before
  /// run().
  bool has_stopped(std::size_t level) const { return !reasons_[level].empty(); }
  /// Why, for the verdict.
  const std::string& reason(std::size_t level) const { return reasons_[level]; }
  /// The level cannot be decided within the limits, and a second try is useless.
  void stop(std::size_t level, std::string reason) {
    reasons_[level] = std::move(reason);
    tried_again_[level] = true;
  }

  /// The level must start over, for the reason why the budget is exhausted now.
  void interrupt(std::size_t level) {
    if (!has_stopped(level)) reasons_[level] = budget_.reason();
  }

  /// Runs the level's work within its share. When that or memory runs out, calls
  /// `release(false)`, which frees what the level holds; if that is not enough, release(true),
  /// which frees what all levels hold. Afterwards the budget is exhausted only when the limits
  /// themselves are reached.
  void run(std::size_t level, const std::function<void()>& work,
           const std::function<void(bool all)>& release);

  /// Whether a stopped level gets a second try, from the start, with what others left: at least
  /// as much as it had.
  bool try_again(std::size_t level);

  /// Main levels first, otherwise in the order of the report.
  std::vector<std::size_t> by_rank() const;

 private:
  double seconds(std::size_t level) const;
  double weight(std::size_t level) const;
  bool is_last() const;
  void give_back(const std::function<void(bool all)>& release);

  base::Budget& budget_;
  const std::vector<bool>& is_open_;
  std::uint64_t turn_ticks_;
  std::vector<bool> is_main_;
  std::vector<std::vector<std::size_t>> implied_;  // by level
  std::vector<bool> tried_again_;
  std::vector<double> used_;  // seconds
  std::vector<std::string> reasons_;
};

}  // namespace isolde::checker
