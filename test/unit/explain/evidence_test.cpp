#include "explain/evidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/hash.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

using Kind = DirectOrder::Kind;

// Goal: a read tells of a writer only where nobody else can have written what it returned.
TEST(Evidence, KnowsWhenAReadIsSure) {
  const auto sure = [](const char* text, std::uint32_t reader, Taken taken = {}) {
    return sure_read_of(Writers(support::parse(text)), txn(reader), key(0), txn(0), taken)
        .has_value();
  };
  EXPECT_TRUE(sure("A: w(x=1); B: r(x=1)", 1));
  EXPECT_FALSE(sure("A: w(x=1); C: w(x=1); B: r(x=1)", 2));
  EXPECT_TRUE(sure("A: w(x=1); C: w(x=1) !; B: r(x=1)", 2));
  EXPECT_TRUE(sure("A: w(x=1); B: r(x=1) w(x=1)", 1)) << "not from itself";
  EXPECT_FALSE(sure("A: w(x=1); B: w(x=1) r(x=1)", 1)) << "its own write";
  EXPECT_FALSE(sure("A: w(x=1) w(x=2); B: r(x=1)", 1)) << "not the last write";
  const ReadSource taken{txn(2), 0, txn(0)};
  EXPECT_TRUE(sure("A: w(x=1); C: w(x=1); B: r(x=1)", 2, {&taken, 1}));
}

// Goal: a condition that left out a row says that nobody had written it only where it selects
// all that others wrote.
TEST(Evidence, KnowsWhenAnExclusionIsSure) {
  const auto initial = [](const char* text) {
    return sure_read_of(Writers(support::parse(text)), txn(1), key(0), TxnId::none(), {})
        .has_value();
  };
  EXPECT_TRUE(initial("A: w(1=6); B: s(values=5..9:)"));
  EXPECT_FALSE(initial("A: w(1=4); B: s(values=5..9:)"));
  EXPECT_FALSE(initial("A: w(1=6); B: s(values=5..9:); C: w(1=4)"));
  EXPECT_TRUE(initial("A: w(1=6); B: s(values=5..9:) w(1=4)")) << "its own write comes later";
  EXPECT_TRUE(initial("A: w(1=4) w(1=6); B: s(values=5..9:)")) << "nobody else saw the 4";
}

// Goal: all who may have written what a read returned.
TEST(Evidence, FindsWriters) {
  const auto writers = [](const char* text, OpRef read) {
    return writers_of(Writers(support::parse(text)), read).size();
  };
  EXPECT_EQ(writers("A: w(x=1); C: w(x=1); D: w(x=1) !; B: r(x=1)", {txn(3), 0}), 2U);
  EXPECT_EQ(writers("A: w(x=1); B: r(x=_)", {txn(1), 0}), 0U);
  EXPECT_EQ(writers("A: a(x=1); B: r(x=[1]) a(x=2) r(x=[1 2])", {txn(1), 2}), 1U);
}

/// What writers_of() says, by looking at all transactions: each by its last write of the key.
std::vector<TxnId> writers_by_scan(const History& history, OpRef read) {
  const Op& op = op_at(history, read);
  Value value = op.value;
  if (op.kind == OpKind::kReadList) {
    const std::span<const Value> list = before_own_elements(history, read.txn, op);
    value = list.empty() ? Value() : list.back();
  }
  std::vector<TxnId> writers;
  const bool is_match = op.kind == OpKind::kReadMatch;
  if (!is_match && (!op.is_read() || value.is_null())) return writers;
  if (is_match && history.fits_initial(op)) return writers;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId writer = TxnId::at(t);
    if (writer == read.txn || history.status(writer) == TxnStatus::kAborted) continue;
    const std::optional<OpRef> write = final_write(history, writer, op.key);
    if (!write) continue;
    const Value left = op_at(history, *write).value;
    if (is_match ? history.fits(op, left) : left == value) writers.push_back(writer);
  }
  return writers;
}

/// What appenders_of() says, likewise.
std::vector<TxnId> appenders_by_scan(const History& history, TxnId reader, KeyId key,
                                     Value element) {
  std::vector<TxnId> appenders;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (TxnId::at(t) == reader || history.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    const bool appends = std::ranges::any_of(history.ops(TxnId::at(t)), [&](const Op& op) {
      return op.kind == OpKind::kAppend && op.key == key && op.value == element;
    });
    if (appends) appenders.push_back(TxnId::at(t));
  }
  return appenders;
}

