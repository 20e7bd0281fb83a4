// Goal: what a history says for certain: inclusion, writes, sources of reads, list orders, and
// the reads that nothing explains. Method: hand histories in tables; every invariant on random
// ones; and every moment at which the budget can run out.
#include "infer/observations.hpp"

#include <gtest/gtest.h>

#include "isolde/history_builder.hpp"
#include "support/random_history.hpp"
#include "unit/infer/observed.hpp"

namespace isolde::infer {
namespace {

using test::key;
using test::Observed;
using test::txn;
using enum FindingKind;

std::vector<std::uint32_t> included(const Observations& seen) {
  std::vector<std::uint32_t> txns;
  for (std::uint32_t t = 0; t < seen.txn_count(); ++t) {
    if (seen.is_included(txn(t))) txns.push_back(t);
  }
  EXPECT_EQ(txns.size(), seen.included_count());
  return txns;
}

/// Sources of the transaction's external reads; -1 = initial version.
std::vector<int> sources(const Observations& seen, std::uint32_t reader) {
  std::vector<int> writers;
  for (const ReadFrom& read : seen.reads(txn(reader))) {
    writers.push_back(read.source.is_none() ? -1
                                            : static_cast<int>(seen.writer(read.source).raw()));
  }
  return writers;
}

std::vector<std::uint32_t> writers(const Observations& seen, const auto& writes) {
  std::vector<std::uint32_t> txns;
  for (const WriteId write : writes) txns.push_back(seen.writer(write).raw());
  return txns;
}

struct Expected {
  const char* text;
  Finding finding;
};

TEST(Observations, FindWhatNothingExplains) {
  const Expected cases[] = {
      {"A: w(x=1) r(x=2) ; B: w(x=2)", {kInternal, txn(0), 1, 0, {}, 0}},
      {"A: w(x=1) r(x=_)", {kInternal, txn(0), 1, 0, {}, 0}},
      {"A: w(x=1) ! ; B: r(y=_) r(x=1)", {kAbortedRead, txn(1), 1, 0, txn(0), 0}},
      {"A: w(x=1) w(x=2) ; B: r(x=1)", {kIntermediateRead, txn(1), 0, 0, txn(0), 0}},
      {"A: r(x=1) w(x=1)", {kFutureRead, txn(0), 0, 0, {}, 0}},
      {"A: r(x=7)", {kUnwrittenRead, txn(0), 0, 0, {}, 0}},
      // Lists.
      {"A: a(l=1) r(l=[])", {kInternal, txn(0), 1, 0, {}, 0}},
      {"A: a(l=1) a(l=2) r(l=[2 1])", {kInternal, txn(0), 2, 0, {}, 0}},
      {"A: a(l=1) ! ; B: r(l=[1])", {kAbortedRead, txn(1), 0, 0, txn(0), 0}},
      {"A: a(l=1) ; B: a(l=2) ! ; C: r(l=[1 2])", {kAbortedRead, txn(2), 0, 1, txn(1), 0}},
      {"A: a(l=1) a(l=2) ; B: r(l=[1])", {kIntermediateRead, txn(1), 0, 0, txn(0), 0}},
      {"A: a(l=1) a(l=2) ; B: r(l=[1]) ; C: r(l=[1 2])",
       {kIntermediateRead, txn(1), 0, 0, txn(0), 0}},
      {"A: a(l=1) a(l=2) ; B: a(l=3) ; C: r(l=[1 3 2])",
       {kIntermediateRead, txn(2), 0, 0, txn(0), 0}},
      {"A: r(l=[1]) a(l=1)", {kFutureRead, txn(0), 0, 0, {}, 0}},
      {"A: a(l=1) ; B: r(l=[1 8])", {kUnwrittenRead, txn(1), 0, 1, {}, 0}},
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2]) ; D: r(l=[2])",
       {kIncompatibleOrder, txn(3), 0, 0, txn(2), 0}},
      {"A: a(l=1) ; B: r(l=[1 1])", {kDuplicateElement, txn(1), 0, 1, {}, 0}},
      {"A: w(1=5) ; B: s(values=1..4: 1=5)", {kUnselectedRow, txn(1), 0, 0, {}, 0}},
      {"A: w(12=5) ; B: s(keys=1..9: 12=5)", {kUnselectedRow, txn(1), 0, 0, {}, 0}},
      // The row that is left out is the transaction's own.
      {"A: w(1=5) s(:)", {kInternal, txn(0), 1, 0, {}, 0}},
      {"A: w(1=5) r(1=<>5)", {kInternal, txn(0), 1, 0, {}, 0}},
  };
  for (const Expected& each : cases) {
    const Observed observed(each.text);
    ASSERT_TRUE(observed.seen.finding().has_value()) << each.text;
    const Finding finding = *observed.seen.finding();
    EXPECT_EQ(finding, each.finding)
        << each.text << ": kind " << static_cast<int>(finding.kind) << " txn "
        << finding.txn.raw() << " op " << finding.op << " element " << finding.element
        << " other " << finding.other.raw() << " other_op " << finding.other_op;
  }
}

