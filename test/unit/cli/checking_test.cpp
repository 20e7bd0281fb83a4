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

Outcome outcome_of(Verdict serializable, Verdict read_committed) {
  Outcome outcome;
  for (const auto& [level, verdict] : {std::pair(Level::kSerializable, serializable),
                                       std::pair(Level::kReadCommitted, read_committed)}) {
    outcome.report.levels.push_back({level, verdict, "", 0});
    outcome.levels.push_back({level, name(verdict), "", {}, {}});
  }
  return outcome;
}

Outcome promising(Outcome outcome, Level promised) {
  outcome.run.emplace();
  outcome.run->promised = promised;
  return outcome;
}

TEST(VerdictCode, WithoutAskedLevelsThePromiseDecides) {
  Checking checking;
  parse(checking, {});
  ASSERT_TRUE(checking.prepare());
  const Outcome broken = outcome_of(Verdict::kViolated, Verdict::kHolds);
  EXPECT_EQ(checking.verdict_code(broken), ExitCode::kSuccess);  // nobody relied on it
  EXPECT_EQ(checking.verdict_code(promising(broken, Level::kSerializable)),
            ExitCode::kViolated);
  EXPECT_EQ(checking.verdict_code(promising(broken, Level::kReadCommitted)),
            ExitCode::kSuccess);
  const Outcome open = outcome_of(Verdict::kUnknown, Verdict::kHolds);
  EXPECT_EQ(checking.verdict_code(open), ExitCode::kUnknown);
  EXPECT_EQ(checking.verdict_code(promising(open, Level::kSerializable)), ExitCode::kUnknown);
  EXPECT_EQ(checking.verdict_code(promising(open, Level::kReadCommitted)), ExitCode::kSuccess);
}

TEST(VerdictCode, AskedLevelsAloneDecide) {
  Checking checking;
  parse(checking, {"--level", "rc"});
  ASSERT_TRUE(checking.prepare());
  Outcome outcome = outcome_of(Verdict::kViolated, Verdict::kHolds);
  outcome.report.levels.erase(outcome.report.levels.begin());
  outcome.levels.erase(outcome.levels.begin());
  EXPECT_EQ(checking.verdict_code(promising(outcome, Level::kSerializable)),
            ExitCode::kSuccess);
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
    return outcome->report.levels.at(0).verdict;
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
