#include "base/moment.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/rng.hpp"

namespace isolde::base {
namespace {

TEST(Moment, ParsesWhatRfc3339Allows) {
  EXPECT_EQ(parse_moment("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_moment("1970-01-01t00:00:01.000000001z"), 1'000'000'001);
  EXPECT_EQ(parse_moment("2026-11-20T14:03:22.5Z"), 1'795'183'402'500'000'000);
  EXPECT_EQ(parse_moment("2026-11-20T15:33:22.5+01:30"), 1'795'183'402'500'000'000);
  EXPECT_EQ(parse_moment("2026-11-20T09:03:22.5-05:00"), 1'795'183'402'500'000'000);
  EXPECT_EQ(parse_moment("1969-12-31T23:59:59.25Z"), -750'000'000);
  EXPECT_EQ(parse_moment("2016-12-31T23:59:60Z"), parse_moment("2017-01-01T00:00:00Z"));
  EXPECT_EQ(parse_moment("2024-02-29T00:00:00.1234567899999Z"),
            *parse_moment("2024-02-29T00:00:00Z") + 123'456'789);
}

TEST(Moment, RefusesAllElse) {
  for (const char* text : {"",
                           "noon",
                           "2026-11-20",
                           "2026-11-20T14:03Z",
                           "2026-11-20T14:03:22",
                           "2026-11-20 14:03:22Z",
                           "2026-11-20T14:03:22.Z",
                           "2026-11-20T14:03:22Z ",
                           " 2026-11-20T14:03:22Z",
                           "2026-11-20T24:00:00Z",
                           "2026-13-20T14:03:22Z",
                           "2026-00-20T14:03:22Z",
                           "2026-02-29T14:03:22Z",
                           "2026-11-00T14:03:22Z",
                           "2026-11-20T14:60:22Z",
                           "2026-11-20T14:03:61Z",
                           "2026-11-20T14:03:62.822+11:00",
                           "2026-11-20T14:03:22+1:00",
                           "2026-11-20T14:03:22+01:60",
                           "2026-11-20T14:03:22+0100",
                           "26-11-20T14:03:22Z",
                           "9999-12-31T23:59:59Z",
                           "1677-01-01T00:00:00Z",
                           "2262-12-31T00:00:00Z",
                           "+2026-11-20T14:03:22Z",
                           "2026-11-20T14:03:22Zx"}) {
    EXPECT_FALSE(parse_moment(text)) << text;
  }
}

// Goal: what is written is read back. Method: the ends of the range, and random moments.
TEST(Moment, TextsAreReadBack) {
  EXPECT_EQ(moment_text(1'795'183'402'500'000'000), "2026-11-20T14:03:22.500000000Z");
  EXPECT_EQ(moment_text(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(day_and_time(0).day, "1970-01-01");
  EXPECT_EQ(day_and_time(0).time, "00:00:00.000000000");
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const auto moment =
        static_cast<std::int64_t>(rng.next() >> 1) - (i % 2 == 0 ? 0 : std::int64_t{1} << 62);
    EXPECT_EQ(parse_moment(moment_text(moment)), moment) << moment;
  }
  // No overflow at the ends, which the format reaches and the parser leaves out.
  EXPECT_EQ(day_and_time(std::numeric_limits<std::int64_t>::max()).day, "2262-04-11");
  EXPECT_EQ(day_and_time(std::numeric_limits<std::int64_t>::min()).day, "1677-09-21");
}

}  // namespace
}  // namespace isolde::base