TEST(Observations, FindNothingInGoodHistories) {
  for (const char* text : {
           "A: nop",
           "A: r(x=_) w(x=1) r(x=1) w(x=2) r(x=2) ; B: r(x=2) r(x=2)",
           "A: r(l=[]) a(l=1) r(l=[1]) ; B: a(l=2) r(l=[1 2]) ; C: r(l=[1 2]) r(l=[1 2])",
           "A: w(x=1) ? ; B: r(x=1)",
           "A: w(x=1) r(x=?) ; B: r(x=?)",
           "A: w(1=5) ; B: s(keys=2..9:) s(keys=1..1:) ; C: s(: 1=5) s(values=6..9:)",
           "A: w(1=5) s(values=6..9:) r(1=<>6) w(1=6) s(values=6..9: 1=6) r(1=<>5)",
           // The reader aborted: what it saw binds nobody.
           "A: r(x=9) !",
       }) {
    const Observed observed(text);
    EXPECT_FALSE(observed.seen.finding().has_value()) << text;
    EXPECT_FALSE(observed.seen.non_repeatable().has_value()) << text;
    EXPECT_EQ(observed.seen.ambiguity(), "") << text;
  }
}

TEST(Observations, NonRepeatableReads) {
  const Observed registers("A: w(x=1) ; B: r(x=_) r(y=_) r(x=1)");
  EXPECT_FALSE(registers.seen.finding().has_value());
  EXPECT_EQ(registers.seen.non_repeatable(),
            (Finding{kNonRepeatableRead, txn(1), 2, 0, TxnId::none(), 0}));
  const Observed lists("A: a(l=1) ; B: r(l=[]) a(l=2) r(l=[1 2])");
  EXPECT_EQ(lists.seen.non_repeatable(),
            (Finding{kNonRepeatableRead, txn(1), 2, 0, TxnId::none(), 0}));
}

TEST(Observations, NonRepeatableReadsOfRowsThatWereLeftOut) {
  const Observed later("A: w(1=5) ; B: s(:) r(2=_) s(: 1=5)");
  EXPECT_EQ(later.seen.non_repeatable(),
            (Finding{kNonRepeatableRead, txn(1), 2, 0, TxnId::none(), 0}));
  const Observed earlier("A: w(1=5) ; B: r(1=5) r(1=<>6) r(1=<>5)");
  EXPECT_EQ(earlier.seen.non_repeatable(),
            (Finding{kNonRepeatableRead, txn(1), 2, 0, TxnId::none(), 0}));
}

