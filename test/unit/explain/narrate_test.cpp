#include "explain/narrate.hpp"

#include <gtest/gtest.h>

#include "certify/verify.hpp"
#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

std::string tell(const History& history, const Certificate& proof) {
  return narrate(history, make_scenario(history, proof), {});
}

// Goal: the whole text of a simple case, as people see it.
TEST(Narrate, TellsWriteSkew) {
  EXPECT_EQ(
      tell(write_skew(), write_skew_proof()),
      "Write skew (G2-item)\n"
      "\n"
      "Let:\n"
      "  T1 = A:0\n"
      "       r(x)=initial r(y)=initial w(x)=1\n"
      "  T2 = B:0\n"
      "       r(x)=initial r(y)=initial w(y)=2\n"
      "Then:\n"
      "  T1 < T2 (rw), because T1 read the initial value of y, which T2 replaced by 2.\n"
      "  T2 < T1 (rw), because T2 read the initial value of x, which T1 replaced by 1.\n"
      "  T1 < T2 < T1, a contradiction.\n"
      "So T1 did not see T2's write of y and T2 did not see T1's write of x: neither can have "
      "come\n"
      "  first.\n"
      "Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G2-item, "
      "the type\n"
      "  of the anomaly in the terms of Adya and Elle.\n"
      "A < B by rw: A read a version that B replaced, so it did not see B.\n"
      "\n"
      "Write skew: each of two transactions read what the other one was about to change, "
      "and neither\n"
      "  saw the other's change; run one after the other, the second would have seen it.\n"
      "Where to look: snapshot isolation allows this by design, because it compares what "
      "transactions\n"
      "  wrote and not what they read; where serializability was asked for, a read was not "
      "tracked or\n"
      "  its lock was released too early.\n");
}