// Goal: the tables name the writers that a look at the whole history names, where values
// repeat, transactions abort, and reads tell columns only.
TEST(Evidence, FindsTheSameWritersByItsTables) {
  const std::uint64_t cases = support::case_count(2000);
  std::uint64_t several = 0;
  std::uint64_t of_matches = 0;
  std::uint64_t of_elements = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(base::mix2(support::run_seed(), i));
    support::RandomHistoryOptions options =
        i % 2 == 0 ? support::random_options(rng) : support::random_row_options(rng);
    options.txn_count = 8;
    options.duplicate_share = 0.4;
    const History history = support::build(support::random_history(rng, options));
    const Writers writers(history);
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      const TxnId reader = TxnId::at(t);
      for (std::uint32_t at = 0; at < history.ops(reader).size(); ++at) {
        const std::vector<TxnId> found = writers_of(writers, {reader, at});
        ASSERT_EQ(found, writers_by_scan(history, {reader, at}));
        const Op& op = history.ops(reader)[at];
        several += found.size() > 1 ? 1 : 0;
        of_matches += op.kind == OpKind::kReadMatch && !found.empty() ? 1 : 0;
        if (op.kind != OpKind::kReadList) continue;
        for (const Value element : history.list(op)) {
          const auto appenders = appenders_of(writers, reader, op.key, element);
          ASSERT_EQ(appenders, appenders_by_scan(history, reader, op.key, element));
          of_elements += appenders.size() > 1 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(several, cases / 10);
  EXPECT_GT(of_matches, cases / 10);
  EXPECT_GT(of_elements, cases / 20);
}

std::optional<DirectOrder> shown(const char* text, std::uint32_t before, std::uint32_t after,
                                 const Witnesses& witnesses = {}) {
  return direct_order(Writers(support::parse(text)), {txn(before), txn(after)}, key(0),
                      witnesses);
}

// Goal: each way in which a history shows an order, and only where it does.
TEST(Evidence, FindsWhatShowsAnOrder) {
  EXPECT_EQ(shown("A: w(x=1); B: r(x=1) w(x=2)", 0, 1)->kind, Kind::kRead);
  EXPECT_FALSE(shown("A: w(x=1); C: w(x=1); B: r(x=1) w(x=2)", 0, 2));
  EXPECT_EQ(shown("A: a(x=1); B: a(x=2); C: r(x=[1 2])", 0, 1)->kind, Kind::kListOrder);
  EXPECT_EQ(shown("A: a(x=1); B: a(x=2); C: r(x=[1])", 0, 1)->kind, Kind::kListLacks);
  EXPECT_FALSE(shown("A: a(x=1); B: a(x=2); C: r(x=[1 2])", 1, 0));
  EXPECT_FALSE(shown("A: a(x=1); D: a(x=1); B: a(x=2); C: r(x=[1 2])", 0, 2)) << "two appends";
  EXPECT_FALSE(shown("A: a(x=1); B: a(x=2); C: r(x=[1 2]) !", 0, 1)) << "an aborted reader";
  EXPECT_FALSE(shown("A: a(x=1); B: a(x=2); C: r(x=[1 2]) ?", 0, 1)) << "it may not count";
  EXPECT_TRUE(shown("A: a(x=1); B: a(x=2); C: r(x=[1 2]) w(y=1) ?; D: r(y=1)", 0, 1));
}

// Goal: what a list lacks is told by an element that it does lack, and what the reader appended
// itself is nobody else's.
TEST(Evidence, TellsTheReadersOwnElementsApart) {
  const auto some = shown("A: a(x=1); B: a(x=3) a(x=2); C: a(x=2) r(x=[1 2])", 0, 1);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->kind, Kind::kListLacks);
  EXPECT_EQ(some->lacking, Value::integer(3));
  EXPECT_FALSE(some->only_own);
  const auto own = shown("A: a(x=1); B: a(x=2); C: a(x=2) r(x=[1 2])", 0, 1);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->lacking, Value::integer(2));
  EXPECT_TRUE(own->only_own);
  EXPECT_FALSE(shown("A: a(x=1); B: a(x=3) a(x=2); D: a(x=2); C: r(x=[1 2])", 0, 1))
      << "it may be either's";
}

// Goal: whoever read is called to witness once it is known to have taken effect, if over
// others.
TEST(Evidence, CallsWhoTookEffectByOthers) {
  EXPECT_TRUE(shown(
      "A: a(x=1); B: a(x=2); C: r(x=[1 2]) w(y=1) ?; D: r(y=1) w(z=1) ?; E: r(z=1)", 0, 1));
}

// Goal: where a session has an order of its own, what others read is no reason.
TEST(Evidence, CallsOnlyWhomTheLevelAsks) {
  const char* const text = "A: a(x=1); B: a(x=2); C: r(x=[1 2])";
  const History history = support::parse(text);
  const auto asks = [&](std::uint32_t of) {
    return shown(text, 0, 1, {BaseLevel::kMonotonicReads, history.session_of(txn(of)), {}});
  };
  EXPECT_FALSE(asks(0));
  EXPECT_TRUE(asks(2));
}

}  // namespace
}  // namespace isolde::explain
