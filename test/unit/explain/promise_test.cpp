#include "explain/promise.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::explain {
namespace {

RunReport run_promising(std::optional<Level> promised) {
  RunReport run;
  run.product = "db";
  run.isolation = "best";
  run.promised = promised;
  if (!promised) run.no_promise = "nobody wrote it down";
  return run;
}

TEST(Promise, IsToldWithWhatCameOfIt) {
  const std::vector<LevelOutcome> levels = {
      {Level::kSerializable, Verdict::kViolated, "", {}, {}},
      {Level::kSnapshotIsolation, Verdict::kUnknown, "", {}, {}},
      {Level::kReadCommitted, Verdict::kHolds, "", {}, {}}};
  const auto text = [&](std::optional<Level> promised) {
    return promise_text(run_promising(promised), levels);
  };
  EXPECT_EQ(text(Level::kSerializable), "db at best promises serializable: BROKEN");
  EXPECT_EQ(text(Level::kSnapshotIsolation),
            "db at best promises snapshot-isolation: not decided");
  EXPECT_EQ(text(Level::kReadCommitted),
            "db at best promises read-committed: kept in this history");
  EXPECT_EQ(
      text(Level::kCausal),
      "db at best promises causal, which was not checked, because --level did not ask for "
      "it");
  EXPECT_EQ(text(std::nullopt),
            "db at best promises none of these levels: nobody wrote it down");
  EXPECT_EQ(promise_text(std::nullopt, levels), "");
  std::vector<LevelOutcome> idle = {levels[2]};
  idle[0].trial = history::Trial::kUntried;
  EXPECT_EQ(promise_text(run_promising(Level::kReadCommitted), idle),
            "db at best promises read-committed: kept in this history, which did not put it to "
            "the test");
}

TEST(Promise, FallsWithTheLevelsThatItImplies) {
  const History history = support::parse("A: w(x=1)");
  ReportModel input{history, {}, {}, {}, {}};
  const std::vector<Level> broken = {Level::kReadCommitted};
  EXPECT_FALSE(is_failure(input, broken));
  input.run = run_promising(Level::kSerializable);
  EXPECT_TRUE(is_failure(input, broken));
  EXPECT_FALSE(is_failure(input, std::vector{Level::kStrictSerializable}));
  // Where selections left out rows, repeatable read does not promise what they show.
  input.run = run_promising(Level::kRepeatableRead);
  EXPECT_TRUE(is_failure(input, std::vector{Level::kReadAtomic}));
  input.rows.left_out = true;
  EXPECT_FALSE(is_failure(input, std::vector{Level::kReadAtomic}));
  EXPECT_TRUE(is_failure(input, broken));
  input.run = run_promising(std::nullopt);
  EXPECT_FALSE(is_failure(input, broken));
  input.asked = true;
  EXPECT_TRUE(is_failure(input, broken));
}

}  // namespace
}  // namespace isolde::explain
