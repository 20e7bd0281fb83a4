// Goal: what a transaction leaves of a key counts, and who else may delete it is known as far
// as it makes a difference. Method: hand histories, and parts of them.
#include "infer/deletions.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "infer/part.hpp"
#include "unit/infer/observed.hpp"

namespace isolde::infer {
namespace {

using test::key;
using test::Observed;
using test::txn;

WriteId write_of(const Observations& seen, std::uint32_t number, std::uint32_t of) {
  return seen.find_write(txn(number), key(of));
}

TEST(Deletions, AreWhatATransactionLeaves) {
  const Observed observed("A: w(x=1) d(y) | d(x) w(x=2) | w(x=3) d(x)");
  const Observations& seen = observed.seen;
  EXPECT_TRUE(seen.has_deletions());
  EXPECT_FALSE(seen.is_dead(write_of(seen, 0, 0)));
  EXPECT_TRUE(seen.is_dead(write_of(seen, 0, 1)));
  EXPECT_FALSE(seen.is_dead(write_of(seen, 1, 0)));
  EXPECT_TRUE(seen.is_dead(write_of(seen, 2, 0)));
}

TEST(Deletions, OfNothingCostNothing) {
  const Observed observed("A: w(x=1) | w(x=2)");
  const Observations& seen = observed.seen;
  EXPECT_FALSE(seen.has_deletions());
  EXPECT_TRUE(seen.must_see(write_of(seen, 0, 0), write_of(seen, 1, 0)));
}

TEST(Deletions, MayBeBetweenTwoWrites) {
  const Observed observed("A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: d(x)");
  const Observations& seen = observed.seen;
  EXPECT_FALSE(seen.must_see(write_of(seen, 0, 0), write_of(seen, 1, 0)));
  EXPECT_TRUE(seen.must_see(write_of(seen, 0, 1), write_of(seen, 1, 1)));
  // The deletion replaces a live version, and is replaced as a dead one.
  EXPECT_TRUE(seen.must_see(write_of(seen, 0, 0), write_of(seen, 2, 0)));
  EXPECT_FALSE(seen.must_see(write_of(seen, 2, 0), write_of(seen, 0, 0)));
  EXPECT_TRUE(seen.all_deleters_are_certain(key(0)));
}

TEST(Deletions, OfUnknownOutcomeAreNotCertain) {
  const Observed observed("A: w(x=1) ; B: w(x=2) ; C: d(x) ?");
  const Observations& seen = observed.seen;
  EXPECT_FALSE(seen.all_deleters_are_certain(key(0)));
  EXPECT_FALSE(seen.must_see(write_of(seen, 0, 0), write_of(seen, 1, 0)));
  EXPECT_FALSE(Observed("A: w(x=1) ; C: d(x) !").seen.has_deletions());
}

// What is not in a part may still be in between.
TEST(Deletions, OutsideOfAPartCount) {
  const Observed observed("A: w(x=1) ; B: w(x=2) ; C: d(x)");
  const std::vector<TxnId> two = {txn(0), txn(1)};
  const Part part = restriction(observed.seen, two);
  const Observations& without = part.seen();
  EXPECT_FALSE(without.must_see(write_of(without, 0, 0), write_of(without, 1, 0)));
  const std::vector<TxnId> others = {txn(0), txn(2)};
  const Part other = restriction(observed.seen, others);
  const Observations& with = other.seen();
  EXPECT_TRUE(with.must_see(write_of(with, 0, 0), write_of(with, 1, 0)));
}

}  // namespace
}  // namespace isolde::infer
