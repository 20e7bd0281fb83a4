// Goal: `isolde databases try` finds what a driver does wrong. Method: SQLite, which is right,
// and an adapter that is wrong in one way or another.
#include "run/tryout.hpp"

#include <gtest/gtest.h>

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
  const int count = try_out(**database, (*row)->capabilities,
                            [&](std::string_view what, const std::string& problem) {
                              ++steps;
                              if (problem.empty()) return;
                              found.push_back(std::string(what) + ": " + problem);
                            });
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

}  // namespace
}  // namespace isolde::run
