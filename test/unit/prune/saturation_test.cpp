// Goal: saturation derives what its two rules force, finds the cycles that follow, and never
// derives an order that some acceptable execution contradicts. Method: hand histories for each
// rule and encoding; random ones against all executions that the brute-force oracle accepts.
#include "prune/saturation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/topological.hpp"
#include "oracle/brute.hpp"
#include "support/random_history.hpp"
#include "unit/infer/observed.hpp"

namespace isolde::prune {
namespace {

using infer::Encoding;
using infer::test::Observed;
using infer::test::txn;
using Outcome = Saturation::Outcome;

const Encoding kSerial{.session_order = true};
const Encoding kSnapshot{.role = {.snapshot = true}, .session_order = true};

struct Saturated {
  Saturated(const Observed& observed, const Encoding& encoding)
      : events(observed.seen, encoding, budget), saturation(events, budget) {}

  base::Budget budget;
  EventGraph events;
  Saturation saturation;
};

std::string text_of(const std::vector<Fact>& orders) {
  std::string text;
  for (const Fact& each : orders) {
    text += text.empty() ? "" : " ";
    text +=
        std::to_string(each.order.before.raw()) + "<" + std::to_string(each.order.after.raw());
    text += each.via.is_some() ? ":" + std::to_string(each.via.raw()) : "";
  }
  return text;
}

struct Case {
  const char* what;
  const char* text;
  Encoding encoding;
  Outcome outcome;
  const char* orders;  ///< before<after, and :reader for rule S1
};

TEST(Saturation, AppliesItsRules) {
  const Case cases[] = {
      {"S1: the first writer reaches a reader of the second",
       "A: w(x=1) | w(y=1) ; B: w(x=2) ; C: r(y=1) r(x=2)", kSerial, Outcome::kFixpoint,
       "0<2:3"},
      {"S1 for snapshots", "A: w(x=1) | w(y=1) ; B: w(x=2) ; C: r(y=1) r(x=2)", kSnapshot,
       Outcome::kFixpoint, "0<2:3"},
      {"S2: the first writer reaches the second, and has another reader",
       "A: w(x=1) w(y=1) ; B: r(y=1) w(x=2) ; C: r(x=1)", kSerial, Outcome::kFixpoint, "0<1"},
      {"S2 without another reader says nothing new", "A: w(x=1) w(y=1) ; B: r(y=1) w(x=2)",
       kSerial, Outcome::kFixpoint, ""},
      {"S2 for snapshots: an anti-dependency and a common key",
       "A: r(z=_) w(x=1) ; B: w(z=1) w(x=2)", kSnapshot, Outcome::kFixpoint, "0<1"},
      {"the same is nothing new where transactions are single events",
       "A: r(z=_) w(x=1) ; B: w(z=1) w(x=2)", kSerial, Outcome::kFixpoint, ""},
      {"unrelated writers stay undecided", "A: w(x=1) ; B: w(x=2) ; C: r(x=1) ; D: r(x=2)",
       kSerial, Outcome::kFixpoint, ""},
      {"a reader misses its session's causal past",
       "A: w(x=1) | w(x=2) w(y=1) ; B: r(y=1) r(x=1)", kSerial, Outcome::kCycle, "0<1 1<0:2"},
      {"the same for snapshots", "A: w(x=1) | w(x=2) w(y=1) ; B: r(y=1) r(x=1)", kSnapshot,
       Outcome::kCycle, "0<1 1<0:2"},
      {"the initial version is overwritten for certain: nothing to derive",
       "A: w(x=1) ; B: w(y=1) ; C: r(x=1) r(y=_) ; D: r(x=_) r(y=1)", kSerial, Outcome::kCycle,
       ""},
      {"empty", "A: nop", kSerial, Outcome::kFixpoint, ""},
  };
  for (const Case& each : cases) {
    const Observed observed(each.text);
    Saturated run(observed, each.encoding);
    EXPECT_EQ(run.saturation.run(), each.outcome) << each.what;
    EXPECT_EQ(text_of(run.saturation.facts()), each.orders) << each.what;
  }
}

/// A long fork over overwritten versions: C and D see the two blind writes in opposite orders.
TEST(Saturation, RefutesALongFork) {
  const Observed observed(
      "A: w(x=1) w(y=1) ; B: r(x=1) w(x=2) ; C: r(y=1) w(y=2) ; D: r(x=2) r(y=1) ; "
      "E: r(x=1) r(y=2)");
  for (const Encoding& encoding : {kSerial, kSnapshot}) {
    Saturated run(observed, encoding);
    EXPECT_EQ(run.saturation.run(), Outcome::kCycle);
  }
}

TEST(Saturation, DerivesInRounds) {
  // 0<2 by the reader C; its rw edge from D (3), which reads A's x, to B leads on to F (4).
  const Observed observed(
      "A: w(x=1) | w(y=1) ; B: w(x=2) w(v=1) ; D: r(x=1) w(z=1) ; F: r(v=1) w(z=2) ; "
      "G: r(z=1) ; C: r(y=1) r(x=2)");
  Saturated run(observed, kSerial);
  ASSERT_EQ(run.saturation.run(), Outcome::kFixpoint);
  EXPECT_GE(run.saturation.rounds(), 2U);
  const std::vector<Fact>& orders = run.saturation.facts();
  EXPECT_EQ(text_of(orders), "0<2:6 3<4");
  // Edges carry the position of their order, in order, and edge_limit splits them.
  const graph::Digraph& graph = run.events.graph();
  for (std::uint32_t e = 0; e < graph.extra_count(); ++e) {
    const std::uint32_t tag = graph.tag(graph::EdgeId(e));
    ASSERT_LT(tag, orders.size());
    EXPECT_GE(e, orders[tag].edge_limit);
    if (tag + 1 < orders.size()) {
      EXPECT_LT(e, orders[tag + 1].edge_limit);
    }
  }
}

TEST(Saturation, StopsWithTheBudget) {
  const Observed observed("A: w(x=1) ; B: r(x=1)");
  Saturated run(observed, kSerial);
  run.budget.cancel();
  EXPECT_EQ(run.saturation.run(), Outcome::kStopped);
}

TEST(SaturationDeathTest, WantsAGraphWithoutExtraEdges) {
  const Observed observed("A: w(x=1) ; B: r(x=1)");
  Saturated run(observed, kSerial);
  run.events.graph().add(infer::NodeId(0), infer::NodeId(1), 0);
  EXPECT_DEATH(Saturation(run.events, run.budget), "check");
}

/// Calls visit(order) for each order of the included transactions that the oracle accepts.
template <typename Visit>
void each_execution(oracle::Execution& execution, Level level, const Visit& visit) {
  if (execution.is_complete()) {
    visit(execution.order());
    return;
  }
  const std::vector<TxnId> included(execution.included().begin(), execution.included().end());
  for (const TxnId next : included) {
    if (execution.contains(next) || !execution.passes(level, next)) continue;
    execution.push(next);
    each_execution(execution, level, visit);
    execution.pop();
  }
}

struct Tally {
  std::size_t orders = 0;
  std::size_t cycles = 0;
  std::size_t executions = 0;
};

void compare_with_oracle(const Observed& observed, const Encoding& encoding, Level level,
                         Tally& tally) {
  Saturated run(observed, encoding);
  const Outcome outcome = run.saturation.run();
  ASSERT_TRUE(outcome == Outcome::kFixpoint || outcome == Outcome::kCycle);
  tally.orders += run.saturation.facts().size();
  tally.cycles += outcome == Outcome::kCycle ? 1U : 0U;
  std::vector<TxnId> included;
  for (std::size_t t = 0; t < observed.seen.txn_count(); ++t) {
    if (observed.seen.is_included(TxnId::at(t))) included.push_back(TxnId::at(t));
  }
  oracle::Execution execution(*observed.history, included, 0);
  each_execution(execution, level, [&](std::span<const TxnId> order) {
    ++tally.executions;
    EXPECT_EQ(outcome, Outcome::kFixpoint);
    const auto place = [&](TxnId each) {
      return std::find(order.begin(), order.end(), each) - order.begin();
    };
    for (const Fact& derived : run.saturation.facts()) {
      EXPECT_LT(place(derived.order.before), place(derived.order.after))
          << text_of({derived}) << " in " << text_of(run.saturation.facts());
    }
  });
}

TEST(Saturation, ContradictsNoAcceptableExecution) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.txn_count = 3 + rng.below(3);
    options.session_count = 1 + rng.below(4);
    options.duplicate_share = 0;
    const support::PlainHistory plain = support::random_history(rng, options);
    const Observed observed(support::build(plain));
    if (observed.seen.finding() || observed.seen.non_repeatable()) continue;
    SCOPED_TRACE(testing::Message() << "seed " << seed << "\n" << support::to_text(plain));
    ASSERT_NO_FATAL_FAILURE(
        compare_with_oracle(observed, kSerial, Level::kStrongSessionSerializable, tally));
    ASSERT_NO_FATAL_FAILURE(compare_with_oracle(observed, kSnapshot,
                                                Level::kStrongSessionSnapshotIsolation, tally));
    if (HasFailure()) break;
  }
  EXPECT_GT(tally.orders, 100U);
  EXPECT_GT(tally.cycles, 50U);
  EXPECT_GT(tally.executions, 1000U);
}

}  // namespace
}  // namespace isolde::prune
