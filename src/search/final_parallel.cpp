// The final check of VersionTheory at parallel snapshot isolation. Assigned orders keep the
// dependencies acyclic, as at the other levels; this rules out cycles with exactly one
// anti-dependency. It takes the orders of all undecided pairs from the current order of events,
// and looks for reads that miss a write. Undecided pairs that such a cycle rests on become
// variables, and the cycle is a conflict among them all. Conflicts are reported in batches,
// because each final check examines the whole order.
//
// Correct because a conflict is a cycle that the level forbids, and when no read misses a
// write, the current order is a witness. Terminates because no conflict is reported twice: all
// its literals are true or undecided when it is reported.
#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "search/parallel_check.hpp"
#include "search/version_theory.hpp"

namespace isolde::checker {

using graph::EdgeId;
using graph::PathFinder;
using infer::Observations;
using infer::packed;
using solver::Lit;

namespace {

/// Conflicts per final check: enough that few checks are needed, but not so many that one bad
/// place in the order floods the solver.
constexpr std::size_t kMissedMax = 64;

/// Later writes tried in place of the next one when explaining a cycle.
constexpr std::size_t kWritesTried = 8;

constexpr std::uint32_t kDirectPrice = 1;

}  // namespace

class VersionTheory::Parallel final : public FinalCheck {
 public:
  explicit Parallel(VersionTheory& theory)
      : theory_(theory), check_(theory.events_, theory.budget_) {
    for (std::uint32_t tag = 0; tag < theory.first_choice(); ++tag) {
      established_index_.emplace(packed(order_of_tag(tag)), tag);
    }
  }

  Final run(std::vector<std::vector<Lit>>& conflicts) override {
    const std::size_t edges = theory_.events_.graph().extra_count();
    first_guess_ = theory_.end_of_choices();
    ISOLDE_ASSERT(edges == 0 ||
                  theory_.events_.graph().tag(EdgeId::at(edges - 1)) < first_guess_);
    check_.follow(theory_.order_.positions(), first_guess_);
    const Final answer = look_at_reads(conflicts);
    theory_.events_.graph().pop_to(edges);
    return answer;
  }

 private:
  /// A cycle with one anti-dependency, and what it rests on.
  struct Cycle {
    std::vector<Edge> edges;
    std::vector<solver::Lit> choices;
    std::vector<VersionOrder> undecided;  ///< choices that are no variables yet
    std::vector<std::uint32_t> established;
  };

  /// The anti-dependency that closes a cycle.
  struct Closing {
    TxnId reader;
    infer::ReadFrom read;
    TxnId overwriter;
  };

  using Path = std::vector<graph::PathFinder::Step>;

  VersionOrder order_of_tag(std::uint32_t tag) const {
    ISOLDE_ASSERT(tag < theory_.end_of_choices());
    return tag < theory_.first_choice()
               ? theory_.derived_.facts[tag].order
               : theory_.order_of(Lit::from_code(tag - theory_.first_choice()));
  }

  /// Starts where the last check found something, because most conflicts are there.
  Final look_at_reads(std::vector<std::vector<Lit>>& conflicts) {
    const std::span<const TxnId> readers = check_.readers();
    const std::size_t start = next_reader_;
    for (std::size_t i = 0; i < readers.size() && conflicts.size() < kMissedMax; ++i) {
      if (theory_.budget_.exhausted()) break;
      const std::size_t at = (start + i) % readers.size();
      const std::optional<MissedWrite> missed = check_.look(readers[at]);
      if (!missed) continue;
      if (conflicts.empty()) next_reader_ = at;
      Cycle cycle = explain(*missed);
      for (const VersionOrder& order : cycle.undecided) {
        theory_.ask_for_order(order.before, order.after);
        ISOLDE_INVARIANT(
            theory_.find_literal(order));  // so the list that is being read does not grow
        rest_on(order, cycle);
      }
      conflicts.push_back(std::move(cycle.choices));
      theory_.lemmas_.push_back({std::move(cycle.edges), std::move(cycle.established)});
    }
    if (!conflicts.empty()) return Final::kMore;
    return theory_.budget_.exhausted() ? Final::kStopped : Final::kModel;
  }

  /// Of the cycles through the first few missed writes, the one that rests on the fewest
  /// choices.
  Cycle explain(const MissedWrite& missed) {
    Path best;
    Closing closing;
    std::uint32_t best_price = PathFinder::kForbidden;
    std::span<const WriteId> writes = check_.writes_from(missed.next);
    writes = writes.subspan(0, std::min(writes.size(), kWritesTried));
    for (const WriteId write : writes) {
      const Closing tried{missed.reader, missed.read, theory_.seen_.writer(write)};
      const NodeId node = theory_.events_.commit(tried.overwriter);
      if (theory_.order_.position(node) >=
          theory_.order_.position(theory_.events_.begin(missed.reader)))
        break;
      Path path = path_to_reader(tried.overwriter, missed.reader);
      if (path.empty()) continue;
      const std::uint32_t present =
          theory_.paths_.distance(theory_.events_.begin(missed.reader)) +
          (missed.read.source.is_some() ? price_of(rests_on(tried)) : 0);
      if (present >= best_price) continue;
      best_price = present;
      best = std::move(path);
      closing = tried;
    }
    ISOLDE_CHECK(!best.empty());
    return close(std::move(best), closing);
  }

