#include "source/source_guess.hpp"

#include <gtest/gtest.h>

#include "base/budget.hpp"
#include "infer/observations.hpp"
#include "support/history_dsl.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using infer::WriteId;

// C read y from A, and x from A or B, which wrote the same. Only A fits: nothing of B came
// between, or y would be B's.
constexpr const char* kOneFits =
    "A: w(x=1) w(y=1) @0,10 ; B: w(x=1) w(y=2) @5,15 ; C: r(x=1) r(y=1) @20,30";

class SourceGuess : public testing::Test {
 protected:
  SourceGuess()
      : history_(support::parse(kOneFits)), seen_(infer::observe_open(history_, budget_)) {}

  std::optional<Witness> with(TxnId writer) {
    const infer::OpenRead& read = seen_.open_reads().at(0);
    return witness_with_sources(seen_, Question{info(Level::kSerializable)},
                                {seen_.find_write(writer, read.key)}, {}, statistics_, budget_);
  }

  base::Budget budget_;
  History history_;
  infer::Observations seen_;
  CheckStatistics statistics_;
};

TEST_F(SourceGuess, OnlyAWitnessCounts) {
  ASSERT_EQ(seen_.open_reads().size(), 1U);
  const std::optional<Witness> found = with(TxnId::at(0));
  ASSERT_TRUE(found);
  EXPECT_EQ(test::proved(history_, Level::kSerializable, *found), "holds");
  ASSERT_EQ(found->sources.size(), 1U);
  EXPECT_EQ(found->sources[0].writer, TxnId::at(0));
  EXPECT_FALSE(with(TxnId::at(1)));  // which refutes nothing
}

TEST_F(SourceGuess, FollowsTheOrderOfEvents) {
  infer::Encoding encoding;
  encoding.role.has_anti_dependencies = true;
  const infer::EventGraph events(seen_, encoding, budget_);
  const auto along = [&](std::vector<std::size_t> txns) {
    std::vector<infer::NodeId> order;
    for (const std::size_t txn : txns) order.push_back(events.commit(TxnId::at(txn)));
    return sources_along(events, {}, order, {}, budget_).at(0);
  };
  const KeyId x = seen_.open_reads().at(0).key;
  const WriteId from_a = seen_.find_write(TxnId::at(0), x);
  const WriteId from_b = seen_.find_write(TxnId::at(1), x);
  EXPECT_EQ(along({0, 1, 2}), from_b);
  EXPECT_EQ(along({1, 0, 2}), from_a);
  EXPECT_EQ(along({0, 2, 1}), from_a);
  // A hint goes before what the order says.
  EXPECT_EQ(sources_along(events, {}, {}, {from_a}, budget_).at(0), from_a);
}

}  // namespace
}  // namespace isolde::checker
