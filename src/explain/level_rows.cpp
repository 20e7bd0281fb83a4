#include "explain/level_rows.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "explain/harm.hpp"
#include "explain/promise.hpp"

namespace isolde::explain {
namespace {

bool has_row(const ReportModel& model, std::string_view level) {
  return std::ranges::any_of(model.levels, [&](const LevelOutcome& outcome) {
    return info(outcome.level).name == level;
  });
}

/// "snapshot-isolation (which is not the row repeatable-read)".
std::string promised_by(const ReportModel& model, const Setting& setting) {
  if (!setting.promise) return "none of them";
  const std::string promised(info(*setting.promise).name);
  const std::string row = base::plain_name(setting.name);
  if (promised == row || !has_row(model, row)) return promised;
  return promised + " (which is not the row " + row + ")";
}

}  // namespace

std::string_view columns_text() {
  return "Columns: plain, the level as it is defined; session order, the transactions of a "
         "session also stay in their order; real time, what had ended also comes before what "
         "started later. Blank: the level has no such form.";
}

std::string settings_text(const ReportModel& model) {
  const HistoryOrigin& origin = model.history.origin();
  const DatabaseRemedies* const database = remedies_at(origin.database);
  if (database == nullptr || database->settings.empty()) return {};
  std::vector<std::string> rows;
  for (const Setting& setting : database->settings) {
    rows.push_back(std::string(setting.name) + " promises " + promised_by(model, setting));
  }
  return "Rows that " + std::string(database->called) +
         " can be set to, on one server: " + base::joined(rows, "and") + ".";
}

}  // namespace isolde::explain
