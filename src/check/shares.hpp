// Shares: how the levels of one check divide the limits of time and memory among them. Each
// level works within a share of the time that is left, so that one hard level never keeps the
// others from their answer, and one that runs out of memory gives back what it took before the
// others go on.
//
// While main levels are open they get three quarters of the time, in equal parts, and the
// others one quarter; what a level has used counts until it is decided, and what decided levels
// leave over is shared again.
//
// Without a limit of time a level that needs more than a fixed amount of work in a stage waits
// until the others have had theirs, and then begins again without a bound. Work is counted, so
// that what is decided does not depend on the machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "isolde/check.hpp"

namespace isolde::checker {

/// The levels that databases promise and papers compare. In a classification the other forms
/// come after them.
bool is_main(Level level);

class Shares {
 public:
  /// `is_open`: by level, whether there is more to be done for it; what the others have used no
  /// longer counts. It and the budget must outlive this object. `op_count`: of the history, for
  /// large ones need more work in every stage.
  Shares(const std::vector<LevelReport>& levels, const std::vector<bool>& is_open,
         std::uint64_t op_count, base::Budget& budget);

  /// Whether the level has run out of its share, or of memory. Then run() is not called before
  /// try_again().
  bool has_stopped(std::size_t level) const { return !reasons_[level].empty(); }
  /// Why, for the verdict.
  const std::string& reason(std::size_t level) const { return reasons_[level]; }
  /// The level cannot be decided within the limits, and a second try is of no use.
  void stop(std::size_t level, std::string reason) {
    reasons_[level] = std::move(reason);
    tried_again_[level] = true;
  }

  /// The level has to begin anew, for the reason for which the budget is exhausted now.
  void interrupt(std::size_t level) {
    if (!has_stopped(level)) reasons_[level] = budget_.reason();
  }

  /// Runs the level's work within its share. When that is used up, or memory runs out in spite
  /// of all, calls `release(false)`, which gives back what the level holds; where that is not
  /// enough, release(true): what all levels hold. After that the budget is exhausted only when
  /// the limits themselves are reached.
  void run(std::size_t level, const std::function<void()>& work,
           const std::function<void(bool all)>& release);

  /// Whether a level that stopped gets a second try, from the begin, with what others have
  /// left: at least as much as it has had.
  bool try_again(std::size_t level);

  /// Main levels first, otherwise in the order of the report.
  std::vector<std::size_t> by_rank() const;

 private:
  double seconds(std::size_t level) const;
  bool is_last() const;
  void give_back(const std::function<void(bool all)>& release);

  base::Budget& budget_;
  const std::vector<bool>& is_open_;
  std::uint64_t turn_ticks_;
  std::vector<bool> is_main_;
  std::vector<bool> tried_again_;
  std::vector<double> used_;  // seconds
  std::vector<std::string> reasons_;
};

}  // namespace isolde::checker
