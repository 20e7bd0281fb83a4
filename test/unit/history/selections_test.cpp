#include "history/selections.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "base/rng.hpp"
#include "support/seed.hpp"

namespace isolde::history {
namespace {

std::vector<RankSet::Rank> drained(RankSet& ranks) {
  std::vector<RankSet::Rank> all;
  ranks.drain([&](RankSet::Rank rank) { all.push_back(rank); });
  return all;
}

TEST(RankSet, GivesWhatIsInItOnceAndInOrder) {
  base::Rng rng(support::run_seed());
  for (const std::size_t end : {std::size_t{1}, std::size_t{64}, std::size_t{4096},
                                std::size_t{4097}, std::size_t{1000000}}) {
    RankSet ranks(end);
    EXPECT_TRUE(drained(ranks).empty());
    for (int round = 0; round < 20; ++round) {
      std::set<RankSet::Rank> expected = {static_cast<RankSet::Rank>(end - 1)};
      for (std::size_t i = rng.below(300); i > 0; --i) {
        // Near each other, or anywhere.
        const std::size_t range = rng.below(2) == 0 ? end : std::min<std::size_t>(end, 200);
        expected.insert(static_cast<RankSet::Rank>(rng.below(range)));
      }
      for (int times = 0; times < 2; ++times) {
        for (const RankSet::Rank rank : expected) ranks.insert(rank);
      }
      EXPECT_EQ(drained(ranks), std::vector<RankSet::Rank>(expected.begin(), expected.end()));
      EXPECT_TRUE(drained(ranks).empty());
    }
  }
}

}  // namespace
}  // namespace isolde::history
