// One level of a history in which values repeat, so that reads may have several possible
// sources: searches sources and version orders together (VersionTheory).
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
#include "search/groups.hpp"
#include "search/theory_search.hpp"
#include "source/chosen.hpp"

namespace isolde::checker {

class SourceSearch {
 public:
  virtual ~SourceSearch() = default;

  /// A proof that is found without a search, or none.
  virtual std::optional<Proof> guess() { return std::nullopt; }

  /// A proof, or none when `conflict_limit` (0 = none) or the budget ran out; the next call
  /// continues from there, unless it was the budget. Also none when stopped().
  virtual std::optional<Proof> search(std::uint64_t conflict_limit) = 0;

  /// Why the search did not start or will not go on. Else empty.
  virtual const std::string& stopped() const = 0;
};

class ChoiceLevel final : public SourceSearch {
 public:
  /// All but the question must outlive this object, and so must its level. REQUIRES: the level
  /// searches sources; `seen` is from observe_open() and has no finding and no ambiguity; where
  /// the level forbids them, no non-repeatable read; a session where each has its own
  /// execution.
  ChoiceLevel(const infer::Observations& seen, const Question& question,
              const CheckOptions& options, CheckStatistics& statistics, base::Budget& budget);

  std::optional<Proof> search(std::uint64_t conflict_limit) override;
  const std::string& stopped() const override { return stopped_; }

 private:
  std::optional<Proof> prepare();
  std::optional<Proof> saturate();
  std::optional<Proof> try_told_sources();
  std::optional<Proof> try_sources();
  std::optional<Proof> with_right_results(std::optional<Witness> witness);
  void build_search();
  std::optional<Proof> find_impossible() const;

  infer::EventGraph events_;
  Groups groups_;
  Question question_;
  const CheckOptions& options_;
  CheckStatistics& statistics_;
  base::Budget& budget_;
  std::uint64_t conflict_limit_ = 0;
  std::vector<infer::WriteId> hints_;  // by open read, or empty
  std::vector<infer::NodeId> order_;   // the best topological order of the graph so far
  prune::Derivation derived_;
  std::unique_ptr<TheorySearch> search_;
  std::string stopped_;
};

}  // namespace isolde::checker
