// One level of a history in which values repeat, so that reads may have several possible
// sources: searches sources and version orders together (ChoiceTheory).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "infer/event_graph.hpp"
#include "isolde/check.hpp"
#include "solver/solver.hpp"
#include "source/choice_theory.hpp"

namespace isolde::checker {

class ChoiceLevel {
 public:
  /// `sessions_are_chains`: the level orders the transactions of each session. All other
  /// arguments must outlive this object. REQUIRES: the level searches sources; `seen` is
  /// from observe_open() and has no finding and no ambiguity; where the level forbids them, no
  /// non-repeatable read.
  ChoiceLevel(const infer::Observations& seen, const LevelInfo& level, bool sessions_are_chains,
              const CheckOptions& options, CheckStatistics& statistics, base::Budget& budget);

  /// A proof, or none when `conflict_limit` (0 = none) or the budget ran out; the next call
  /// continues from there, unless it was the budget. Also none when too_large().
  std::optional<Proof> search(std::uint64_t conflict_limit);

  /// Why the search did not start or stopped: its memory would exceed the limit. Else empty.
  const std::string& too_large() const { return too_large_; }

 private:
  std::optional<Proof> prepare();
  std::optional<Proof> saturate();
  std::optional<Proof> try_sources();
  void build_search();
  Refutation refutation();

  infer::EventGraph events_;
  const LevelInfo& level_;
  bool sessions_are_chains_;
  const CheckOptions& options_;
  CheckStatistics& statistics_;
  base::Budget& budget_;
  std::uint64_t conflict_limit_ = 0;
  std::vector<infer::WriteId> hints_;  // by open read, or empty
  std::vector<infer::NodeId> order_;   // the best topological order of the graph so far
  prune::Derivation derived_;
  std::unique_ptr<ChoiceTheory> theory_;
  std::unique_ptr<solver::Solver> solver_;
  std::uint64_t conflicts_counted_ = 0;
  std::size_t variables_counted_ = 0;
  std::string too_large_;
};

}  // namespace isolde::checker
