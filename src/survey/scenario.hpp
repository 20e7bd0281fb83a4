// Scenarios: interleavings that show an anomaly where a database lets it happen, as data files
// (scenarios/), each a column of the table that a survey makes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isolde/level.hpp"
#include "isolde/status.hpp"

namespace isolde::survey {

struct Scenario {
  std::string name;    ///< of the file, without .toml
  std::string column;  ///< what the table calls it: "G1a"
  std::int64_t order = 0;
  std::string title;  ///< one line, in words
  std::string plain;  ///< for sentences, in the plural: "dirty reads"; several may share one
  std::string about;  ///< what the steps try
  /// The weakest level that forbids the anomaly; behind it others that forbid it, too, and see
  /// it where that one does not.
  std::vector<Level> forbidden_by;
  /// By which names explain::classify() may know it. What else violates the level is another
  /// anomaly.
  std::vector<std::string> anomalies;
  /// Sessions that bring the evidence: where one of their transactions does not commit, the
  /// play shows nothing.
  std::vector<std::string> must_commit;
  std::string steps;  ///< replay/steps.hpp
  /// The values have an index: which rows a condition locks depends on it.
  bool has_index = false;
};

/// ERRORS: kUsage where this build lacks what reads TOML.
Status can_read_scenarios();

/// ERRORS: kBadInput, naming the line where TOML does not parse, and what is missing or
/// unknown; as can_read_scenarios().
Result<Scenario> parse_scenario(std::string_view name, std::string_view text);

/// Names and texts of those in this program, by name.
std::span<const std::pair<std::string_view, std::string_view>> built_in();

/// Those of the program, in the order of the table; `with_indexes`: behind each one that
/// selects by a condition the same with an index. ERRORS: as can_read_scenarios(); kInternal.
Result<std::vector<Scenario>> all_scenarios(bool with_indexes = false);

}  // namespace isolde::survey
