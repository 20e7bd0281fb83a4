// Goal: a wrong result is told with what the versions give, as far as the step takes them for
// granted. Method: histories by hand.
#include "explain/results.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::explain {
namespace {

TxnId txn(std::size_t number) { return TxnId::at(number); }

TEST(Results, SayWhatTheVersionsGive) {
  const History history = support::parse("A: w(1=5) w(2=6) ; B: s(get=count: 1) s(get=sum: 5)");
  const WrongResult count{txn(1), 0};
  const WrongResult sum{txn(1), 1};
  EXPECT_EQ(items_of(history, count).size(), 2U);
  const Claim first{{txn(1), 0, txn(0)}, true};
  const Claim second{{txn(1), 1, txn(0)}, true};
  EXPECT_EQ(result_text(history, count, {first, second}),
            "computed count(all rows) = 1, but 2 of the versions that it read meet the "
            "condition");
  const Claim third{{txn(1), 2, txn(0)}, true};
  const Claim fourth{{txn(1), 3, txn(0)}, true};
  EXPECT_EQ(result_text(history, sum, {third, fourth}),
            "computed sum(all rows) = 5, but the sum of the versions that it read is 11");
}

TEST(Results, SayWhatNoVersionsGive) {
  const History history =
      support::parse("A: w(1=5) w(2=6) ; B: s(get=count: 3) s(get=sum: 12)");
  EXPECT_EQ(result_text(history, {txn(1), 0}, {}),
            "computed count(all rows) = 3, but at most 2 rows meet the condition in any "
            "versions");
  EXPECT_EQ(result_text(history, {txn(1), 1}, {}),
            "computed sum(all rows) = 12, but the sum is at most 11 in any versions");
}

}  // namespace
}  // namespace isolde::explain
