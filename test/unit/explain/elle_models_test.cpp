#include "explain/elle_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/hash.hpp"
#include "base/rng.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "unit/explain/reported.hpp"

namespace isolde::explain {
namespace {

using ModelNames = std::vector<std::string_view>;

Boundary boundary(const char* text, std::vector<Level> levels = {}) {
  const History history = support::parse(text);
  return elle_boundary(report_on(history, std::move(levels)));
}

// What Elle rules out by G1a in its published tests.
const ModelNames kAboveReadCommitted = {"causal-cerone",
                                        "consistent-view",
                                        "cursor-stability",
                                        "forward-consistent-view",
                                        "monotonic-atomic-view",
                                        "monotonic-snapshot-read",
                                        "monotonic-view",
                                        "parallel-snapshot-isolation",
                                        "prefix",
                                        "read-atomic",
                                        "repeatable-read",
                                        "serializable",
                                        "snapshot-isolation",
                                        "strong-read-committed",
                                        "strong-serializable",
                                        "strong-session-read-committed",
                                        "strong-session-serializable",
                                        "strong-session-snapshot-isolation",
                                        "strong-snapshot-isolation",
                                        "update-atomic",
                                        "update-serializable"};

// Goal: the boundaries that Elle publishes for its anomalies come out here, where the levels
// are decided and not looked up. One level asked for is enough to rule out what implies it.
TEST(ElleModels, AgreesWithEllesBoundaries) {
  const Boundary aborted = boundary("A: w(x=1) ! ; B: r(x=1)");
  EXPECT_EQ(aborted.is_not, (ModelNames{"read-committed"}));
  EXPECT_EQ(aborted.also_not, kAboveReadCommitted);
  const Boundary asked = boundary("A: w(x=1) ! ; B: r(x=1)", {Level::kReadCommitted});
  EXPECT_EQ(asked.is_not, aborted.is_not);
  EXPECT_EQ(asked.also_not, aborted.also_not);

  const Boundary skew = boundary("A: r(x=_) w(y=1) ; B: r(y=_) w(x=1)");
  EXPECT_EQ(skew.is_not, (ModelNames{"repeatable-read"}));
  EXPECT_EQ(skew.also_not,
            (ModelNames{"serializable", "strong-serializable", "strong-session-serializable"}));

  const Boundary lost = boundary("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)");
  EXPECT_EQ(lost.is_not, (ModelNames{"cursor-stability", "update-atomic"}));
  // Only snapshot isolation was looked at, but a lost update is one at weaker levels, too.
  const Boundary lost_at_si =
      boundary("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)", {Level::kSnapshotIsolation});
  EXPECT_EQ(lost_at_si.is_not, lost.is_not);
  EXPECT_EQ(lost_at_si.also_not, lost.also_not);

  const Boundary stale =
      boundary("A: w(x=1) @1,2 ; B: r(x=_) @3,4",
               {Level::kStrongSnapshotIsolation, Level::kStrictSerializable});
  EXPECT_EQ(stale.is_not, (ModelNames{"strong-snapshot-isolation"}));
  EXPECT_EQ(stale.also_not, (ModelNames{"strong-serializable"}));
}

TEST(ElleModels, RulesNothingOutWhereAllHolds) {
  const Boundary serial = boundary("A: w(x=1) ; B: r(x=1)");
  EXPECT_TRUE(serial.is_not.empty());
  EXPECT_TRUE(serial.also_not.empty());
}

// Goal: a strong level need not imply the one with session order where sessions overlap
// themselves; then the violation of one says nothing about the other.
TEST(ElleModels, CarriesViolationsOnlyWhereLevelsImplyEachOther) {
  const char* const overlapping =
      "A: w(x=1) @1,9 ; A: r(x=_) @2,8";  // one session, two transactions at once
  const Boundary found = boundary(overlapping, {Level::kStrongSessionSerializable});
  EXPECT_EQ(found.is_not, (ModelNames{"strong-session-serializable"}));
  EXPECT_TRUE(found.also_not.empty());
}

// Goal: a row that a selection left out, or what follows from it, says nothing about repeatable
// read. It is no fractured read there, and does not show that a write took effect.
TEST(ElleModels, RowsThatWereLeftOutLeaveRepeatableReadAlone) {
  const char* const fractured = "W: w(1=1) w(2=1) ; R: r(1=1) s(keys=2..2:)";
  for (const std::vector<Level>& levels :
       {std::vector<Level>{}, std::vector<Level>{Level::kReadAtomic}}) {
    const Boundary found = boundary(fractured, levels);
    EXPECT_FALSE(found.is_not.empty());
    for (const ModelNames& names : {found.is_not, found.also_not}) {
      EXPECT_EQ(std::find(names.begin(), names.end(), "repeatable-read"), names.end());
      EXPECT_EQ(std::find(names.begin(), names.end(), "cursor-stability"), names.end());
    }
  }
}

/// The level that has the model's name; none for models without a level of that name.
std::optional<Level> level_of(std::string_view model) {
  if (model == "strong-serializable") return Level::kStrictSerializable;
  if (model == "consistent-view") return Level::kParallelSnapshotIsolation;
  if (model == "prefix") return Level::kPrefixConsistency;
  return find_level(model);
}

// Goal: no model is ruled out whose level holds, and none is forgotten whose level is violated,
// whichever levels were asked for. Method: random histories, all levels decided, against a
// report about one level alone.
TEST(ElleModels, NeverContradictsAVerdict) {
  const std::uint64_t seed = support::run_seed();
  const std::uint64_t cases = support::case_count(1000);
  std::uint64_t ruled_out = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    base::Rng rng(base::mix2(seed, number));
    const bool selects = number % 4 == 0;
    const History history =
        support::build(selects ? support::random_history(rng, support::random_selection_options(
                                                                  rng, number % 8 == 0))
                               : support::random_history(rng.next()));
    const ReportModel all = report_on(history);
    const auto verdict = [&](Level level) {
      const auto row =
          std::find_if(all.levels.begin(), all.levels.end(),
                       [&](const LevelOutcome& each) { return each.level == level; });
      return row == all.levels.end() ? std::string_view() : name(row->verdict);
    };
    const Level one = all.levels[rng.below(all.levels.size())].level;
    const ReportModel some = report_on(history, {one});
    for (const ReportModel* input : {&all, &some}) {
      const Boundary found = elle_boundary(*input);
      ModelNames names = found.is_not;
      names.insert(names.end(), found.also_not.begin(), found.also_not.end());
      ruled_out += names.size();
      for (const std::string_view name : names) {
        const std::optional<Level> level = level_of(name);
        if (!level) continue;
        EXPECT_NE(verdict(*level), "holds") << name << "\n" << support::to_text(history);
      }
      if (input == &some) continue;
      for (const std::string_view name : kAboveReadCommitted) {
        const std::optional<Level> level = level_of(name);
        if (!level || verdict(*level) != "violated") continue;
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end())
            << name << "\n"
            << support::to_text(history);
      }
    }
  }
  EXPECT_GT(ruled_out, cases);
}

