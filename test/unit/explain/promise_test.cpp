#include "explain/promise.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::explain {
namespace {

Promise promise_of(std::optional<Level> promised) {
  return {"db", "best", promised, promised ? "" : "nobody wrote it down"};
}

class PromiseTest : public testing::Test {
 protected:
  std::string text(std::optional<Level> promised) {
    model_.promise = promise_of(promised);
    return promise_text(model_);
  }
  std::string namesake(std::string isolation, std::optional<Level> promised) {
    model_.promise = Promise{"db", std::move(isolation), promised, ""};
    return namesake_text(model_);
  }

  const History history_ = support::parse("A: w(x=1)");
  ReportModel model_{history_, {}, {}, {}, {}};
};

TEST_F(PromiseTest, IsToldWithWhatCameOfIt) {
  EXPECT_EQ(promise_text(model_), "");
  model_.levels = {{Level::kSerializable, Verdict::kViolated, "", {}, {}},
                   {Level::kSnapshotIsolation, Verdict::kUnknown, "", {}, {}},
                   {Level::kReadCommitted, Verdict::kHolds, "", {}, {}}};
  EXPECT_EQ(text(Level::kSerializable), "db at best promises serializable: BROKEN");
  EXPECT_EQ(text(Level::kSnapshotIsolation),
            "db at best promises snapshot-isolation: not decided");
  EXPECT_EQ(text(Level::kReadCommitted),
            "db at best promises read-committed: kept in this history");
  EXPECT_EQ(text(Level::kCausal),
            "db at best promises causal, which was not checked, because only other levels were "
            "asked for");
  EXPECT_EQ(text(std::nullopt),
            "db at best promises none of these levels: nobody wrote it down");
  model_.levels[2].trial = history::Trial::kUntried;
  EXPECT_EQ(text(Level::kReadCommitted),
            "db at best promises read-committed: kept in this history, which did not put it to "
            "the test");
  model_.promise = Promise{"", "", Level::kReadCommitted, ""};
  EXPECT_EQ(promise_text(model_),
            "the database promises read-committed: kept in this history, which did not put it "
            "to the test");
  model_.promise = Promise{"d\nb", "a\x1b", std::nullopt, "w\nhy"};
  EXPECT_EQ(promise_text(model_), "d\\x0ab at a\\x1b promises none of these levels: w\\x0ahy");
}

// Goal: who records says what he knows, and nothing else becomes a promise.
TEST_F(PromiseTest, IsTakenFromTheRecording) {
  HistoryOrigin origin;
  origin.database = "DB 1.2";
  origin.isolation = "best";
  EXPECT_FALSE(recorded_promise(origin));
  origin.promise = Level::kCausal;
  ASSERT_TRUE(recorded_promise(origin));
  EXPECT_EQ(recorded_promise(origin)->database, "DB 1.2");
  EXPECT_EQ(recorded_promise(origin)->isolation, "best");
  EXPECT_EQ(recorded_promise(origin)->level, Level::kCausal);
  origin.product = "db";
  EXPECT_EQ(recorded_promise(origin)->database, "db");
  origin.promise.reset();
  EXPECT_FALSE(recorded_promise(origin));
  origin.no_promise = "why";
  EXPECT_EQ(recorded_promise(origin)->level, std::nullopt);
  EXPECT_EQ(recorded_promise(origin)->why_none, "why");
}

// Goal: a violated level that the isolation is called after is not taken for the promise, and
// one that the promise does imply is not excused.
TEST_F(PromiseTest, IsNotThatOfALevelWithTheSameName) {
  model_.levels = {{Level::kSerializable, Verdict::kViolated, "", {}, {}},
                   {Level::kRepeatableRead, Verdict::kViolated, "", {}, {}},
                   {Level::kSnapshotIsolation, Verdict::kHolds, "", {}, {}}};
  EXPECT_EQ(namesake("Repeatable Read", Level::kSnapshotIsolation),
            "The level repeatable-read, which is violated, is not what db calls Repeatable "
            "Read, and was not promised: neither it nor snapshot-isolation implies the other.");
  EXPECT_EQ(namesake("SERIALIZABLE", Level::kSnapshotIsolation),
            "The level serializable, which is violated, is not what db calls SERIALIZABLE, and "
            "was not promised: snapshot-isolation is weaker.");
  EXPECT_EQ(namesake("repeatable-read", std::nullopt),
            "The level repeatable-read, which is violated, is not what db calls "
            "repeatable-read, and was not promised.");
  EXPECT_EQ(namesake("repeatable-read", Level::kRepeatableRead), "");
  EXPECT_EQ(namesake("repeatable-read", Level::kSerializable), "");
  EXPECT_EQ(namesake("snapshot-isolation", Level::kReadCommitted), "");
  EXPECT_EQ(namesake("best", Level::kSnapshotIsolation), "");
  EXPECT_EQ(namesake("", Level::kSnapshotIsolation), "");
  model_.promise.reset();
  EXPECT_EQ(namesake_text(model_), "");
}

TEST_F(PromiseTest, FallsWithTheLevelsThatItImplies) {
  const std::vector<Level> broken = {Level::kReadCommitted};
  EXPECT_FALSE(is_failure(model_, broken));
  model_.promise = promise_of(Level::kSerializable);
  EXPECT_TRUE(is_failure(model_, broken));
  EXPECT_FALSE(is_failure(model_, std::vector{Level::kStrictSerializable}));
  // Where selections left out rows, repeatable read does not promise what they show.
  model_.promise = promise_of(Level::kRepeatableRead);
  EXPECT_TRUE(is_failure(model_, std::vector{Level::kReadAtomic}));
  model_.rows.left_out = true;
  EXPECT_FALSE(is_failure(model_, std::vector{Level::kReadAtomic}));
  EXPECT_TRUE(is_failure(model_, broken));
  model_.promise = promise_of(std::nullopt);
  EXPECT_FALSE(is_failure(model_, broken));
  model_.asked = true;
  EXPECT_TRUE(is_failure(model_, broken));
}

}  // namespace
}  // namespace isolde::explain
