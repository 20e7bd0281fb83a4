// Goal: `isolde databases try` finds what a driver does wrong. Method: SQLite, which is right,
// and an adapter that is wrong in one way or another.
#include "run/tryout.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/source_dir.hpp"

namespace isolde::run {
namespace {

/// "what: problem" for each problem.
std::vector<std::string> problems_of(const std::string& dsn) {
  const Result<db::Dsn> parsed = db::parse_dsn(dsn);
  const Result<const db::DatabaseInfo*> row = db::find_database_of(*parsed, 10);
  EXPECT_TRUE(row) << row.error().message;
  const auto database = db::open_database(dsn, {});
  EXPECT_TRUE(database) << database.error().message;
  std::vector<std::string> found;
  std::size_t steps = 0;
  base::Budget unlimited;
  const int count = try_out(
      **database, (*row)->capabilities,
      [&](std::string_view what, const std::string& problem) {
        ++steps;
        if (problem.empty()) return;
        found.push_back(std::string(what) + ": " + problem);
      },
      unlimited);
  EXPECT_EQ(static_cast<std::size_t>(count), found.size());
  EXPECT_GE(steps, found.empty() ? 19U : 1U);
  return found;
}

std::string adapter(const std::string& fault) {
  return "exec:python3 " + std::string(support::source_dir()) + "/test/support/adapter.py " +
         fault;
}

TEST(Tryout, FindsNothingWhereAllIsWell) {
  EXPECT_TRUE(problems_of("sqlite:").empty());
  EXPECT_TRUE(problems_of(adapter("")).empty());
}

TEST(Tryout, TellsWhatIsWrong) {
  EXPECT_EQ(problems_of(adapter("dirty")),
            std::vector<std::string>{"nobody reads what was rolled back: read 8, expected 5"});
  EXPECT_EQ(problems_of(adapter("failed compare-and-set")).size(), 4U);
  EXPECT_EQ(problems_of(adapter("failed create")),
            std::vector<std::string>{"create: adapter: failed as told"});
}

// A step that goes wrong hides nothing of those that come after it.
TEST(Tryout, GoesOnAfterAFault) {
  EXPECT_EQ(problems_of(adapter("aborted append")),
            (std::vector<std::string>{
                "elements stay in the order of appends: append: aborted: aborted as told",
                "another session appends to the same list: append: aborted: aborted as told",
                "a list that create did not name can be appended to: append: aborted: aborted "
                "as told"}));
  const std::vector<std::string> all = problems_of(adapter("unknown commit"));
  ASSERT_EQ(all.size(), 10U);
  EXPECT_EQ(all.back(),
            "a list that create did not name can be appended to: commit: outcome unknown: "
            "unknown as told");
}

// What was created is destroyed, wherever somebody interrupts.
TEST(Tryout, LeavesNothingBehindWhenInterrupted) {
  const Result<const db::DatabaseInfo*> row = db::find_database("sqlite");
  ASSERT_TRUE(row);
  const auto database = db::open_database("sqlite:", {});
  ASSERT_TRUE(database);
  for (std::size_t at = 1; at < 20; ++at) {
    base::Budget budget;
    std::vector<std::string> steps;
    const auto listener = [&](std::string_view what, const std::string& problem) {
      EXPECT_TRUE(problem.empty()) << what << ": " << problem;
      steps.emplace_back(what);
      if (steps.size() == at) budget.cancel();
    };
    EXPECT_EQ(try_out(**database, (*row)->capabilities, listener, budget), 0);
    ASSERT_GE(steps.size(), at);
    EXPECT_EQ(std::count(steps.begin(), steps.end(), "destroy"), 1) << "after step " << at;
    EXPECT_LE(steps.size(), at + 3) << "went on after step " << at;
  }
}

}  // namespace
}  // namespace isolde::run
