// Goal: scenarios are read whole or refused with a reason; those of the program are sound:
// their steps can be played, and what they name exists.
#include "survey/scenario.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "explain/lessons.hpp"
#include "replay/steps.hpp"

namespace isolde::survey {
namespace {

const std::string kWhole =
    "order = 7\ncolumn = 'P4'\ntitle = 't'\nplain = 'lost updates'\nabout = 'a'\n"
    "forbidden_by = ['psi', 'serializable']\nanomalies = ['lost update']\nsteps = 's'\n";

std::string message(std::string_view text) {
  const Result<Scenario> scenario = parse_scenario("x", text);
  EXPECT_FALSE(scenario.ok());
  if (scenario) return {};
  EXPECT_EQ(scenario.error().code, ErrorCode::kBadInput);
  return scenario.error().message;
}

TEST(Scenario, IsReadWhole) {
  const Result<Scenario> scenario = parse_scenario("x", kWhole + "must_commit = ['C']\n");
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  EXPECT_EQ(scenario->name, "x");
  EXPECT_EQ(scenario->column, "P4");
  EXPECT_EQ(scenario->order, 7);
  EXPECT_EQ(scenario->plain, "lost updates");
  const std::vector<Level> levels = {Level::kParallelSnapshotIsolation, Level::kSerializable};
  EXPECT_EQ(scenario->forbidden_by, levels);
  EXPECT_EQ(scenario->anomalies, std::vector<std::string>{"lost update"});
  EXPECT_EQ(scenario->must_commit, std::vector<std::string>{"C"});
}

TEST(Scenario, SaysWhatIsWrong) {
  EXPECT_EQ(message("column = ").substr(0, 29), "line 1, column 10: this is no");
  EXPECT_EQ(message("titel = 't'\n" + kWhole),
            "line 1: 'titel' is unknown (did you mean title?); see CONTRIBUTING.md");
  EXPECT_EQ(message("column = 't'"), "title is missing");
  EXPECT_EQ(message("name = 't'\n" + kWhole), "line 1: 'name' is unknown; see CONTRIBUTING.md");
  EXPECT_EQ(message("name = 1\n" + kWhole), "line 1: 'name' is unknown; see CONTRIBUTING.md");
  EXPECT_EQ(message("steps = 1\n" + kWhole.substr(0, kWhole.find("steps"))),
            "line 1: steps: expected a string");
  const std::string later = kWhole.substr(kWhole.find('\n') + 1);
  EXPECT_EQ(message(later), "order is missing");
  EXPECT_EQ(message("order = '1'\n" + later), "line 1: order: expected a whole number");
  EXPECT_EQ(message(kWhole + "must_commit = 'C'\n"),
            "line 9: must_commit: expected a list of strings");
  EXPECT_EQ(message(kWhole + "must_commit = [1]\n"),
            "line 9: must_commit: expected a list of strings");
  const std::string before = kWhole.substr(0, kWhole.find("forbidden_by"));
  EXPECT_EQ(message(before + "steps = 's'\nanomalies = ['x']\n"), "forbidden_by is missing");
  EXPECT_EQ(message(before + "steps = 's'\nanomalies = ['x']\nforbidden_by = ['most']\n"),
            "line 8: forbidden_by: there is no level 'most'");
  EXPECT_EQ(message(before + "steps = 's'\nforbidden_by = ['psi']\n"), "anomalies is missing");
}

// What a condition locks depends on an index, so each of those that have conditions comes
// twice.
TEST(Scenario, WithConditionsComeAgainWithAnIndex) {
  const std::vector<Scenario> plain = all_scenarios().value();
  const std::vector<Scenario> all = all_scenarios(true).value();
  std::vector<std::string> columns;
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].has_index) {
      EXPECT_EQ(all[i].name, plain.at(next++).name);
      continue;
    }
    ASSERT_GT(i, 0U);
    columns.push_back(all[i].column);
    EXPECT_EQ(all[i].column, all[i - 1].column + " index");
    EXPECT_EQ(all[i].name, all[i - 1].name + "-index");
    EXPECT_EQ(all[i].steps, all[i - 1].steps);
    EXPECT_NE(all[i].title.find(" with an index: "), std::string::npos) << all[i].title;
  }
  EXPECT_EQ(next, plain.size());
  EXPECT_EQ(columns,
            (std::vector<std::string>{"PMP index", "G-single pred. index", "G2 index"}));
}

TEST(Scenario, OfTheProgramCanBePlayed) {
  const Result<std::vector<Scenario>> scenarios = all_scenarios(true);
  ASSERT_TRUE(scenarios.ok()) << scenarios.error().message;
  EXPECT_EQ(scenarios->front().column, "G0");
  std::set<std::int64_t> orders;
  for (const Scenario& scenario : *scenarios) {
    EXPECT_NE(orders.insert(scenario.order).second, scenario.has_index) << scenario.name;
    for (const std::string& anomaly : scenario.anomalies) {
      const auto is_it = [&](const auto& lesson) { return lesson.name == anomaly; };
      EXPECT_TRUE(std::ranges::any_of(explain::all_lessons(), is_it)) << anomaly;
    }
    const Result<replay::Steps> steps = replay::parse_steps(scenario.steps);
    ASSERT_TRUE(steps.ok()) << scenario.name << ": " << steps.error().message;
    EXPECT_TRUE(!steps->has_sql && !steps->crashes) << scenario.name;
    for (const std::string& session : scenario.must_commit) {
      bool is_there = false;
      for (std::size_t s = 0; s < steps->history.session_count(); ++s) {
        is_there = is_there || steps->history.session_name(SessionId::at(s)) == session;
      }
      EXPECT_TRUE(is_there) << scenario.name << ": " << session;
    }
  }
}

}  // namespace
}  // namespace isolde::survey
