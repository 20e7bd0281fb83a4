// The pipeline behind check(): observations, then stages of rising cost, each for all open
// levels. A proof serves every level that it proves: a witness all weaker levels, a refutation
// all levels at which its dependencies count. The stages are in check.cpp, those for
// repeated values in pipeline_repeats.cpp, and what a proof does for other levels in
// pipeline_proofs.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "check/shares.hpp"
#include "infer/observations.hpp"
#include "isolde/check.hpp"
#include "level/level_traits.hpp"
#include "linear/linear.hpp"
#include "search/event_level.hpp"
#include "session/sequential.hpp"
#include "source/choices.hpp"

namespace isolde::checker {

using infer::Observations;

inline bool is_uncommitted(Level level) {
  return traits(info(level).base).method == Method::kShownOrders;
}

inline bool is_mixed(Level level) {
  return traits(info(level).base).method == Method::kMixedVersionOrders;
}

/// Decides the levels of one history. Used once.
class Pipeline {
 public:
  Pipeline(const History& history, const CheckOptions& options, base::Budget& budget)
      : history_(history), options_(options), budget_(budget) {}

  /// The report, with a reason for each level that is left open.
  CheckReport run();

 private:
  /// Levels that stayed open get what follows from the others.
  void close_open_levels();

  void decide_levels();

  void say(std::string_view text) const;

  void say(std::string_view stage, const LevelInfo& level) const;

  void list_levels();

  void leave_out_timed(const std::string& reason);

  bool sessions_respect_time() const;

  void close(std::size_t i, Verdict verdict, std::size_t proof);

  /// Linearizability looks at each key by itself, and does not depend on what other keys show.
  void decide_linear();

  void decide_linear(std::size_t i);

  /// Other levels' proofs are not for this one: it waits until they are done.
  void set_aside(std::size_t i);

  /// Levels that were set aside get what the others have left.
  void decide_set_aside();

  /// At repeatable read it means nothing that a selection left out a row; else it is
  /// serializability (docs/ALGORITHMS.md). So it is decided on a history in which nothing is
  /// known of those reads. The proof is about the same transactions and operations.
  void decide_repeatable_read();

  void decide_items(std::size_t i);

  /// What a level that is decided apart knows of the transactions that took effect. Means
  /// nothing once all reads were resolved for all levels.
  void count_included(std::uint64_t included);

  bool leaves_out_rows() const;

  /// One key as a history of its own.
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

  /// Where session order binds, saturation has done most of the work already, and the witness
  /// or refutation often serves the level without session order too. Otherwise from the
  /// weakest level up: what refutes it refutes the stronger ones. In rounds, so that a hard
  /// level does not keep the others waiting.
  void search();

  /// No other level waits for its turn.
  bool is_alone(std::size_t i) const;

  /// All stages of one level.
  void decide(const Observations& seen, std::size_t i);

  /// What an order of commits by time explains needs nothing else; and what it cannot explain
  /// is often wrong by itself.
  void sweep(const Observations& seen);

  /// None when the level is settled already, or the budget ran out.
  std::unique_ptr<EventLevel> mixed_level(const Observations& seen, std::size_t i);

  void find_lost_update(const Observations& seen);

  /// Values repeat: the sources of some reads are open, and part of the search.
  void decide_open();

  /// Where no transaction uses two keys, linearizability tells more than itself, and needs no
  /// search over sources.
  void decide_by_keys(const Observations& seen);

  /// The form of a level in which sessions and real time bind. The engine is gone when it has
  /// failed.
  struct StricterChoice {
    LevelInfo level;
    std::unique_ptr<ChoiceLevel> engine;
  };

  /// Most databases keep sessions and real time where they promise neither, and with them the
  /// search has fewer ways to go. A witness serves; no witness means nothing.
  void search_stricter_sources(const Observations& seen, std::size_t i,
                               std::uint64_t conflict_limit);

  /// It is, or was, among the levels that were asked for.
  bool stricter_form_is_searched(const LevelInfo& row) const;

  void search_sources(const Observations& seen, std::size_t i, std::uint64_t conflict_limit);

  void decide_timed(const Observations& seen);

  void decide_timed(const Observations& seen, std::size_t i);

  void decide_weak(const Observations& seen);

  void decide_weak(const Observations& seen, std::size_t i);

  void decide_uncommitted(const Observations& seen);

  void decide_uncommitted(const Observations& seen, std::size_t i);

  void decide_sessions(const Observations& seen);

  void decide_sessions(const Observations& seen, std::size_t i);

  /// One execution for all sessions: first an order by time, then the simple attempts at
  /// sequential consistency, which serve all these levels. The latter are kept for later.
  void guess_sessions(const Observations& seen);

  /// An order for prefix consistency serves all of them, and is cheaper to find than one for
  /// single reads. Where that level is asked for itself it has been tried.
  void guess_prefix_order(const Observations& seen);

  void decide_sequential(const Observations& seen);

  void decide_sequential(const Observations& seen, std::size_t i);

  /// The certain edges order each session's transactions.
  bool chains_bind(const LevelInfo& level) const;

  /// No witness keeps sessions and real time.
  bool stricter_form_fails(const LevelInfo& level) const;

  /// Without chains, saturation looks for a witness that keeps sessions all the same.
  bool session_form_fails(const LevelInfo& level) const;

  template <typename Visit>
  void for_each_open(const Visit& visit) {
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      if (open_[i] && !budget_.exhausted()) visit(i);
    }
  }

  /// It is open, and neither its share nor all limits are used up.
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

  /// Levels that stopped before begin again with what the others have left.
  template <typename Decide>
  void try_again(const Decide& decide) {
    for (const std::size_t i : shares_->by_rank()) {
      if (open_[i] && shares_->try_again(i)) run_share(i, [&] { decide(i); });
    }
  }

  /// Gives back the level's memory. What it was about to decide begins anew.
  void release(std::size_t i);

  /// Memory ran out. Levels that lose what later stages go on from stop here, and get a second
  /// try.
  void release_all();

  /// Closes level i with the proof, and all others that it also proves.
  void settle(std::size_t i, Proof proof);

  void share_witness(const LevelInfo& proved, std::size_t at);

  /// Each of the executions passes where no session has a say.
  void share_executions(const LevelInfo& proved, std::size_t at);

  void share_refutation(const LevelInfo& proved, std::size_t at);

  /// A level that was left open for a reason of its own may take a proof that came later.
  void share_again();

  /// Repeatable read where selections left out rows. It counts fewer reads, and transactions of
  /// unknown outcome that nothing else shows did not take effect there: its proofs and those of
  /// other levels do not serve each other, though their verdicts may follow.
  bool is_about_other_reads(std::size_t i) const;

  static constexpr std::uint64_t kFirstLook = 4096;  // conflicts

  const History& history_;
  const CheckOptions& options_;
  base::Budget& budget_;
  CheckReport report_;
  std::vector<bool> open_;
  std::optional<Shares> shares_;
  std::vector<std::size_t> set_aside_;
  // By level, what it has worked out so far.
  std::vector<std::unique_ptr<EventLevel>> engines_;
  std::vector<std::unique_ptr<ChoiceLevel>> choices_;
  std::vector<std::unique_ptr<StricterChoice>> stricter_;
  std::unique_ptr<SequentialLevel> sequential_;  // of all levels with sessions
  bool chooses_sources_ = true;
  // All reads were resolved: it is known which transactions took effect, and whether the levels
  // by the database's own times apply.
  bool has_observed_ = false;
  bool values_repeat_ = false;
};

}  // namespace isolde::checker
