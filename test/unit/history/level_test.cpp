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
    std::string letters(row.name);
    std::erase(letters, '-');
    EXPECT_EQ(find_level(letters), row.level) << letters;
    EXPECT_EQ(&info(row.level), &row);
    EXPECT_EQ(find_level(row.name), row.level);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty());
    if (row.alias.empty()) continue;
    EXPECT_EQ(find_level(row.alias), row.level);
    EXPECT_TRUE(names.insert(row.alias).second) << row.alias;
  }
  EXPECT_EQ(find_level("ser"), Level::kSerializable);
  EXPECT_EQ(find_level("SER"), Level::kSerializable);
  EXPECT_EQ(find_level("Read Committed"), Level::kReadCommitted);
  EXPECT_EQ(find_level("snapshot_isolation"), Level::kSnapshotIsolation);
  EXPECT_EQ(find_level("Strong Session Causal"), Level::kCausal);
  EXPECT_EQ(find_level("ReadCommitted"), Level::kReadCommitted);
  EXPECT_EQ(find_level("serializable "), std::nullopt);
  EXPECT_EQ(find_level("---"), std::nullopt);
  // Where sessions are part of a level, the prefix says nothing new.
  EXPECT_EQ(find_level("strong-session-causal"), Level::kCausal);
  EXPECT_EQ(find_level("strong-session-transactional-causal"), Level::kTransactionalCausal);
  EXPECT_EQ(find_level("strong-session-linearizable"), std::nullopt);
  EXPECT_EQ(find_level("strong-session-repeatable-read"), std::nullopt);
  EXPECT_EQ(find_level("strong-session-"), std::nullopt);
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
  // The thesis: Fig. 3.4, and chapter 4 with App. G.
  EXPECT_TRUE(implies(Level::kSnapshotIsolation, Level::kParallelSnapshotIsolation, false));
  EXPECT_TRUE(implies(Level::kParallelSnapshotIsolation, Level::kReadAtomic, false));
  EXPECT_TRUE(implies(Level::kReadAtomic, Level::kReadCommitted, false));
  EXPECT_TRUE(implies(Level::kReadCommitted, Level::kReadUncommitted, false));
  EXPECT_TRUE(implies(Level::kSequential, Level::kCausal, false));
  for (const Level guarantee : {Level::kReadYourWrites, Level::kMonotonicReads,
                                Level::kMonotonicWrites, Level::kWritesFollowReads}) {
    EXPECT_TRUE(implies(Level::kCausal, guarantee, false)) << info(guarantee).name;
    EXPECT_FALSE(implies(Level::kSerializable, guarantee, false)) << info(guarantee).name;
    EXPECT_TRUE(implies(Level::kStrictSerializable, guarantee, true)) << info(guarantee).name;
  }
  EXPECT_FALSE(implies(Level::kCausal, Level::kReadAtomic, false));
  EXPECT_FALSE(implies(Level::kSequential, Level::kSerializable, false));
  EXPECT_FALSE(implies(Level::kSerializable, Level::kSequential, false));
  // Biswas and Enea: SER, SI, PC, CC, RA, RC, all with session order.
  EXPECT_TRUE(implies(Level::kStrongSessionSnapshotIsolation,
                      Level::kStrongSessionPrefixConsistency, false));
  EXPECT_TRUE(
      implies(Level::kStrongSessionPrefixConsistency, Level::kTransactionalCausal, false));
  EXPECT_TRUE(implies(Level::kTransactionalCausal, Level::kStrongSessionReadAtomic, false));
  EXPECT_TRUE(implies(Level::kStrongSessionReadAtomic, Level::kStrongSessionMonotonicAtomicView,
                      false));
  EXPECT_FALSE(implies(Level::kPrefixConsistency, Level::kParallelSnapshotIsolation, false));
  EXPECT_FALSE(implies(Level::kParallelSnapshotIsolation, Level::kPrefixConsistency, false));
  // Herlihy and Wing: linearizability is local, so it does not order different keys.
  EXPECT_TRUE(implies(Level::kStrictSerializable, Level::kLinearizable, false));
  EXPECT_FALSE(implies(Level::kSerializable, Level::kLinearizable, true));
  EXPECT_FALSE(implies(Level::kLinearizable, Level::kReadUncommitted, true));
  // Real time orders a session only where its transactions really follow one another.
  EXPECT_FALSE(implies(Level::kStrictSerializable, Level::kStrongSessionSerializable, false));
  EXPECT_TRUE(implies(Level::kStrictSerializable, Level::kStrongSessionSerializable, true));
}

// Found and confirmed with the oracle; test/oracle has the histories that tell the rest apart.
TEST(Levels, ImplyWhatFollowsFromTheDefinitions) {
  // An order of commits that keeps sessions is all that these two ask for.
  EXPECT_TRUE(implies(Level::kStrongSessionReadCommitted, Level::kWritesFollowReads, false));
  EXPECT_TRUE(implies(Level::kStrongSessionReadCommitted, Level::kMonotonicWrites, false));
  // One execution in which everything can be read, but not in the order of sessions.
  EXPECT_TRUE(implies(Level::kWritesFollowReads, Level::kReadCommitted, false));
  EXPECT_FALSE(implies(Level::kWritesFollowReads, Level::kStrongSessionReadCommitted, false));
  // Lists may show a session's blind appends backwards.
  EXPECT_FALSE(implies(Level::kWritesFollowReads, Level::kMonotonicWrites, false));
  // Reads of a transaction that move forward see no transaction in part and then less of it.
  EXPECT_TRUE(implies(Level::kSequential, Level::kStrongSessionMonotonicAtomicView, false));
  EXPECT_FALSE(implies(Level::kCausal, Level::kMonotonicAtomicView, false));
  // On one key, updates that are not lost leave nothing to disagree on.
  EXPECT_TRUE(implies(Level::kStrongParallelSnapshotIsolation, Level::kLinearizable, false));
  EXPECT_FALSE(implies(Level::kStrongPrefixConsistency, Level::kLinearizable, true));
}

}  // namespace
}  // namespace isolde
