// The level table: names, and that implication is an order that the table respects.
#include "isolde/level.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace isolde {
namespace {

TEST(Levels, AreFoundByNameAndAlias) {
  std::set<std::string_view> names;
  for (const LevelInfo& row : all_levels()) {
    EXPECT_EQ(&info(row.level), &row);
    EXPECT_EQ(find_level(row.name), row.level);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty());
    if (row.alias.empty()) continue;
    EXPECT_EQ(find_level(row.alias), row.level);
    EXPECT_TRUE(names.insert(row.alias).second) << row.alias;
  }
  EXPECT_EQ(find_level("ser"), Level::kSerializable);
  EXPECT_EQ(find_level("SER"), std::nullopt);
  EXPECT_EQ(find_level(""), std::nullopt);
}

TEST(Levels, ImplicationIsAPartialOrder) {
  for (const bool timed : {false, true}) {
    for (const LevelInfo& a : all_levels()) {
      EXPECT_TRUE(implies(a.level, a.level, timed));
      for (const LevelInfo& b : all_levels()) {
        for (const LevelInfo& c : all_levels()) {
          if (!implies(a.level, b.level, timed) || !implies(b.level, c.level, timed)) continue;
          EXPECT_TRUE(implies(a.level, c.level, timed))
              << a.name << " -> " << b.name << " -> " << c.name;
        }
      }
    }
  }
}

TEST(Levels, ComeStrongerFirst) {
  for (const LevelInfo& earlier : all_levels()) {
    for (const LevelInfo& later : all_levels()) {
      if (later.level <= earlier.level) continue;
      EXPECT_FALSE(implies(later.level, earlier.level, true)) << later.name << earlier.name;
    }
  }
}

TEST(Levels, ImplyWhatTheLiteratureSays) {
  EXPECT_TRUE(implies(Level::kSerializable, Level::kSnapshotIsolation, false));
  EXPECT_TRUE(implies(Level::kSerializable, Level::kReadCommitted, false));
  EXPECT_FALSE(implies(Level::kSnapshotIsolation, Level::kSerializable, false));
  EXPECT_TRUE(implies(Level::kStrictSerializable, Level::kStrongSnapshotIsolation, false));
  EXPECT_FALSE(implies(Level::kSerializable, Level::kStrongSessionSnapshotIsolation, false));
  // Real time orders a session only where its transactions really follow one another.
  EXPECT_FALSE(implies(Level::kStrictSerializable, Level::kStrongSessionSerializable, false));
  EXPECT_TRUE(implies(Level::kStrictSerializable, Level::kStrongSessionSerializable, true));
}

}  // namespace
}  // namespace isolde
