// The engine's table of levels against what users are told of them, and against what the
// verifier makes of them in its own words.
#include "level/level_traits.hpp"

#include <gtest/gtest.h>

#include "certify/level_rules.hpp"
#include "history/base_levels.hpp"

namespace isolde::checker {
namespace {

bool is_searched(BaseLevel base) { return traits(base).method == Method::kVersionOrders; }

TEST(LevelTraits, AgreeWithThePredicatesOfLevels) {
  for (const LevelInfo& level : all_levels()) {
    SCOPED_TRACE(level.name);
    const LevelTraits& row = traits(level.base);
    EXPECT_EQ(row.base, level.base);
    EXPECT_EQ(explains_sessions_apart(level.base), row.method == Method::kSessions);
    EXPECT_EQ(goes_by_database_times(level.base), row.method == Method::kDatabaseTimes);
    const bool is_mixed = row.method == Method::kMixedVersionOrders;
    EXPECT_EQ(reads_one_state(level.base),
              orders_versions(level.base) && row.role.has_anti_dependencies && !is_mixed);
    EXPECT_EQ(orders_versions(level.base),
              reads_one_state(level.base) || allows_long_forks(level.base) || is_mixed);
    EXPECT_TRUE(reads_one_state(level.base) || !order_tells_sources(level.base));
    const bool has_roles = is_searched(level.base) || row.method == Method::kViews;
    EXPECT_EQ(is_mixable(level.base), has_roles && !allows_long_forks(level.base) &&
                                          level.base != BaseLevel::kPerKeyStrict);
    const bool searches_none =
        row.method == Method::kShownOrders || row.method == Method::kKeyByKey;
    EXPECT_EQ(row.searches_sources, !searches_none);
  }
}

// The compiler sees to it that the verifier has a row for each base (certify/level_rules.cpp).
TEST(LevelTraits, AgreeWithTheVerifier) {
  using certify::Test;
  for (const LevelInfo& level : all_levels()) {
    SCOPED_TRACE(level.name);
    const BaseLevel base = level.base;
    const LevelTraits& row = traits(base);
    const certify::LevelRules& said = certify::rules(base);
    EXPECT_EQ(said.test == Test::kStates, reads_one_state(base));
    EXPECT_EQ(said.test == Test::kPreceding, allows_long_forks(base));
    EXPECT_EQ(said.test == Test::kSources, row.method == Method::kViews);
    EXPECT_EQ(said.test == Test::kLists, is_uncommitted(level.level));
    EXPECT_EQ(said.test == Test::kSessions, tests_each_read(base));
    EXPECT_EQ(said.test == Test::kKeys, is_told_by_key(level.level));
    EXPECT_EQ(said.test == Test::kStated, is_mixed(level.level));
    EXPECT_EQ(said.at_commit, is_serial(base));
    EXPECT_EQ(said.has_snapshot(), row.role.snapshot && !is_mixed(level.level));
    EXPECT_EQ(said.keeps_writers_apart,
              said.has_snapshot() && row.role.forbids_concurrent_writers);
    EXPECT_EQ(said.clock != certify::Clock::kNone, goes_by_database_times(base));
    EXPECT_EQ(said.clock == certify::Clock::kExactly, sees_all_committed(base));
    EXPECT_EQ(static_cast<int>(said.views), static_cast<int>(row.views));
    EXPECT_EQ(said.is_apart(), explains_sessions_apart(base));
    EXPECT_EQ(said.repeats(), reads_repeatably(base));
    EXPECT_EQ(said.loses_no_update(), forbids_lost_updates(base));
    EXPECT_EQ(said.real_time_by_key, binds_real_time_by_key(base));
    EXPECT_EQ(said.absent_rows, !disregards_left_out_rows(base));
    EXPECT_EQ(said.current_reads, counts_refused_inserts(base) && !is_mixed(level.level));
    EXPECT_EQ(said.may_be_stated, is_mixable(base));
    if (row.method != Method::kSessions) continue;
    using Rules = certify::SessionRules;
    EXPECT_EQ(said.session.all_reads, row.session.all_reads_count);
    EXPECT_EQ(said.session.from == Rules::From::kRead &&
                  said.session.to == Rules::To::kCommitOfUpdate,
              row.session.writes_follow_reads);
  }
}

/// What a sweep finds is a witness of a level with the same role, which must imply the level.
TEST(LevelTraits, ASweepLooksForALevelThatImpliesTheLevel) {
  for (const LevelInfo& level : all_levels()) {
    SCOPED_TRACE(level.name);
    const Method method = traits(level.base).method;
    const bool is_swept = method != Method::kMixedVersionOrders &&
                          method != Method::kDatabaseTimes && method != Method::kKeyByKey;
    if (!is_swept) continue;
    const infer::Encoding wanted = sweep_encoding(level, 0);
    bool any = false;
    for (const LevelInfo& other : all_levels()) {
      if (!is_searched(other.base) || encoding(other, 0).real_time_by_key) continue;
      if (encoding(other, 0).role != wanted.role) continue;
      if (other.session_order != wanted.session_order) continue;
      if (other.real_time != wanted.real_time) continue;
      any = any || implies(other.level, level.level, false);
    }
    // No level that is searched has both.
    EXPECT_TRUE(any || (wanted.session_order && wanted.real_time));
  }
}

TEST(LevelTraits, EncodingsFollowTheRow) {
  for (const LevelInfo& level : all_levels()) {
    SCOPED_TRACE(level.name);
    if (level.base == BaseLevel::kMixed) continue;
    const infer::Encoding graph = encoding(level, 7);
    EXPECT_EQ(graph.role, traits(level.base).role);
    EXPECT_EQ(graph.session_order, level.session_order);
    EXPECT_EQ(graph.real_time, level.real_time);
    EXPECT_EQ(graph.clock_error_ns, 7);
    EXPECT_FALSE(graph.mixture);
    EXPECT_EQ(needs_times(level), graph.real_time || graph.real_time_by_key);
  }
}

}  // namespace
}  // namespace isolde::checker
