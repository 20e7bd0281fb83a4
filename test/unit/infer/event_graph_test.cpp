// Goal: the certain edges of a history are the right ones at each encoding, and every kind of
// edge gets its name back. Method: reachability between events of tiny histories, spelled out;
// cycles closed by one extra edge, so that name_cycle() has to name a chosen certain edge.
#include "infer/event_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "graph/topological.hpp"
#include "support/random_history.hpp"
#include "unit/infer/observed.hpp"

namespace isolde::infer {
namespace {

using graph::EdgeId;
using graph::PathFinder;
using test::key;
using test::Observed;
using test::txn;

const Encoding kSerial;
const Encoding kSnapshot{.role = {.snapshot = true}};
const Encoding kCommitted{.role = {.has_anti_dependencies = false}};
const Encoding kSession{.session_order = true};
const Encoding kTimed{.real_time = true};

/// "0-1 1-2": transactions (serial) or events (snapshot: 0b, 0c) and who reaches whom, over
/// transaction events only, without what is implied by begin before commit.
class Events {
 public:
  Events(std::string_view text, const Encoding& encoding)
      : observed_(text), events_(observed_.seen, encoding, observed_.budget) {
    EXPECT_FALSE(observed_.seen.finding().has_value()) << text;
  }

  EventGraph& graph() { return events_; }

  /// Direct dependencies: paths between two events with no event between them.
  std::string edges() {
    std::string text;
    for (std::size_t from = 0; from < events_.event_count(); ++from) {
      for (const NodeId to : next_events(NodeId::at(from))) {
        if (events_.txn(to) == events_.txn(NodeId::at(from))) continue;
        text += text.empty() ? "" : " ";
        text += event(NodeId::at(from)) + "-" + event(to);
      }
    }
    return text;
  }

  /// The certain path between the two events, closed by an extra edge, named.
  std::string named(NodeId from, NodeId to) {
    PathFinder paths(events_.graph());
    std::vector<PathFinder::Step> cycle =
        paths.shortest(from, to, [](NodeId, NodeId, EdgeId) -> std::uint32_t { return 1; });
    if (cycle.empty()) return "no path";
    cycle.push_back({to, events_.graph().add(to, from, 0)});
    const Edge assumed{events_.txn(to), events_.txn(from), EdgeKind::kMonotonicView, {}, {}};
    std::vector<Edge> edges = events_.name_cycle(cycle, [&](EdgeId) { return assumed; });
    events_.graph().pop_to(0);
    EXPECT_EQ(edges.back(), assumed);
    edges.pop_back();
    std::string text;
    for (const Edge& edge : edges) text += (text.empty() ? "" : " ") + name(edge);
    return text;
  }
  std::string named(std::uint32_t from, std::uint32_t to) {
    return named(events_.begin(txn(from)), events_.commit(txn(to)));
  }

 private:
  std::string event(NodeId node) const {
    const TxnId of = events_.txn(node);
    std::string text = std::to_string(of.raw());
    if (events_.encoding().role.snapshot) text += node == events_.begin(of) ? "b" : "c";
    return text;
  }

  std::vector<NodeId> next_events(NodeId from) const {
    std::vector<NodeId> found;
    std::vector<NodeId> work{from};
    while (!work.empty()) {
      const NodeId node = work.back();
      work.pop_back();
      events_.graph().out_edges(node, [&](NodeId target, EdgeId) {
        (events_.is_txn(target) ? found : work).push_back(target);
        return true;
      });
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  static std::string name(const Edge& edge) {
    const char* const kinds[] = {"so", "rt", "wr", "ww", "rw", "mv"};
    std::string text = std::to_string(edge.from.raw()) + " " +
                       kinds[static_cast<std::size_t>(edge.kind)] + " " +
                       std::to_string(edge.to.raw());
    if (edge.key.is_some()) text += " k" + std::to_string(edge.key.raw());
    if (edge.via.is_some()) text += " via " + std::to_string(edge.via.raw());
    return text;
  }

  Observed observed_;
  EventGraph events_;
};

struct EdgesCase {
  const char* text;
  Encoding encoding;
  const char* edges;
};

TEST(EventGraph, HasTheCertainEdges) {
  const EdgesCase cases[] = {
      // wr
      {"A: w(x=1) ; B: r(x=1)", kSerial, "0-1"},
      {"A: w(x=1) ; B: r(x=1)", kSnapshot, "0c-1b"},
      // rw from the initial version, to all writers
      {"A: r(x=_) ; B: w(x=1) ; C: w(x=2)", kSerial, "0-1 0-2"},
      {"A: r(x=_) ; B: w(x=1) ; C: w(x=2)", kSnapshot, "0b-1c 0b-2c"},
      {"A: r(x=_) ; B: w(x=1) ; C: w(x=2)", kCommitted, ""},
      // ... a reader that writes the key comes first of the writers
      {"A: r(x=_) w(x=1) ; B: w(x=2)", kSerial, "0-1"},
      {"A: r(x=_) w(x=1) ; B: w(x=2) ; C: r(x=_)", kSerial, "0-1 2-0"},
      // rw of an overwriter
      {"A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1)", kSerial, "0-1 0-2 2-1"},
      {"A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1)", kSnapshot, "0c-1b 0c-2b 2b-1c"},
      {"A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1)", kCommitted, "0-1 0-2"},
      // a blind write leaves the order open
      {"A: w(x=1) ; B: w(x=2) ; C: r(x=1)", kSerial, "0-2"},
      // so, over what is not included
      {"A: w(x=1) | w(x=2) ! | w(x=3) ; B: nop", kSession, "0-2"},
      {"A: w(x=1) | w(x=2)", kSerial, ""},
      // rt
      {"A: nop @1,2 ; B: nop @3,4 ; C: nop @5,6", kTimed, "0-1 0-2 1-2"},
      {"A: nop @1,3 ; B: nop @3,4", kTimed, ""},
      {"A: nop @_,2 ; B: nop @3,_ ; C: nop @4,5", kTimed, "0-1 0-2"},
      {"A: w(x=1) ? @1,2 ; B: r(x=1) @3,4 ; C: nop @3,4", kTimed, "0-1"},
      {"A: nop @1,2 ; B: nop @3,4", kSession, ""},
      // lists: ww, rw along the order, the unseen appends last
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2])", kCommitted, "0-1 1-2"},
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2]) ; D: r(l=[1])", kSerial, "0-1 0-3 1-2 3-1"},
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1])", kSerial, "0-1 0-2 2-1"},
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1])", kSnapshot, "0c-1b 0c-2b 2b-1c"},
      {"A: r(l=[]) ; B: a(l=1) ; C: a(l=2)", kSerial, "0-1 0-2"},
  };
  for (const EdgesCase& each : cases) {
    EXPECT_EQ(Events(each.text, each.encoding).edges(), each.edges)
        << each.text << (each.encoding.role.snapshot ? " (snapshot)" : "");
  }
}

