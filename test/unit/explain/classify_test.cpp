#include "explain/classify.hpp"

#include <gtest/gtest.h>

#include "explain/sight.hpp"
#include "explain/two_updates.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

struct Row {
  const char* history;
  Cycle cycle;
  const char* type;
  const char* name;
};

std::vector<Row> textbook_patterns() {
  return {
      {"A: r(x=_) r(y=_) w(x=1); B: r(x=_) r(y=_) w(y=2)",
       {rw(0, 1, 1), rw(1, 0, 0)},
       "G2-item",
       "write skew"},
      {"A: w(x=1) w(y=1); B: r(x=1) r(y=_)",
       {wr(0, 1, 0), rw(1, 0, 1)},
       "G-single",
       "fractured read"},
      {"A: w(x=1); B: r(x=_) r(x=1)",
       {wr(0, 1, 0), rw(1, 0, 0)},
       "G-single",
       "non-repeatable read"},
      {"A: w(x=1) r(y=2); B: w(y=2) r(x=1)",
       {wr(0, 1, 0), wr(1, 0, 1)},
       "G1c",
       "cyclic information flow"},
      {"A: w(x=1) w(y=1); B: w(x=2) w(y=2)", {ww(0, 1, 0), ww(1, 0, 1)}, "G0", "write cycle"},
      {"A: w(x=2); B: w(y=2); C: r(x=2) r(y=_); D: r(x=_) r(y=2)",
       {wr(0, 2, 0), rw(2, 1, 1), wr(1, 3, 1), rw(3, 0, 0)},
       "G-nonadjacent",
       "long fork"},
      {"A: w(x=1); B: r(x=1) w(y=2); C: r(y=2) r(x=_)",
       {wr(0, 1, 0), wr(1, 2, 1), rw(2, 0, 0)},
       "G-single",
       "causality violation"},
      {"A: w(x=1) | r(x=_)",
       {so(0, 1), rw(1, 0, 0)},
       "G-single-process",
       "read-your-writes violation"},
      {"A: w(x=1); B: r(x=1) | r(x=_)",
       {wr(0, 1, 0), so(1, 2), rw(2, 0, 0)},
       "G-single-process",
       "monotonic-reads violation"},
      {"A: w(x=1) | w(x=2)",
       {so(0, 1), ww(1, 0, 0)},
       "G0-process",
       "monotonic-writes violation"},
      {"A: w(x=1); B: r(x=1) | w(x=2)",
       {wr(0, 1, 0), so(1, 2), ww(2, 0, 0)},
       "G1c-process",
       "writes-follow-reads violation"},
      {"A: r(x=1) | w(x=1)",
       {so(0, 1), wr(1, 0, 0)},
       "G1c-process",
       "session guarantee violation"},
      {"A: w(x=1) | w(y=2); B: r(y=2) r(x=_)",
       {so(0, 1), wr(1, 2, 1), rw(2, 0, 0)},
       "G-single-process",
       "causality violation"},
      {"A: w(x=1) @0,10; B: r(x=_) @20,30",
       {rt(0, 1), rw(1, 0, 0)},
       "G-single-realtime",
       "stale read"},
      {"A: r(x=1) @0,10; B: w(x=1) @20,30",
       {rt(0, 1), wr(1, 0, 0)},
       "G1c-realtime",
       "real-time violation"},
      {"A: r(x=_) w(y=1); B: w(x=2); C: r(x=2) r(y=_)",
       {rw(0, 1, 0), wr(1, 2, 0), rw(2, 0, 1)},
       "G2-item",
       "read-only transaction anomaly"},
      {"A: r(x=_) w(y=1); B: r(y=_) w(z=1); C: r(z=_) w(x=1)",
       {rw(0, 2, 0), rw(2, 1, 2), rw(1, 0, 1)},
       "G2-item",
       "anti-dependency cycle"},
  };
}

