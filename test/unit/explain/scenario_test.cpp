#include "explain/scenario.hpp"

#include <gtest/gtest.h>

#include "explain/dot.hpp"
#include "explain/narrate.hpp"
#include "explain/two_updates.hpp"
#include "isolde/history_builder.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

// Goal: data of the simplest case: transactions with the operations on the edges' keys only.
TEST(Scenario, KeepsTheOperationsThatMatter) {
  const History history =
      support::parse("A: r(q=_) r(x=_) r(y=_) w(x=1)\nB: r(x=_) r(y=_) w(y=2) w(z=9)");
  const Scenario scenario = make_scenario(
      history, cycle_certificate(Level::kSerializable, {rw(0, 1, 2), rw(1, 0, 1)}));
  EXPECT_EQ(scenario.anomaly.name, "write skew");
  ASSERT_EQ(scenario.txns.size(), 2U);
  EXPECT_EQ(scenario.txns[0].ops, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(scenario.txns[1].ops, (std::vector<std::uint32_t>{0, 1, 2}));
  ASSERT_EQ(scenario.edges().size(), 2U);
  EXPECT_EQ(scenario.edges()[0]->because,
            "A:0 read the initial value of y, which B:0 replaced by 2");
}

// Goal: where all orders were tried, what ran at the end of the search is shown, not all there
// is.
TEST(Scenario, ShowsWhereAnExhaustionEnds) {
  std::string text =
      "R: r(y=_) w(x=1) @990,1000 ; S: w(x=2) @991,1000 ; T: w(x=1) @2000,2001 ; ";
  for (int i = 0; i < 20; ++i) {
    const std::string start = std::to_string(10 * i);
    text += "A: r(x=_) @" + start + "," + start + " ; ";
  }
  const History history = support::parse(text + "B: r(x=3) @995,1100");
  // An uncertain clock leaves no room for a reason by times alone.
  const Certificate proof{Level::kLinearizable, history.digest(), 1,
                          KeyExhaustion{KeyId::at(1), txn(23)}};
  const Scenario scenario = make_scenario(history, proof);
  EXPECT_EQ(scenario.anomaly.type, "not-linearizable");
  EXPECT_EQ(scenario.txns_total, 23U);
  ASSERT_EQ(scenario.txns.size(), kRunningShown);
  EXPECT_EQ(scenario.txns.back().txn, txn(23));
  EXPECT_EQ(scenario.txns[kRunningShown - 3].txn, txn(0));
  EXPECT_EQ(scenario.txns[kRunningShown - 3].ops, (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(scenario.edges().empty());
  EXPECT_EQ(
      scenario.statement,
      "no possible order: no order of the operations on x explains what had returned when "
      "B:0 returned");
}

// Goal: a lost update is told as such, whatever cases the proof went through.
TEST(Scenario, PrefersTheLostUpdateToItsProof) {
  const History history = support::parse("A: r(x=_) w(x=1); B: r(x=_) w(x=2)");
  const Certificate proof = certificate(Level::kSnapshotIsolation,
                                        {{{{txn(0), txn(1)}}, {ww(1, 0, 0), rw(0, 1, 0)}, {}},
                                         {{}, {ww(0, 1, 0), rw(1, 0, 0)}, {}}});
  const Scenario scenario = make_scenario(history, proof);
  ASSERT_TRUE(scenario.lost_update);
  EXPECT_EQ(scenario.anomaly.type, "G-single");
  EXPECT_EQ(scenario.steps_total, 1U);
  EXPECT_EQ(
      scenario.statement,
      "lost update: A:0 and B:0 both read and then wrote x, and neither saw the other's write");
}

// Goal: what was undone, or replaced by its own writer, is no version that two can have
// replaced.
TEST(Scenario, TakesNoLostUpdateForAnotherFault) {
  const auto is_lost = [](const char* text) {
    const std::vector<TxnId> both = {txn(1), txn(2)};
    const History history = support::parse(text);
    return find_lost_update(Writers(history), both).has_value();
  };
  EXPECT_TRUE(is_lost("A: w(x=3); B: r(x=3) w(x=1); C: r(x=3) w(x=2)"));
  EXPECT_FALSE(is_lost("A: w(x=3) !; B: r(x=3) w(x=1); C: r(x=3) w(x=2)"));
  EXPECT_FALSE(is_lost("A: w(x=3) w(x=4); B: r(x=3) w(x=1); C: r(x=3) w(x=2)"));
  EXPECT_FALSE(is_lost("A: w(x=3); B: r(x=3) w(x=1); C: r(x=3) w(x=2) ?"));
  EXPECT_FALSE(is_lost("A: a(x=6) a(x=7); B: r(x=[6]) a(x=1); C: r(x=[6]) a(x=2)"));
}

// Goal: levels that allow lost updates are not explained by one.
TEST(Scenario, ExplainsWeakLevelsByTheirOwnCycle) {
  const History history =
      support::parse("A: r(x=_) w(x=1) w(y=1); B: r(x=_) w(x=2); C: r(x=1) r(y=_)");
  const Certificate proof =
      cycle_certificate(Level::kStrongSessionMonotonicAtomicView, {wr(0, 2, 0), rw(2, 0, 1)});
  EXPECT_FALSE(make_scenario(history, proof).lost_update);
}

// Goal: a stale read whose writes real time orders is told in one circle, in place of a
// contradiction in two steps.
TEST(Scenario, TellsAStaleReadBySettledOrdersDirectly) {
  const History history = support::parse("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: r(x=1) @5,6");
  const Certificate proof = certificate(
      Level::kLinearizable, {{{{txn(1), txn(0)}}, {rw(2, 1, 0, txn(0)), rt(1, 2)}, {}},
                             {{}, {ww(1, 0, 0), rt(0, 1)}, {}}});
  const Scenario scenario = make_scenario(history, proof);
  EXPECT_EQ(scenario.anomaly.name, "stale read");
  ASSERT_EQ(scenario.steps_total, 1U);
  EXPECT_EQ(scenario.edges()[0]->because,
            "C:0 read x = 1 from A:0, which B:0 replaced by 2, for A:0 ended 1 ns before B:0 "
            "started");
}

// Goal: long proofs are cut to their last cycles, and say how long they are.
TEST(Scenario, SummarisesLongProofs) {
  std::string text = "A: w(x=0)";
  std::vector<RefutationStep> steps;
  for (std::uint32_t t = 1; t <= 24; ++t) {
    text += "; S" + std::to_string(t) + ": w(x=" + std::to_string(t) + ")";
    std::vector<Edge> cycle = {ww(t, t - 1, 0), so(t - 1, t)};
    if (t > 1) cycle.push_back(ww(t - 2, t - 1, 0));
    steps.push_back({{{txn(t - 1), txn(t)}}, cycle, {}});
  }
  steps.push_back({{}, {ww(23, 24, 0), so(24, 23)}, {}});
  const Scenario scenario =
      make_scenario(support::parse(text), certificate(Level::kSerializable, std::move(steps)));
  EXPECT_EQ(scenario.steps_total, 23U);  // the first and the last are told where they are used
  EXPECT_FALSE(scenario.complete());
  EXPECT_EQ(scenario.steps.size(), 3U);
  EXPECT_EQ(scenario.steps.back().number, 23U);
}

// Goal: a step is told with the key that its cycle is about, not with the first one that the
// two transactions wrote both, and knows whom it speaks of.
TEST(Scenario, TellsAStepByItsOwnKey) {
  const History history =
      support::parse("A: w(z=1) w(x=1) ; B: w(z=2) w(x=2) ; B: r(x=1) ; C: r(z=1) ; A: r(z=2)");
  const VersionOrder a_before_b{txn(0), txn(1)};
  const VersionOrder b_before_a{txn(1), txn(0)};
  const Certificate proof = certificate(Level::kStrongSessionSerializable,
                                        {{{b_before_a}, {so(1, 2), rw(2, 1, 1, txn(0))}, {}},
                                         {{}, {so(0, 4), rw(4, 0, 0, txn(1))}, {}}});
  const Scenario scenario = make_scenario(history, proof);
  ASSERT_EQ(scenario.steps.size(), 2U);
  EXPECT_EQ(key_of(scenario.steps[0], b_before_a), key(1));
  EXPECT_EQ(key_of(scenario.steps[0], a_before_b), key(1));
  EXPECT_TRUE(key_of(scenario.steps[0], {txn(0), txn(3)}).is_none());
  ASSERT_EQ(scenario.steps[0].txns.size(), 3U);
  EXPECT_EQ(scenario.steps[0].txns[0].txn, txn(1));
  EXPECT_EQ(scenario.steps[0].txns[0].ops, std::vector<std::uint32_t>{1});
  EXPECT_EQ(scenario.txns.size(), 4U);
  EXPECT_NE(narrate(history, scenario, {}).find("Step 1. T1 wrote x before T3, for otherwise:"),
            std::string::npos)
      << narrate(history, scenario, {});
}

// Goal: a finding has an arrow from whoever else wrote what was read, and none where nobody
// did: a transaction that contradicts itself is one box.
TEST(Scenario, DotOfAFindingHasNoLoop) {
  const auto dot_of = [](std::string_view text, const Finding& finding) {
    const History history = support::parse(text);
    return to_dot(history, make_scenario(history, {Level::kReadCommitted, 0, 0, finding}),
                  {.stands_alone = false});  // a legend hangs on an edge that nobody sees
  };
  using enum FindingKind;
  EXPECT_EQ(dot_of("A: w(x=1) r(x=_)", {kInternal, txn(0), 1, 0, {}, 0}).find("->"),
            std::string::npos);
  EXPECT_EQ(dot_of("A: r(x=1) w(x=1)", {kFutureRead, txn(0), 0, 0, {}, 0}).find("->"),
            std::string::npos);
  for (const std::string& dot :
       {dot_of("A: w(x=1) r(x=2) ; B: w(x=2)", {kInternal, txn(0), 1, 0, {}, 0}),
        dot_of("A: r(x=[2 3 2]) ; B: a(x=2) a(x=3)",
               {kDuplicateElement, txn(0), 0, 2, {}, 0})}) {
    EXPECT_NE(dot.find("t1 -> t0 [label=\" wr on x \", class=wr"), std::string::npos) << dot;
  }
}

// Goal: who sees only the picture of a run that was interrupted sees that it was.
TEST(Scenario, DotTellsThatTheRunStoppedEarly) {
  const auto title_of = [](const char* stopped) {
    HistoryBuilder builder;
    for (const auto& [session, key] : {std::pair("A", "x"), std::pair("B", "y")}) {
      builder.begin_txn(builder.session(session));
      for (const char* const each : {"x", "y"}) {
        builder.read(builder.key(builder.string(each)), Value::null());
      }
      builder.write(builder.key(builder.string(key)), builder.integer(1));
    }
    for (const char* const kind : {"fault", "stopped"}) {
      if (stopped == nullptr) continue;
      RecordedEvent event;
      event.kind = builder.string(kind);
      event.what = builder.string(stopped);
      builder.add_event(event);
    }
    const Result<History> history = std::move(builder).finish();
    const std::string dot = to_dot(*history, make_scenario(*history, write_skew_proof()));
    return dot.substr(0, dot.find("labelloc"));
  };
  EXPECT_EQ(title_of(nullptr).find("early"), std::string::npos) << title_of(nullptr);
  EXPECT_NE(title_of("interrupted").find("\\nThe run stopped early: interrupted\";"),
            std::string::npos)
      << title_of("interrupted");
  EXPECT_NE(title_of("\"\x1b").find("early: \\\"\\\\x1b\";"), std::string::npos)
      << title_of("\"\x1b");
}

// Goal: boxes that no arrow holds together stand in rows.
TEST(Scenario, DotPutsLooseBoxesInRows) {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += "S" + std::to_string(i) + ": w(x=1) @" + std::to_string(i) + ",100 ; ";
  }
  const History history = support::parse(text + "B: r(x=3) @50,110");
  const std::string dot =
      to_dot(history, make_scenario(history, {Level::kLinearizable, history.digest(), 1,
                                              KeyExhaustion{KeyId::at(0), txn(12)}}));
  EXPECT_NE(dot.find("style=invis"), std::string::npos) << dot;
}

// Goal: a picture without arrows says whom no order has room for, and where the others are.
TEST(Scenario, DotMarksWhomNoOrderHasRoomFor) {
  const History history =
      support::parse("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: r(x=2) @5,6 ; D: r(x=1) @7,8");
  const std::string dot =
      to_dot(history, make_scenario(history, {Level::kLinearizable, history.digest(), 0,
                                              KeyExhaustion{KeyId::at(0), txn(3)}}));
  const std::size_t red = dot.find("penwidth=2, color=\"#c0152f\"");
  ASSERT_NE(red, std::string::npos) << dot;
  const std::size_t line = dot.rfind('\n', red) + 1;
  EXPECT_NE(dot.substr(line, red - line).find(" = D:0"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("penwidth=2", red + 1), std::string::npos) << dot;
  EXPECT_NE(dot.find(" = B:0 (2 of 3)"), std::string::npos) << dot;
  EXPECT_NE(dot.find("red: no order"), std::string::npos) << dot;
  // The boxes stand in the order, joined by arrows; who has no place in it comes last.
  EXPECT_NE(dot.find("{ rank=same; t0; t1; t3; }"), std::string::npos) << dot;
  EXPECT_NE(dot.find("t0 -> t1 [style=solid, class=\"more next\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("t1 -> t3 [style=invis]"), std::string::npos) << dot;
  EXPECT_NE(dot.find("(1 of 3): its"), std::string::npos) << dot;
}

// Goal: a finding has no cycle, so colour says where the contradiction is.
TEST(Scenario, DotMarksTheReaderOfAFinding) {
  const History history = support::parse("A: w(x=1) ; B: r(x=_) r(x=1)");
  Finding finding;
  finding.kind = FindingKind::kNonRepeatableRead;
  finding.txn = txn(1);
  finding.op = 1;
  finding.other = TxnId::none();
  const std::string dot = to_dot(
      history, make_scenario(history, {Level::kReadAtomic, history.digest(), 0, finding}));
  const std::size_t red = dot.find("penwidth=2, color=\"#c0152f\"");
  ASSERT_NE(red, std::string::npos) << dot;
  const std::size_t line = dot.rfind('\n', red) + 1;
  EXPECT_NE(dot.substr(line, red - line).find(" = B:0"), std::string::npos) << dot;
  EXPECT_NE(dot.find("red: here is the contradiction"), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\" wr on x \""), std::string::npos) << dot;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// Goal: the reader behind view edges has arrows to what it saw and what it missed, thin ones,
// and each once, whatever rests on it.
TEST(Scenario, DotConnectsTheReaderBehindViewEdges) {
  const History history =
      support::parse("A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; D: r(y=2) r(x=1)");
  const auto view = [](std::uint32_t from, std::uint32_t to, std::uint32_t on) {
    return Edge{txn(from), txn(to), EdgeKind::kAtomicView, KeyId::at(on), txn(2)};
  };
  const std::string dot = to_dot(
      history, make_scenario(history, cycle_certificate(Level::kReadAtomic,
                                                        {view(0, 1, 1), view(1, 0, 0)})));
  EXPECT_EQ(occurrences(dot, "class=\"av\""), 2U) << dot;
  EXPECT_EQ(occurrences(dot, "class=\"wr evidence\""), 2U) << dot;
  EXPECT_EQ(occurrences(dot, "t0 -> t2 "), 1U) << dot;
  EXPECT_EQ(occurrences(dot, "t1 -> t2 "), 1U) << dot;
}

// Goal: a picture of a very long circle has the first transactions, and one box that closes the
// circle and counts the others; the graph for programs has all.
TEST(Scenario, DotOfAPictureHasLimits) {
  const History history = long_skew(kTxnsDrawn + 3);
  const Scenario scenario = make_scenario(history, long_skew_proof(history));
  const std::string picture = to_dot(history, scenario, {.whole = false});
  EXPECT_EQ(occurrences(picture, "[label=\"T"), kTxnsDrawn);
  EXPECT_EQ(occurrences(picture, "class=\"rw\""), kTxnsDrawn - 1);
  EXPECT_NE(picture.find("label=\"3 more transactions\\n4 more arrows\\n"), std::string::npos)
      << picture;
  EXPECT_EQ(occurrences(picture, "-> more "), 1U);
  EXPECT_EQ(occurrences(picture, "more -> "), 1U);
  const std::string whole = to_dot(history, scenario);
  EXPECT_EQ(occurrences(whole, "class=\"rw\""), kTxnsDrawn + 3);
  EXPECT_EQ(whole.find("more"), std::string::npos);
  const History fits = long_skew(kTxnsDrawn);
  const Scenario all = make_scenario(fits, long_skew_proof(fits));
  EXPECT_EQ(to_dot(fits, all, {.whole = false}), to_dot(fits, all));
}

// Goal: few transactions with very many arrows between them.
TEST(Scenario, DotOfAPictureHasAtMostSoManyArrows) {
  const History history = write_skew();
  Scenario scenario = make_scenario(history, write_skew_proof());
  const ScenarioEdge edge = scenario.steps[0].cycle[0];
  scenario.steps[0].cycle.assign(kArrowsDrawn + 1, edge);
  const std::string picture = to_dot(history, scenario, {.whole = false});
  EXPECT_EQ(occurrences(picture, "class=\"rw\""), kArrowsDrawn);
  EXPECT_NE(picture.find("label=\"1 more arrow\\n"), std::string::npos) << picture;
}

// Goal: names with quotes and backslashes survive in DOT.
TEST(Scenario, DotQuotesWhatNeedsIt) {
  HistoryBuilder builder;
  const KeyId odd = builder.key(builder.string("a\"b\\c"));
  for (const char* session : {"A", "B"}) {
    builder.begin_txn(builder.session(session));
    builder.read(odd, Value());
    builder.write(odd, builder.integer(session[0]));
  }
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history);
  const Scenario scenario = make_scenario(
      *history, cycle_certificate(Level::kSerializable, {rw(0, 1, 0), rw(1, 0, 0)}));
  const std::string dot = to_dot(*history, scenario);
  EXPECT_NE(dot.find("w(a\\\"b\\\\c)=65"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("digraph isolde {"), 0U);
}

}  // namespace
}  // namespace isolde::explain
