// Goal: each class of Coo, in each form, is decided rightly, and docs/ANOMALIES.md says what
// comes of it. Method: all schedules on the store without locks; the oracle at all levels, the
// verifier for each proof, and the page's table.
#include "schedule/coo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "explain/scenario.hpp"
#include "oracle/brute.hpp"
#include "schedule/unlocked.hpp"
#include "support/applies.hpp"
#include "support/source_dir.hpp"

namespace isolde::schedule {
namespace {

History history_of(const Schedule& schedule) {
  const Result<replay::Steps> steps = replay::parse_steps(steps_of(schedule));
  EXPECT_TRUE(steps.ok()) << schedule.name;
  Result<History> history = run_unlocked(*steps);
  EXPECT_TRUE(history.ok()) << schedule.name;
  return std::move(history).value();
}

/// Where a deleted row may have been inserted again, PSI is not decided in full
/// (docs/LEVELS.md).
bool may_stay_open(Level level, const History& history) {
  return info(level).base == BaseLevel::kParallelSnapshot && history.origin().rows_are_deleted;
}

struct Outcome {
  std::map<Level, std::string> violated;  ///< and the anomaly's name and type
  std::vector<Level> open;
};

/// What the engine says of each level, once oracle and verifier agree.
Outcome outcome_of(const std::string& name, const History& history) {
  base::Budget budget;
  const CheckReport report = check(history, {}, budget);
  Outcome outcome;
  for (const LevelReport& level : report.levels) {
    if (!support::applies(level.level, history)) continue;
    const std::string where = name + " at " + std::string(info(level.level).name);
    if (level.verdict == Verdict::kUnknown) {
      EXPECT_TRUE(may_stay_open(level.level, history)) << where << ": " << level.reason;
      outcome.open.push_back(level.level);
      continue;
    }
    const bool holds = oracle::brute_force_holds(history, level.level, 0);
    EXPECT_EQ(level.verdict, holds ? Verdict::kHolds : Verdict::kViolated) << where;
    const Certificate certificate{level.level, history.digest(), 0, report.proofs[level.proof]};
    const certify::VerifyResult verified = certify::verify(history, certificate);
    EXPECT_TRUE(verified.proves) << where << ": " << verified.reason;
    if (level.verdict == Verdict::kHolds) continue;
    outcome.violated[level.level] =
        explain::label(explain::make_scenario(history, certificate).anomaly);
  }
  return outcome;
}

/// Short names of those that imply none of the others, the weakest first. Repeatable read is
/// left out, as in the rest of the page.
std::string weakest_of(const std::vector<Level>& levels, RowFacts rows) {
  std::string text;
  for (std::size_t i = all_levels().size(); i-- > 0;) {
    const Level level = all_levels()[i].level;
    if (level == Level::kRepeatableRead) continue;
    if (std::ranges::find(levels, level) == levels.end()) continue;
    const bool is_weakest = std::ranges::none_of(levels, [&](Level other) {
      return other != level && implies_there(level, other, false, rows);
    });
    if (is_weakest) text += (text.empty() ? "" : ", ") + std::string(info(level).alias);
  }
  return text;
}

RowFacts rows_of(const History& history) {
  RowFacts rows;
  rows.deleted = history.origin().rows_are_deleted;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Op& op : history.ops(TxnId::at(t))) {
      rows.left_out = rows.left_out || op.kind == OpKind::kReadAbsent;
    }
  }
  return rows;
}

/// Each name with the weakest levels that have it, the one with the weakest of all first:
/// "lost update (G-single): psi".
std::string told(const History& history, const Outcome& outcome) {
  const RowFacts rows = rows_of(history);
  std::vector<std::pair<std::string, std::vector<Level>>> names;
  for (std::size_t i = all_levels().size(); i-- > 0;) {
    const auto found = outcome.violated.find(all_levels()[i].level);
    if (found == outcome.violated.end() || found->first == Level::kRepeatableRead) continue;
    const auto same = [&](const auto& name) { return name.first == found->second; };
    auto name = std::ranges::find_if(names, same);
    if (name == names.end()) name = names.insert(names.end(), {found->second, {}});
    name->second.push_back(found->first);
  }
  std::string text;
  for (const auto& [name, levels] : names) {
    text += (text.empty() ? "" : "; ") + name + ": " + weakest_of(levels, rows);
  }
  if (!outcome.open.empty()) {
    text += (text.empty() ? "" : "; ") + ("open: " + weakest_of(outcome.open, rows));
  }
  return text.empty() ? "nothing" : text;
}

std::string beginning(const CooClass& what) {
  return "| " + std::string(what.name) + " | " + std::string(what.kind) + " | `" +
         std::string(what.steps) + "` | " + std::string(what.edges);
}

