// Two histories beside each other, for example of one workload at two isolation settings: what
// a comparison says, whatever its form. Text, JSON and the page (report/comparison_page.hpp)
// are made from it and from nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/report_model.hpp"
#include "explain/summary.hpp"
#include "history/stats.hpp"

namespace isolde::explain {

/// How fast a history went, where its times are times.
struct Pace {
  std::optional<double> committed_per_second;
  /// From start to end of the transactions that committed.
  std::optional<std::int64_t> median_ns;
  std::optional<std::int64_t> p95_ns;
};

/// COST: linear in the transactions on average, and eight bytes for each.
Pace pace_of(const History& history);

/// As the report tells it at the beginning: main_stories().
struct ComparedViolation {
  std::string statement;      ///< one sentence
  std::vector<Level> levels;  ///< that fall by it
};

/// One of both histories.
struct ComparedSide {
  const ReportModel& model;
  std::string title;    ///< its path, printable
  std::string setting;  ///< setting_text()
  Summary summary;
  history::HistoryStats stats;
  Pace pace;
  std::vector<ComparedViolation> violations;  ///< the most damaging first
};

struct ComparedLevel {
  Level level = Level::kSerializable;
  std::array<Verdict, 2> verdicts = {};
  std::array<bool, 2> untried = {};  ///< holds without having been put to the test

  bool differs() const { return verdicts[0] != verdicts[1] || untried[0] != untried[1]; }
};

enum class Presence : std::uint8_t {
  kOccurs,    ///< it explains a violated level
  kNotSeen,   ///< a level that forbids it holds and was put to the test
  kNotKnown,  ///< neither
};
/// "occurs", "not seen", "not known".
std::string_view name(Presence presence);

struct ComparedAnomaly {
  std::string_view many;  ///< as in Lesson and Guard
  std::array<Presence, 2> presence = {};
};

/// A count or a rate of both, in words; "-" where there is none.
struct ComparedRate {
  std::string_view name;
  std::array<std::string, 2> values;
};

struct Comparison {
  /// What differs, in one to three sentences.
  std::string difference;
  std::array<ComparedSide, 2> sides;
  std::vector<ComparedLevel> levels;       ///< all, as the outcomes come
  std::vector<ComparedAnomaly> anomalies;  ///< those that occur first
  std::vector<ComparedRate> rates;
};

/// REQUIRES: both are about the same levels. The models outlive the result. COST: as
/// history::stats_of() of both.
Comparison compare(const ReportModel& a, const ReportModel& b);

/// "holds", "holds, untried", "violated", ...
std::string verdict_text(const ComparedLevel& level, std::size_t side);

/// Several paragraphs, printable.
std::string to_text(const Comparison& comparison);

/// One line without line break, as docs/report.schema.json says of a comparison. The same bytes
/// for the same input.
std::string to_json(const Comparison& comparison);

}  // namespace isolde::explain
