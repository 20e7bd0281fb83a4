// The pipeline behind check(): observations, then stages of rising cost, each for all open
// levels. A proof closes every level that it proves: a witness all weaker levels, a refutation
// all levels at which its dependencies count. The stages are in check.cpp, those for repeated
// values in pipeline_repeats.cpp, and what a proof does for other levels in
// pipeline_proofs.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "check/check.hpp"
#include "check/shares.hpp"
#include "infer/observations.hpp"
#include "level/level_traits.hpp"
#include "linear/linear.hpp"
#include "search/event_level.hpp"
#include "session/sequential.hpp"
#include "source/session_choices.hpp"

namespace isolde::checker {

using infer::Observations;

/// Decides the levels of one history. Single use.
class Pipeline {
 public:
  Pipeline(const History& history, const CheckOptions& options, base::Budget& budget)
      : history_(history), options_(options), budget_(budget) {}

  /// The report, with a reason for each level that is left open.
  CheckReport run();

  /// Rows that selections left out count only where they are there. Some are open reads.
  void expect_few_rows(bool open) { is_reduced_ = true, expects_open_reads_ = open; }

  /// In place of run().
  CheckReport report_of(Certificate certificate);

 private:
  /// What the report says of the history itself.
  void begin();

  /// Closes open levels whose verdict follows from another level's.
  void close_open_levels();

  void decide_levels();
  void say(std::string_view text) const;
  void say(std::string_view stage, const LevelInfo& level) const;
  void list_levels();
  void decide_contradictions();  ///< needs no search
  /// The levels by the database's times get this verdict, unless the reason is empty.
  void leave_out_timed(const std::string& reason, Verdict verdict);

  bool sessions_respect_time() const;
  void close(std::size_t i, Verdict verdict, std::size_t proof);

  /// Linearizability is decided key by key, independently of other keys.
  void decide_linear();
  void decide_linear(std::size_t i);

  /// Other levels' proofs do not apply to this one: it waits until they are done.
  void set_aside(std::size_t i);

  /// Decides the levels set aside, with the time and memory that the others left.
  void decide_set_aside();

  /// Repeatable read is serializability that ignores which rows a selection left out
  /// (docs/ALGORITHMS.md). So it is decided on a history without those reads.
  void decide_repeatable_read();

  void decide_items(std::size_t i);
  Proof explained(Proof proof);
  std::string why_cut_off(std::uint32_t place) const;

  /// Rows that selections left out count for a level when an execution gets them wrong
  /// (pipeline_rows.cpp).
  void decide_rows_when_needed();
  std::optional<Proof> decide_with_rows_that_matter(const LevelInfo& row);
  void guess_with_rows_that_matter(const LevelInfo& row);
  void share_by_implication(const LevelInfo& proved, std::size_t at);
  void decide_committed_rows();
  void decide_session_rows_when_needed();
  void decide_session_rows_when_needed(const Observations& seen, std::size_t i);

  // Aggregates (pipeline_aggregates.cpp).
  bool finds_results() const;
  bool has_right_results(const LevelInfo& level, Proof& proof);
  bool has_right_results(const KeyWitness& witness) const;
  bool has_items_read(const LevelInfo& level, Proof& proof);
  bool settle_impossible(std::size_t i);
  void settle_impossible(std::size_t i, const WrongResult& wrong);
  void settle_impossible(const std::optional<WrongResult>& wrong);
  void find_impossible_result();
  bool count_results(const std::vector<WrongResult>& wrong);
  bool count_rows(const std::vector<std::uint32_t>& places);
  void decide_results_when_needed();
  void decide_results_when_needed(std::size_t i, const std::vector<std::uint32_t>& left_out);
  void decide_without_results(std::size_t i, const std::vector<std::uint32_t>& left_out);
  void leave_results_open(std::size_t i);

  struct Reduced {
    LevelReport level;
    std::optional<Proof> proof;  ///< about the operations of the whole history
  };
  /// Decides one level without the rows that selections left out, but for `kept`.
  Reduced decide_without_rows(Level level, std::span<const std::uint32_t> kept);

  /// As a level decided separately knows it. No effect once the reads of all were resolved.
  void count_included(std::uint64_t included);

  bool leaves_out_rows() const;
  /// Decides the history of one key.
  StrictAnswer decide_strict(const History& history) const;

  template <typename Applies>
  void decide_all(const Finding& finding, const Applies& applies) {
    report_.proofs.emplace_back(finding);
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      if (open_[i] && applies(report_.levels[i].level)) {
        close(i, Verdict::kViolated, report_.proofs.size() - 1);
      }
    }
  }

  void leave_open(const std::string& reason);

  void decide(const Observations& seen);

  void guess(const Observations& seen, std::size_t i);
  void repair(std::size_t i);
  void saturate(std::size_t i);
  void search(std::size_t i, std::uint64_t conflict_limit);

  /// First levels where session order binds: saturation has done most of the work there, and
  /// the proof often decides the level without session order too. Then from the weakest level
  /// up: what refutes it refutes the stronger ones. In rounds, so that a hard level does not
  /// delay the others.
  void search();

  bool is_alone(std::size_t i) const;

  /// The levels with this method, then one level: all stages at once.
  void decide(const Observations& seen, Method method);
  void decide(const Observations& seen, std::size_t i);

