// One level decided by finding version orders, from prefix consistency and
// parallel snapshot isolation to serializability, in four stages of rising cost: guess() an
// order, repair() it, saturate(), search() by the solver. check/stages.hpp runs each stage for
// all levels before the next one, because an answer for one level often answers others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "history/verdicts.hpp"
#include "infer/event_graph.hpp"
#include "level/check_options.hpp"
#include "prune/saturation.hpp"

namespace isolde::checker {

using infer::NodeId;

class TheorySearch;

struct Effort {
  std::uint64_t conflict_limit = 0;  ///< of a search; 0: none
  bool guess_only = false;           ///< no saturation and no search
  std::string* stopped = nullptr;    ///< gets EventLevel::stopped()
};

class EventLevel {
 public:
  /// All arguments must outlive this object. `sessions_are_chains`: the graph's certain edges
  /// order each session's transactions.
  /// REQUIRES: the observations have no finding and no ambiguity and, where the level forbids
  /// them, no non-repeatable read and no lost update (find_lost_update).
  EventLevel(const infer::Observations& seen, const LevelInfo& level, bool sessions_are_chains,
             const CheckOptions& options, CheckStatistics& statistics, base::Budget& budget);

  /// The same with the caller's encoding of the graph.
  EventLevel(const infer::Observations& seen, const infer::Encoding& encoding,
             bool sessions_are_chains, const CheckOptions& options, CheckStatistics& statistics,
             base::Budget& budget);
  ~EventLevel();

  /// Each stage returns a proof, or none when the level is still open or the budget ran out.
  /// REQUIRES: called in this order, and only while the level is open.
  std::optional<Proof> guess();
  /// Most guesses are wrong in a few places only: a search from there with a work limit.
  /// `try_stricter`: also one that respects sessions and real time, as most databases do.
  std::optional<Proof> repair(bool try_stricter);
  /// `try_stricter`: where sessions do not bind, also a limited search in which they do.
  std::optional<Proof> saturate(bool try_stricter);
  /// Open afterwards only when `conflict_limit` (0 = none) or the budget ran out; the next call
  /// goes on from there, unless it was the budget.
  std::optional<Proof> search(std::uint64_t conflict_limit = 0);
  /// All stages; none also when the budget ran out. REQUIRES: none was called.
  std::optional<Proof> decide(const Effort& effort);
  /// Why the search cannot go on: no refutation is to be had, and no witness was found. Else
  /// empty.
  const std::string& stopped() const { return stopped_; }

 private:
  std::optional<Proof> guess_by_sessions(bool search);
  std::optional<Witness> repair_stricter();
  std::optional<Witness> search_from(infer::EventGraph& events,
                                     const prune::Derivation& derived,
                                     const std::vector<NodeId>& order,
                                     std::uint64_t conflict_limit);
  bool refutes_nothing() const;
  std::optional<Proof> try_order(const std::vector<NodeId>& order);
  infer::EventGraph events_;
  bool parallel_;  // the graph has no anti-dependencies
  std::string stopped_;
  bool sessions_are_chains_;
  const CheckOptions& options_;
  CheckStatistics& statistics_;
  base::Budget& budget_;
  prune::Derivation derived_;
  std::vector<NodeId> order_;             // the best topological order of the graph so far
  std::unique_ptr<TheorySearch> search_;  // from the first call of search() on
};

}  // namespace isolde::checker
