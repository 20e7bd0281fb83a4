// Goal: each read of a value has the one write that it can only have seen, or none. Method: a
// table of hand histories, then random ones against the table of all writes.
#include "infer/read_join.hpp"

#include <gtest/gtest.h>

#include "infer/write_table.hpp"
#include "isolde/history_builder.hpp"
#include "support/random_history.hpp"
#include "unit/infer/observed.hpp"

namespace isolde::infer {
namespace {

struct Joined {
  explicit Joined(const History& history, unsigned threads = 1)
      : writes(history, not_aborted(history), threads),
        reads(history, writes, budget, threads) {}

  static std::vector<std::uint8_t> not_aborted(const History& history) {
    std::vector<std::uint8_t> counts;
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      counts.push_back(history.status(TxnId::at(t)) == TxnStatus::kAborted ? 0 : 1);
    }
    return counts;
  }

  base::Budget budget;
  WriteNumbers writes;
  ReadJoin reads;
};

/// Writer of the source of the history's only read of a value, or -1.
int source(std::string_view text) {
  const History history = support::parse(text);
  const Joined joined(history);
  EXPECT_EQ(joined.reads.read_count(0, history.txn_count()), 1U) << text;
  const WriteId source = joined.reads.source(0);
  return source.is_none() ? -1 : static_cast<int>(joined.writes.writer(source).raw());
}

TEST(ReadJoin, FindsTheOnlyWrite) {
  EXPECT_EQ(source("A: w(x=1) ; B: r(x=1)"), 0);
  EXPECT_EQ(source("A: w(x=1) ; B: r(y=_) r(x=1) r(x=?)"), 0);
  EXPECT_EQ(source("A: w(x=1) ? ; B: r(x=1)"), 0);
  EXPECT_EQ(source("A: w(x=1) w(x=2) ; B: r(x=2)"), 0);
  EXPECT_EQ(source("A: r(x=1) w(x=1)"), 0);
}

TEST(ReadJoin, LeavesAllElseToTheTable) {
  EXPECT_EQ(source("A: w(x=1) ; B: r(x=2)"), -1);
  EXPECT_EQ(source("A: w(x=1) ! ; B: r(x=1)"), -1);
  EXPECT_EQ(source("A: w(x=1) w(x=2) ; B: r(x=1)"), -1);
  EXPECT_EQ(source("A: w(y=1) ; B: r(x=1)"), -1);
  EXPECT_EQ(source("A: w(x=1) ; B: w(x=1) ; C: r(x=1)"), -1);
  EXPECT_EQ(source("A: w(x=1) ; B: w(x=1) ! ; C: r(x=1)"), -1);
  EXPECT_EQ(source("A: w(x=1) w(x=1) ; C: r(x=1)"), -1);
}

TEST(ReadJoin, RenumbersSources) {
  const History history = support::parse("A: w(x=1) ; B: w(y=1) ; C: r(y=1) r(x=1) r(y=2)");
  Joined joined(history);
  joined.reads.renumber(
      [](WriteId write) { return write == WriteId(0) ? WriteId::none() : WriteId(7); });
  EXPECT_EQ(joined.reads.source(0), WriteId(7));
  EXPECT_TRUE(joined.reads.source(1).is_none());
  EXPECT_TRUE(joined.reads.source(2).is_none());
}

TEST(ReadJoin, AgreesWithTheTableOfAllWrites) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.duplicate_share = seed % 3 == 0 ? 0.4 : 0;
    options.ops_max = 1 + seed % 30;
    options.txn_count = 1 + seed % 60;
    const History history = support::build(support::random_history(rng, options));
    base::Budget budget;
    const WriteTable table(history, budget);
    for (const unsigned threads : {1U, 3U}) {
      const Joined joined(history, threads);
      for (std::size_t t = 0; t < history.txn_count(); ++t) {
        PlainReads plain(history, joined.reads, TxnId::at(t));
        const std::span<const Op> ops = history.ops(TxnId::at(t));
        for (std::size_t i = 0; i < ops.size(); ++i) {
          if (!ReadJoin::takes(ops[i])) continue;
          const WriteId found = plain.source(i);
          if (found.is_none()) continue;
          const TxnId writer = joined.writes.writer(found);
          ASSERT_EQ(joined.writes.key(found), ops[i].key) << "seed " << seed;
          const WriteTable::Answer answer = table.find(TxnId::none(), ops[i].key, ops[i].value);
          ASSERT_EQ(answer.source, WriteTable::Source::kWriter) << "seed " << seed;
          ASSERT_EQ(answer.txn, writer) << "seed " << seed;
        }
      }
    }
  }
}

/// More operations than fit in the smallest number of piles.
TEST(ReadJoin, JoinsManyPiles) {
  constexpr std::int64_t kTxns = 200'000;
  HistoryBuilder builder;
  const SessionId session = builder.session("s");
  const KeyId keys[] = {builder.key(Value::integer(0)), builder.key(Value::integer(1))};
  for (std::int64_t t = 0; t < kTxns; ++t) {
    builder.begin_txn(session);
    builder.read(keys[1], t == 0 ? Value::null() : Value::integer(t - 1));
    builder.write(keys[0], Value::integer(t));
    builder.write(keys[1], Value::integer(t));
  }
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history.ok());
  for (const unsigned threads : {1U, 3U}) {
    const Joined joined(*history, threads);
    for (std::uint32_t t = 1; t < kTxns; ++t) {
      ASSERT_EQ(joined.reads.source(joined.reads.first_read(TxnId(t))),
                joined.writes.find(TxnId(t - 1), keys[1]));
    }
  }
}

}  // namespace
}  // namespace isolde::infer
