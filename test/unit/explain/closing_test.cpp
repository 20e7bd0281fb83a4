#include "explain/closing.hpp"

#include <gtest/gtest.h>

#include "isolde/history_builder.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

std::string closing(const char* text, Level level, std::vector<Edge> cycle) {
  const History history = support::parse(text);
  return closing_text(history, Names(history),
                      make_scenario(history, cycle_certificate(level, std::move(cycle))));
}

TEST(Closing, SaysWhichWriteWentUnder) {
  EXPECT_EQ(
      closing("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)", Level::kSnapshotIsolation,
              {rw(0, 1, 0), rw(1, 0, 0)}),
      "Whichever of A:0 and B:0 came first, the other one overwrote its write of x without "
      "having seen it.");
  EXPECT_EQ(closing("A: r(l=[]) a(l=1) ; B: r(l=[]) a(l=2)", Level::kSnapshotIsolation,
                    {rw(0, 1, 0), rw(1, 0, 0)}),
            "Whichever of A:0 and B:0 came first, the other one appended to l without having "
            "seen its append.");
}

TEST(Closing, SaysTheRuleThatWritersBroke) {
  const char* const rule =
      ": one of them has to start after the other has committed, and to see all that it saw "
      "and "
      "did.";
  EXPECT_EQ(closing("A: a(l=1) w(x=1) ; B: r(x=_) a(l=2) ; C: r(l=[1 2])",
                    Level::kSnapshotIsolation, {ww(0, 1, 0), rw(1, 0, 1)}),
            "A:0 and B:0 both appended to l" + std::string(rule));
}

// Goal: what fails in the middle of a transaction may end it, unseen by the client.
TEST(Closing, SaysThatAnOperationOfTheForgetfulFailed) {
  for (const bool failed : {false, true}) {
    HistoryBuilder builder;
    const KeyId x = builder.key(builder.string("x"));
    builder.begin_txn(builder.session("A"));
    builder.write(x, Value::integer(1));
    builder.read(x, Value());
    if (failed) builder.origin().failed_ops = {{0, 1}};
    const History history = std::move(builder.finish()).value();
    Finding finding;
    finding.kind = FindingKind::kInternal;
    finding.txn = TxnId(0);
    finding.op = 1;
    const Scenario scenario = make_scenario(history, {Level::kReadCommitted, 0, 0, finding});
    EXPECT_EQ(closing_text(history, Names(history), scenario),
              failed ? "An operation of A:0 failed: if it failed between the two, the "
                       "transaction was probably rolled back there, and what followed ran as "
                       "another one."
                     : "");
  }
}

TEST(Closing, SaysWhoSawWhoseWriteAndWhoDidNot) {
  EXPECT_EQ(closing("A: r(x=_) r(y=_) w(x=1)\nB: r(x=_) r(y=_) w(y=2)", Level::kSerializable,
                    {rw(0, 1, 1), rw(1, 0, 0)}),
            "So A:0 did not see B:0's write of y and B:0 did not see A:0's write of x: neither "
            "can have come first.");
  EXPECT_EQ(closing("A: w(x=1) w(y=1)\nB: r(x=1) r(y=_)", Level::kSerializable,
                    {rw(1, 0, 1), wr(0, 1, 0)}),
            "So B:0 saw A:0's write of x, and still B:0 did not see A:0's write of y.");
  EXPECT_EQ(closing("A: w(x=1)\nB: r(x=1) w(y=1)\nC: r(y=1) r(x=_)", Level::kSerializable,
                    {wr(1, 2, 1), rw(2, 0, 0), wr(0, 1, 0)}),
            "So B:0 saw A:0's write of x and C:0 saw B:0's write of y, and still C:0 did not "
            "see A:0's write of x.");
}

// Goal: of a long fork, which write came first for whom; wherever the circle begins.
TEST(Closing, SaysWhoseOrderWasWhich) {
  const char* const fork = "A: w(x=1)\nB: w(y=1)\nC: r(x=1) r(y=_)\nD: r(y=1) r(x=_)";
  const std::vector<Edge> circle = {wr(0, 2, 0), rw(2, 1, 1), wr(1, 3, 1), rw(3, 0, 0)};
  EXPECT_EQ(
      closing(fork, Level::kSnapshotIsolation, circle),
      "So C:0 saw A:0's write of x and not B:0's write of y, while D:0 saw B:0's write of "
      "y and not A:0's write of x: for C:0 A:0 came first, and for D:0 B:0.");
  EXPECT_EQ(
      closing(fork, Level::kSnapshotIsolation, {circle[3], circle[0], circle[1], circle[2]}),
      closing(fork, Level::kSnapshotIsolation, circle));
}

// Goal: nobody is said to have missed what another read of his shows.
TEST(Closing, IsNothingWhereTheMissedWriteWasSeenLater) {
  EXPECT_EQ(closing("A: w(x=1) w(y=1)\nB: r(y=_) r(x=1) r(y=1)", Level::kSerializable,
                    {rw(1, 0, 1), wr(0, 1, 0)}),
            "");
  EXPECT_EQ(closing("A: a(x=1) w(y=1)\nB: r(x=[]) r(y=1) r(x=[1])", Level::kSerializable,
                    {rw(1, 0, 0), wr(0, 1, 1)}),
            "");
}

}  // namespace
}  // namespace isolde::explain
