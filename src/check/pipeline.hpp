// The pipeline behind check(): what is decided before the stages (stages.hpp), because it needs
// no search, or not the whole history. Linearizability is decided key by key. Rows that
// selections left out and aggregates wait until it is known which of them matter: levels are
// decided without them first (pipeline_rows.cpp, pipeline_aggregates.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "check/check.hpp"
#include "check/stages.hpp"
#include "check/verdicts.hpp"
#include "infer/observations.hpp"

namespace isolde::checker {

/// Decides the levels of one history. Single use.
class Pipeline {
 public:
  Pipeline(const History& history, const CheckOptions& options, base::Budget& budget);

  /// The report, with a reason for each level that is left open.
  CheckReport run();

 private:
  void decide_levels();

  /// Linearizability is decided key by key, independently of other keys.
  void decide_linear();
  void decide_linear(std::size_t i);

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
  bool has_items_read(const LevelInfo& level, Proof& proof);
  bool count_results(const std::vector<WrongResult>& wrong);
  bool count_rows(const std::vector<std::uint32_t>& places);
  void decide_results_when_needed();
  void decide_results_when_needed(std::size_t i, const std::vector<std::uint32_t>& left_out);
  void decide_without_results(std::size_t i, const std::vector<std::uint32_t>& left_out);
  /// Refutes the level by an aggregate that no versions explain, or leaves it undecided.
  void settle_impossible_or_leave(std::size_t i);

  struct Reduced {
    LevelReport level;
    std::optional<Proof> proof;  ///< about the operations of the whole history
  };
  /// Decides one level without the rows that selections left out, but for `kept`.
  Reduced decide_without_rows(Level level, std::span<const std::uint32_t> kept);

  const History& history_;
  const CheckOptions& options_;
  base::Budget& budget_;
  Verdicts verdicts_;
  Stages stages_;
  // Reads of rows that selections left out, as places in History::all_ops(), ascending.
  std::vector<std::uint32_t> rows_that_count_;
};

}  // namespace isolde::checker