  /// Names the dependencies of the cycle, and what they rest on.
  Cycle close(Path path, const Closing& closing) {
    graph::Digraph& graph = theory_.events_.graph();
    const std::size_t edges = graph.extra_count();
    shorten(path);
    const NodeId reader = theory_.events_.begin(closing.reader);
    const EdgeId back = graph.add(reader, theory_.events_.commit(closing.overwriter), 0);
    path.push_back({reader, back});
    ISOLDE_INVARIANT(graph::is_closed(graph, path));
    const bool initial = closing.read.source.is_none();
    Cycle cycle;
    cycle.edges = theory_.events_.name_cycle(path, [&](EdgeId edge) -> Edge {
      if (edge == back) {
        return {closing.reader, closing.overwriter, EdgeKind::kAntiDependency, closing.read.key,
                initial ? TxnId::none() : rests_on(closing).before};
      }
      const std::uint32_t tag = graph.tag(edge);
      const VersionOrder order = tag < first_guess_
                                     ? order_of_tag(tag)
                                     : VersionOrder{theory_.events_.txn(graph.from(edge)),
                                                    theory_.events_.txn(graph.to(edge))};
      rest_on(order, cycle);
      return theory_.events_.name_order_edge(graph.from(edge), graph.to(edge), order);
    });
    if (!initial) rest_on(rests_on(closing), cycle);
    graph.pop_to(edges);
    return cycle;
  }

  /// REQUIRES: the read is not of the initial version.
  VersionOrder rests_on(const Closing& closing) const {
    return {theory_.seen_.writer(closing.read.source), closing.overwriter};
  }

  Path path_to_reader(TxnId writer, TxnId reader) {
    const std::uint32_t high = theory_.order_.position(theory_.events_.begin(reader));
    const std::uint64_t work_before = theory_.paths_.work();
    Path path =
        theory_.paths_.shortest(theory_.events_.commit(writer), theory_.events_.begin(reader),
                                [&](NodeId, NodeId target, EdgeId edge) -> std::uint32_t {
                                  if (theory_.order_.position(target) > high)
                                    return PathFinder::kForbidden;
                                  return edge.is_none() ? kDirectPrice : theory_.price(edge);
                                });
    theory_.budget_.spend((theory_.paths_.work() - work_before) * 8);
    return path;
  }

  /// Replaces consecutive edges that follow one key's version order by one edge, added to the
  /// graph: the positions order two writes of a key whatever is between them.
  void shorten(Path& path) {
    graph::Digraph& graph = theory_.events_.graph();
    const auto tag_of = [&](const PathFinder::Step& step) {
      return step.edge.is_some() ? graph.tag(step.edge) : 0;
    };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < path.size();) {
      std::size_t next = i + 1;
      const bool guessed = path[i].edge.is_some() && tag_of(path[i]) >= first_guess_;
      while (guessed && next < path.size() && path[next].edge.is_some() &&
             tag_of(path[next]) == tag_of(path[i])) {
        ++next;
      }
      PathFinder::Step step = path[i];
      if (next > i + 1) {
        step.edge = graph.add(step.node, graph.to(path[next - 1].edge), tag_of(step));
      }
      path[kept++] = step;
      i = next;
    }
    path.resize(kept);
  }

  /// Notes whether the version order is direct, established, or a choice.
  void rest_on(VersionOrder order, Cycle& cycle) const {
    if (theory_.is_direct(order)) return;
    const auto established = established_index_.find(packed(order));
    if (established != established_index_.end()) {
      cycle.established.push_back(established->second);
      return;
    }
    const std::optional<Lit> lit = theory_.find_literal(order);
    if (!lit) {
      cycle.undecided.push_back(order);
      return;
    }
    ISOLDE_CHECK(!theory_.solver_->is_true(~*lit));
    add_once(cycle.choices, *lit);
  }

  std::uint32_t price_of(VersionOrder order) const {
    if (theory_.is_direct(order)) return kDirectPrice;
    return established_index_.contains(packed(order)) ? kDerivedPrice : kChoicePrice;
  }

  VersionTheory& theory_;
  ParallelCheck check_;
  std::unordered_map<std::uint64_t, std::uint32_t> established_index_;  // packed order to tag
  std::uint32_t first_guess_ = 0;  // tags from here on: orders taken from the positions
  std::size_t next_reader_ = 0;    // where the next final check starts to look
};

void VersionTheory::look_for_missed_writes() {
  other_check_ = std::make_unique<Parallel>(*this);
}

}  // namespace isolde::checker
