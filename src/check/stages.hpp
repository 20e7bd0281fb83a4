// Decides the open levels of a history as it is, from what its reads returned: stages of rising
// cost, each for all open levels. What a check puts off, or decides of parts of the history, is
// the pipeline's (pipeline.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "check/check.hpp"
#include "check/verdicts.hpp"
#include "infer/observations.hpp"
#include "level/level_traits.hpp"
#include "linear/linear.hpp"
#include "search/event_level.hpp"
#include "session/sequential.hpp"
#include "source/session_choices.hpp"

namespace isolde::checker {

using infer::Observations;

/// What there is of a history.
enum class Extract : std::uint8_t {
  kWhole,
  kOneKey,    ///< where values repeat, linearizability has its own search
  kFewRows,   ///< without most of the rows that selections left out
  kOpenRows,  ///< likewise, and some of those that are there have several possible sources
};

struct ExtractReport {
  CheckReport report;
  std::string ambiguity;  ///< why reads have several possible sources
};

/// Decides the level that the options ask for, of such a history: with verdicts and stages of
/// its own, and no pipeline.
ExtractReport check_extract(const History& history, Extract extract,
                            const CheckOptions& options, base::Budget& budget);

/// The same of one key, for decide_linear(): as strictly as its times tell.
StrictAnswer check_key(const History& key, CheckOptions options, base::Budget& budget);

class Stages {
 public:
  /// Verdicts frees its memory by this one when limits are reached.
  Stages(const History& history, Extract extract, const CheckOptions& options,
         Verdicts& verdicts, base::Budget& budget);

  /// Contradictions between two reads of a transaction need no search. Before decide().
  void decide_contradictions();

  /// Resolves reads, and decides what is open, as far as the limits let it. REQUIRES: called
  /// once.
  void decide();

  /// Whether an aggregate that no versions explain refutes the level.
  bool settle_impossible(std::size_t i);
  /// For the levels that are still open, but those of which it is not known whether they apply.
  void find_impossible_result();

  const std::string& ambiguity() const { return ambiguity_; }

  /// Frees what unfinished work takes.
  void release_all();

 private:
  /// The form of a level in which sessions and real time bind, and no forks are allowed. The
  /// engine is null after failure.
  struct StricterChoice {
    LevelInfo level;
    std::unique_ptr<ChoiceLevel> engine;
  };

  void decide(const Observations& seen);
  /// The levels with this method, then one level: all stages at once.
  void decide(const Observations& seen, Method method);
  void decide(const Observations& seen, std::size_t i);
  void decide_by_finding(const Finding& finding);

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

  /// If commit time gives a witness, we are done; where it gives none, the cycle it leaves is
  /// often a violation.
  void sweep(const Observations& seen);

  /// None when the level is already decided, or the budget ran out.
  std::unique_ptr<EventLevel> mixed_level(const Observations& seen, std::size_t i);

  void find_lost_update(const Observations& seen);

  /// One execution for all sessions: first an order by time, then the simple attempts at
  /// sequential consistency, whose witnesses prove all of these. Keeps the latter.
  void guess_sessions(const Observations& seen);

  /// A witness of prefix consistency proves all of them, and is cheaper to find than one for
  /// single reads. Skipped where that level was requested, because it has been tried.
  void guess_prefix_order(const Observations& seen);

  std::optional<Proof> decide_sequential(const Observations& seen);

  void settle_impossible(std::size_t i, const WrongResult& wrong);
  void settle_impossible(const std::optional<WrongResult>& wrong);

  // Values repeat: the search also chooses the open sources of reads (stages_repeats.cpp).

  void decide_open();
  void decide_open(const Observations& seen);
  /// The same without resolving reads first, where they are expected to be open. False where
  /// that is needed all the same.
  bool decide_open_at_once();

  /// Where no transaction uses two keys, linearizability also decides other levels, without a
  /// search over sources.
  void decide_by_keys(const Observations& seen);

  /// Most databases respect sessions and real time even where they promise neither, and both
  /// narrow the search. A witness proves the level; finding none proves nothing.
  void search_stricter_sources(const Observations& seen, std::size_t i,
                               std::uint64_t conflict_limit);

  void guess_sources(const Observations& seen, std::size_t i);

  /// That form is, or was, among the requested levels.
  bool stricter_form_is_searched(const LevelInfo& row) const;

  void search_sources(const Observations& seen);
  void search_sources(const Observations& seen, std::size_t i, std::uint64_t conflict_limit);

  /// Frees the level's memory, or that of all. Levels whose intermediate state is lost stop
  /// there, and get a second try.
  void release(std::optional<std::size_t> level);
  void release_level(std::size_t i);

  const History& history_;
  const Extract extract_;
  const CheckOptions& options_;
  Verdicts& verdicts_;
  base::Budget& budget_;
  // By level, its state between stages.
  std::vector<std::unique_ptr<EventLevel>> engines_;
  std::vector<std::unique_ptr<SourceSearch>> choices_;
  std::vector<std::unique_ptr<StricterChoice>> stricter_;
  std::unique_ptr<SequentialLevel> sequential_;  // shared by all levels with sessions
  std::string ambiguity_;                        // why reads have several possible sources
};

}  // namespace isolde::checker
