// What a page shows, as one JSON object: the verdicts, the stories with their pictures, the
// transactions around them, and the measures. assets/report.js reads it and nothing else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/report_json.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"
#include "isolde/status.hpp"

namespace isolde::report {

struct PageInput {
  const History& history;
  const std::vector<explain::LevelOutcome>& levels;
  std::vector<Level> strongest = {};
  std::vector<Level> weakest_violated = {};
  std::vector<std::string> not_checked = {};
  std::optional<explain::RunReport> run = std::nullopt;
  bool loaded = true;  ///< false: a limit ended the loading, and the history is empty
  history::Evidence evidence = {};
};

/// The same bytes for the same input. Texts are printable(), '<' appears only as an escape, so
/// that the object can stand in a script element. ERRORS: as to_svg().
Result<std::string> page_data(const PageInput& input);

}  // namespace isolde::report
