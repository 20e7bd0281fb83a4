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

TEST(LevelTraits, AgreeWithTheVerifier) {
  for (const LevelInfo& level : all_levels()) {
    SCOPED_TRACE(level.name);
    const infer::Role& role = traits(level.base).role;
    if (level.base == BaseLevel::kMixed) continue;  // each transaction has its own
    EXPECT_EQ(certify::rules(level).has_snapshot(), role.snapshot);
    EXPECT_EQ(certify::rules(level).at_commit,
              is_searched(level.base) && role == infer::Role());
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
