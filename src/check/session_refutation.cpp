#include "check/session_refutation.hpp"

#include <algorithm>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.hpp"

namespace isolde::checker {
namespace {

using graph::EdgeId;
using graph::PathFinder;
using Derived = SessionSaturation::Derived;
using Path = std::vector<PathFinder::Step>;

/// Work on shortening cycles, in nodes visited.
constexpr std::uint64_t kShorteningWork = 4'000'000;

class Refuter {
 public:
  Refuter(SessionGraph& events, const SessionSaturation& saturation, base::Budget& budget)
      : events_(events), saturation_(saturation), budget_(budget), paths_(events.graph()) {}

  Refutation run() {
    RefutationStep last;
    if (saturation_.impossible()) {
      last.cycle = close(*saturation_.impossible());
    } else {
      const Path cycle = short_cycle();
      note(cycle);
      last.cycle = name(cycle, cycle.front().node);
    }
    Refutation refutation;
    refutation.steps = establish();
    refutation.steps.push_back(std::move(last));
    if (events_.base() != BaseLevel::kWritesFollowReads) refutation.session = events_.session();
    return refutation;
  }

 private:
  /// Dear are orders that need a justification of their own, free are steps inside a session.
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
  void note(const Path& path) {
    for (const PathFinder::Step& step : path) {
      if (step.edge.is_some()) needed_.push(events_.graph().tag(step.edge));
    }
  }

  /// The cycle that the opposite of the order closes: the writer leads to the read, and the
  /// read misses it.
  std::vector<Edge> close(const Derived& derived) {
    const SessionRead& read = events_.reads()[derived.read];
    const Path path =
        paths_.shortest(events_.commit(derived.order.before), events_.read(derived.read),
                        [&](NodeId from, NodeId, EdgeId edge) {
                          const bool exists = edge.is_none() || edge.raw() < derived.edge_limit;
                          return exists ? price(from, edge) : PathFinder::kForbidden;
                        });
    ISOLDE_CHECK(!path.empty());
    note(path);
    std::vector<Edge> cycle = name(path, events_.read(derived.read));
    if (read.txn != derived.order.before) {
      cycle.push_back({read.txn, derived.order.before, EdgeKind::kAntiDependency, read.from.key,
                       derived.order.after});
    }
    return cycle;
  }

  Path short_cycle() {
    const std::vector<std::uint32_t> component = graph::strong_components(events_.graph());
    std::vector<std::uint32_t> size(component.size(), 0);
    for (const std::uint32_t number : component) ++size[number];
    Path best;
    std::uint32_t best_cost = PathFinder::kForbidden;
    for (std::size_t i = 0; i < component.size(); ++i) {
      const NodeId node = NodeId::at(i);
      if (size[component[i]] < 2 || !events_.is_commit(node)) continue;
      if (!best.empty() && (paths_.work() > kShorteningWork || !budget_.spend(256))) break;
      Path cycle = paths_.shortest(node, node, [&](NodeId from, NodeId to, EdgeId edge) {
        return component[to.raw()] == component[i] ? price(from, edge) : PathFinder::kForbidden;
      });
      if (cycle.empty() || paths_.distance(node) >= best_cost) continue;
      best_cost = paths_.distance(node);
      best = std::move(cycle);
    }
    ISOLDE_CHECK(!best.empty());
    return best;
  }

  /// Steps for the noted orders. They rest on orders derived earlier only.
  std::vector<RefutationStep> establish() {
    std::vector<RefutationStep> steps;
    std::uint32_t last = 0xffffffffU;
    while (!needed_.empty()) {
      const std::uint32_t tag = needed_.top();
      needed_.pop();
      if (tag == last) continue;
      last = tag;
      const Derived& derived = saturation_.derived()[tag];
      RefutationStep step;
      step.clause = {derived.order};
      step.cycle = close(derived);
      steps.push_back(std::move(step));
      budget_.spend(1024);
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  SessionGraph& events_;
  const SessionSaturation& saturation_;
  base::Budget& budget_;
  PathFinder paths_;
  std::priority_queue<std::uint32_t> needed_;
};

}  // namespace

Refutation refute_session(SessionGraph& events, const SessionSaturation& saturation,
                          base::Budget& budget) {
  return Refuter(events, saturation, budget).run();
}

}  // namespace isolde::checker
