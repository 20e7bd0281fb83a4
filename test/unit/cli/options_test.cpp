#include "cli/options.hpp"

#include <gtest/gtest.h>

#include "base/memory.hpp"
#include "cli/command.hpp"

namespace isolde::cli {
namespace {

TEST(Options, ReadDurations) {
  EXPECT_EQ(*parse_duration("0"), 0);
  EXPECT_EQ(*parse_duration("15ns"), 15);
  EXPECT_EQ(*parse_duration("500us"), 500'000);
  EXPECT_EQ(*parse_duration("2.5ms"), 2'500'000);
  EXPECT_EQ(*parse_duration("1s"), 1'000'000'000);
  EXPECT_EQ(*parse_duration("30"), 30'000'000'000);
  for (const char* wrong : {"", "ms", "-1s", "1 s", "nan", "1e300s", "1sec"}) {
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
  }
}

TEST(Options, ReadSizes) {
  EXPECT_EQ(*parse_size("0"), 0U);
  EXPECT_EQ(*parse_size("4096"), 4096U);
  EXPECT_EQ(*parse_size("512M"), 512ULL << 20);
  EXPECT_EQ(*parse_size("2G"), 2ULL << 30);
  EXPECT_EQ(*parse_size("1.5K"), 1536U);
  for (const char* wrong : {"", "M", "-1", "1X", "1 G", "inf", "99999999T"}) {
    EXPECT_FALSE(parse_size(wrong)) << wrong;
  }
}

TEST(Options, LimitMemoryTo70PercentOfWhatThereIs) {
  const auto available = static_cast<double>(base::available_bytes());
  EXPECT_NEAR(static_cast<double>(*LimitOptions{}.memory_bytes()), 0.7 * available, 16);
}

TEST(Options, ReadLevelsByNameAndAliasOnceEachInTableOrder) {
  const auto levels = parse_levels({"si,serializable", "ser"});
  ASSERT_TRUE(levels);
  EXPECT_EQ(*levels, (std::vector<Level>{Level::kSerializable, Level::kSnapshotIsolation}));
  for (const char* wrong : {"", "si,", "nothing"}) {
    EXPECT_FALSE(parse_levels({wrong})) << wrong;
  }
}

// Goal: the order of exit codes for several histories.
TEST(ExitCodes, KeepTheWorst) {
  const ExitCode order[] = {ExitCode::kSuccess, ExitCode::kUnknown, ExitCode::kViolated,
                            ExitCode::kUsage, ExitCode::kEnvironment};
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_EQ(worse(order[i], order[j]), order[std::max(i, j)]);
    }
  }
}

TEST(GuardedArguments, KeepNamesWhole) {
  std::vector<std::string> texts = {"isolde", "check", "[a,b]", "[]", "[a", "b]", "++", "a"};
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  const auto guarded = guarded_arguments(static_cast<int>(argv.size()), argv.data());
  EXPECT_EQ(guarded, (std::vector<std::string>{"isolde", "check", "./[a,b]", "./[]", "[a", "b]",
                                               "./++", "a"}));
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(given_path(guarded[i]), texts[i]);
  EXPECT_EQ(given_path("./a"), "./a");
}

}  // namespace
}  // namespace isolde::cli
