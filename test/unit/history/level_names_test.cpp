#include "history/level_names.hpp"

#include <gtest/gtest.h>

namespace isolde::history {
namespace {

TEST(LevelNames, AreFoundAsPeopleTypeThem) {
  for (const LevelInfo& row : all_levels()) EXPECT_EQ(*level_named(row.name), row.level);
  EXPECT_EQ(*level_named("SER"), Level::kSerializable);
  EXPECT_EQ(*level_named("Read Committed"), Level::kReadCommitted);
  EXPECT_EQ(*level_named("snapshot_isolation"), Level::kSnapshotIsolation);
}

TEST(LevelNames, AreFoundAsFilesHaveThem) {
  for (const LevelInfo& row : all_levels()) EXPECT_EQ(level_written(row.name), row.level);
  EXPECT_EQ(level_written("ser"), Level::kSerializable);
  EXPECT_EQ(level_written("strong-session-causal"), Level::kCausal);
  EXPECT_EQ(level_written("SER"), std::nullopt);
  EXPECT_EQ(level_written("Read Committed"), std::nullopt);
}

TEST(LevelNames, SuggestsOthers) {
  EXPECT_EQ(
      level_named("seralizable").error().message,
      "unknown level 'seralizable' (did you mean serializable?); isolde levels lists them "
      "all");
  EXPECT_EQ(level_named("").error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace isolde::history