std::vector<Row> patterns_of_what_was_lost() {
  return {
      {"A: r(x=_) w(x=2); B: w(x=1)", {rw(0, 1, 0), ww(1, 0, 0)}, "G-single", "lost update"},
      {"A: r(x=_) w(y=2); B: w(x=1) w(y=1)",
       {rw(0, 1, 0), ww(1, 0, 1)},
       "G-single",
       "conflicting writers"},
      {"A: w(x=1); B: r(x=1) d(x); C: w(x=2)",
       {rw(1, 2, 0, txn(0)), ww(2, 1, 0)},
       "G-single",
       "lost update"},
      {"A: w(x=1); B: r(x=1) d(x) w(y=1); C: r(y=_) w(x=2)",
       {ww(1, 2, 0), rw(2, 1, 1)},
       "G-single",
       "lost delete"},
      {"A: w(x=1); B: r(x=1) d(x) w(y=1); C: r(y=1) r(x=1)",
       {wr(1, 2, 1), rw(2, 1, 0, txn(0))},
       "G-single",
       "resurrected row"},
  };
}

/// Each counts or selects, and changes a row that the other one's condition asks for.
std::vector<Row> patterns_of_conditions() {
  const Cycle there = {rw(1, 2, 1, txn(0)), rw(2, 1, 0, txn(0))};
  const Cycle at_start = {rw(0, 1, 1), rw(1, 0, 0)};
  return {
      {"C: w(1=5) w(2=5); A: s(values=5 get=count: 2) w(1=6); "
       "B: s(values=5 get=count: 2) w(2=6)",
       there, "G2", "write skew"},
      {"C: w(1=5) w(2=5); A: s(get=sum: 10) w(1=6); B: s(get=sum: 10) w(2=6)", there, "G2",
       "write skew"},
      {"C: w(1=5) w(2=5); A: s(get=count: 2) d(1); B: s(get=count: 2) d(2)", there, "G2",
       "write skew"},
      {"start(1=5 2=5) A: s(values=5 get=count: 2) w(1=6); B: s(values=5 get=count: 2) w(2=6)",
       at_start, "G2", "write skew"},
      {"C: w(1=4) w(2=4); A: s(values=5 get=count: 0) w(1=5); "
       "B: s(values=5 get=count: 0) w(2=5)",
       there, "G2", "phantom"},
      {"C: d(1) d(2); A: s(get=count: 0) w(1=5); B: s(get=count: 0) w(2=5)", there, "G2",
       "phantom"},
      {"A: s(get=count: 0) w(1=5); B: s(get=count: 0) w(2=5)", at_start, "G2", "phantom"},
      {"start(1=4 2=4) A: s(values=5 get=count: 0) w(1=5); B: s(values=5 get=count: 0) w(2=5)",
       at_start, "G2", "phantom"},
      {"A: s(:) w(1=5); B: s(:) w(2=5)", at_start, "G2", "phantom"},
  };
}

std::vector<Row> all_patterns() {
  std::vector<Row> rows = textbook_patterns();
  for (Row& row : patterns_of_what_was_lost()) rows.push_back(std::move(row));
  for (Row& row : patterns_of_conditions()) rows.push_back(std::move(row));
  return rows;
}

// Goal: each textbook pattern gets its name. Method: histories with their cycle, spelled out.
TEST(Classify, NamesTextbookPatterns) {
  for (const Row& row : all_patterns()) {
    const Anomaly anomaly =
        classify(Writers(support::parse(row.history)), std::vector<Cycle>{row.cycle});
    EXPECT_EQ(anomaly.type, row.type) << row.history;
    EXPECT_EQ(anomaly.name, row.name) << row.history;
    EXPECT_FALSE(anomaly.lesson.empty());
  }
}

// `via` missed the write of `txn` on the key, which was visible to it.
Cycle missed(EdgeKind kind, std::uint32_t missed, std::uint32_t on, std::uint32_t via) {
  return {{txn(missed), txn(missed), kind, key(on), txn(via)}};
}

