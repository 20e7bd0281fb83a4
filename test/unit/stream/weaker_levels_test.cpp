#include "stream/weaker_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check.hpp"
#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

using Levels = std::vector<Level>;

/// What falls with strict serializability.
Levels fallen(std::string_view text) {
  base::Budget budget;
  History history = support::parse(text);
  CheckOptions options;
  options.levels = {Level::kStrictSerializable};
  CheckReport report = check(history, options, budget);
  EXPECT_EQ(report.levels.front().verdict, Verdict::kViolated);
  Certificate certificate{Level::kStrictSerializable, history.digest(), 0,
                          std::move(report.proofs[report.levels.front().proof])};
  return also_violated({std::move(history), std::move(certificate)}, budget);
}

TEST(WeakerLevels, OfAStaleReadNeedRealTime) {
  const Levels levels = fallen("A: w(x=1) @0,10\nB: r(x=_) @20,30");
  ASSERT_FALSE(levels.empty());
  EXPECT_NE(std::ranges::find(levels, Level::kStrongSnapshotIsolation), levels.end());
  EXPECT_EQ(std::ranges::find(levels, Level::kSerializable), levels.end());
}

TEST(WeakerLevels, OfALostUpdateGoDownToSnapshots) {
  const Levels levels = fallen("A: r(x=_) w(x=1) @0,10\nB: r(x=_) w(x=2) @0,10");
  EXPECT_NE(std::ranges::find(levels, Level::kSnapshotIsolation), levels.end());
  EXPECT_EQ(std::ranges::find(levels, Level::kStrictSerializable), levels.end());
  EXPECT_EQ(std::ranges::find(levels, Level::kPrefixConsistency), levels.end());
}

TEST(WeakerLevels, AreTheWeakestOfSome) {
  EXPECT_EQ(weakest({Level::kSerializable, Level::kReadAtomic, Level::kReadCommitted}),
            (Levels{Level::kReadCommitted}));
  EXPECT_EQ(weakest({}), Levels());
}

}  // namespace
}  // namespace isolde::stream