TEST(Observations, RowsThatWereLeftOutHaveTheSourcesThatDoNotMatch) {
  // Only the initial version: whatever else there is would have been selected.
  const Observed certain("A: w(1=5) ; B: w(1=7) ! ; C: s(keys=1..9:) s(values=5..6:)");
  EXPECT_EQ(certain.seen.ambiguity(), "");
  EXPECT_EQ(sources(certain.seen, 2), (std::vector<int>{-1, -1}));
  const char* several =
      "A: w(1=5) ; B: w(1=7) ; C: w(1=8) ? ; D: w(1=9) w(1=4) ; E: s(values=1..6:)";
  EXPECT_NE(Observed(several).seen.ambiguity(), "");
  const History history = support::parse(several);
  base::Budget budget;
  const Observations open = observe_open(history, budget);
  EXPECT_EQ(open.ambiguity(), "");
  ASSERT_EQ(open.open_reads().size(), 1U);
  const OpenRead& read = open.open_reads().front();
  const Sources found = open.sources(read);
  EXPECT_TRUE(read.is_initial);
  EXPECT_EQ(writers(open, found), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_TRUE(open.is_doubtful(txn(2)));
}

TEST(Observations, ReadsOfOneSelectionHaveTheSameStep) {
  // The read of the own write is no external one.
  const Observed rows("A: w(1=5) w(2=5) w(3=5) ; B: r(1=_) w(3=7) s(: 1=5 3=7) r(2=_) s(:)");
  const std::vector<std::uint32_t> steps = {
      rows.seen.step(txn(1), 0), rows.seen.step(txn(1), 1), rows.seen.step(txn(1), 2),
      rows.seen.step(txn(1), 3), rows.seen.step(txn(1), 4)};
  EXPECT_EQ(steps, (std::vector<std::uint32_t>{0, 2, 2, 5, 6}));
  EXPECT_EQ(rows.seen.end_of_step(txn(1), 0), 1U);
  EXPECT_EQ(rows.seen.end_of_step(txn(1), 1), 3U);
  EXPECT_EQ(rows.seen.end_of_step(txn(1), 2), 3U);
  EXPECT_EQ(rows.seen.end_of_step(txn(1), 3), 4U);
  const Observed none("A: w(1=5) ; B: r(1=5) r(2=_)");
  EXPECT_LT(none.seen.step(txn(1), 0), none.seen.step(txn(1), 1));
  EXPECT_EQ(none.seen.end_of_step(txn(1), 0), 1U);
}

TEST(Observations, WhatIsCutOffMayHaveWrittenWhatDoesNotMatch) {
  for (const bool is_of_keys : {false, true}) {
    HistoryBuilder builder;
    builder.origin().truncated = true;
    builder.begin_txn(builder.session("a"));
    builder.write(builder.key(builder.integer(1)), builder.integer(5));
    builder.begin_txn(builder.session("b"));
    Predicate predicate;
    (is_of_keys ? predicate.keys : predicate.values) = Predicate::Bounds{1, 9};
    builder.select(predicate, {});
    const Observed observed(std::move(builder.finish()).value());
    EXPECT_EQ(observed.seen.ambiguity().empty(), is_of_keys);
  }
}

TEST(Observations, IncludeWhatCommittedOrWasRead) {
  struct Inclusion {
    const char* text;
    std::vector<std::uint32_t> txns;
  };
  const Inclusion cases[] = {
      {"A: w(x=1) ; B: w(x=2) ! ; C: w(x=3) ?", {0}},
      {"A: w(x=1) ? ; B: r(x=1)", {0, 1}},
      // Through a chain of indeterminate ones, against the order of the input.
      {"A: r(x=2) ; B: r(y=3) w(x=2) ? ; C: w(y=3) ? ; D: w(z=4) ?", {0, 1, 2}},
      // Only an aborted reader, or only itself.
      {"A: w(x=1) ? ; B: r(x=1) !", {}},
      {"A: w(x=1) r(x=1) ?", {}},
      {"A: a(l=1) ? ; B: a(l=2) ? ; C: r(l=[1])", {0, 2}},
      {"A: a(l=1) ? ; B: a(l=2) r(l=[1 2])", {0, 1}},
  };
  for (const Inclusion& each : cases) {
    EXPECT_EQ(included(Observed(each.text).seen), each.txns) << each.text;
  }
}

TEST(Observations, SourcesOfReads) {
  const Observed observed(
      "A: w(x=1) w(y=1) | r(x=1) ; B: r(x=1) r(z=_) r(x=1) w(x=2) r(x=2) ; C: r(x=2) r(y=1)");
  const Observations& seen = observed.seen;
  EXPECT_EQ(sources(seen, 0), std::vector<int>{});
  EXPECT_EQ(sources(seen, 1), std::vector<int>{0});
  EXPECT_EQ(sources(seen, 3), (std::vector<int>{2, 0}));
  const std::vector<int> repeated = sources(seen, 2);
  ASSERT_GE(repeated.size(), 2U);
  EXPECT_EQ(repeated[0], 0);
  EXPECT_EQ(repeated[1], -1);
  const WriteId x1 = seen.find_write(txn(0), key(0));
  ASSERT_TRUE(x1.is_some());
  EXPECT_EQ(std::vector<TxnId>(seen.readers(x1).begin(), seen.readers(x1).end()),
            (std::vector<TxnId>{txn(1), txn(2)}));
  EXPECT_EQ(seen.initial_readers(key(2)).size(), 1U);
  EXPECT_EQ(seen.readers(WriteId::none(), key(2)).front(), txn(2));
  EXPECT_EQ(writers(seen, seen.writes_of(key(0))), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_TRUE(seen.find_write(txn(1), key(0)).is_none());
}

TEST(Observations, ListsShowTheirOrder) {
  const Observed observed(
      "A: a(l=1) a(l=2) ; B: a(l=3) ; C: a(l=4) ; D: r(l=[3 1 2]) ; E: r(l=[3]) r(m=_) ; "
      "F: r(l=[3 1 2 5]) ; G: a(l=5)");
  const Observations& seen = observed.seen;
  ASSERT_FALSE(seen.finding().has_value());
  const KeyId list = key(0);
  EXPECT_TRUE(seen.is_list(list));
  EXPECT_EQ(writers(seen, seen.list_order(list)), (std::vector<std::uint32_t>{1, 0, 6}));
  EXPECT_EQ(seen.list_rank(seen.find_write(txn(1), list)), 0U);
  EXPECT_EQ(seen.list_rank(seen.find_write(txn(0), list)), 1U);
  EXPECT_EQ(seen.list_rank(seen.find_write(txn(6), list)), 2U);
  EXPECT_EQ(seen.list_rank(seen.find_write(txn(2), list)), Observations::kUnseen);
  EXPECT_EQ(sources(seen, 3), std::vector<int>{0});
  EXPECT_EQ(sources(seen, 4), (std::vector<int>{1, -1}));
  EXPECT_EQ(sources(seen, 5), std::vector<int>{6});
  EXPECT_TRUE(seen.list_order(key(1)).empty());
}

TEST(Observations, OwnElementsAreNotExternal) {
  const Observed observed("A: a(l=1) ; B: a(l=2) r(l=[1 2]) a(l=3) r(l=[1 2 3])");
  ASSERT_FALSE(observed.seen.finding().has_value());
  const std::vector<int> from = sources(observed.seen, 1);
  ASSERT_FALSE(from.empty());
  for (const int source : from) EXPECT_EQ(source, 0);
}

TEST(Observations, RepeatedValuesAreAmbiguous) {
  EXPECT_EQ(Observed("A: w(x=1) ; B: w(x=1) ; C: r(x=1)").seen.ambiguity(),
            "transaction C:0 read 1 from key \"x\", which was written several times");
  EXPECT_EQ(Observed("A: a(l=1) ; B: a(l=1) ; C: r(l=[1])").seen.ambiguity(),
            "transaction C:0 read 1 from key \"l\", which several transactions appended");
  EXPECT_EQ(Observed("A: a(l=1) a(l=2) ; B: a(l=2) ; C: r(l=[1 2])").seen.ambiguity(),
            "transaction C:0 read 2 from key \"l\", which was appended several times");
  // Repeated, but nobody asks.
  EXPECT_EQ(Observed("A: w(x=1) ; B: w(x=1) ; C: r(y=_)").seen.ambiguity(), "");
}

TEST(Observations, TruncatedInputMayLackTheWriter) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("A"));
  builder.read(builder.key(builder.string("x")), builder.integer(1));
  builder.origin().truncated = true;
  Result<History> history = builder.finish();
  ASSERT_TRUE(history.ok());
  const Observed observed(std::move(history).value());
  EXPECT_FALSE(observed.seen.finding().has_value());
  EXPECT_NE(observed.seen.ambiguity().find("the input is cut off"), std::string::npos);
}