  /// If commit time gives a witness, we are done; where it gives none, the cycle it leaves is
  /// often a violation.
  void sweep(const Observations& seen);

  /// None when the level is already decided, or the budget ran out.
  std::unique_ptr<EventLevel> mixed_level(const Observations& seen, std::size_t i);

  void find_lost_update(const Observations& seen);

  /// Values repeat: the search also chooses the open sources of reads.
  void decide_open();
  void decide_open(const Observations& seen);
  /// The same without resolving reads first, where they are expected to be open. False where
  /// that is needed all the same.
  bool decide_open_at_once();

  /// Where no transaction uses two keys, linearizability also decides other levels, without a
  /// search over sources.
  void decide_by_keys(const Observations& seen);

  /// The form of a level in which sessions and real time bind, and no forks are allowed. The
  /// engine is null after failure.
  struct StricterChoice {
    LevelInfo level;
    std::unique_ptr<ChoiceLevel> engine;
  };

  /// Most databases respect sessions and real time even where they promise neither, and both
  /// narrow the search. A witness proves the level; finding none proves nothing.
  void search_stricter_sources(const Observations& seen, std::size_t i,
                               std::uint64_t conflict_limit);

  void guess_sources(const Observations& seen, std::size_t i);

  /// That form is, or was, among the requested levels.
  bool stricter_form_is_searched(const LevelInfo& row) const;

  void search_sources(const Observations& seen);
  void search_sources(const Observations& seen, std::size_t i, std::uint64_t conflict_limit);

  /// One execution for all sessions: first an order by time, then the simple attempts at
  /// sequential consistency, whose witnesses prove all of these. Keeps the latter.
  void guess_sessions(const Observations& seen);

  /// A witness of prefix consistency proves all of them, and is cheaper to find than one for
  /// single reads. Skipped where that level was requested, because it has been tried.
  void guess_prefix_order(const Observations& seen);

  std::optional<Proof> decide_sequential(const Observations& seen);

  /// The certain edges order each session's transactions.
  bool chains_bind(const LevelInfo& level) const;

  /// No witness respects sessions and real time.
  bool stricter_form_fails(const LevelInfo& level) const;

  /// Without chains, saturation also looks for a witness that respects sessions.
  bool session_form_fails(const LevelInfo& level) const;

  template <typename Visit>
  void for_each_open(const Visit& visit) {
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      if (open_[i] && !budget_.exhausted()) visit(i);
    }
  }

  /// The level is open, and neither its share nor the limits are used up.
  bool may_work(std::size_t i) const;

  /// As for_each_open(), each level within its share of the limits.
  template <typename Visit>
  void in_turn(const Visit& visit) {
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      if (may_work(i)) run_share(i, [&] { visit(i); });
    }
  }

  template <typename Work>
  void run_share(std::size_t i, const Work& work) {
    shares_->run(i, work, [this, i](bool all) { all ? release_all() : release(i); });
  }

  /// Restarts stopped levels with what the others left.
  template <typename Decide>
  void try_again(const Decide& decide) {
    for (const std::size_t i : shares_->by_rank()) {
      if (open_[i] && shares_->try_again(i)) run_share(i, [&] { decide(i); });
    }
  }

  /// Frees the level's memory. Its unfinished work starts over.
  void release(std::size_t i);

  /// Memory ran out. Levels whose intermediate state is lost stop here, and get a second try.
  void release_all();

  /// Closes level i with the proof, and all others that it proves.
  void settle(std::size_t i, Proof proof);

  void share_witness(const LevelInfo& proved, std::size_t at);

  /// Each of the executions also passes at levels where no session binds.
  void share_executions(const LevelInfo& proved, std::size_t at);

  void share_refutation(const LevelInfo& proved, std::size_t at);

  /// A level left open for its own reason may be closed by a later proof.
  void share_again();

  /// Repeatable read where selections left out rows. It counts fewer reads, and excludes
  /// indeterminate transactions that only those reads show. So its proofs and those of other
  /// levels are not interchangeable, though their verdicts may imply each other.
  bool is_about_other_reads(std::size_t i) const;

  const History& history_;
  const CheckOptions& options_;
  base::Budget& budget_;
  CheckReport report_;
  std::vector<bool> open_;
  std::optional<Shares> shares_;
  std::vector<std::size_t> set_aside_;
  // By level, its state between stages.
  std::vector<std::unique_ptr<EventLevel>> engines_;
  std::vector<std::unique_ptr<SourceSearch>> choices_;
  std::vector<std::unique_ptr<StricterChoice>> stricter_;
  std::unique_ptr<SequentialLevel> sequential_;  // shared by all levels with sessions
  bool chooses_sources_ = true;
  bool is_reduced_ = false, expects_open_reads_ = false;  // expect_few_rows()
  bool has_results_ = false;                              // of aggregates
  // Reads of such rows, as places in History::all_ops(), ascending.
  std::vector<std::uint32_t> rows_that_count_;
  // All reads were resolved: known are the transactions that took effect, and whether the
  // levels by the database's own times apply.
  bool has_observed_ = false;
  bool values_repeat_ = false;  // some reads have several possible sources
  std::string ambiguity_;       // why reads have several possible sources
};

}  // namespace isolde::checker
