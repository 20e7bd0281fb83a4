// The report for machines: one JSON object for each history, schema 1. docs/report.schema.json
// describes it; fields are only ever added.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/scenario.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::explain {

/// so, rt, wr, ww, rw, mv.
std::string_view edge_kind_name(EdgeKind kind);

/// What the report says about one level.
struct LevelOutcome {
  Level level = Level::kSerializable;
  std::string_view verdict;                ///< holds, violated, unknown, not-applicable
  std::string reason;                      ///< of unknown and not-applicable
  std::optional<std::string> certificate;  ///< path, when one was written
  std::optional<Scenario> scenario;        ///< of violated levels; its statement is the reason
};

struct ReportInput {
  const History& history;
  std::vector<LevelOutcome> levels;
  std::vector<Level> strongest;
  std::vector<Level> weakest_violated;
  std::vector<std::string> not_checked;
  double load_seconds = 0;
  double check_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
};

struct StatusCounts {
  std::uint64_t aborted = 0;
  std::uint64_t indeterminate = 0;
};
StatusCounts count_statuses(const History& history);

/// One line without line break. Keys always come in the same order.
std::string to_json(const ReportInput& input);

}  // namespace isolde::explain
