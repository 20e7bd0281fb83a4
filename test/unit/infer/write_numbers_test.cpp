// Goal: each transaction that counts has one write for each key that it writes, in order,
// whatever the number of operations and threads.
#include "infer/write_numbers.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/random_history.hpp"
#include "unit/infer/observed.hpp"

namespace isolde::infer {
namespace {

using test::key;
using test::txn;

std::vector<std::uint8_t> all(const History& history) {
  return std::vector<std::uint8_t>(history.txn_count(), 1);
}

TEST(WriteNumbers, NumbersByTransactionAndKey) {
  const History history =
      support::parse("A: r(x=_) w(z=1) w(y=1) w(z=2) | r(x=_) | w(x=1) ; B: w(y=2)");
  const WriteNumbers writes(history, all(history), 1);
  ASSERT_EQ(writes.size(), 4U);
  const KeyId x = key(0);
  const KeyId z = key(1);
  const KeyId y = key(2);
  EXPECT_EQ(writes.find(txn(0), z), WriteId(0));
  EXPECT_EQ(writes.find(txn(0), y), WriteId(1));
  EXPECT_TRUE(writes.find(txn(0), x).is_none());
  EXPECT_TRUE(writes.keys(txn(1)).empty());
  EXPECT_EQ(writes.find(txn(2), x), WriteId(2));
  EXPECT_EQ(writes.writer(WriteId(3)), txn(3));
  EXPECT_EQ(writes.key(WriteId(3)), y);
}

TEST(WriteNumbers, LeavesOutWhatDoesNotCount) {
  const History history = support::parse("A: w(x=1) ; B: w(x=2) ; C: w(x=3)");
  const WriteNumbers writes(history, std::vector<std::uint8_t>{1, 0, 1}, 1);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_TRUE(writes.find(txn(1), key(0)).is_none());
  EXPECT_EQ(writes.find(txn(2), key(0)), WriteId(1));
}

TEST(WriteNumbers, EqualsSetsOfKeys) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.ops_max = 1 + seed % 40;
    options.key_count = 1 + seed % 30;
    options.txn_count = 1 + seed % 50;
    const History history = support::build(support::random_history(rng, options));
    for (const unsigned threads : {1U, 3U}) {
      const WriteNumbers writes(history, all(history), threads);
      std::uint32_t place = 0;
      for (std::size_t t = 0; t < history.txn_count(); ++t) {
        std::set<KeyId> keys;
        for (const Op& op : history.ops(TxnId::at(t))) {
          if (op.is_write()) keys.insert(op.key);
        }
        ASSERT_EQ(writes.first(TxnId::at(t)), WriteId(place)) << "seed " << seed;
        for (const KeyId each : keys) {
          ASSERT_EQ(writes.find(TxnId::at(t), each), WriteId(place)) << "seed " << seed;
          ASSERT_EQ(writes.key(WriteId(place)), each) << "seed " << seed;
          ASSERT_EQ(writes.writer(WriteId(place++)), TxnId::at(t)) << "seed " << seed;
        }
      }
      ASSERT_EQ(writes.size(), place) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace isolde::infer
