#include "gen/generator.hpp"

#include <gtest/gtest.h>

namespace isolde::gen {
namespace {

constexpr std::array<Table, 3> kTables = {{{"a", {8}}, {"b", {3, 5, 7}}, {"c", {20, 20, 17}}}};

TEST(KeySpace, NamesRowsByTableAndColumns) {
  const KeySpace space(kTables);
  EXPECT_EQ(space.name(space.key(0, 0)), "a/0");
  EXPECT_EQ(space.name(space.key(0, 255)), "a/255");
  EXPECT_EQ(space.name(space.key(1, 7, 31, 127)), "b/7/31/127");
  EXPECT_EQ(space.name(space.key(2, 1, 0, 99'999)), "c/1/0/99999");
  EXPECT_EQ(KeySpace::table_of(space.key(2, 1, 2, 3)), 2U);
  EXPECT_GT(space.key(2, (1 << 20) - 1, (1 << 20) - 1, (1 << 17) - 1), 0);
}

TEST(Draft, LooksUpWhatWasSeenLast) {
  Plan plan;
  Draft first(plan);
  first.read(1);
  first.read(2);
  first.write(2, 5);
  first.write(3, kPayloadMask + 3);
  plan.ops[2].value |= std::int64_t{9} << kPayloadBits;
  const std::vector<Seen> results = {{(std::int64_t{4} << kPayloadBits) | 17}, {0}, {}, {}};
  const Draft draft(plan, results);
  EXPECT_EQ(draft.payload_of(1), 17);
  EXPECT_FALSE(draft.wrote(1));
  EXPECT_EQ(draft.payload_of(2, 100), 5);
  EXPECT_TRUE(draft.wrote(2));
  EXPECT_EQ(draft.payload_of(3), 2);
  EXPECT_EQ(draft.payload_of(4, 8), 8);
  // Before the write was done.
  const Draft earlier(plan, std::span(results).first(2));
  EXPECT_EQ(earlier.payload_of(2, 100), 100);
  EXPECT_FALSE(earlier.wrote(2));
}

}  // namespace
}  // namespace isolde::gen