/// O1 to O4 of observations.hpp, and that readers are the inverse of reads.
void check_invariants(const Observations& seen) {
  for (std::size_t w = 0; w + 1 < seen.write_count(); ++w) {
    const auto name = [&](std::size_t i) {
      return std::pair{seen.writer(WriteId::at(i)), seen.written_key(WriteId::at(i))};
    };
    ASSERT_LT(name(w), name(w + 1));
  }
  for (std::size_t w = 0; w < seen.write_count(); ++w) {
    ASSERT_TRUE(seen.is_included(seen.writer(WriteId::at(w))));
    ASSERT_EQ(seen.find_write(seen.writer(WriteId::at(w)), seen.written_key(WriteId::at(w))),
              WriteId::at(w));
  }
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    if (!seen.is_included(TxnId::at(t))) {
      ASSERT_TRUE(seen.reads(TxnId::at(t)).empty());
    }
    for (const ReadFrom& read : seen.reads(TxnId::at(t))) {
      const std::span<const TxnId> readers = seen.readers(read.source, read.key);
      ASSERT_TRUE(std::binary_search(readers.begin(), readers.end(), TxnId::at(t)));
      if (read.source.is_none()) continue;
      ASSERT_EQ(seen.written_key(read.source), read.key);
      ASSERT_NE(seen.writer(read.source), TxnId::at(t));
    }
  }
  for (std::size_t k = 0; k < seen.history().key_count(); ++k) {
    const std::span<const WriteId> order = seen.list_order(KeyId::at(k));
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(seen.list_rank(order[i]), i);
      ASSERT_EQ(seen.written_key(order[i]), KeyId::at(k));
    }
  }
}

TEST(Observations, KeepTheirInvariants) {
  std::size_t clean = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Observed observed(support::build(support::random_history(seed)));
    if (observed.seen.finding() || !observed.seen.ambiguity().empty()) continue;
    ++clean;
    ASSERT_NO_FATAL_FAILURE(check_invariants(observed.seen));
  }
  EXPECT_GT(clean, 200U);
}

/// Whenever the budget runs out, what was left unread must not turn into a finding.
TEST(Observations, AnExhaustedBudgetAccusesNobody) {
  const char* const text =
      "A: w(x=1) a(l=1) ? ; B: r(x=1) r(l=[1]) w(y=2) ; C: r(y=2) a(l=2) ; D: r(l=[1 2]) "
      "r(y=2)";
  const History history = support::parse(text);
  for (std::uint64_t left = 0; left < 64; ++left) {
    base::Budget budget;
    budget.cancel_after(left);
    const Observations seen = observe(history, budget);
    EXPECT_FALSE(seen.finding().has_value()) << left << " ticks left";
  }
}

}  // namespace
}  // namespace isolde::infer