// Goal: only notation that occurs is explained.
TEST(Narrate, ExplainsTheNotationThatOccurs) {
  const Finding finding{FindingKind::kFutureRead, txn(0), 0, 0, {}, 0};
  const std::string plain =
      tell(support::parse("A: r(x=2) w(x=2)"), {Level::kReadCommitted, {}, 0, finding});
  expect_contains(plain, "Notation: A:0, session A's first transaction.\n");
  EXPECT_EQ(plain.find("T1 < T2"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("Adya"), std::string::npos) << plain;
}

// Goal: of a part that is no more than what the violation needs, the others are told, too, and
// who read from them only where nobody else wrote the same.
TEST(Narrate, TellsTheRestOfAPart) {
  const auto told = [](const char* text) {
    const History history = support::parse(text);
    const Certificate proof =
        cycle_certificate(Level::kSnapshotIsolation, {rw(0, 1, 0), rw(1, 0, 0)});
    return narrate(history, make_scenario(history, proof), {.with_rest = true});
  };
  expect_contains(told("A: r(x=1) w(x=2) ; B: r(x=1) w(x=3) ; C: w(x=1)"),
                  "Beside them:\n"
                  "  C:0, from which T1 and T2 read\n"
                  "       w(x)=1\n"
                  "Then:\n");
  expect_contains(told("A: r(x=1) w(x=2) ; B: r(x=1) w(x=3) ; C: w(x=1) ; D: w(x=1)"),
                  "Beside them:\n"
                  "  C:0\n"
                  "       w(x)=1\n"
                  "  D:0\n"
                  "       w(x)=1\n");
  EXPECT_EQ(told("A: r(x=_) w(x=2) ; B: r(x=_) w(x=3)").find("Beside them"), std::string::npos);
}

// Goal: what was selected, and what was not among it.
TEST(Narrate, TellsPhantoms) {
  const History history = support::parse("A: s(keys=1..9:) w(1=10) ; B: s(keys=1..9:) w(2=20)");
  const std::string text =
      tell(history, cycle_certificate(Level::kSerializable, {rw(0, 1, 1), rw(1, 0, 0)}));
  expect_contains(text, "Phantom (G2)");
  expect_contains(text, "T1 selected keys 1 to 9 and key 2 was not among them, but T2 wrote");
  expect_contains(text, "       select(keys 1 to 9) -> nothing; left out 1, 2\n");
}

// Goal: what is told as read later is no row of the same selection.
TEST(Narrate, TellsWhatWasReadAfterASelection) {
  const History history =
      support::parse("A: w(1=1) w(2=1) ; B: s(keys=1..9: 1=1) s(keys=2..3:)");
  const Edge missed{TxnId(0), TxnId(0), EdgeKind::kMonotonicView, KeyId(1), TxnId(1)};
  expect_contains(
      tell(history, cycle_certificate(Level::kMonotonicAtomicView, {missed})),
      "T2 read key 1 = 1 from T1 and later no row key 2 among keys 2 to 3, although");
  const History backwards =
      support::parse("A: w(1=1) w(2=1) ; B: r(2=1) s(keys=1..9: 1=1 2=1) r(1=_)");
  const Edge again{TxnId(0), TxnId(0), EdgeKind::kMonotonicView, KeyId(0), TxnId(1)};
  expect_contains(tell(backwards, cycle_certificate(Level::kMonotonicAtomicView, {again})),
                  "T2 read key 2 = 1 from T1 and later the initial value of key 1, although");
}

// Goal: times and real-time gaps are told in readable units, from the start of the history.
TEST(Narrate, TellsTimes) {
  const History history =
      support::parse("A: w(x=1) @1000000,2000000; B: r(x=_) @3500000,4000000");
  const std::string text =
      tell(history, cycle_certificate(Level::kStrictSerializable, {rt(0, 1), rw(1, 0, 0)}));
  expect_contains(text, "T1 = A:0, from 0 ns to 1.000 ms");
  expect_contains(text, "because T1 ended 1.500 ms before T2 started.");
  expect_contains(text, "Stale read (G-single-realtime)");
  expect_contains(text, "  Times are since the first start of the history.\n");
  const Scenario scenario = make_scenario(
      history, cycle_certificate(Level::kStrictSerializable, {rt(0, 1), rw(1, 0, 0)}));
  const std::string as_part = narrate(history, scenario, {false, 0, 400'000});
  expect_contains(as_part, "T1 = A:0, from 600.000 us to 1.600 ms");
  expect_contains(as_part, "  Times are since the first start of the whole history.\n");
}

// Goal: what makes two writers of one item a contradiction is said, with the item.
TEST(Narrate, TellsTheRuleThatWritersBroke) {
  const History history = support::parse("A: a(l=1) w(x=1) ; B: r(x=_) a(l=2) ; C: r(l=[1 2])");
  const std::string text =
      tell(history, cycle_certificate(Level::kSnapshotIsolation, {ww(0, 1, 0), rw(1, 0, 1)}));
  expect_contains(text, "Conflicting writers (G-single)");
  expect_contains(text,
                  "T1 and T2 both appended to l: one of them has to start after the other");
  expect_contains(text, "A < B by ww: B replaced what A wrote; rw: A read a version that B");
}

// Goal: no durations are told where the input has none, and sessions of those whose names do
// not tell.
TEST(Narrate, TellsEventsInPlaceOfTimes) {
  HistoryBuilder builder;
  builder.origin().format = "jepsen";
  builder.origin().times_are_order = true;
  const KeyId x = builder.key(builder.string("x"));
  builder.begin_txn(builder.session("3"), 5);
  builder.set_completion_in_input(8);
  builder.set_times({4, 7});
  builder.set_label(builder.integer(4));
  builder.write(x, Value::integer(1));
  builder.begin_txn(builder.session("B"), 9);
  builder.set_times({8, 9});
  builder.set_label(builder.string("B:7"));
  builder.read(x, Value());
  const History history = std::move(builder.finish()).value();
  const std::string text =
      tell(history, cycle_certificate(Level::kStrictSerializable, {rt(0, 1), rw(1, 0, 0)}));
  expect_contains(text, "T1 = #4, session 3, lines 5 and 8, events 4 to 7\n");
  expect_contains(text, "T2 = B:7, line 9, events 8 to 9\n");
  expect_contains(text, "because T1 ended (event 7) before T2 started (event 8).");
  EXPECT_EQ(text.find("Times are since"), std::string::npos) << text;
  EXPECT_EQ(text.find(" ns"), std::string::npos) << text;
}

// Goal: proofs by cases read as cases; established facts as steps.
TEST(Narrate, TellsCasesAndSteps) {
  const History history =
      support::parse("A: w(x=1) w(y=1); B: w(x=2) w(y=2); C: r(x=2) r(y=1)");
  const Edge first = rw(2, 1, 1, txn(0));
  const Edge second = rw(2, 0, 0, txn(1));
  const RefutationStep not_two_one{{{txn(0), txn(1)}}, {wr(0, 2, 1), second}, {}};
  const RefutationStep not_one_two{{{txn(1), txn(0)}}, {wr(1, 2, 0), first}, {}};
  const std::string cases = tell(
      history, certificate(Level::kSerializable, {not_two_one, not_one_two, {{}, {}, {0, 1}}}));
  expect_contains(cases, "Either T3 wrote x and y before T1. Then:");
  expect_contains(cases, "Or T1 wrote x and y before T3. Then:");
  expect_contains(cases,
                  "Neither is possible.\n"
                  "Thus no order of these transactions that serializable allows explains what "
                  "they read.\n");
  const std::string steps =
      tell(history,
           certificate(Level::kSerializable, {not_two_one, {{}, {wr(1, 2, 0), first}, {}}}));
  expect_contains(steps, "Step 1. T1 wrote x before T3, for otherwise:");
  expect_contains(steps, "(assumed)");
  expect_contains(steps, "Step 2. Then:");
  expect_contains(steps, "(step 1)");
  expect_contains(steps, "Thus no order of these transactions that serializable allows");
}

// Goal: every finding has its sentence.
TEST(Narrate, TellsFindings) {
  const auto finding = [](const char* text, Finding what) {
    const History history = support::parse(text);
    return tell(history, {Level::kReadCommitted, 0, 0, what});
  };
  expect_contains(
      finding("A: w(x=1) !; B: r(x=1)", {FindingKind::kAbortedRead, txn(1), 0, 0, txn(0), 0}),
      "T1 read x = 1, which only the aborted T2 wrote.");
  expect_contains(finding("A: w(x=1) w(x=2); B: r(x=1)",
                          {FindingKind::kIntermediateRead, txn(1), 0, 0, txn(0), 0}),
                  "T1 read x = 1, which T2 replaced by 2 before it ended.");
  expect_contains(finding("A: r(x=7)", {FindingKind::kUnwrittenRead, txn(0), 0, 0, {}, 0}),
                  "T1 read x = 7, which no transaction wrote.");
  expect_contains(finding("A: r(x=1) w(x=1)", {FindingKind::kFutureRead, txn(0), 0, 0, {}, 0}),
                  "T1 read x = 1, which it wrote itself only later.");
  expect_contains(finding("A: w(x=1) r(x=_)", {FindingKind::kInternal, txn(0), 1, 0, {}, 0}),
                  "although it had written x = 1 before.");
  expect_contains(finding("A: w(x=1); B: r(x=_) r(x=1)",
                          {FindingKind::kNonRepeatableRead, txn(1), 1, 0, {}, 0}),
                  "T1 read the initial value of x first and x = 1 from T2 later.");
  expect_contains(
      finding("A: a(x=1); B: a(x=2); C: r(x=[1 2]); D: r(x=[2 1])",
              {FindingKind::kIncompatibleOrder, txn(3), 0, 0, txn(2), 0}),
      "T1 read x = [2 1], and T2 read x = [1 2]; neither list continues the other.");
  expect_contains(finding("A: a(x=1); B: r(x=[1 1])",
                          {FindingKind::kDuplicateElement, txn(1), 0, 1, {}, 0}),
                  "T1 read x = [1 1], which holds 1 (appended by T2) more than once.");
}

// Goal: who else wrote what a transaction saw of an item that it had written itself is told.
TEST(Narrate, TellsWhoWroteWhatHidesAnOwnWrite) {
  const auto own = [](std::string_view text, std::uint32_t read) {
    return tell(
        support::parse(text),
        {Level::kReadCommitted, 0, 0, Finding{FindingKind::kInternal, txn(0), read, 0, {}, 0}});
  };
  const std::string text = own("A: w(x=1) r(x=2); B: w(x=2)", 1);
  expect_contains(text, "T2 = B:0");
  expect_contains(text, "T1 read x = 2 from T2, although it had written x = 1 before.");
  expect_contains(own("A: w(x=1) r(x=2); B: w(x=2); C: w(x=2)", 1), "x = 2 from T2 or T3,");
}

// Goal: of two reads that differ, both writers are told, and named as one of several where it
// may have been another.
TEST(Narrate, TellsWhoWroteWhatReadsDifferBy) {
  const Finding differs{FindingKind::kNonRepeatableRead, txn(2), 1, 0, {}, 0};
  const std::string text = tell(support::parse("A: w(x=1); B: w(x=2); C: r(x=1) r(x=2)"),
                                {Level::kSnapshotIsolation, 0, 0, differs});
  expect_contains(text, "T2 = A:0");
  expect_contains(text, "T3 = B:0");
  expect_contains(text, "T1 read x = 1 from T2 first and x = 2 from T3 later.");
  // An append of its own does not change what it says of others.
  expect_contains(tell(support::parse("A: a(x=1); B: a(x=2); C: r(x=[1]) a(x=3) r(x=[1 2 3])"),
                       {Level::kSnapshotIsolation, 0, 0,
                        Finding{FindingKind::kNonRepeatableRead, txn(2), 2, 0, {}, 0}}),
                  "T1 read x = [1] from T2 first and x = [1 2 3] from T3 later.");
  expect_contains(tell(support::parse("A: w(x=1); B: w(x=1); C: r(x=_) r(x=1)"),
                       {Level::kSnapshotIsolation, 0, 0, differs}),
                  "x = 1 from T2 or T3 later.");
}

// Goal: no word of an anomaly is false of one that has this name. The transaction did write the
// item between its reads.
TEST(Narrate, SaysNothingOfOwnWritesBetweenReads) {
  const History history = support::parse("A: a(x=1); B: r(x=[]) a(x=2) r(x=[1 2])");
  const std::string text =
      tell(history, {Level::kSnapshotIsolation, 0, 0,
                     Finding{FindingKind::kNonRepeatableRead, txn(1), 2, 0, {}, 0}});
  EXPECT_EQ(text.find("had not written"), std::string::npos) << text;
}

// Goal: an order that nobody has to suppose has its reason: here a list without the append.
TEST(Narrate, TellsWhyListsHaveTheirOrder) {
  const History history = support::parse("A: a(x=1) | r(x=[1]) a(x=2); B: r(x=[1]); A: a(x=3)");
  const std::string text =
      tell(history, cycle_certificate(Level::kSequential, {ww(0, 3, 0), so(3, 0)}));
  expect_contains(text,
                  "T1 appended 1 to x before T2 appended 3, for T3 read x = [1], without 3.");
}

// Goal: an append that the list shows is the reader's own where somebody else appended the
// same.
TEST(Narrate, TellsTheReadersOwnElementsApart) {
  const auto tell_order = [](const char* text) {
    return tell(support::parse(text),
                cycle_certificate(Level::kSequential, {ww(1, 0, 0), so(0, 1)}));
  };
  expect_contains(tell_order("A: a(y=2) | a(y=1); B: a(y=2) r(y=[1 2])"),
                  "T3 read y = [1 2], without\n    2 but its own.");
  expect_contains(tell_order("A: a(y=3) a(y=2) | a(y=1); B: a(y=2) r(y=[1 2])"),
                  "T3 read y = [1 2], without\n    3.");
}

// Goal: whoever is among the causes that a reason of a reason tells of has a name.
TEST(Narrate, NamesCausesInsideAReason) {
  const History history = support::parse("B: w(x=1) | r(x=2); C: w(x=2); D: r(x=2) | r(x=1)");
  const Edge seen{txn(2), txn(0), EdgeKind::kCausalView, key(0), txn(4)};
  const Refutation proof{{{{{txn(2), txn(0)}}, {ww(0, 2, 0), seen}, {}},
                          {{}, {so(0, 1), rw(1, 0, 0, txn(2))}, {}}}};
  const std::string text = tell(history, {Level::kMixed, 0, 0, proof});
  expect_contains(text, "T5 = D:0");
  expect_contains(text, "causes of T4: T5 read x = 2 from T3 and T4 came\n    after T5 in its");
}

// Goal: whoever is named has a name. The order is shown by a read of what T3 wrote, which
// no edge is about.
TEST(Narrate, NamesWhomAReasonSpeaksOf) {
  const History history = support::parse("B: w(y=2) w(x=3); C: r(x=3) w(y=8) | r(y=2) w(y=7)");
  const Refutation proof{{{{{txn(2), txn(1)}}, {rw(2, 1, 0, txn(0)), ww(1, 2, 0)}, {}},
                          {{}, {ww(2, 1, 0), so(1, 2)}, {}}}};
  const std::string text = tell(history, {Level::kStrictSerializable, 0, 0, proof});
  expect_contains(text, "T3 = B:0");
  expect_contains(text, "T1 read y = 2 from T3");
}

// Goal: the same where the reason tells why a row that was left out came later.
TEST(Narrate, NamesWhoseVersionWasLeftOut) {
  const History history = support::parse(
      "start(1=a:2) C: w(1=b:2) ; D: r(1=a:_/b:2) w(1=a:1/b:1) ; D: s(cols=a:!_:)");
  const std::string text =
      tell(history, cycle_certificate(Level::kReadYourWrites, {so(1, 2), rw(2, 1, 0, txn(0))}));
  expect_contains(text, "T3 = C:0");
  expect_contains(text, "key 1 was not among them");
  expect_contains(text, "from T3");
}

// Goal: where others wrote the same value, a read is no reason.
TEST(Narrate, TakesNoReadForAnothers) {
  const History history =
      support::parse("A: w(x=1) w(y=1) @0,1 ; B: w(y=1) @0,1 ; C: r(x=_) r(y=1) @2,3");
  const Edge seen{txn(0), txn(0), EdgeKind::kAtomicView, key(0), txn(2)};
  expect_contains(tell(history, cycle_certificate(Level::kStrongReadAtomic, {seen})),
                  "although T1 wrote x = 1 and had ended before T2");
}

// Goal: lists are told by what a read lacks, and long lists are shortened.
TEST(Narrate, TellsLists) {
  const History history = support::parse(
      "A: a(x=1) a(x=2) a(x=3) a(x=4) a(x=5) a(x=6) a(x=7) a(x=8) a(x=9); "
      "B: a(x=10) r(y=[]); C: r(x=[1 2 3 4 5 6 7 8 9]) a(y=1)");
  const std::string text = tell(
      history, cycle_certificate(Level::kSerializable, {rw(2, 1, 0, txn(0)), rw(1, 2, 1)}));
  expect_contains(text, "T1 read x up to 9 (9 elements), without T2's append of 10.");
  expect_contains(text, "T2 read y = [], without T1's append of 1.");
}

// Goal: where values repeat, a proof says which sources of reads it supposes.
TEST(Narrate, TellsWhatItSupposesAboutReads) {
  const History history =
      support::parse("A: w(x=1) w(y=1); B: w(x=1) w(y=2); C: r(x=1) r(y=_)");
  const Claim from_a{{txn(2), 0, txn(0)}, false};
  const Claim from_b{{txn(2), 0, txn(1)}, false};
  const auto not_from = [](Claim claim) {
    claim.denied = true;
    return claim;
  };
  const std::vector<RefutationStep> steps = {
      {{}, {}, {}, {from_a, from_b}},
      {{}, {wr(0, 2, 0), rw(2, 0, 1)}, {}, {not_from(from_a)}},
      {{}, {wr(1, 2, 0), rw(2, 1, 1)}, {}, {not_from(from_b)}},
      {{}, {}, {0, 1, 2}, {}},
  };
  const Certificate proof = certificate(Level::kSerializable, steps);
  ASSERT_EQ(make_scenario(history, proof).steps_total, 4U);
  const std::string text = tell(history, proof);
  expect_contains(text, "Step 1. T2 read x = 1 from T1, or T2 read x = 1 from T3; there is no");
  expect_contains(text, "Step 2. T2 did not read x = 1 from T1, for otherwise:");
  expect_contains(text, "(assumed, for");
  expect_contains(text, "From steps 1, 2 and 3: a contradiction.");
}

TEST(Narrate, ColoursOnlyWhenAsked) {
  const History history = write_skew();
  const Scenario scenario = make_scenario(history, write_skew_proof());
  EXPECT_EQ(narrate(history, scenario, {}).find('\x1b'), std::string::npos);
  EXPECT_NE(narrate(history, scenario, {true, 2}).find('\x1b'), std::string::npos);
}

// Goal: what increments come to is told with its numbers.
TEST(Narrate, TellsWhatIncrementsComeTo) {
  struct Case {
    const char* history;
    Level level;
    FindingKind kind;
    TxnId txn;
    std::uint32_t op;
    const char* statement;
  };
  const Case cases[] = {
      {"A: r(x=2) i(x+1) ; B: i(x+1)", Level::kReadCommitted, FindingKind::kImpossibleNumber,
       TxnId::at(0), 0,
       "impossible number: A:0 read 2 from x, where only 0 to 1 are possible: it began with 0, "
       "and others can have added up to 1"},
      {"A: i(x+3) ; B: r(x=9)", Level::kReadCommitted, FindingKind::kUnwrittenRead,
       TxnId::at(1), 0,
       "impossible number: B:0 read 9 from x, where only 0 to 3 are possible: it began with 0, "
       "and others can have added up to 3"},
      {"A: i(x+3) ; B: r(x=9)", Level::kReadYourWrites, FindingKind::kUnwrittenRead,
       TxnId::at(1), 0, "impossible number: B:0 read x = 9, which no increments add up to"},
      {"start(x=5) ; A: i(x+-3) @1,2 ; B: i(x+-1) @1,4 ; C: r(x=5) @3,4", Level::kLinearizable,
       FindingKind::kImpossibleNumber, TxnId::at(2), 0,
       "missed increment: C:0 read 5 from x, where only 1 to 2 are possible: it began with 5, "
       "transactions before C:0 took away 3, and others can have taken away up to 1"},
      {"A: i(x+2) i(y+-2) ; B: i(x+1) ; C: i(y+-4) ; D: r(x=9) r(y=-2)",
       Level::kSnapshotIsolation, FindingKind::kImpossibleTotal, TxnId::at(3), 1,
       "impossible total: D:0 read 7 in all from x and y, where only -4 to 1 are possible: "
       "they "
       "began with 0, and others can have added up to 1, or taken away up to 4"},
      {"A: i(x+1) i(y+-1) ; B: r(x=1) r(y=0)", Level::kSerializable,
       FindingKind::kImpossibleTotal, TxnId::at(1), 0,
       "impossible total: B:0 read 1 in all from x and y, where only 0 is possible: they began "
       "with 0, and nobody else can have changed that"},
  };
  for (const Case& each : cases) {
    const History history = support::parse(each.history);
    const Certificate proof{each.level, history.digest(), 0,
                            Finding{each.kind, each.txn, each.op, 0, {}, 0}};
    const certify::VerifyResult result = certify::verify(history, proof);
    EXPECT_TRUE(result.proves) << each.history << ": " << result.reason;
    EXPECT_EQ(make_scenario(history, proof).statement, each.statement);
  }
}

}  // namespace
}  // namespace isolde::explain