TEST(EventGraph, ClockErrorWidensGaps) {
  Encoding encoding = kTimed;
  encoding.clock_error_ns = 2;
  EXPECT_EQ(Events("A: nop @1,2 ; B: nop @4,5 ; C: nop @5,6", encoding).edges(), "0-2");
}

TEST(EventGraph, ExtremeTimesDoNotOverflow) {
  const History history = support::parse(
      "A: nop @-9223372036854775807,-9223372036854775807 ; "
      "B: nop @9223372036854775807,9223372036854775807");
  EXPECT_TRUE(ended_before(history, txn(0), txn(1), 0));
  EXPECT_TRUE(ended_before(history, txn(0), txn(1), 9223372036854775807));
  EXPECT_FALSE(ended_before(history, txn(1), txn(0), 0));
  EXPECT_FALSE(ended_before(history, txn(0), txn(0), 0));
}

TEST(EventGraph, EndsCountForCommittedTransactionsOnly) {
  const History history =
      support::parse("A: nop @1,2 ; B: nop ? @1,2 ; C: nop ! @1,2 ; D: nop");
  EXPECT_EQ(certain_end(history, txn(0)), 2);
  for (std::uint32_t t = 1; t < 4; ++t) EXPECT_EQ(certain_end(history, txn(t)), kNoTime);
}

struct NameCase {
  const char* text;
  Encoding encoding;
  std::uint32_t from;
  std::uint32_t to;
  const char* name;
};

TEST(EventGraph, NamesEveryKindOfEdge) {
  Encoding session_snapshot = kSnapshot;
  session_snapshot.session_order = true;
  Encoding timed_snapshot = kSnapshot;
  timed_snapshot.real_time = true;
  const NameCase cases[] = {
      {"A: w(x=1) ; B: r(x=1)", kSerial, 0, 1, "0 wr 1 k0"},
      {"A: w(x=1) ; B: r(x=1)", kSnapshot, 0, 1, "0 wr 1 k0"},
      {"A: nop | nop", kSession, 0, 1, "0 so 1"},
      {"A: nop | nop", session_snapshot, 0, 1, "0 so 1"},
      // Read-from says more than session order.
      {"A: w(x=1) | r(x=1)", kSession, 0, 1, "0 wr 1 k0"},
      {"A: nop @1,2 ; B: nop @3,4", kTimed, 0, 1, "0 rt 1"},
      {"A: nop @1,2 ; B: nop @3,4", timed_snapshot, 0, 1, "0 rt 1"},
      {"A: nop @1,2 ; B: nop @5,6 ; C: nop @1,4", kTimed, 0, 1, "0 rt 1"},
      // rw: from the initial version through the frontier, and next to it
      {"A: r(x=_) ; B: w(x=1)", kSerial, 0, 1, "0 rw 1 k0"},
      {"A: r(x=_) ; B: w(x=1)", kSnapshot, 0, 1, "0 rw 1 k0"},
      {"A: r(x=_) w(x=1) ; B: r(x=_)", kSerial, 1, 0, "1 rw 0 k0"},
      {"A: r(x=_) w(x=1) ; B: w(x=2)", kSerial, 0, 1, "0 rw 1 k0"},
      // rw: the version's overwriter
      {"A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1)", kSerial, 2, 1, "2 rw 1 k0 via 0"},
      {"A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1)", kSnapshot, 2, 1, "2 rw 1 k0 via 0"},
      // lists: ww and rw along the order, and the frontier behind the last element seen
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2])", kSerial, 0, 1, "0 ww 1 k0"},
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2])", kSnapshot, 0, 1, "0 ww 1 k0"},
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1])", kSerial, 0, 1, "0 ww 1 k0"},
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2]) ; D: r(l=[1])", kSerial, 3, 1, "3 rw 1 k0 via 0"},
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1])", kSerial, 2, 1, "2 rw 1 k0 via 0"},
      {"A: a(l=1) ; B: a(l=2) ; C: r(l=[1])", kSnapshot, 2, 1, "2 rw 1 k0 via 0"},
      {"A: r(l=[]) ; B: a(l=1)", kSnapshot, 0, 1, "0 rw 1 k0"},
      {"A: r(l=[]) ; B: a(l=1) ; C: r(l=[1])", kSnapshot, 0, 1, "0 rw 1 k0"},
      // several edges in a row
      {"A: w(x=1) | nop ; B: r(x=1) r(y=_) ; C: w(y=1)", kSession, 0, 3, "0 wr 2 k0 2 rw 3 k1"},
  };
  for (const NameCase& each : cases) {
    Events events(each.text, each.encoding);
    EXPECT_EQ(events.named(each.from, each.to), each.name)
        << each.text << (each.encoding.role.snapshot ? " (snapshot)" : "");
  }
}

