// Goal: a value leads to the only transaction that it can have been read from, or to the reason
// why there is none. Method: one table of hand histories, then random ones against a search
// through all operations.
#include "infer/write_table.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "support/random_history.hpp"
#include "unit/infer/observed.hpp"

namespace isolde::infer {
namespace {

using test::txn;
using Source = WriteTable::Source;

struct Case {
  const char* text;  ///< key 0 is the one asked for
  std::int64_t value;
  std::uint32_t reader;
  Source source;
  int writer;  ///< -1 = none
};

TEST(WriteTable, Answers) {
  const Case cases[] = {
      {"A: w(x=1) ; B: r(x=1)", 1, 1, Source::kWriter, 0},
      {"A: w(x=1) ; B: r(x=2)", 2, 1, Source::kUnwritten, -1},
      {"A: w(x=1) ? ; B: r(x=1)", 1, 1, Source::kWriter, 0},
      {"A: w(x=1) ! ; B: r(x=1)", 1, 1, Source::kAborted, 0},
      {"A: w(x=1) w(x=2) ; B: r(x=1)", 1, 1, Source::kIntermediate, 0},
      {"A: w(x=1) w(x=2) ; B: r(x=2)", 2, 1, Source::kWriter, 0},
      {"A: r(x=1) w(x=1)", 1, 0, Source::kFuture, 0},
      // Another key's value is not this key's.
      {"A: r(x=1) ; B: w(y=1)", 1, 0, Source::kUnwritten, -1},
      // Appends are final, all of them.
      {"A: a(x=1) a(x=2) ; B: r(x=[1 2])", 1, 1, Source::kWriter, 0},
      // Repeated values.
      {"A: w(x=1) ; B: w(x=1) ; C: r(x=1)", 1, 2, Source::kAmbiguous, -1},
      {"A: w(x=1) ! ; B: w(x=1) ; C: r(x=1)", 1, 2, Source::kWriter, 1},
      {"A: w(x=1) w(x=2) ; B: w(x=1) ; C: r(x=1)", 1, 2, Source::kWriter, 1},
      {"A: w(x=1) w(x=1) ; B: r(x=1)", 1, 1, Source::kWriter, 0},
      {"A: r(x=1) w(x=1) ; B: w(x=1)", 1, 0, Source::kWriter, 1},
      {"A: w(x=1) w(x=2) ; B: w(x=1) ! ; C: r(x=1)", 1, 2, Source::kIntermediate, 0},
      {"A: r(x=1) w(x=1) ; B: w(x=1) !", 1, 0, Source::kFuture, 0},
      {"A: r(x=1) w(x=1) ; B: w(x=1) w(x=2)", 1, 0, Source::kIntermediate, 1},
      {"A: a(x=1) a(x=1) ; B: r(x=[1 1])", 1, 1, Source::kAmbiguous, -1},
      // Of those that cannot be read the last is named, and an overwritten one before aborted.
      {"A: w(x=1) w(x=2) ; B: w(x=1) w(x=2) ; C: w(x=1) ! ; D: r(x=1)", 1, 3,
       Source::kIntermediate, 1},
      {"A: w(x=1) ! ; B: w(x=1) ! ; C: r(x=1)", 1, 2, Source::kAborted, 1},
      {"A: r(x=1) w(x=1) w(x=2) ; B: w(x=1) !", 1, 0, Source::kFuture, 0},
      {"A: w(x=1) ! ; B: w(x=1) w(x=2) ; C: w(x=1) ; D: r(x=1)", 1, 3, Source::kWriter, 2},
  };
  for (const Case& each : cases) {
    const History history = support::parse(each.text);
    base::Budget budget;
    const WriteTable table(history, budget);
    const WriteTable::Answer answer =
        table.find(txn(each.reader), KeyId(0), Value::integer(each.value));
    EXPECT_EQ(answer.source, each.source) << each.text;
    const bool has_txn = answer.source != Source::kAmbiguous && answer.txn.is_some();
    EXPECT_EQ(has_txn ? static_cast<int>(answer.txn.raw()) : -1, each.writer) << each.text;
  }
}

TEST(WriteTable, KnowsWhetherValuesRepeat) {
  base::Budget budget;
  EXPECT_FALSE(WriteTable(support::parse("A: w(x=1) w(y=1) w(x=2)"), budget).has_repeats());
  EXPECT_TRUE(WriteTable(support::parse("A: w(x=1) ; B: w(x=1) !"), budget).has_repeats());
}

TEST(WriteTable, WithoutReaderOwnWritesCount) {
  const History history = support::parse("A: a(l=1) r(l=[1])");
  base::Budget budget;
  const WriteTable table(history, budget);
  EXPECT_EQ(table.find(TxnId::none(), KeyId(0), Value::integer(1)).source, Source::kWriter);
  EXPECT_EQ(table.find(txn(0), KeyId(0), Value::integer(1)).source, Source::kFuture);
}

/// Transactions, not aborted and not the reader, that leave the value in the key.
std::vector<TxnId> candidates(const History& history, TxnId reader, KeyId key, Value value) {
  std::vector<TxnId> found;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (TxnId::at(t) == reader || history.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    std::size_t times = 0;
    for (const Op& op : history.ops(TxnId::at(t))) {
      if (!op.is_write() || op.key != key) continue;
      if (op.kind == OpKind::kWrite) times = 0;
      times += op.value == value ? 1U : 0U;
    }
    found.insert(found.end(), times, TxnId::at(t));
  }
  return found;
}

TEST(WriteTable, EqualsASearchThroughAllOperations) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.duplicate_share = 0.4;
    const History history = support::build(support::random_history(rng, options));
    base::Budget budget;
    const WriteTable table(history, budget);
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      for (const Op& op : history.ops(TxnId::at(t))) {
        if (op.kind != OpKind::kRead || op.value.is_null()) continue;
        const std::vector<TxnId> expected = candidates(history, TxnId::at(t), op.key, op.value);
        const WriteTable::Answer answer = table.find(TxnId::at(t), op.key, op.value);
        ASSERT_EQ(answer.source == Source::kWriter, expected.size() == 1) << "seed " << seed;
        std::vector<TxnId> readable;
        table.for_each_readable(op.key, op.value, [&](TxnId txn) { readable.push_back(txn); });
        std::erase(readable, TxnId::at(t));
        ASSERT_EQ(readable, expected) << "seed " << seed;
        if (expected.size() == 1) {
          ASSERT_EQ(answer.txn, expected.front()) << "seed " << seed;
        }
        if (expected.size() > 1) {
          ASSERT_EQ(answer.source, Source::kAmbiguous) << "seed " << seed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace isolde::infer
