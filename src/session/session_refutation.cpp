#include "session/session_refutation.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "graph/short_cycle.hpp"
#include "refute/established.hpp"

namespace isolde::checker {
namespace {

using graph::EdgeId;
using graph::PathFinder;
using Derived = SessionSaturation::Derived;
using Path = std::vector<PathFinder::Step>;

class Refuter {
 public:
  Refuter(SessionGraph& events, const SessionSaturation& saturation, base::Budget& budget)
      : events_(events), saturation_(saturation), budget_(budget), paths_(events.graph()) {}

  Refutation run() {
    RefutationStep last;
    if (saturation_.impossible()) {
      last.cycle = close(*saturation_.impossible(), needed_);
    } else {
      const Path cycle = short_cycle();
      note(cycle, needed_);
      last.cycle = name(cycle, cycle.front().node);
    }
    Refutation refutation;
    refutation.steps = establish();
    refutation.steps.push_back(std::move(last));
    if (!events_.rules().writes_follow_reads) refutation.session = events_.session();
    return refutation;
  }

 private:
  /// Orders that need their own justification are expensive, steps inside a session free.
  std::uint32_t price(NodeId from, EdgeId edge) const {
    if (edge.is_some()) return 12;
    return events_.is_commit(from) ? 2 : 1;
  }

  std::vector<Edge> name(const Path& path, NodeId end) const {
    return events_.name_path(path, end, [&](EdgeId edge) {
      return saturation_.derived()[events_.graph().tag(edge)].order;
    });
  }

  /// Remembers the derived orders that the path rests on.
  void note(const Path& path, NeededFacts& needed) const {
    for (const PathFinder::Step& step : path) {
      if (step.edge.is_some()) needed.push(events_.graph().tag(step.edge));
    }
  }

  /// The cycle that the opposite order closes: the writer reaches the read, and the read misses
  /// it.
  std::vector<Edge> close(const Derived& derived, NeededFacts& needed) {
    const SessionRead& read = events_.reads()[derived.read];
    const Path path =
        paths_.shortest(events_.commit(derived.order.before), events_.read(derived.read),
                        [&](NodeId from, NodeId, EdgeId edge) {
                          const bool exists = edge.is_none() || edge.raw() < derived.edge_limit;
                          return exists ? price(from, edge) : PathFinder::kForbidden;
                        });
    ISOLDE_CHECK(!path.empty());
    note(path, needed);
    std::vector<Edge> cycle = name(path, events_.read(derived.read));
    if (read.txn != derived.order.before) {
      cycle.push_back({read.txn, derived.order.before, EdgeKind::kAntiDependency, read.from.key,
                       derived.order.after});
    }
    return cycle;
  }

  Path short_cycle() {
    return graph::short_cycle(
        events_.graph(), [&](NodeId node) { return events_.is_commit(node); },
        [&](NodeId from, NodeId, EdgeId edge) { return price(from, edge); }, budget_);
  }

  std::vector<RefutationStep> establish() {
    return checker::establish(
               std::move(needed_),
               [&](std::uint32_t tag, NeededFacts& more) {
                 const Derived& derived = saturation_.derived()[tag];
                 RefutationStep step;
                 step.clause = {derived.order};
                 step.cycle = close(derived, more);
                 return Justification{{std::move(step)}, {}};
               },
               budget_)
        .steps;
  }

  SessionGraph& events_;
  const SessionSaturation& saturation_;
  base::Budget& budget_;
  PathFinder paths_;
  NeededFacts needed_;
};

}  // namespace

Refutation refute_session(SessionGraph& events, const SessionSaturation& saturation,
                          base::Budget& budget) {
  return Refuter(events, saturation, budget).run();
}

}  // namespace isolde::checker
