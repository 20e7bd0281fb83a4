// Goal: every anomaly is recognised and has its name, and docs/ANOMALIES.md is right. Method:
// each row of the page's table is a history; the oracle says which levels it violates (the
// engine, where there are aggregates, which the oracle does not know), and engine and
// explanation what its name is.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "explain/classify.hpp"
#include "explain/lessons.hpp"
#include "explain/summary.hpp"
#include "oracle/brute.hpp"
#include "support/applies.hpp"
#include "support/history_dsl.hpp"
#include "support/source_dir.hpp"
#include "unit/explain/named.hpp"
#include "unit/explain/reported.hpp"

namespace isolde::explain {
namespace {

struct Row {
  std::string name;
  std::string type;
  std::string others;
  std::vector<Level> levels;
  std::string history;
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" `");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" `") - begin + 1);
}

std::vector<Row> rows_of_the_page() {
  std::ifstream page(support::source_dir() + "/docs/ANOMALIES.md");
  std::vector<Row> rows;
  std::string line;
  while (std::getline(page, line)) {
    if (!line.starts_with("| ") || line.find("`") == std::string::npos) continue;
    std::vector<std::string> cells;
    std::istringstream parts(line.substr(1));
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(trimmed(cell));
    if (cells.size() != 5) continue;
    Row row{cells[0], cells[1], cells[2], {}, cells[4]};
    std::istringstream names(cells[3]);
    for (std::string name; std::getline(names, name, ',');) {
      const std::optional<Level> level = find_level(trimmed(name));
      EXPECT_TRUE(level.has_value()) << name;
      if (level) row.levels.push_back(*level);
    }
    std::sort(row.levels.begin(), row.levels.end());
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Level> violated_by_engine(const History& history) {
  std::vector<Level> violated;
  for (const auto& row : report_on(history).levels) {
    if (row.verdict == Verdict::kViolated) violated.push_back(row.level);
  }
  return violated;
}

std::vector<Level> violated_by_oracle(const History& history) {
  std::vector<Level> violated;
  for (const LevelInfo& row : all_levels()) {
    if (!support::applies(row.level, history)) continue;
    if (!oracle::brute_force_holds(history, row.level, 0)) violated.push_back(row.level);
  }
  return violated;
}

/// Levels that the history violates and that imply no other such level. Repeatable read is left
/// out: without predicates it is serializability by another name.
std::vector<Level> weakest_violated(const History& history) {
  std::vector<Level> violated = history.has_aggregates() || history.has_increments()
                                    ? violated_by_engine(history)
                                    : violated_by_oracle(history);
  std::erase_if(violated,
                [](Level level) { return info(level).base == BaseLevel::kRepeatableRead; });
  std::vector<Level> weakest;
  for (const Level level : violated) {
    const bool others = std::any_of(violated.begin(), violated.end(), [&](Level other) {
      return other != level && implies(level, other, false);
    });
    if (!others) weakest.push_back(level);
  }
  return weakest;
}

std::string names_of(const std::vector<Level>& levels) {
  std::string text;
  for (const Level level : levels) {
    text += (text.empty() ? "" : ", ") + std::string(info(level).name);
  }
  return text;
}

TEST(AnomaliesPage, HasTheWeakestLevels) {
  for (const Row& row : rows_of_the_page()) {
    const History history = support::parse(row.history);
    EXPECT_EQ(names_of(row.levels), names_of(weakest_violated(history)))
        << row.name << ": " << row.history;
  }
}

TEST(AnomaliesPage, HasTheNamesOfTheReport) {
  for (const Row& row : rows_of_the_page()) {
    const std::map<Level, Anomaly> found = named_anomalies(support::parse(row.history), {});
    const bool named = std::any_of(found.begin(), found.end(), [&](const auto& entry) {
      return entry.second.name == row.name && entry.second.type == row.type;
    });
    EXPECT_TRUE(named) << row.name << ": " << row.history;
    for (const auto& [level, anomaly] : found) {
      if (!named) ADD_FAILURE() << info(level).name << " is named " << label(anomaly);
    }
  }
}

// "Lost updates: not seen" may be said where a level holds that forbids them all.
TEST(AnomaliesPage, SaysThatTheGuardsOfTheSummaryForbidWhatTheyGuard) {
  const std::vector<Row> rows = rows_of_the_page();
  for (const Guard& guard : guards()) {
    for (const std::string_view anomaly : guard.anomalies) {
      const auto row = std::ranges::find(rows, anomaly, &Row::name);
      ASSERT_NE(row, rows.end()) << anomaly;
      const bool is_forbidden = std::ranges::any_of(
          row->levels, [&](Level level) { return implies(guard.level, level, false); });
      EXPECT_TRUE(is_forbidden) << guard.many << ": " << anomaly;
    }
  }
}

// A comparison may deny any anomaly, and does where such a level holds.
TEST(AnomaliesPage, HasALevelThatExcludesEachAnomaly) {
  for (const Row& row : rows_of_the_page()) {
    std::vector<Level> excluding;
    for (const Guard& guard : guards()) {
      const bool tells_of_it =
          std::ranges::find(guard.anomalies, row.name) != guard.anomalies.end();
      if (tells_of_it) excluding.push_back(guard.level);
    }
    const bool has_guard = !excluding.empty();
    for (const Exclusion& each : exclusions()) {
      if (each.anomaly == row.name) excluding.push_back(each.level);
      EXPECT_FALSE(has_guard && each.anomaly == row.name) << row.name;
    }
    EXPECT_FALSE(excluding.empty()) << row.name;
    for (const Level level : excluding) {
      EXPECT_TRUE(std::ranges::any_of(
          row.levels, [&](Level weakest) { return implies(level, weakest, false); }))
          << row.name << ": " << info(level).name;
    }
  }
}

TEST(AnomaliesPage, OccursInTheSummary) {
  for (const Row& row : rows_of_the_page()) {
    const History history = support::parse(row.history);
    const Summary summary = summary_of(report_on(history));
    const bool occurs = std::ranges::any_of(
        summary.occurs, [&](const Lesson* lesson) { return lesson->name == row.name; });
    EXPECT_TRUE(occurs) << row.name << ": " << summary.verdict;
    EXPECT_TRUE(std::ranges::is_sorted(summary.occurs, {}, &Lesson::harm)) << row.name;
  }
}

TEST(AnomaliesPage, HasEveryNameOnce) {
  std::vector<std::string> listed;
  for (const Row& row : rows_of_the_page()) listed.push_back(row.name);
  std::vector<std::string> known;
  for (const std::string_view name : anomaly_names()) known.emplace_back(name);
  std::sort(listed.begin(), listed.end());
  std::sort(known.begin(), known.end());
  EXPECT_EQ(listed, known);
}

// The anomalies of table I of Wei et al., "Boosting End-to-End Database Isolation Checking via
// Mini-Transactions" (MTC, ICDE 2025).
TEST(AnomaliesPage, HasTheNamesOfMtc) {
  std::string others;
  for (const Row& row : rows_of_the_page()) others += row.others + ";";
  for (const char* name : {"ThinAirRead", "AbortedRead", "FutureRead", "NotMyLastWrite",
                           "NotMyOwnWrite", "IntermediateRead", "NonRepeatableReads",
                           "SessionGuaranteeViolation", "NonMonotonicRead", "FracturedRead",
                           "CausalityViolation", "LongFork", "LostUpdate", "WriteSkew"}) {
    EXPECT_NE(others.find("MTC: " + std::string(name) + ";"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace isolde::explain
