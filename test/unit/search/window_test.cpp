// Goal: violations found in windows are violations of the whole. Method: histories of the
// simulated store that are one level too weak, whose refutations go to the verifier.
#include "search/window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/hash.hpp"
#include "level/level_traits.hpp"
#include "order/sweep.hpp"
#include "sim/simulate.hpp"
#include "support/proved.hpp"
#include "support/seed.hpp"

namespace isolde::checker {
namespace {

using test::proved;
using enum Level;

TEST(Window, RefutesTheWhole) {
  std::size_t found = 0;
  std::size_t all = 0;
  const std::uint64_t cases = support::case_count(40, 20);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    sim::SimulationOptions options;
    options.workload = gen::default_options(i % 3 == 0 ? gen::Workload("list-append")
                                                       : gen::Workload("general"));
    options.workload.sessions = 6;
    options.workload.txns = 600;
    options.workload.keys = 60;
    options.workload.seed = seed;
    options.level =
        i % 2 == 0 ? sim::StoreLevel::kSnapshotIsolation : sim::StoreLevel::kReadCommitted;
    options.lost_reply_rate = 0.02;
    const Result<History> history = sim::simulate(options);
    ASSERT_TRUE(history.ok());
    base::Budget budget;
    const infer::Observations seen = infer::observe(*history, budget);
    if (seen.finding() || seen.non_repeatable()) continue;
    Sweep sweep(seen, budget);
    for (const Level level : {kStrictSerializable, kStrongSessionSerializable, kSerializable,
                              kStrongSnapshotIsolation, kStrongSessionPrefixConsistency}) {
      if (sweep.find(sweep_encoding(info(level), 0))) continue;
      CheckStatistics statistics;
      const std::optional<Refutation> refutation =
          refute_nearby(seen, info(level), info(level).session_order, sweep.order(),
                        sweep.cycle(), {}, statistics, budget);
      ++all;
      if (!refutation) continue;
      ++found;
      ASSERT_EQ(proved(*history, level, *refutation), "violated") << "seed " << seed;
    }
  }
  std::printf("%zu of %zu\n", found, all);
  EXPECT_GT(found * 3, all);
}

}  // namespace
}  // namespace isolde::checker