std::vector<Row> view_patterns() {
  const EdgeKind mv = EdgeKind::kMonotonicView;
  const EdgeKind av = EdgeKind::kAtomicView;
  const EdgeKind cv = EdgeKind::kCausalView;
  const char* const half = "A: w(x=1) w(y=1); B: r(x=1) r(y=_)";
  const char* const timed = "A: w(x=1) @0,10; B: r(x=_) @20,30";
  return {
      {half, missed(mv, 0, 1, 1), "G-single", "non-monotonic read"},
      {half, missed(av, 0, 1, 1), "G-single", "fractured read"},
      {half, missed(cv, 0, 1, 1), "G-single", "fractured read"},
      {"A: w(x=1) | r(x=_)", missed(av, 0, 0, 1), "G-single-process",
       "read-your-writes violation"},
      {timed, missed(av, 0, 0, 1), "G-single-realtime", "stale read"},
      {timed, missed(cv, 0, 0, 1), "G-single-realtime", "stale read"},
      {"A: w(x=1); B: r(x=1) w(y=2); C: r(y=2) r(x=_)", missed(cv, 0, 0, 2), "G-single",
       "causality violation"},
      {"A: w(x=1); B: r(x=1) | r(x=_)", missed(cv, 0, 0, 2), "G-single-process",
       "monotonic-reads violation"},
      {"A: w(x=1) | w(y=2); B: r(y=2) r(x=_)", missed(cv, 0, 0, 2), "G-single-process",
       "causality violation"},
  };
}

// Goal: no lost update, lost delete or resurrected row where the transaction had seen what it
// is said to have missed, or not seen what it is said to have known. Method: the histories that
// have one, with one operation more or elsewhere.
TEST(Classify, ClaimsNoMoreThanWasMissed) {
  const auto name = [](const char* text, const Cycle& cycle) {
    return classify(Writers(support::parse(text)), std::vector<Cycle>{cycle}).name;
  };
  EXPECT_EQ(name("A: r(x=_) r(x=1) w(x=2); B: w(x=1)", {rw(0, 1, 0), ww(1, 0, 0)}),
            "conflicting writers");
  const Cycle overwritten = {ww(1, 2, 0), rw(2, 1, 1)};
  EXPECT_EQ(name("A: w(x=1); B: r(x=1) d(x) w(y=1); C: r(y=_) r(x=_) w(x=2)", overwritten),
            "conflicting writers");
  EXPECT_EQ(name("A: w(x=1); B: r(x=1) d(x) w(y=1); C: r(y=_) d(x)", overwritten),
            "conflicting writers");
  EXPECT_EQ(name("A: w(x=1); B: r(x=1) d(x) w(x=3) w(y=1); C: r(y=_) w(x=2)", overwritten),
            "conflicting writers");
  const Cycle again = {wr(1, 2, 1), rw(2, 1, 0, txn(0))};
  EXPECT_EQ(name("A: w(x=1); B: r(x=1) d(x) w(y=1); C: r(x=1) r(y=1)", again),
            "fractured read");
  EXPECT_EQ(name("A: w(x=1); B: r(x=1) w(x=2) w(y=1); C: r(y=1) r(x=1)", again),
            "fractured read");
  // Two views, of which each shows an order and neither a deletion that came before.
  const Cycle views = {{txn(0), txn(1), EdgeKind::kAtomicView, key(0), txn(2)},
                       {txn(1), txn(0), EdgeKind::kAtomicView, key(1), txn(2)}};
  EXPECT_EQ(name("A: d(x) w(y=1); B: w(x=2) d(y); C: r(x=2) r(y=1)", views), "fractured read");
}

// Goal: of several cases that is named which no weaker level forbids, in any order of the
// cases; and where they differ in more than that, nothing narrow is said. Method: a lost delete
// with the case that rules out the other order, and two cases that are narrow in different
// ways.
TEST(Classify, NamesTheCaseThatOnlyStrongLevelsForbid) {
  const History history =
      support::parse("A: w(x=1); B: r(x=1) d(x) w(y=1); C: r(y=_) w(x=2); D: r(y=1) r(x=2)");
  const Cycle resurrected = {wr(1, 3, 1), rw(3, 1, 0, txn(2))};
  const Cycle overwritten = {ww(1, 2, 0), rw(2, 1, 1)};
  const Writers writers(history);
  EXPECT_EQ(classify(writers, std::vector<Cycle>{resurrected}).name, "resurrected row");
  EXPECT_EQ(classify(writers, std::vector<Cycle>{resurrected, overwritten}).name,
            "lost delete");
  EXPECT_EQ(classify(writers, std::vector<Cycle>{overwritten, resurrected}).name,
            "lost delete");
  const History both = support::parse("A: r(x=_) w(x=2) w(y=2); B: w(x=1) w(y=1)");
  const std::vector<Cycle> cases = {{rw(0, 1, 0), ww(1, 0, 0)}, {rw(0, 1, 0), ww(1, 0, 1)}};
  EXPECT_EQ(classify(Writers(both), cases).name, "conflicting writers");
}