/// As on the page: a line for each class, and one for each other result that a form has.
std::vector<std::string> table() {
  std::vector<std::string> lines;
  for (const CooClass& what : coo_classes()) {
    std::vector<std::pair<std::string, std::string>> results;  // forms, what comes of them
    for (const Schedule& schedule : all_schedules()) {
      if (schedule.what != &what) continue;
      const History history = history_of(schedule);
      const std::string result = told(history, outcome_of(schedule.name, history));
      const auto same = std::ranges::find_if(
          results, [&](const auto& known) { return known.second == result; });
      if (same == results.end()) {
        results.emplace_back(schedule.form->name, result);
      } else {
        same->first += ", " + std::string(schedule.form->name);
      }
    }
    for (const auto& [forms, result] : results) {
      const bool is_first = &forms == &results.front().first;
      lines.push_back((is_first ? beginning(what) : "| | | |") + " | " + forms + " | " +
                      result + " |");
    }
  }
  return lines;
}

std::vector<std::string> table_of_the_page() {
  std::ifstream page(support::source_dir() + "/docs/ANOMALIES.md");
  std::vector<std::string> lines;
  bool is_there = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) is_there = line == "## The classes of Coo";
    if (is_there && line.starts_with("| ")) lines.push_back(line);
  }
  if (!lines.empty()) lines.erase(lines.begin());  // the heading
  return lines;
}

TEST(Coo, ThePageHasWhatComesOfEachSchedule) {
  const std::vector<std::string> lines = table();
  const std::vector<std::string> page = table_of_the_page();
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  EXPECT_EQ(lines, page) << "the table should be\n" << all;
}

// Goal: the classes are complete. Method: the counts of the paper, whose tool has five more.
TEST(Coo, HasTheClassesOfThePaper) {
  std::map<std::string_view, int> kinds;
  std::set<std::string_view> names;
  for (const CooClass& what : coo_classes()) {
    EXPECT_TRUE(names.insert(what.name).second) << what.name;
    const bool is_of_tool = what.name.starts_with("step-") && what.name.size() > 8;
    if (!is_of_tool && what.name != "dirty-write-aborted") ++kinds[what.kind];
  }
  EXPECT_EQ(kinds["RAT"], 14);
  EXPECT_EQ(kinds["WAT"], 12);
  EXPECT_EQ(kinds["IAT"], 7);
}

/// Whether somebody reads, or else overwrites, what another one has not committed yet.
std::string_view kind_of(std::string_view steps) {
  std::map<char, char> last;  // who wrote the item, and has neither committed nor rolled back
  std::string_view kind = "IAT";
  for (std::size_t i = 0; i < steps.size();
       i += i + 2 < steps.size() && steps[i + 2] == ' ' ? 3 : 4) {
    const char txn = steps[i + 1];
    if (steps[i] == 'C' || steps[i] == 'A') {
      std::erase_if(last, [&](const auto& entry) { return entry.second == txn; });
      continue;
    }
    const auto writer = last.find(steps[i + 2]);
    const bool is_dirty = writer != last.end() && writer->second != txn;
    if (is_dirty && steps[i] == 'R') return "RAT";
    if (is_dirty) kind = "WAT";
    if (steps[i] == 'W') last[steps[i + 2]] = txn;
  }
  return kind;
}

TEST(Coo, KindsAreThoseOfTheSteps) {
  for (const CooClass& what : coo_classes())
    EXPECT_EQ(kind_of(what.steps), what.kind) << what.name;
}

// Goal: the cycle of a class is that of its steps. Method: who of the two named transactions
// does what to the item, in this order.
TEST(Coo, StepsHaveTheirEdges) {
  for (const CooClass& what : coo_classes()) {
    for (std::size_t i = 0; i + 3 < what.edges.size(); i += 6) {
      const std::string_view edge = what.edges.substr(i, 4);
      if (edge[0] == 'T') break;  // "T1 aborts"
      const char first = edge[0] == 'r' ? 'R' : 'W';
      const char second = edge[1] == 'r' ? 'R' : 'W';
      bool is_there = false;
      for (std::size_t a = 0; a + 2 < what.steps.size(); ++a) {
        for (std::size_t b = a + 3; b + 2 < what.steps.size(); ++b) {
          is_there =
              is_there || (what.steps[a] == first && what.steps[b] == second &&
                           what.steps[a + 2] == edge[3] && what.steps[b + 2] == edge[3] &&
                           what.steps[a + 1] != what.steps[b + 1]);
        }
      }
      EXPECT_TRUE(is_there) << what.name << ": " << edge;
    }
  }
}

TEST(Coo, FindsSchedulesByName) {
  EXPECT_EQ(find_schedule("lost-update.lists")->name, "lost-update.lists");
  EXPECT_EQ(find_schedule("lost-update")->name, "lost-update.registers");
  for (const Schedule& schedule : all_schedules()) {
    const Result<Schedule> found = find_schedule(schedule.name);
    ASSERT_TRUE(found.ok()) << schedule.name;
    EXPECT_EQ(steps_of(*found), steps_of(schedule));
  }
  const Result<Schedule> none = find_schedule("lost-updates");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("isolde schedules lists them"), std::string::npos);
}

}  // namespace
}  // namespace isolde::schedule
