// Goal: guesses are topological orders of the certain edges that follow times or simulate a
// store, and following their version orders gives witnesses. Method: hand histories; whatever
// is called a witness goes to the verifier.
#include "order/guess.hpp"

#include <gtest/gtest.h>

#include "support/proved.hpp"
#include "support/random_history.hpp"

namespace isolde::checker {
namespace {

using infer::Encoding;
using test::Observed;
using test::proved;
using enum Level;

const Encoding kSerial;
const Encoding kSnapshot{.role = {.snapshot = true}};

std::vector<std::uint32_t> numbers(const Witness& witness) {
  std::vector<std::uint32_t> txns;
  for (const TxnId txn : witness.order) txns.push_back(txn.raw());
  return txns;
}

struct Guess {
  Guess(std::string_view text, const Encoding& encoding)
      : observed(text), events(observed.seen, encoding, budget) {}

  std::vector<std::uint32_t> by_time() {
    return numbers(to_witness(events, order_by_time(events, budget)));
  }
  std::vector<std::uint32_t> by_simulation() {
    return numbers(to_witness(events, order_by_simulation(events, budget)));
  }

  Observed observed;
  base::Budget budget;
  EventGraph events;
};

using Order = std::vector<std::uint32_t>;

TEST(Guess, FollowsTimes) {
  EXPECT_EQ(Guess("A: w(x=1) @5,6 ; B: w(x=2) @1,2 ; C: w(x=3) @3,4", kSerial).by_time(),
            (Order{1, 2, 0}));
  // Begin at start, commit at end.
  EXPECT_EQ(Guess("A: w(x=1) @1,9 ; B: w(y=2) @2,3", kSnapshot).by_time(), (Order{0, 1, 1, 0}));
  // Certain edges come first.
  EXPECT_EQ(Guess("A: r(x=1) @1,2 ; B: w(x=1) @3,4", kSerial).by_time(), (Order{1, 0}));
}

TEST(Guess, LeavesOutWhatIsNotIncluded) {
  EXPECT_EQ(Guess("A: w(x=1) ! ; B: w(x=2) ; C: w(x=3) ?", kSerial).by_time(), (Order{1}));
}

TEST(Guess, IsEmptyWhenTheCertainEdgesHaveACycle) {
  Guess guess("A: w(x=1) r(y=1) ; B: r(x=1) w(y=1)", kSerial);
  EXPECT_TRUE(order_by_time(guess.events, guess.budget).empty());
  EXPECT_TRUE(order_by_simulation(guess.events, guess.budget).empty());
}

TEST(Guess, SimulationWaitsForReaders) {
  // B must not overwrite x before its reader C has run, although it comes first.
  const Order order =
      Guess("A: w(x=1) ; B: w(x=2) ; C: r(x=1) ; D: r(x=2)", kSerial).by_simulation();
  const auto place = [&](std::uint32_t txn) {
    return std::find(order.begin(), order.end(), txn) - order.begin();
  };
  ASSERT_EQ(order.size(), 4U);
  EXPECT_TRUE(place(2) < place(1) || place(3) < place(0));
}

TEST(Guess, VersionOrdersOfAnOrderMakeAWitness) {
  Guess guess("A: w(x=1) ; B: w(x=2) ; C: r(x=1) ; D: r(x=2)", kSerial);
  const std::vector<NodeId> good = {NodeId(0), NodeId(1), NodeId(2), NodeId(3)};
  const auto found = follow_version_orders(guess.events, good, guess.budget);
  ASSERT_TRUE(found.has_value());
  const Witness witness = to_witness(guess.events, *found);
  EXPECT_EQ(witness.mentions, 1);
  EXPECT_EQ(proved(*guess.observed.history, kSerializable, witness), "holds");
}

TEST(Guess, WrongVersionOrdersMakeNone) {
  // A reaches C, which reads B's x: so A must come before B.
  Guess bad("A: w(x=1) w(u=1) ; B: w(x=2) ; C: r(u=1) r(x=2)", kSerial);
  const std::vector<NodeId> backwards = {NodeId(1), NodeId(0), NodeId(2)};
  EXPECT_FALSE(follow_version_orders(bad.events, backwards, bad.budget).has_value());
}

TEST(Guess, WitnessesOfRandomHistoriesVerify) {
  int serial = 0;
  int snapshot = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Observed observed(support::build(support::random_history(seed)));
    if (observed.seen.finding() || observed.seen.non_repeatable()) continue;
    for (const bool split : {false, true}) {
      base::Budget budget;
      EventGraph events(observed.seen, split ? kSnapshot : kSerial, budget);
      for (const auto& order :
           {order_by_time(events, budget), order_by_simulation(events, budget)}) {
        if (order.empty()) continue;
        const auto found = follow_version_orders(events, order, budget);
        if (!found) continue;
        ++(split ? snapshot : serial);
        ASSERT_EQ(proved(*observed.history, split ? kSnapshotIsolation : kSerializable,
                         to_witness(events, *found)),
                  "holds")
            << "seed " << seed;
      }
    }
  }
  EXPECT_GT(serial, 200);
  EXPECT_GT(snapshot, 200);
}

}  // namespace
}  // namespace isolde::checker