// Goal: every class of cycle has its three types. Method: a cycle of each class, by itself and
// with an edge of session order or real time.
TEST(Classify, HasATypeForEveryClassAndSwitch) {
  const History history = support::parse("A: nop; B: nop; C: nop; D: nop; E: w(x=1) w(y=1)");
  const std::vector<std::pair<std::string, Cycle>> classes = {
      {"G0", {ww(0, 1, 0), ww(1, 2, 1)}},
      {"G1c", {ww(0, 1, 0), wr(1, 2, 1)}},
      {"G-single", {rw(0, 1, 0), wr(1, 2, 1)}},
      {"G-nonadjacent", {rw(0, 1, 0), wr(1, 2, 1), rw(2, 3, 0), wr(3, 4, 1)}},
      {"G2-item", {rw(0, 1, 0), rw(1, 2, 1), wr(2, 3, 0)}},
  };
  for (const auto& [type, edges] : classes) {
    const auto type_with = [&history, path = edges](const std::optional<Edge>& last) {
      Cycle cycle = path;
      if (last) cycle.push_back(*last);
      return classify(Writers(history), std::vector<Cycle>{cycle}).type;
    };
    const std::uint32_t end = edges.back().to.raw();
    EXPECT_EQ(type_with(std::nullopt), type);
    EXPECT_EQ(type_with(so(end, 0)), type + "-process");
    EXPECT_EQ(type_with(rt(end, 0)), type + "-realtime");
  }
}

// Goal: a missed write is named by what made it visible, and the type says whether session
// order or real time did. Method: the same few histories, with each kind of view.
TEST(Classify, NamesViewsByWhatTheyRestOn) {
  for (const Row& row : view_patterns()) {
    const Anomaly anomaly =
        classify(Writers(support::parse(row.history)), std::vector<Cycle>{row.cycle});
    EXPECT_EQ(anomaly.type, row.type) << row.history;
    EXPECT_EQ(anomaly.name, row.name) << row.history;
  }
}

// Goal: a condition that is met twice and has a row only once is a phantom read, as it is where
// rows are selected, and not where something else was missed or changed.
TEST(Classify, NamesPhantomReadsOfAggregates) {
  const auto told = [](const char* text, const Cycle& cycle) {
    return label(classify(Writers(support::parse(text)), std::vector<Cycle>{cycle},
                          Level::kStrongReadAtomic));
  };
  const Cycle av = missed(EdgeKind::kAtomicView, 0, 0, 1);
  const Cycle cv = missed(EdgeKind::kCausalView, 0, 0, 1);
  const Cycle skew = {rw(1, 0, 0), wr(0, 1, 0)};
  constexpr const char* kInsert =
      "A: w(3=7) @20,28; B: s(keys=1..9 get=count: 0) s(keys=1..9 get=count: 1) @14,29";
  constexpr const char* kDelete =
      "start(3=7) A: d(3) @20,28; B: s(keys=1..9 get=count: 1) s(keys=1..9 get=count: 0) "
      "@14,29";
  for (const char* const text : {kInsert, kDelete}) {
    for (const Cycle& cycle : {av, cv, skew}) {
      EXPECT_EQ(told(text, cycle), "phantom read (PMP)") << text;
    }
  }
  // The sum of a row that was there all the time.
  EXPECT_EQ(
      told("start(3=7) A: w(3=8); B: s(keys=1..9 get=sum: 7) s(keys=1..9 get=sum: 8)", skew),
      "non-repeatable read (G-single)");
  // Its other write is what showed that the transaction was there.
  EXPECT_EQ(told("A: w(3=7) w(20=7); B: s(keys=1..9 get=count: 0) r(20=7)", av),
            "fractured read (G-single)");
  EXPECT_EQ(told("A: w(3=7) w(20=7); B: s(keys=1..9 get=count: 0) r(20=7) "
                 "s(keys=1..9 get=count: 0)",
                 av),
            "fractured read (G-single)");
  // One count alone; only that the writer had ended before says that it came too late.
  EXPECT_EQ(told("A: w(3=7) @0,10; B: s(keys=1..9 get=count: 0) @20,30", av),
            "stale read (G-single-realtime)");
}

