#include "history/level_names.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace isolde::history {
namespace {

TEST(LevelNames, AreFoundAsPeopleTypeThem) {
  for (const LevelInfo& row : all_levels()) EXPECT_EQ(*level_named(row.name), row.level);
  EXPECT_EQ(*level_named("SER"), Level::kSerializable);
  EXPECT_EQ(*level_named("Read Committed"), Level::kReadCommitted);
  EXPECT_EQ(*level_named("snapshot_isolation"), Level::kSnapshotIsolation);
}

TEST(LevelNames, AreAdyasToo) {
  EXPECT_EQ(*level_named("PL-3"), Level::kSerializable);
  EXPECT_EQ(*level_named("PL-2.99"), Level::kRepeatableRead);
  EXPECT_EQ(*level_named("PL-SI"), Level::kSnapshotIsolation);
  EXPECT_EQ(*level_named("pl-2+"), Level::kParallelSnapshotIsolation);
  EXPECT_EQ(*level_named("PL_2"), Level::kReadCommitted);
  EXPECT_EQ(*level_named("pl 1"), Level::kReadUncommitted);
  // Levels that have no row of their own, and names that files do not have.
  for (const char* other : {"PL-2L", "PL-3U", "PL-CS", "PL", "strong-session-pl-3"}) {
    EXPECT_FALSE(level_named(other).ok()) << other;
  }
  for (const AdyaName& each : adya_names()) {
    EXPECT_EQ(find_level(each.name), each.level);
    EXPECT_EQ(level_written(each.name), std::nullopt);
  }
  EXPECT_NE(level_named("pl-2.9").error().message.find("did you mean pl-2.99"),
            std::string::npos);
}

TEST(LevelNames, AreFoundAsFilesHaveThem) {
  for (const LevelInfo& row : all_levels()) EXPECT_EQ(level_written(row.name), row.level);
  EXPECT_EQ(level_written("ser"), Level::kSerializable);
  EXPECT_EQ(level_written("strong-session-causal"), Level::kCausal);
  EXPECT_EQ(level_written("SER"), std::nullopt);
  EXPECT_EQ(level_written("Read Committed"), std::nullopt);
}

TEST(LevelNames, AreThoseOfIsolationsThatAreMeant) {
  constexpr std::array<std::string_view, 4> kNames = {"a-b", "ab", "read-committed",
                                                      "serializable"};
  for (const char* typed :
       {"read-committed", "READ COMMITTED", "readcommitted", "rc", "pl-2"}) {
    EXPECT_EQ(meant_name(typed, kNames), "read-committed") << typed;
  }
  EXPECT_EQ(meant_name("ab", kNames), "ab");
  EXPECT_EQ(meant_name("a_b", kNames), "a-b");
  for (const char* typed : {"", "-", "si", "serializable-", "snapshotisolation"}) {
    EXPECT_EQ(meant_name(typed, kNames), std::nullopt) << typed;
  }
}

TEST(LevelNames, SuggestsOthers) {
  EXPECT_EQ(level_named("seralizable").error().message,
            "unknown level 'seralizable' (did you mean serializable?); docs/LEVELS.md has them "
            "all");
  EXPECT_EQ(level_named("").error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace isolde::history