// Goal: a lost update at serializable rules out no snapshot isolation where the row may have
// been written again after it had been deleted. Method: all levels that hold, against a report
// about serializable alone.
TEST(ElleModels, ALostUpdateOfADeletedRowRulesOutNoSnapshots) {
  const History history = support::parse(
      "S: w(x=10) w(z=5) @0,10 ; B: r(x=10) d(x) w(y=1) @30,40 ; "
      "A: r(x=10) r(y=_) w(x=12) @20,50 ; F: r(y=1) r(x=12) @60,70");
  const ReportModel all = report_on(history);
  const auto holds = [&](Level level) {
    return std::ranges::any_of(all.levels, [&](const LevelOutcome& each) {
      return each.level == level && each.verdict == Verdict::kHolds;
    });
  };
  ASSERT_TRUE(holds(Level::kSnapshotIsolation));
  const ReportModel one = report_on(history, {Level::kSerializable});
  ASSERT_TRUE(one.levels[0].scenario && one.levels[0].scenario->lost_update);
  const Boundary found = elle_boundary(one);
  for (const ModelNames& names : {found.is_not, found.also_not}) {
    EXPECT_EQ(std::ranges::find(names, "snapshot-isolation"), names.end());
    EXPECT_EQ(std::ranges::find(names, "cursor-stability"), names.end());
  }
}

std::string type_of(const char* text, Level level) {
  const History history = support::parse(text);
  const ReportModel input = report_on(history, {level});
  if (!input.levels[0].scenario) return "";
  return elle_type(history, *input.levels[0].scenario);
}

TEST(ElleModels, NamesAnomaliesAsElleDoes) {
  EXPECT_EQ(type_of("A: w(x=1) ! ; B: r(x=1)", Level::kSerializable), "G1a");
  EXPECT_EQ(type_of("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)", Level::kSnapshotIsolation),
            "lost-update");
  EXPECT_EQ(type_of("A: w(x=1) w(y=1) ; B: r(y=_) r(x=1)", Level::kReadAtomic),
            "G-single-item");
  EXPECT_EQ(type_of("A: w(x=1) ; A: r(x=_)", Level::kStrongSessionSnapshotIsolation),
            "G-single-item-process");
  EXPECT_EQ(type_of("A: w(x=1) ; B: w(y=1) ; C: r(x=1) r(y=_) ; D: r(y=1) r(x=_)",
                    Level::kSnapshotIsolation),
            "G-nonadjacent-item");
  EXPECT_EQ(type_of("A: r(x=_) w(y=1) ; B: r(y=_) w(x=1)", Level::kSerializable), "G2-item");
  EXPECT_EQ(type_of("A: s(:) w(1=1) ; B: s(:) w(2=1)", Level::kSerializable), "G2");
  EXPECT_EQ(type_of("A: w(1=1) ; B: s(:) s(: 1=1)", Level::kReadAtomic), "G-single");
  EXPECT_EQ(type_of("A: w(x=1) ; B: r(x=_) r(x=1)", Level::kReadAtomic), "internal");
}

}  // namespace
}  // namespace isolde::explain