TEST(EventGraph, LeavesOutTheStepInsideATransaction) {
  Events events("A: w(x=1) ; B: r(x=1) w(y=1) ; C: r(y=1)", kSnapshot);
  EXPECT_EQ(events.named(0, 2), "0 wr 1 k0 1 wr 2 k1");
}

TEST(EventGraph, VersionOrdersAddWwAndRw) {
  // C and D read A's x; B also writes y, which A writes too and E reads.
  Events serial("A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) ; D: r(x=1) ; E: r(y=1)",
                kSerial);
  EventGraph& graph = serial.graph();
  const VersionOrder order{txn(0), txn(1)};
  std::vector<Edge> named;
  graph.order_edges(order, [&](NodeId from, NodeId to) {
    named.push_back(graph.name_order_edge(from, to, order));
  });
  const auto rw = [](std::uint32_t from, std::uint32_t on) {
    return Edge{txn(from), txn(1), EdgeKind::kAntiDependency, key(on), txn(0)};
  };
  EXPECT_EQ(named, (std::vector<Edge>{rw(2, 0),
                                      rw(3, 0),
                                      rw(4, 1),
                                      {txn(0), txn(1), EdgeKind::kVersionOrder, key(0), {}}}));
  std::size_t count = 0;
  graph.order_edges({txn(1), txn(0)}, [&](NodeId from, NodeId to) {
    ++count;
    EXPECT_EQ(from, graph.commit(txn(1)));
    EXPECT_EQ(to, graph.begin(txn(0)));
  });
  EXPECT_EQ(count, 1U);  // nobody read from B
}

TEST(EventGraph, SnapshotOrdersLinkBeginsToCommits) {
  Events events("A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1)", kSnapshot);
  EventGraph& graph = events.graph();
  std::vector<std::pair<NodeId, NodeId>> edges;
  graph.order_edges({txn(0), txn(1)},
                    [&](NodeId from, NodeId to) { edges.emplace_back(from, to); });
  // B read A's x itself: no rw from it.
  EXPECT_EQ(edges, (std::vector<std::pair<NodeId, NodeId>>{
                       {graph.begin(txn(2)), graph.commit(txn(1))},
                       {graph.commit(txn(0)), graph.begin(txn(1))}}));
}

TEST(EventGraphDeathTest, WantsAPairThatWritesACommonKey) {
  Events events("A: w(x=1) ; B: w(y=1)", kSerial);
  EXPECT_DEATH(events.graph().order_edges({txn(0), txn(1)}, [](NodeId, NodeId) {}), "check");
}

/// Executions that the generator played in order: the certain edges must agree with that order.
TEST(EventGraph, AgreesWithSerialExecutions) {
  std::size_t clean = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.reads = support::ReadSource::kSerial;
    options.stale_share = options.dirty_share = options.mutation_count = 0;
    options.reorder_share = options.duplicate_share = options.aborted_share = 0;
    const Observed observed(support::build(support::random_history(rng, options)));
    if (observed.seen.finding() || !observed.seen.ambiguity().empty()) continue;
    ++clean;
    base::Budget budget;
    const EventGraph events(observed.seen, kSession, budget);
    const std::vector<std::uint32_t> wish(events.graph().node_count(), 0);
    ASSERT_EQ(graph::topological_order(events.graph(), wish, budget).size(), wish.size())
        << "seed " << seed;
  }
  EXPECT_GT(clean, 250U);
}

}  // namespace
}  // namespace isolde::infer
