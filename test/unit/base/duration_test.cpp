#include "base/duration.hpp"

#include <gtest/gtest.h>

namespace isolde::base {
namespace {

TEST(Duration, EveryUnitAndSecondsWithoutOne) {
  EXPECT_EQ(parse_duration("0"), 0);
  EXPECT_EQ(parse_duration("0.0000000001"), 1);  // some is not none
  EXPECT_EQ(parse_duration("15ns"), 15);
  EXPECT_EQ(parse_duration("500us"), 500'000);
  EXPECT_EQ(parse_duration("2.5ms"), 2'500'000);
  EXPECT_EQ(parse_duration("1s"), 1'000'000'000);
  EXPECT_EQ(parse_duration("30"), 30'000'000'000);
  EXPECT_EQ(parse_duration("0.5"), 500'000'000);
  EXPECT_EQ(parse_duration("5m"), 300'000'000'000);
  EXPECT_EQ(parse_duration("1h"), 3'600'000'000'000);
}

TEST(Duration, RefusesAllElse) {
  for (const char* wrong : {"", "ms", "-1s", "1 s", "nan", "inf", "1e300s", "1sec", "1H",
                            "9e18", "5m30s", "0x10s"}) {
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
  }
}

TEST(Duration, Between) {
  EXPECT_EQ(*duration_between("1ms", 1'000'000, 2'000'000), 1'000'000);
  EXPECT_EQ(*duration_between("2ms", 1'000'000, 2'000'000), 2'000'000);
  for (const char* outside : {"999us", "2.1ms"}) {
    EXPECT_EQ(duration_between(outside, 1'000'000, 2'000'000).error().message,
              std::string(outside) + " is not between 1ms and 2ms");
  }
  EXPECT_EQ(duration_between("soon", 0, 1).error().message,
            "'soon' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h");
}

TEST(Duration, TextReadsBack) {
  EXPECT_EQ(duration_text(0), "0s");
  EXPECT_EQ(duration_text(1'500'000'000), "1500ms");
  EXPECT_EQ(duration_text(90'000'000'000), "90s");
  EXPECT_EQ(duration_text(7'200'000'000'000), "2h");
  for (const std::int64_t length : {1LL, 999LL, 1000LL, 1'000'001LL, 60'000'000'000LL}) {
    EXPECT_EQ(parse_duration(duration_text(length)), length);
  }
}

}  // namespace
}  // namespace isolde::base
