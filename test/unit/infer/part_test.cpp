// Goal: a part keeps what orders its transactions and nothing else, with sources, readers and
// orders as the whole has them. Method: hand histories; on random ones, a plain twin: a history
// whose values are the numbers of writes, resolved like any other.
#include "infer/part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "isolde/history_builder.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "unit/infer/observed.hpp"
#include "unit/infer/part_text.hpp"

namespace isolde::infer {
namespace {

using test::key;
using test::Observed;
using test::text;
using test::txn;

TEST(Part, KeepsReadsOfItsOwnVersions) {
  const Observed observed(
      "A: w(x=1) w(x=2) w(y=1) | r(x=2) r(y=1) r(z=_) w(z=1) ; B: w(y=2) ! ; C: r(z=1) w(y=3)");
  const std::vector<TxnId> txns = {txn(1), txn(2), txn(3)};
  const Part part = restriction(observed.seen, txns);
  // What B wrote does not count, and A's first is not there. Keys: x 0, y 1, z 2.
  EXPECT_EQ(text(part), "A: of 1 r2=_ w2=0\nC: of 3 r2=0 w1=1\n");
  EXPECT_EQ(part.op_count(), 4U);
  EXPECT_EQ(part.history().key_count(), 2U);
  EXPECT_EQ(part.whole(key(0)), key(1));
  EXPECT_TRUE(part.whole(TxnId::none()).is_none());
  EXPECT_TRUE(part.whole(KeyId::none()).is_none());
}

TEST(Part, KeepsTheOrderOfAList) {
  const Observed observed(
      "A: a(l=1) ; B: a(l=2) ; C: a(l=3) ; D: a(l=4) ; E: r(l=[3 1 2]) | r(l=[3 1]) | r(l=[])");
  const std::vector<TxnId> txns = {txn(1), txn(2), txn(3), txn(5), txn(6)};
  // C's 3 comes before B's 2; nobody saw D's; who read of A is gone.
  EXPECT_EQ(text(restriction(observed.seen, txns)),
            "B: of 1 w0=0\nC: of 2 w0=1\nD: of 3 w0=2\nE: of 5\nE: of 6 r0=_\nlist 0: 1 0\n");
}

TEST(Part, KnowsNoEndOfUncertainOnes) {
  const Observed observed("A: w(x=1) ? @1,2 ; B: r(x=1) @3,4");
  const std::vector<TxnId> txns = {txn(0), txn(1)};
  const Part part = restriction(observed.seen, txns);
  EXPECT_EQ(part.history().status(txn(0)), TxnStatus::kCommitted);
  EXPECT_EQ(part.history().times(txn(0)).end, kNoTime);
  EXPECT_EQ(part.history().times(txn(1)).end, 4);
}

/// Where values are the numbers of the part's writes. A list read shows the list up to its
/// source.
History twin_of(const Part& part) {
  const Observations& seen = part.seen();
  HistoryBuilder builder;
  const auto value = [](WriteId write) { return Value::integer(std::int64_t{write.raw()}); };
  for (std::size_t k = 0; k < part.history().key_count(); ++k) {
    builder.key(Value::integer(static_cast<std::int64_t>(k)));
  }
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    builder.begin_txn(
        builder.session(part.history().session_name(part.history().session_of(txn))));
    for (const ReadFrom& read : seen.reads(txn)) {
      if (!seen.is_list(read.key)) {
        builder.read(read.key, read.source.is_none() ? Value::null() : value(read.source));
        continue;
      }
      std::vector<Value> elements;
      for (const WriteId write : seen.list_order(read.key)) {
        if (read.source.is_none()) break;
        elements.push_back(value(write));
        if (write == read.source) break;
      }
      builder.read_list(read.key, elements);
    }
    for (WriteId write = seen.first_write(txn); write != seen.end_write(txn);
         write = WriteId(write.raw() + 1)) {
      const bool is_list = seen.is_list(seen.written_key(write));
      is_list ? builder.append(seen.written_key(write), value(write))
              : builder.write(seen.written_key(write), value(write));
    }
  }
  return std::move(builder.finish()).value();
}

template <typename Item>
std::vector<Item> items(std::span<const Item> row) {
  return {row.begin(), row.end()};
}

void expect_same(const Observations& part, const Observations& twin) {
  ASSERT_EQ(part.txn_count(), twin.txn_count());
  ASSERT_EQ(part.write_count(), twin.write_count());
  EXPECT_EQ(part.included_count(), twin.included_count());
  for (std::size_t t = 0; t < part.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    EXPECT_TRUE(part.is_included(txn));
    EXPECT_EQ(part.first_write(txn), twin.first_write(txn));
    ASSERT_EQ(part.reads(txn).size(), twin.reads(txn).size());
    for (std::size_t i = 0; i < part.reads(txn).size(); ++i) {
      EXPECT_EQ(part.reads(txn)[i].key, twin.reads(txn)[i].key);
      EXPECT_EQ(part.reads(txn)[i].source, twin.reads(txn)[i].source);
    }
  }
  for (std::size_t w = 0; w < part.write_count(); ++w) {
    const WriteId write = WriteId::at(w);
    EXPECT_EQ(part.written_key(write), twin.written_key(write));
    EXPECT_EQ(part.writer(write), twin.writer(write));
    EXPECT_EQ(items(part.readers(write)), items(twin.readers(write)));
    EXPECT_EQ(part.find_write(part.writer(write), part.written_key(write)), write);
  }
  for (std::size_t k = 0; k < part.history().key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    EXPECT_EQ(items(part.writes_of(key)), items(twin.writes_of(key)));
    EXPECT_EQ(items(part.initial_readers(key)), items(twin.initial_readers(key)));
    // The twin knows of a list what the part's reads show, which begins alike.
    const std::vector<WriteId> order = items(part.list_order(key));
    const std::vector<WriteId> shown = items(twin.list_order(key));
    ASSERT_LE(shown.size(), order.size());
    EXPECT_TRUE(std::equal(shown.begin(), shown.end(), order.begin()));
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(part.list_rank(order[i]), i);
  }
}

TEST(Part, IsWhatATwinWithValuesShows) {
  std::size_t compared = 0;
  const std::uint64_t cases = support::case_count(2000, 20);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    base::Rng rng(seed);
    support::RandomHistoryOptions options = i % 4 == 0
                                                ? support::random_selection_options(rng, false)
                                                : support::random_options(rng);
    options.txn_count = 4 + i % 12;
    const Observed observed(support::build(support::random_history(rng, options)));
    if (observed.seen.finding() || !observed.seen.ambiguity().empty()) continue;
    std::vector<TxnId> txns;
    for (std::size_t t = 0; t < observed.seen.txn_count(); ++t) {
      if (i % 3 == 0 || rng.below(4) > 0) txns.push_back(TxnId::at(t));
    }
    const Part part = restriction(observed.seen, txns);
    for (std::size_t t = 0; t < part.seen().txn_count(); ++t) {
      const TxnId whole = part.whole(TxnId::at(t));
      for (std::size_t r = 0; i % 3 == 0 && r < observed.seen.reads(whole).size(); ++r) {
        EXPECT_EQ(part.seen().step(TxnId::at(t), r), observed.seen.step(whole, r));
      }
    }
    const History twin = twin_of(part);
    base::Budget budget;
    const Observations resolved = observe(twin, budget);
    ASSERT_FALSE(resolved.finding()) << "seed " << seed;
    expect_same(part.seen(), resolved);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed << "\n" << text(part);
    ++compared;
  }
  EXPECT_GT(compared * 4, cases);
}

}  // namespace
}  // namespace isolde::infer
