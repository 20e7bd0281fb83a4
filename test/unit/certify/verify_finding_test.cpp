// Goal: a finding is accepted exactly when it is literally true of the history. Method: for
// each kind the smallest history that has it, and histories that lack it in one point.
#include <gtest/gtest.h>

#include "history/base_levels.hpp"
#include "isolde/history_builder.hpp"
#include "notation.hpp"
#include "support/history_dsl.hpp"

namespace isolde::certify::test {
namespace {

using enum FindingKind;

const std::string kNotByOther = "the other transaction it names did not write the value";

struct At {
  std::uint32_t txn = 0;
  std::uint32_t op = 0;
  std::uint32_t element = 0;
  int other = -1;
  std::uint32_t other_op = 0;
};

std::string claim(const History& history, FindingKind kind, At at,
                  Level level = Level::kReadCommitted) {
  const TxnId other = at.other < 0 ? TxnId::none() : txn(static_cast<std::uint32_t>(at.other));
  return outcome(history, found(history, level,
                                {kind, txn(at.txn), at.op, at.element, other, at.other_op}));
}

std::string claim(const std::vector<std::string>& txns, FindingKind kind, At at,
                  Level level = Level::kReadCommitted) {
  return claim(history(txns), kind, at, level);
}

TEST(VerifyFinding, NeedsAReadOfATransactionThatTookEffect) {
  const std::vector<std::string> h = {"A! w:x=1", "B r:x=1 w:y=1 r:z=?", "C! r:x=1",
                                      "D? r:x=1"};
  EXPECT_EQ(claim(h, kAbortedRead, {1, 0, 0, 0}), "proves");
  EXPECT_EQ(claim(h, kAbortedRead, {1, 1, 0, 0}),
            "the operation is not a read with a known result");
  EXPECT_EQ(claim(h, kAbortedRead, {1, 2, 0, 0}),
            "the operation is not a read with a known result");
  EXPECT_EQ(claim(h, kAbortedRead, {1, 3, 0, 0}), "there is no such operation");
  EXPECT_EQ(claim(h, kAbortedRead, {2, 0, 0, 0}), "C:0 may not have taken effect");
  EXPECT_EQ(claim(h, kAbortedRead, {3, 0, 0, 0}), "D:0 may not have taken effect");
  EXPECT_EQ(claim(h, kAbortedRead, {9, 0, 0, 0}), "the finding names unknown transaction 9");
  EXPECT_EQ(claim(h, static_cast<FindingKind>(99), {1, 0, 0, 0}),
            "the kind of finding does not exist");
}

TEST(VerifyFinding, EveryLevelForbidsItButForRepeatedReads) {
  for (const LevelInfo& level : ordinary_levels()) {
    EXPECT_EQ(claim({"A! w:x=1", "B r:x=1"}, kAbortedRead, {1, 0, 0, 0}, level.level),
              "proves");
    const bool snapshots = reads_repeatably(level.base);
    EXPECT_EQ(
        claim({"A w:x=1", "B r:x=_ r:x=1"}, kNonRepeatableRead, {1, 1, 0, -1, 0}, level.level),
        snapshots ? "proves" : "this level allows two reads of a key to differ");
  }
}

TEST(VerifyFinding, AbortedRead) {
  // O6.
  EXPECT_EQ(claim({"A! w:x=1", "B r:x=1"}, kAbortedRead, {1, 0, 0, 0}), "proves");
  EXPECT_EQ(claim({"A w:x=1", "B r:x=1"}, kAbortedRead, {1, 0, 0, 0}),
            "A:0 wrote the value and did not abort");
  EXPECT_EQ(claim({"A! w:x=1", "B r:x=1", "C? w:x=1"}, kAbortedRead, {1, 0, 0, 0}),
            "C:0 wrote the value and did not abort");
  EXPECT_EQ(claim({"A! w:x=1", "B w:x=1 r:x=1"}, kAbortedRead, {1, 1, 0, 0}),
            "B:0 wrote the value and did not abort");
  EXPECT_EQ(claim({"A! w:y=1", "B r:x=1"}, kAbortedRead, {1, 0, 0, 0}), kNotByOther);
  EXPECT_EQ(claim({"A! w:x=1", "B r:x=1"}, kAbortedRead, {1, 0, 0, 1}), kNotByOther);
  EXPECT_EQ(claim({"A! w:x=1", "B r:x=1"}, kAbortedRead, {1, 0}), kNotByOther);
  EXPECT_EQ(claim({"A! w:x=1", "B r:x=_"}, kAbortedRead, {1, 0, 0, 0}),
            "the read returned the initial value");
}

TEST(VerifyFinding, AbortedElement) {
  const std::vector<std::string> h = {"A a:l=1", "B! a:l=2", "C r:l=[1,2]"};
  EXPECT_EQ(claim(h, kAbortedRead, {2, 0, 1, 1}), "proves");
  EXPECT_EQ(claim(h, kAbortedRead, {2, 0, 0, 0}), "A:0 wrote the value and did not abort");
  EXPECT_EQ(claim(h, kAbortedRead, {2, 0, 2, 1}), "there is no such element");
}

TEST(VerifyFinding, IntermediateRead) {
  // O6b.
  EXPECT_EQ(claim({"A w:x=1 w:x=2", "B r:x=1"}, kIntermediateRead, {1, 0, 0, 0}), "proves");
  EXPECT_EQ(claim({"A w:x=1 w:x=2", "B r:x=2"}, kIntermediateRead, {1, 0, 0, 0}),
            "A:0 wrote the value last");
  EXPECT_EQ(claim({"A w:x=1 w:x=2 w:x=1", "B r:x=1"}, kIntermediateRead, {1, 0, 0, 0}),
            "A:0 wrote the value last");
  EXPECT_EQ(claim({"A w:x=1 w:x=2", "B r:x=1", "C? w:x=1"}, kIntermediateRead, {1, 0, 0, 0}),
            "C:0 wrote the value last");
  // The own write comes too late.
  EXPECT_EQ(claim({"A w:x=1 w:x=2", "B r:x=1 w:x=1"}, kIntermediateRead, {1, 0, 0, 0}),
            "proves");
  EXPECT_EQ(claim({"A w:x=1 w:x=2", "B w:x=1 r:x=1"}, kIntermediateRead, {1, 1, 0, 0}),
            "the transaction wrote the value itself");
  // Only an aborted transaction wrote it in the middle: that is an aborted read.
  EXPECT_EQ(claim({"A! w:x=1 w:x=2", "B r:x=1"}, kIntermediateRead, {1, 0, 0, 0}), kNotByOther);
}

TEST(VerifyFinding, IntermediateElement) {
  const std::string a = "A a:l=1 a:l=2";
  EXPECT_EQ(claim({a, "B r:l=[1]"}, kIntermediateRead, {1, 0, 0, 0}), "proves");
  EXPECT_EQ(claim({a, "B r:l=[2]"}, kIntermediateRead, {1, 0, 0, 0}), "proves");
  EXPECT_EQ(claim({a, "B r:l=[2,1]"}, kIntermediateRead, {1, 0, 0, 0}), "proves");
  EXPECT_EQ(claim({a, "B r:l=[1,3,2]", "C a:l=3"}, kIntermediateRead, {1, 0, 2, 0}), "proves");
  EXPECT_EQ(claim({a, "B a:l=3 r:l=[1,3]"}, kIntermediateRead, {1, 1, 0, 0}), "proves");
  EXPECT_EQ(claim({a, "B r:l=[3,1,2]", "C a:l=3"}, kIntermediateRead, {1, 0, 2, 0}),
            "the read shows all appends of A:0");
  EXPECT_EQ(claim({a, "B r:l=[1]", "C a:l=1"}, kIntermediateRead, {1, 0, 0, 0}),
            "the element was appended more than once");
  EXPECT_EQ(claim({a, "B r:l=[3]", "C a:l=3"}, kIntermediateRead, {1, 0, 0, 0}), kNotByOther);
  EXPECT_EQ(claim({"A a:l=1 r:l=[1] a:l=2"}, kIntermediateRead, {0, 1, 0, 0}),
            "the element is the transaction's own");
  EXPECT_EQ(claim({a, "B a:l=3 r:l=[1]"}, kIntermediateRead, {1, 1, 0, 0}),
            "the read contradicts the transaction's own appends");
}

TEST(VerifyFinding, FutureRead) {
  EXPECT_EQ(claim({"A r:x=1 w:x=1"}, kFutureRead, {0, 0}), "proves");
  EXPECT_EQ(claim({"A r:l=[1] a:l=1"}, kFutureRead, {0, 0}), "proves");
  EXPECT_EQ(claim({"A r:x=1 w:x=1", "B? w:x=1"}, kFutureRead, {0, 0}),
            "B:0 wrote the value too");
  EXPECT_EQ(claim({"A w:x=1 r:x=1 w:x=1"}, kFutureRead, {0, 1}),
            "the transaction had written the value before");
  EXPECT_EQ(claim({"A r:x=1"}, kFutureRead, {0, 0}),
            "the transaction does not write the value later");
}

TEST(VerifyFinding, UnwrittenRead) {
  EXPECT_EQ(claim({"A r:x=1"}, kUnwrittenRead, {0, 0}), "proves");
  EXPECT_EQ(claim({"A r:l=[1,2]", "B a:l=1"}, kUnwrittenRead, {0, 0, 1}), "proves");
  EXPECT_EQ(claim({"A r:l=[1,2]", "B a:l=1"}, kUnwrittenRead, {0, 0, 0}),
            "B:0 wrote the value");
  EXPECT_EQ(claim({"A r:x=1", "B! w:x=1"}, kUnwrittenRead, {0, 0}), "B:0 wrote the value");
  EXPECT_EQ(claim({"A r:x=_"}, kUnwrittenRead, {0, 0}), "the read returned the initial value");
}

TEST(VerifyFinding, UnwrittenReadNeedsACompleteHistory) {
  HistoryBuilder builder;
  builder.origin().truncated = true;
  builder.begin_txn(builder.session("A"));
  builder.read(builder.key(builder.string("x")), builder.integer(1));
  const Result<History> h = builder.finish();
  EXPECT_EQ(claim(*h, kUnwrittenRead, {0, 0}),
            "the history is cut off: the missing end may have written the value");
}

TEST(VerifyFinding, Internal) {
  const std::string agrees = "the read agrees with the transaction's own writes";
  EXPECT_EQ(claim({"A w:x=1 r:x=2", "B w:x=2"}, kInternal, {0, 1}), "proves");
  EXPECT_EQ(claim({"A w:x=1 r:x=_"}, kInternal, {0, 1}), "proves");
  EXPECT_EQ(claim({"A w:x=1 w:x=2 r:x=1"}, kInternal, {0, 2}), "proves");
  EXPECT_EQ(claim({"A a:l=1 r:l=[]"}, kInternal, {0, 1}), "proves");
  EXPECT_EQ(claim({"A a:l=1 a:l=2 r:l=[2,1]"}, kInternal, {0, 2}), "proves");
  EXPECT_EQ(claim({"A a:l=1 r:l=[1,2]", "B a:l=2"}, kInternal, {0, 1}), "proves");
  EXPECT_EQ(claim({"A w:x=1 r:x=1"}, kInternal, {0, 1}), agrees);
  EXPECT_EQ(claim({"A r:x=2 w:x=1", "B w:x=2"}, kInternal, {0, 0}), agrees);
  EXPECT_EQ(claim({"A r:l=[2] a:l=1 r:l=[2,1]", "B a:l=2"}, kInternal, {0, 2}), agrees);
}

TEST(VerifyFinding, NonRepeatableRead) {
  const auto claim_si = [](const std::vector<std::string>& txns, At at) {
    return claim(txns, kNonRepeatableRead, at, Level::kSnapshotIsolation);
  };
  // O7.
  EXPECT_EQ(claim_si({"A w:x=1", "B r:x=_ r:x=1"}, {1, 1, 0, -1, 0}), "proves");
  EXPECT_EQ(claim_si({"A a:l=1", "B r:l=[] a:l=2 r:l=[1,2]"}, {1, 2, 0, -1, 0}), "proves");
  EXPECT_EQ(claim_si({"A w:x=1", "B r:x=_ r:x=1"}, {1, 0, 0, -1, 1}),
            "the other read is not an earlier one");
  EXPECT_EQ(claim_si({"A w:x=1", "B r:x=1 r:x=1"}, {1, 1, 0, -1, 0}),
            "the reads returned the same");
  EXPECT_EQ(claim_si({"B r:l=[] a:l=2 r:l=[2]"}, {0, 2, 0, -1, 0}),
            "the reads returned the same");
  EXPECT_EQ(claim_si({"A w:x=1", "B r:y=_ r:x=1"}, {1, 1, 0, -1, 0}),
            "the reads are of different keys");
  EXPECT_EQ(claim_si({"B r:x=_ w:x=1 r:x=1"}, {0, 2, 0, -1, 0}),
            "one of the two is not a read from another transaction");
}

std::string claim_two(const std::string& text, At at, Level level = Level::kSerializable) {
  return claim(support::parse(text), kNonRepeatableRead, at, level);
}

TEST(VerifyFinding, TwoPartialReads) {
  const std::string two = "A: w(1=a:1) ; B: w(1=b:2) ; ";
  const At at{2, 1, 0, -1, 0};
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(1=b:2)", at), "proves");
  EXPECT_EQ(claim_two(two + "C: r(1=/) s(keys=1..1:)", at), "proves");
  EXPECT_EQ(claim_two(two + "C: s(keys=1..1:) r(1=/)", at), "proves");
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(1=/)", at),
            "both reads may have returned what A:0 wrote");
  EXPECT_EQ(claim_two(two + "C: s(cols=a:1:) s(keys=1..1:)", at),
            "both reads may have returned the initial value");
  EXPECT_EQ(claim_two("start(1=a:1/b:2) ; " + two + "C: r(1=a:1) r(1=b:2)", at),
            "both reads may have returned the initial value");
  EXPECT_EQ(claim_two("start(1=a:1) ; " + two + "C: r(1=a:1) r(1=b:2)", at), "proves");
  EXPECT_EQ(claim_two(two + "C: r(1=/) s(keys=1..1:) ; D: d(1)", at), "proves");
  EXPECT_EQ(claim_two(two + "C: r(1=<>7) s(keys=1..1:) ; D: d(1)", at),
            "both reads may have returned the initial value");
  EXPECT_EQ(claim_two("start(1=7) ; A: d(1) ; B: w(2=1) ; C: r(1=<>7) s(keys=1..1:)", at),
            "both reads may have returned what A:0 wrote");
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(2=/)", at), "the reads are of different keys");
}

TEST(VerifyFinding, TwoPartialReadsOfVersionsThatCount) {
  const std::string two = "A: w(1=a:1) ; B: w(1=b:2) ; ";
  const At at{2, 1, 0, -1, 0};
  const std::string both = "both reads may have returned what D:0 wrote";
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(1=b:2) ; D: w(1=a:1/b:2)", at), both);
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(1=b:2) ; D: w(1=a:1/b:2) ?", at), both);
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(1=b:2) ; D: w(1=a:1/b:2) !", at), "proves");
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(1=b:2) ; D: w(1=a:1/b:2) w(1=b:2)", at), "proves");
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(1=b:2) ; D: w(1=a:1) w(1=a:1/b:2)", at), both);
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(1=b:2) w(1=a:1/b:2)", at), "proves");
  EXPECT_EQ(claim_two(two + "C: w(1=a:1/b:2) r(1=a:1) r(1=b:2)", {2, 2, 0, -1, 1}),
            "one of the two is not a read from another transaction");
  EXPECT_EQ(claim_two(two + "C: s(cols=a:1: 1=/) r(1=b:2)", at), "proves");
  EXPECT_EQ(claim_two(two + "C: s(cols=b:2: 1=/) r(1=b:2)", at),
            "both reads may have returned what B:0 wrote");
  EXPECT_EQ(claim_two(two + "C: s(cols=a:2: 1=a:1) r(1=b:2)", at),
            "one of the two is not a read from another transaction");
  EXPECT_EQ(claim_two(two + "C: r(1=a:1) r(1=b:2) ?", at), "C:0 may not have taken effect");
}

TEST(VerifyFinding, TwoPartialReadsWhereReadsAreRepeatable) {
  const std::string rows = "A: w(1=a:1) ; B: w(1=b:2) ; C: r(1=/) s(keys=1..1:)";
  const std::string columns = "A: w(1=a:1) ; B: w(1=b:2) ; C: r(1=a:1) r(1=b:2)";
  const std::string replaced = "start(1=a:9) ; A: w(1=a:1) ; B: d(1) ; C: r(1=/) s(keys=1..1:)";
  const At at{2, 1, 0, -1, 0};
  for (const LevelInfo& level : ordinary_levels()) {
    const bool repeats = reads_repeatably(level.base);
    const std::string expected =
        repeats ? "proves" : "this level allows two reads of a key to differ";
    EXPECT_EQ(claim_two(columns, at, level.level), expected) << level.name;
    const bool is_of_items = disregards_left_out_rows(level.base);
    EXPECT_EQ(claim_two(rows, at, level.level),
              is_of_items ? "one of the two is not a read from another transaction" : expected);
    EXPECT_EQ(
        claim_two(replaced, at, level.level),
        is_of_items
            ? "at this level what a selection left out need not be what other reads returned"
            : expected);
  }
}

TEST(VerifyFinding, TwoPartialReadsNeedACompleteHistory) {
  for (const bool truncated : {false, true}) {
    HistoryBuilder builder;
    builder.origin().truncated = truncated;
    const KeyId x = builder.key(builder.string("x"));
    builder.begin_txn(builder.session("A"));
    builder.read(x, builder.row({}));
    builder.read_except(x, Predicate{});
    const Result<History> h = builder.finish();
    EXPECT_EQ(claim(*h, kNonRepeatableRead, {0, 1, 0, -1, 0}, Level::kSerializable),
              truncated
                  ? "the history is cut off: the missing end may have written what both reads "
                    "returned"
                  : "proves");
  }
}

TEST(VerifyFinding, IncompatibleOrder) {
  const std::string a = "A a:l=1";
  const std::string b = "B a:l=2";
  EXPECT_EQ(claim({a, b, "C r:l=[1,2]", "D r:l=[2,1]"}, kIncompatibleOrder, {2, 0, 0, 3, 0}),
            "proves");
  EXPECT_EQ(claim({a, b, "C r:l=[1]", "D r:l=[2]"}, kIncompatibleOrder, {3, 0, 0, 2, 0}),
            "proves");
  EXPECT_EQ(claim({a, b, "C r:l=[1]", "D r:l=[1,2]"}, kIncompatibleOrder, {2, 0, 0, 3, 0}),
            "one list is a prefix of the other");
  // Own appends do not count.
  EXPECT_EQ(claim({a, "B a:l=2 r:l=[2]", "C r:l=[1]"}, kIncompatibleOrder, {1, 1, 0, 2, 0}),
            "one list is a prefix of the other");
  EXPECT_EQ(
      claim({a, b, "C r:l=[1]", "D r:m=[2]", "E a:m=2"}, kIncompatibleOrder, {2, 0, 0, 3, 0}),
      "the reads are of different keys");
  EXPECT_EQ(claim({a, b, "C r:l=[1]", "D! r:l=[2]"}, kIncompatibleOrder, {2, 0, 0, 3, 0}),
            "D:0 may not have taken effect");
  EXPECT_EQ(claim({a, b, "C r:l=[1]"}, kIncompatibleOrder, {2, 0, 0, 7, 0}),
            "the finding names unknown transaction 7");
  EXPECT_EQ(claim({a, b, "C r:l=[1]", "D w:x=1"}, kIncompatibleOrder, {2, 0, 0, 3, 5}),
            "one of the two is not a read from another transaction");
}

TEST(VerifyFinding, DuplicateElement) {
  EXPECT_EQ(claim({"A a:l=1", "B r:l=[1,1]"}, kDuplicateElement, {1, 0, 1}), "proves");
  EXPECT_EQ(claim({"A a:l=1", "B a:l=2", "C r:l=[1,2]"}, kDuplicateElement, {2, 0, 1}),
            "the element is in the list only once");
  // Two transactions may append the same, and one may do so twice.
  EXPECT_EQ(claim({"A a:l=1", "B? a:l=1", "C r:l=[1,1]"}, kDuplicateElement, {2, 0, 1}),
            "the element was appended that often");
  EXPECT_EQ(claim({"A a:l=1 a:l=1", "C r:l=[1,1]"}, kDuplicateElement, {1, 0, 1}),
            "the element was appended that often");
  EXPECT_EQ(claim({"A w:x=1", "B r:x=1"}, kDuplicateElement, {1, 0, 0}),
            "the read is not of a list");
}

}  // namespace
}  // namespace isolde::certify::test
