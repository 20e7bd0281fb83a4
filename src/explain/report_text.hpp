// The report for people: what was read, a table of verdicts, the explanation of the weakest
// violated levels (stronger levels fall with them), and what was not checked.
#pragma once

#include <string>
#include <vector>

#include "explain/report_model.hpp"
#include "explain/summary.hpp"

namespace isolde::explain {

struct TextStyle {
  bool colour = false;
};

/// Several paragraphs, printable. Without levels asked for, a table of all levels and what they
/// come down to, else a line for each.
std::string to_text(const ReportModel& model, TextStyle style);

/// The part of it about ReportModel::anomalies.
std::string to_text(const AnomaliesReport& report);

/// "In short: ..." and what goes with it.
std::string to_text(const Summary& summary);

/// Notes, a line each: "Left out or assumed:" and so on. Empty without any.
std::string notes_text(const std::vector<std::string>& lines);

}  // namespace isolde::explain
