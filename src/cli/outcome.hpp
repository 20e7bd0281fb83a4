// Everything that one checked history leads to, ready for printing: `isolde check` fills it,
// check_text.cpp prints it for people, explain/report_json.hpp for machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "explain/report_json.hpp"
#include "isolde/check.hpp"
#include "isolde/history.hpp"

namespace isolde::cli {

struct Outcome {
  History history;
  CheckReport report;
  std::vector<explain::LevelOutcome> levels;  ///< one for each of report.levels
  std::vector<std::string> not_checked;
  std::int64_t clock_error_ns = 0;  ///< that was assumed
  bool loaded = true;  ///< false: a limit ended the loading, and the history is empty
  double load_seconds = 0;
  double check_seconds = 0;
  double explain_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  /// By when explanations and reports have to be there; nothing without a limit of time.
  std::optional<base::Budget::Clock::time_point> tell_by;
  std::optional<explain::RunReport> run;  ///< of `isolde run`
  history::Evidence evidence;
  std::optional<explain::AnomaliesReport> anomalies;
};

/// What the reader had to say, printable, the first of many.
std::vector<std::string> reader_notes(const History& history);

/// What the verdicts do not cover, one line each: transactions and reads left out, notes of the
/// reader. Levels that are not decided say so themselves.
std::vector<std::string> not_checked(const History& history, const CheckReport& report);

/// Notes of the reader, a line each: "Left out or assumed:" and so on. Empty without any.
std::string notes_text(const std::vector<std::string>& lines);

/// Why what is there says nothing of a level that it satisfies: too few transactions took
/// effect, or the input is cut off. Empty: it does say something.
std::string why_no_verdict(const History& history, const history::Evidence& evidence,
                           std::uint64_t min_committed);

struct TextStyle {
  bool colour = false;
  bool classification = false;  ///< also print the strongest and weakest levels
};

std::string to_text(const Outcome& outcome, const TextStyle& style);

}  // namespace isolde::cli
