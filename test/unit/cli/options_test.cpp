#include "cli/options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "base/memory.hpp"
#include "cli/command.hpp"

namespace isolde::cli {
namespace {

TEST(Options, ReadDurations) {
  CLI::App app;
  std::int64_t nanoseconds = 0;
  double seconds = 0;
  add_duration(app, "--length", nanoseconds, "");
  app.add_option("--seconds", seconds)->transform(seconds_text(1e-6, 1e9));
  app.parse("--length 2.5ms --seconds 100ms", false);
  EXPECT_EQ(nanoseconds, 2'500'000);
  EXPECT_EQ(seconds, 0.1);  // exactly
  app.parse("--length 30 --seconds 1h", false);
  EXPECT_EQ(nanoseconds, 30'000'000'000);
  EXPECT_EQ(seconds, 3600);
  for (const char* wrong : {"--length -1s", "--length 1sec", "--seconds 0", "--seconds 2e9"}) {
    EXPECT_THROW(app.parse(wrong, false), CLI::ValidationError) << wrong;
  }
}

// Goal: numbers are what their digits say; the parser alone takes 010 for 8 and -1 for 2^64
// - 1.
TEST(Options, ReadWholeNumbersInDecimal) {
  CLI::App app;
  std::uint64_t number = 0;
  whole_number(app.add_option("--number", number));
  whole_number(app.add_option("--few", number), 2, 12);
  const std::pair<const char*, std::uint64_t> right[] = {
      {"--number 010", 10},
      {"--number 18446744073709551615", ~std::uint64_t{0}},
      {"--few 2", 2},
      {"--few 12", 12}};
  for (const auto& [text, expected] : right) {
    app.parse(text, false);
    EXPECT_EQ(number, expected) << text;
  }
  for (const char* wrong : {"--number -1", "--number +1", "--number 0x10", "--number 1e3",
                            "--number 18446744073709551616", "--few 1", "--few 13"}) {
    EXPECT_THROW(app.parse(wrong, false), CLI::ValidationError) << wrong;
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
