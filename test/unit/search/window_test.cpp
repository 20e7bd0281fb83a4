// Goal: windows keep what orders their transactions and nothing else; violations found in them
// are violations of the whole. Method: hand histories for what is kept; histories of the
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

using test::Observed;
using test::proved;
using test::rw;
using test::txn;
using test::wr;
using enum Level;

std::string operations(const History& history) {
  std::string text;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    text += history.session_name(history.session_of(TxnId::at(t))) + ":";
    for (const Op& op : history.ops(TxnId::at(t))) {
      text += (op.is_write() ? " w" : " r") + history.text(history.key_name(op.key)) + "=" +
              history.json(op.value);
    }
    text += "; ";
  }
  return text;
}

TEST(Window, KeepsReadsOfItsOwnVersions) {
  const Observed observed(
      "A: w(x=1) w(x=2) w(y=1) | r(x=2) r(y=1) r(z=_) w(z=1) ; B: w(y=2) ! ; C: r(z=1) w(y=3)");
  const std::vector<TxnId> part = {txn(1), txn(2), txn(3)};
  const Window window(observed.seen, part);
  // Keys and writes by their numbers: z is key 2. What B wrote does not count, and A's first
  // is not there.
  EXPECT_EQ(operations(window.history()), "A: r2=null w2=2; C: r2=2 w1=3; ");
  const Refutation refutation{
      {RefutationStep{{{txn(0), txn(1)}}, {wr(0, 1, 0), rw(1, 0, 1, txn(0))}, {}, {}}}, {}};
  const Refutation mapped = window.original(refutation);
  EXPECT_EQ(mapped.steps[0].clause[0], (VersionOrder{txn(1), txn(3)}));
  EXPECT_EQ(mapped.steps[0].cycle[0], wr(1, 3, 2));
  EXPECT_EQ(mapped.steps[0].cycle[1], rw(3, 1, 1, txn(1)));
}

TEST(Window, KnowsNoEndOfUncertainOnes) {
  const Observed observed("A: w(x=1) ? @1,2 ; B: r(x=1) @3,4");
  const std::vector<TxnId> part = {txn(0), txn(1)};
  const Window window(observed.seen, part);
  EXPECT_EQ(window.history().status(txn(0)), TxnStatus::kCommitted);
  EXPECT_EQ(window.history().times(txn(0)).end, kNoTime);
  EXPECT_EQ(window.history().times(txn(1)).end, 4);
}

TEST(Window, RefutesTheWhole) {
  std::size_t found = 0;
  std::size_t all = 0;
  const std::uint64_t cases = support::case_count(40, 20);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    sim::SimulationOptions options;
    options.workload =
        gen::default_options(i % 3 == 0 ? gen::Workload::kListAppend : gen::Workload::kGeneral);
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
