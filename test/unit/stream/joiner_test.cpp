#include "stream/joiner.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

TEST(Joiner, PutsHistoriesOneBehindTheOther) {
  const History one = support::parse("A: w(x=1) r(y=_) @0,5\nB: w(y=2) ! @1,6");
  const History other = support::parse("B: r(y=3) ? @7,_\nA: w(y=3) r(x=1) @8,9");
  Joiner joiner(Joiner::Labels::kNumbers);
  joiner.add(
      one, 10, [](std::size_t i) { return i == 0; }, kEnterNothing);
  joiner.add(other, 20, kAll, kEnterNothing,
             [](std::size_t i, const Op& op) { return i != 1 || op.is_write(); });
  const Result<History> joined = joiner.finish();
  ASSERT_TRUE(joined.ok()) << joined.error().message;
  EXPECT_EQ(support::to_text(*joined),
            "A: w(x=1) r(y=_) @0,5\nB: r(y=3) ? @7,_\nA: w(y=3) r(x=?) @8,9\n");
  EXPECT_EQ(joined->position_in_input(TxnId::at(0)), 11U);
  EXPECT_EQ(joined->position_in_input(TxnId::at(2)), 22U);
  EXPECT_EQ(joined->txn_name(TxnId::at(2)), "#22");
  // Once more, with their own numbers.
  Joiner again;
  again.add(*joined, Joiner::kOwnNumbers, kAll, kEnterNothing);
  const Result<History> copy = again.finish();
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copy->position_in_input(TxnId::at(2)), 22U);
  EXPECT_EQ(support::to_text(*copy), support::to_text(*joined));
}

}  // namespace
}  // namespace isolde::stream