// Goal: what overlaps does not come too late.
TEST(Classify, BlamesTimesOnlyOfWhatHadEnded) {
  constexpr const char* kOverlap = "A: w(3=7) @20,28; B: s(keys=1..9 get=count: 1) @14,29";
  const History history = support::parse(kOverlap);
  for (const EdgeKind kind : {EdgeKind::kAtomicView, EdgeKind::kCausalView}) {
    EXPECT_EQ(sight_of(Writers(history), missed(kind, 0, 0, 1)[0]), Sight::kRead);
  }
}

// Goal: real time and sessions are blamed only at levels that they bind at. Method: views whose
// only visible reason is one of them, as where it is open which write was read.
TEST(Classify, BlamesOnlyWhatBindsAtTheLevel) {
  const auto told = [](const char* text, const Cycle& cycle, Level level) {
    return label(classify(Writers(support::parse(text)), std::vector<Cycle>{cycle}, level));
  };
  const char* const timed = "A: w(x=1) @0,10; B: r(x=_) @20,30";
  const Cycle av = missed(EdgeKind::kAtomicView, 0, 0, 1);
  const Cycle cv = missed(EdgeKind::kCausalView, 0, 0, 1);
  EXPECT_EQ(told(timed, av, Level::kStrongReadAtomic), "stale read (G-single-realtime)");
  EXPECT_EQ(told(timed, av, Level::kReadAtomic), "fractured read (G-single)");
  EXPECT_EQ(told(timed, cv, Level::kTransactionalCausal), "causality violation (G-single)");
  const char* const session = "A: w(x=1) | r(x=_)";
  EXPECT_EQ(told(session, av, Level::kStrongSessionReadAtomic),
            "read-your-writes violation (G-single-process)");
  EXPECT_EQ(told(session, av, Level::kReadAtomic), "fractured read (G-single)");
}

Finding finding(FindingKind kind, std::uint32_t reader, std::uint32_t op) {
  Finding made;
  made.kind = kind;
  made.txn = txn(reader);
  made.op = op;
  return made;
}

// Goal: no dirty update where nothing that committed builds on the aborted write. Method: the
// histories that have one, without what makes it one.
TEST(Classify, TellsDirtyUpdatesFromAbortedReads) {
  const auto name = [](const char* text, std::uint32_t op) {
    return classify(support::parse(text), finding(FindingKind::kAbortedRead, 1, op)).name;
  };
  EXPECT_EQ(name("A: w(x=1) !; B: r(x=1)", 0), "aborted read");
  EXPECT_EQ(name("A: w(x=1) !; B: r(x=1) w(y=2)", 0), "aborted read");
  EXPECT_EQ(name("A: w(x=1) !; B: w(y=2) r(x=1)", 1), "aborted read");
  EXPECT_EQ(name("A: w(x=1) !; B: r(x=1) w(x=2)", 0), "dirty update");
  EXPECT_EQ(name("A: w(x=1) !; B: r(x=1) w(x=2) ?; C: r(x=2)", 0), "aborted read");
  EXPECT_EQ(name("A: a(l=1) !; B: r(l=[1])", 0), "aborted read");
  EXPECT_EQ(name("A: a(l=1) !; B: r(l=[1 2]); C: a(l=2)", 0), "dirty update");
  EXPECT_EQ(name("A: a(l=1) !; B: r(l=[1 2]); C: a(l=2) !", 0), "aborted read");
}

// Goal: the name does not depend on where the cycle starts. Method: rotate the textbook's.
TEST(Classify, IgnoresWhereTheCycleStarts) {
  for (const Row& row : all_patterns()) {
    const History history = support::parse(row.history);
    Cycle cycle = row.cycle;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      std::rotate(cycle.begin(), cycle.begin() + 1, cycle.end());
      EXPECT_EQ(classify(Writers(history), std::vector<Cycle>{cycle}).name, row.name);
    }
  }
}

