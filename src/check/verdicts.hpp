// The verdicts of one check as they come: which levels are open, what was proved of the others,
// and how the open ones share the limits. A proof closes every level that it proves: a witness
// all weaker levels, a refutation all levels at which its dependencies count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "check/check.hpp"
#include "check/shares.hpp"
#include "level/level_traits.hpp"

namespace isolde::checker {

/// Some selection left out a row.
bool leaves_out_rows(const History& history);

/// A report that says of the history itself what there is to say. `leaves_out_rows`: and all of
/// these rows count.
CheckReport begun_report(const History& history, bool leaves_out_rows,
                         std::int64_t clock_error_ns);

class Verdicts {
 public:
  /// Of the levels that were asked for. `leaves_out_rows`: as begun_report().
  Verdicts(const History& history, const CheckOptions& options, bool leaves_out_rows,
           base::Budget& budget);
  Verdicts(const Verdicts&) = delete;
  Verdicts& operator=(const Verdicts&) = delete;

  /// The report, with a reason for each level that is left open. `fits`: as
  /// base::fits_memory() has it of the work so far. REQUIRES: called once, and last.
  CheckReport finish(bool fits);

  std::span<const LevelReport> levels() const { return report_.levels; }
  std::size_t size() const { return report_.levels.size(); }
  const LevelInfo& row(std::size_t i) const { return info(report_.levels[i].level); }
  bool is_open(std::size_t i) const { return open_[i]; }
  bool any_open() const;
  const Proof& proof(std::size_t at) const { return report_.proofs[at]; }
  CheckStatistics& statistics() { return report_.statistics; }

  const RowFacts& rows() const { return report_.rows; }
  bool has_results() const { return has_results_; }  ///< of aggregates
  /// As implies_there(), for this history.
  bool implies(Level stronger, Level weaker) const;
  /// The certain edges order each session's transactions.
  bool chains_bind(const LevelInfo& level) const;
  /// No witness respects sessions and real time.
  bool stricter_form_fails(const LevelInfo& level) const;
  /// Without chains, saturation also looks for a witness that respects sessions.
  bool session_form_fails(const LevelInfo& level) const;
  /// Repeatable read where selections left out rows. It counts fewer reads, and excludes
  /// indeterminate transactions that only those reads show. So its proofs and those of other
  /// levels are not interchangeable, though their verdicts may imply each other.
  bool is_about_other_reads(std::size_t i) const;

  /// All reads were resolved: known are the transactions that took effect, and whether the
  /// levels by the database's own times apply.
  bool has_observed() const { return has_observed_; }
  void note_observed(std::uint64_t included);
  /// As a level decided separately knows it. No effect once the reads of all were resolved.
  void count_included(std::uint64_t included);
  /// Some reads have several possible sources.
  void note_open_reads(bool any) { values_repeat_ = any; }

  void say(std::string_view text) const;
  void say(std::string_view stage, const LevelInfo& level) const;

  /// Closes level i with the proof, and all others that it proves.
  void settle(std::size_t i, Proof proof);
  /// A witness proves the level only with all aggregates right.
  bool has_right_results(const LevelInfo& level, Proof& proof) const;
  /// For close(), and share_witness(), which closes what a witness at a level proves.
  std::size_t add(Proof proof);
  void close(std::size_t i, Verdict verdict, std::size_t proof);
  void share_witness(const LevelInfo& proved, std::size_t at);
  template <typename Applies>
  void decide_all(const Finding& finding, const Applies& applies) {
    const std::size_t at = add(finding);
    for (std::size_t i = 0; i < size(); ++i) {
      if (open_[i] && applies(report_.levels[i].level)) close(i, Verdict::kViolated, at);
    }
  }

  /// The levels by the database's times get this verdict, unless the reason is empty.
  void leave_out_timed(const std::string& reason, Verdict verdict);
  /// Nothing more is done for the level, unless the limits are why.
  void leave_undecided(std::size_t i, std::string reason);
  /// All that is open stays so, for this reason if it has none of its own.
  void leave_open(const std::string& reason);
  /// Other levels' proofs do not apply to this one: it waits until they are done.
  void set_aside(std::size_t i);
  /// Does the work for those again that were set aside because they ran out of their shares.
  template <typename Decide>
  void try_set_aside_again(const Decide& decide) {
    for (const std::size_t i : set_aside_) {
      if (!shares_->has_stopped(i) || !shares_->try_again(i)) continue;
      open_[i] = true;
      run_share(i, [&] { decide(i); });
      open_[i] = false;
    }
  }

  /// What frees the memory of a level's unfinished work, which then starts over; nothing: of
  /// all levels.
  using Release = std::function<void(std::optional<std::size_t>)>;
  void release_by(Release release) { release_ = std::move(release); }

  /// The level is open, and neither its share nor the limits are used up.
  bool may_work(std::size_t i) const;
  /// As Shares::stop() and Shares::interrupt().
  void stop(std::size_t i, std::string reason) { shares_->stop(i, std::move(reason)); }
  void interrupt(std::size_t i) { shares_->interrupt(i); }

  template <typename Visit>
  void for_each_open(const Visit& visit) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (open_[i] && !budget_.exhausted()) visit(i);
    }
  }

  /// As for_each_open(), each level within its share of the limits.
  template <typename Visit>
  void in_turn(const Visit& visit) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (may_work(i)) run_share(i, [&] { visit(i); });
    }
  }

  template <typename Work>
  void run_share(std::size_t i, const Work& work) {
    shares_->run(i, work, [this, i](bool all) {
      if (release_) release_(all ? std::nullopt : std::optional(i));
    });
  }

  /// Restarts stopped levels with what the others left.
  template <typename Decide>
  void try_again(const Decide& decide) {
    for (const std::size_t i : shares_->by_rank()) {
      if (open_[i] && shares_->try_again(i)) run_share(i, [&] { decide(i); });
    }
  }

 private:
  /// Each of the executions also passes at levels where no session binds.
  void share_executions(const LevelInfo& proved, std::size_t at);
  void share_refutation(const LevelInfo& proved, std::size_t at);
  /// What the proof of one level says of the others.
  void share(const LevelInfo& proved, std::size_t at);
  /// A level left open for its own reason may be closed by a later proof.
  void share_again();
  /// Closes open levels whose verdict follows from another level's.
  void close_open_levels();

  const History& history_;
  const CheckOptions& options_;
  base::Budget& budget_;
  CheckReport report_;
  std::vector<bool> open_;
  std::optional<Shares> shares_;
  std::vector<std::size_t> set_aside_;
  Release release_;
  bool has_results_;
  bool has_observed_ = false;
  bool values_repeat_ = false;
};

}  // namespace isolde::checker
