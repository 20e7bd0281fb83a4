#include "cli/checking.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>

#include "unit/io/temporary_folder.hpp"

namespace isolde::cli {
namespace {

/// The options as a command line would give them. They are asked later, so what reads them must
/// outlive the test.
void parse(Checking& checking, std::vector<std::string> arguments) {
  static std::deque<CLI::App> apps;
  CLI::App& app = apps.emplace_back();
  checking.add_to(app);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(arguments);
}

explain::ReportModel report_on(Verdict serializable, Verdict read_committed) {
  static const History history;
  return {history,
          {{Level::kSerializable, serializable, "", {}, {}},
           {Level::kReadCommitted, read_committed, "", {}, {}}},
          {},
          {},
          {}};
}

explain::ReportModel promising(const explain::ReportModel& report, Level promised) {
  explain::ReportModel changed = report;
  changed.promise = explain::Promise{"db", "best", promised, ""};
  return changed;
}

TEST(VerdictCode, WithoutAskedLevelsThePromiseDecides) {
  Checking checking;
  parse(checking, {});
  ASSERT_TRUE(checking.prepare());
  const explain::ReportModel broken = report_on(Verdict::kViolated, Verdict::kHolds);
  EXPECT_EQ(checking.verdict_code(broken), ExitCode::kSuccess);  // nobody relied on it
  EXPECT_EQ(checking.verdict_code(promising(broken, Level::kSerializable)),
            ExitCode::kViolated);
  EXPECT_EQ(checking.verdict_code(promising(broken, Level::kReadCommitted)),
            ExitCode::kSuccess);
  const explain::ReportModel open = report_on(Verdict::kUnknown, Verdict::kHolds);
  EXPECT_EQ(checking.verdict_code(open), ExitCode::kUnknown);
  EXPECT_EQ(checking.verdict_code(promising(open, Level::kSerializable)), ExitCode::kUnknown);
  EXPECT_EQ(checking.verdict_code(promising(open, Level::kReadCommitted)), ExitCode::kSuccess);
}

TEST(VerdictCode, AskedLevelsAloneDecide) {
  Checking checking;
  parse(checking, {"--level", "rc"});
  ASSERT_TRUE(checking.prepare());
  explain::ReportModel report = report_on(Verdict::kViolated, Verdict::kHolds);
  report.levels.erase(report.levels.begin());
  EXPECT_EQ(checking.verdict_code(promising(report, Level::kSerializable)), ExitCode::kSuccess);
}

TEST(PromisedLevel, IsTakenFromTheDatabase) {
  Checking checking;
  parse(checking, {"--level", "promised,rc"});
  ASSERT_TRUE(checking.prepare());
  EXPECT_TRUE(checking.expect(Level::kSerializable, ""));
  Checking alone;
  parse(alone, {"--level", "promised"});
  ASSERT_TRUE(alone.prepare());
  const Status none = alone.expect(std::nullopt, "it says so");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUsage);
  EXPECT_NE(none.error().message.find("it says so"), std::string::npos);
  for (const char* wrong : {"promised,", "promise", ","}) {
    Checking bad;
    parse(bad, {"--level", wrong});
    EXPECT_FALSE(bad.prepare()) << wrong;
  }
}

// Goal: a history is judged by the promise that it tells, or by the one that is given in its
// place.
TEST(PromisedLevel, IsTakenFromTheHistory) {
  io::TemporaryFolder folder;
  const std::string body =
      ",\"database\":\"DB 1\"}\n{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n";
  const auto path = [&](const std::string& fields) {
    return folder.put("h.jsonl", "{\"isolde\":1,\"kind\":\"history\"" + fields + body);
  };
  const auto check = [](const std::string& file, std::vector<std::string> arguments) {
    static std::deque<Checking> all;
    Checking& checking = all.emplace_back();
    parse(checking, std::move(arguments));
    EXPECT_TRUE(checking.prepare());
    return checking.check(file, "native");
  };
  const std::string told = path(R"(,"promise":"causal")");
  const Result<Outcome> of_history = check(told, {});
  ASSERT_TRUE(of_history);
  EXPECT_EQ(of_history->model().promise->level, Level::kCausal);
  const Result<Outcome> alone = check(told, {"--level", "promised"});
  ASSERT_TRUE(alone);
  ASSERT_EQ(alone->model().levels.size(), 1U);
  EXPECT_EQ(alone->model().levels[0].level, Level::kCausal);
  EXPECT_TRUE(alone->model().asked);
  const Result<Outcome> given = check(told, {"--promise", "ser"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->model().promise->level, Level::kSerializable);
  EXPECT_EQ(given->model().promise->database, "DB 1");
  const Result<Outcome> none = check(told, {"--promise", "none"});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->model().promise->level, std::nullopt);
  const std::string silent = path("");
  ASSERT_TRUE(check(silent, {}));
  EXPECT_FALSE(check(silent, {})->model().promise);
  for (const Result<Outcome>& refused :
       {check(silent, {"--level", "promised"}),
        check(told, {"--level", "promised", "--promise", "none"}),
        check(path(R"(,"no_promise":"why")"), {"--level", "promised"})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  }
  Checking bad;
  parse(bad, {"--promise", "best"});
  EXPECT_FALSE(bad.prepare());
}

class EvidenceTest : public testing::Test {
 protected:
  Verdict verdict(const std::string& lines, std::vector<std::string> arguments) {
    const std::string path =
        folder_.put("h.jsonl", "{\"isolde\":1,\"kind\":\"history\"}\n" + lines);
    Checking checking;
    arguments.insert(arguments.end(), {"--level", "ser"});
    parse(checking, arguments);
    EXPECT_TRUE(checking.prepare());
    const Result<Outcome> outcome = checking.check(path, "native");
    EXPECT_TRUE(outcome);
    return outcome->checked.report.levels.at(0).verdict;
  }

  io::TemporaryFolder folder_;
};

constexpr const char* kWrite = "{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n";
constexpr const char* kAborted =
    "{\"session\":\"b\",\"status\":\"aborted\",\"ops\":[[\"w\",\"x\",2]]}\n";
constexpr const char* kDirty = "{\"session\":\"c\",\"ops\":[[\"r\",\"x\",2]]}\n";

TEST_F(EvidenceTest, WhatHoldsOnTooLittleIsUnknown) {
  EXPECT_EQ(verdict("", {}), Verdict::kUnknown);
  EXPECT_EQ(verdict(kAborted, {}), Verdict::kUnknown);
  EXPECT_EQ(verdict("{\"session\":\"a\",\"ops\":[]}\n", {}), Verdict::kUnknown);
  EXPECT_EQ(verdict(kWrite, {}), Verdict::kHolds);
  EXPECT_EQ(verdict(kWrite, {"--min-committed", "2"}), Verdict::kUnknown);
  EXPECT_EQ(verdict("", {"--min-committed", "0"}), Verdict::kHolds);
  EXPECT_EQ(verdict(kWrite, {"--require-evidence"}), Verdict::kUnknown);
}

TEST_F(EvidenceTest, WhatTheLimitsLeftNoTimeToCountIsUnknown) {
  std::string apart;
  for (int i = 0; i < 3000; ++i) {
    const std::string key = std::to_string(i);
    apart += "{\"session\":\"a\",\"ops\":[[\"w\"," + key + ",1],[\"r\"," + key + ",1]]}\n";
  }
  // Whatever the limit ends: reading, deciding or counting.
  for (const char* limit : {"1ms", "2ms", "4ms", "8ms"}) {
    EXPECT_EQ(verdict(apart, {"--require-evidence", "--timeout", limit}), Verdict::kUnknown);
  }
}

TEST_F(EvidenceTest, AViolationStandsOnAnyEvidence) {
  EXPECT_EQ(verdict(std::string(kAborted) + kDirty, {"--min-committed", "1000"}),
            Verdict::kViolated);
}

TEST_F(EvidenceTest, WhatIsCutOffDoesNotHold) {
  const std::string half = R"({"session":"b","ops":[["w",)";
  EXPECT_EQ(verdict(kWrite + half, {}), Verdict::kUnknown);
  EXPECT_NE(verdict(std::string(kAborted) + kDirty + half, {}), Verdict::kHolds);
}

}  // namespace
}  // namespace isolde::cli