// Goal: a proof by cases is named after the claim that all cases justify: the last class.
TEST(Classify, TakesTheLastClassOfSeveralCases) {
  const History history = support::parse("A: w(x=1) w(y=1); B: w(x=2) w(y=2); C: r(x=1)");
  const std::vector<Cycle> cases = {{ww(0, 1, 0), ww(1, 0, 1)},
                                    {wr(0, 2, 0), rw(2, 1, 0, txn(0)), ww(1, 0, 0)}};
  EXPECT_EQ(classify(Writers(history), cases).type, "G-single");
}

TEST(Classify, NamesEveryFinding) {
  for (std::size_t kind = 0; kind < kFindingKindCount; ++kind) {
    const Anomaly anomaly = classify(static_cast<FindingKind>(kind));
    EXPECT_FALSE(anomaly.type.empty());
    EXPECT_FALSE(anomaly.lesson.empty());
  }
}

std::optional<LostUpdate> lost(const History& history) {
  std::vector<TxnId> all;
  for (std::size_t t = 0; t < history.txn_count(); ++t) all.push_back(TxnId::at(t));
  return find_lost_update(Writers(history), all);
}

// Goal: lost updates are recognised from the reads, with any version read, on lists as well.
TEST(Classify, FindsLostUpdates) {
  EXPECT_TRUE(lost(support::parse("A: r(x=_) w(x=1); B: r(x=_) w(x=2)")));
  EXPECT_TRUE(lost(support::parse("A: a(x=1); B: r(x=[1]) a(x=2); C: r(x=[1]) a(x=3)")));
  const auto found =
      lost(support::parse("A: w(x=1); B: r(x=1) w(x=2); C: r(y=_) r(x=1) w(x=3)"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, txn(1));
  EXPECT_EQ(found->second, txn(2));
  EXPECT_EQ(found->version, txn(0));
  // Of three that read one version two missed each other.
  const auto pair = lost(support::parse(
      "A: r(x=_) w(x=1); B: r(x=_) r(x=1) r(x=_) w(x=2); C: r(x=_) r(x=2) r(x=_) w(x=3)"));
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->first, txn(0));
  EXPECT_EQ(pair->second, txn(2));
  // Of two versions that two transactions replaced one was written twice.
  const auto later =
      lost(support::parse("A: w(x=1) w(y=5); B: w(x=1); C: r(x=1) w(x=2) r(y=5) w(y=6); "
                          "D: r(x=1) w(x=3) r(y=5) w(y=7)"));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->version, txn(0));
  EXPECT_EQ(later->first, txn(2));
  EXPECT_EQ(later->second, txn(3));
}

// Goal: no false alarm: different versions, reads after the own write, no write, or a value
// that two transactions wrote.
TEST(Classify, SeesNoLostUpdateWhereThereIsNone) {
  EXPECT_FALSE(lost(support::parse("A: r(x=_) w(x=1); B: r(x=1) w(x=2)")));
  EXPECT_FALSE(lost(support::parse("A: w(x=1) r(x=1); B: r(x=_) w(x=2)")));
  EXPECT_FALSE(lost(support::parse("A: r(x=_); B: r(x=_) w(x=2)")));
  EXPECT_FALSE(lost(support::parse("A: r(x=[1]) a(x=1); B: r(x=[1]) a(x=2)")));
  // It saw the other's version as well, and replaced that.
  EXPECT_FALSE(lost(support::parse("A: r(x=_) w(x=1); B: r(x=_) r(x=1) w(x=2)")));
  EXPECT_FALSE(lost(support::parse("A: r(x=_) w(x=1); B: r(x=1) r(x=_) w(x=2)")));
  EXPECT_FALSE(
      lost(support::parse("A: w(x=1); B: w(x=1); C: r(x=1) w(x=2); D: r(x=1) w(x=3)")));
  // No version: its writer replaced it.
  EXPECT_FALSE(lost(support::parse("A: w(x=1) w(x=9); B: r(x=1) w(x=2); C: r(x=1) w(x=3)")));
}

}  // namespace
}  // namespace isolde::explain
