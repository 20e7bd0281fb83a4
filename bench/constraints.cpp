// The search of this project, CaDiCaL and Z3 on the same constraints.
//
//     constraints ours|cadical|z3|write LEVEL HISTORY SECONDS
//
// prints "verdict seconds pairs rounds", where rounds are conflicts (ours, cadical: lemmas) or
// 0. The constraints are those of docs/ALGORITHMS.md, section 5, after saturation where session
// order binds: the certain and derived edges of the event graph, and for each pair of
// transactions that write a common key the edges of both orders, of which one set must be in
// the graph. Pairs that the known edges settle, because they imply all edges of one order, are
// left out. All three decide whether the graph can be acyclic; the time is that of the decision
// alone.
//
// - ours: OrderTheory, as `isolde check` runs it, which makes pairs when they matter.
// - cadical: a variable for each pair, first phases from the same guess as ours. Its models are
// put
//   into the graph one pair after the other; each pair that would close a cycle gives a clause,
//   by the engine's own shortest explanation, and the solver goes on with these.
// - z3: difference logic, an integer for each event, and implications.
//
// "write" prints them instead: "p order EVENTS EDGES PAIRS", a line "e U V" for each known
// edge, and a line "p U V [U V...] | U V [U V...]" for each pair. Events count from 0.
//
// Built with -DISOLDE_BENCH_SOLVERS=ON only, with Debian's libcadical-dev and libz3-dev.
#include <z3++.h>

#include <cadical.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "graph/topological.hpp"
#include "infer/event_graph.hpp"
#include "infer/observations.hpp"
#include "io/reader.hpp"
#include "isolde/level.hpp"
#include "level/level_traits.hpp"
#include "order/guess.hpp"
#include "prune/saturation.hpp"
#include "search/order_theory.hpp"
#include "solver/solver.hpp"

namespace isolde {
namespace {

using graph::EdgeId;
using graph::NodeId;
using solver::Lit;
using solver::Var;

constexpr std::size_t kEventsMax = 40'000;  // reachability is a square of bits
constexpr std::size_t kPairsMax = 5'000'000;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "constraints: %s\n", why.c_str());
  std::exit(3);
}

infer::Encoding encoding_of(const LevelInfo& level) {
  if (level.base != BaseLevel::kSerializable && level.base != BaseLevel::kSnapshotIsolation) {
    fail("only levels with one graph of all dependencies");
  }
  return checker::encoding(level, 0);
}

/// Which events reach which, by known edges.
class Reach {
 public:
  Reach(const graph::Digraph& graph, const std::vector<NodeId>& order)
      : words_((order.size() + 63) / 64), bits_(order.size() * words_) {
    for (std::size_t i = order.size(); i-- > 0;) {
      std::uint64_t* own = &bits_[order[i].raw() * words_];
      graph.out_edges(order[i], [&](NodeId target, EdgeId) {
        const std::uint64_t* theirs = &bits_[target.raw() * words_];
        for (std::size_t w = 0; w < words_; ++w) own[w] |= theirs[w];
        own[target.raw() / 64] |= std::uint64_t{1} << (target.raw() % 64);
        return true;
      });
    }
  }
  bool operator()(NodeId from, NodeId to) const {
    return (bits_[from.raw() * words_ + to.raw() / 64] >> (to.raw() % 64) & 1U) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// All pairs that are open from the start, as variables.
class AllPairs final : public checker::PairTheory {
 public:
  AllPairs(infer::EventGraph& events, std::vector<VersionOrder> established,
           const std::vector<NodeId>& order, base::Budget& budget)
      : PairTheory(events, std::move(established), order, budget), names_(*this, budget) {
    connect(names_);
    const Reach reach(events.graph(), order);
    const infer::Observations& seen = events.observations();
    for (std::size_t k = 0; k < seen.history().key_count(); ++k) {
      const auto writes = seen.writes_of(KeyId::at(k));
      for (std::size_t i = 0; i < writes.size(); ++i) {
        for (std::size_t j = i + 1; j < writes.size(); ++j) {
          add_open(reach, seen.writer(writes[i]), seen.writer(writes[j]));
        }
      }
      if (count() > kPairsMax) fail("too many pairs");
    }
  }

  std::size_t count() const { return names_.var_count(); }
  template <typename Visit>
  void edges(Lit lit, const Visit& visit) const {
    events_.order_edges(order_of(lit), visit);
  }
  Final final_check(std::vector<std::vector<Lit>>&) override { return Final::kModel; }

 private:
  void add_open(const Reach& reach, TxnId a, TxnId b) {
    for (const VersionOrder order : {VersionOrder{a, b}, VersionOrder{b, a}}) {
      bool settled = true;
      events_.order_edges(
          order, [&](NodeId from, NodeId to) { settled = settled && reach(from, to); });
      if (settled) return;
    }
    add_pair(a, b);
  }

  solver::Solver names_;
};

class Deadline final : public CaDiCaL::Terminator {
 public:
  explicit Deadline(double seconds)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000))) {}
  bool terminate() override { return std::chrono::steady_clock::now() > end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

struct Answer {
  const char* verdict = "unknown";
  std::size_t rounds = 0;
};

Answer run_ours(infer::EventGraph& events, const std::vector<VersionOrder>& established,
                const std::vector<NodeId>& order, double seconds) {
  base::Budget budget(seconds, 0);
  checker::OrderTheory theory(events, established, order, budget);
  solver::Solver solver(theory, budget);
  theory.connect(solver);
  const solver::Answer answer = solver.solve();
  if (answer == solver::Answer::kUnknown) return {"unknown", solver.conflict_count()};
  return {answer == solver::Answer::kSat ? "holds" : "violated", solver.conflict_count()};
}

Answer run_cadical(AllPairs& pairs, double seconds) {
  CaDiCaL::Solver cadical;
  Deadline deadline(seconds);
  cadical.connect_terminator(&deadline);
  const auto number = [](Lit lit) {
    const int var = static_cast<int>(lit.var().raw()) + 1;
    return lit.negated() ? -var : var;
  };
  for (std::size_t i = 0; i < pairs.count(); ++i) {
    cadical.reserve(static_cast<int>(i) + 1);
    cadical.phase(number(pairs.prefer(Var::at(i))));
  }
  std::size_t lemmas = 0;
  while (true) {
    const int result = cadical.solve();
    if (result == 0 || deadline.terminate()) return {"unknown", lemmas};
    if (result == 20) return {"violated", lemmas};
    std::size_t kept = 0;
    std::vector<std::vector<Lit>> conflicts;
    for (std::size_t i = 0; i < pairs.count() && !deadline.terminate(); ++i) {
      const bool value = cadical.val(static_cast<int>(i) + 1) > 0;
      std::vector<Lit> conflict;
      if (pairs.assign(Lit(Var::at(i), !value), conflict)) {
        ++kept;
        continue;
      }
      pairs.backtrack(kept);
      conflicts.push_back(std::move(conflict));
    }
    if (deadline.terminate()) return {"unknown", lemmas};
    if (conflicts.empty()) return {"holds", lemmas};
    if (kept > 0) pairs.backtrack(0);
    lemmas += conflicts.size();
    for (const std::vector<Lit>& conflict : conflicts) {
      for (const Lit lit : conflict) cadical.add(-number(lit));
      cadical.add(0);
    }
  }
}

Answer run_z3(const infer::EventGraph& events, const AllPairs& pairs, double seconds) {
  z3::context context;
  z3::solver solver(context, "QF_IDL");
  z3::params params(context);
  params.set("timeout", static_cast<unsigned>(seconds * 1000));
  solver.set(params);
  std::vector<z3::expr> at;
  for (std::size_t node = 0; node < events.graph().node_count(); ++node) {
    at.push_back(context.int_const(("e" + std::to_string(node)).c_str()));
  }
  const auto before = [&](NodeId from, NodeId to) {
    return at[from.raw()] - at[to.raw()] <= -1;
  };
  for (std::size_t node = 0; node < at.size(); ++node) {
    events.graph().out_edges(NodeId::at(node), [&](NodeId target, EdgeId) {
      solver.add(before(NodeId::at(node), target));
      return true;
    });
  }
  for (std::size_t i = 0; i < pairs.count(); ++i) {
    const z3::expr first = context.bool_const(("p" + std::to_string(i)).c_str());
    for (const bool negated : {false, true}) {
      z3::expr_vector all(context);
      pairs.edges(Lit(Var::at(i), negated),
                  [&](NodeId from, NodeId to) { all.push_back(before(from, to)); });
      solver.add(z3::implies(negated ? !first : first, z3::mk_and(all)));
    }
  }
  switch (solver.check()) {
    case z3::sat:
      return {"holds"};
    case z3::unsat:
      return {"violated"};
    case z3::unknown:
      break;
  }
  return {};
}

void write(const infer::EventGraph& events, const AllPairs& pairs) {
  const graph::Digraph& graph = events.graph();
  std::printf("p order %zu %zu %zu\n", graph.node_count(),
              graph.base_edge_count() + graph.extra_count(), pairs.count());
  for (std::size_t node = 0; node < graph.node_count(); ++node) {
    graph.out_edges(NodeId::at(node), [&](NodeId target, EdgeId) {
      std::printf("e %zu %u\n", node, target.raw());
      return true;
    });
  }
  for (std::size_t i = 0; i < pairs.count(); ++i) {
    const auto print = [](NodeId from, NodeId to) {
      std::printf(" %u %u", from.raw(), to.raw());
    };
    std::printf("p");
    pairs.edges(Lit(Var::at(i), false), print);
    std::printf(" |");
    pairs.edges(Lit(Var::at(i), true), print);
    std::printf("\n");
  }
}

int run(int argc, char** argv) {
  if (argc != 5) fail("usage: constraints ours|cadical|z3|write LEVEL HISTORY SECONDS");
  const std::string_view who = argv[1];
  const std::optional<Level> level = find_level(argv[2]);
  if (!level) fail("no such level");
  const double seconds = std::atof(argv[4]);
  base::Budget budget;
  Result<History> history = io::read_history(argv[3], "", budget);
  if (!history.ok()) fail(history.error().message);
  const infer::Observations seen = infer::observe(*history, budget);
  if (seen.finding() || !seen.ambiguity().empty()) fail("reads leave something open");
  infer::EventGraph events(seen, encoding_of(info(*level)), budget);
  if (events.graph().node_count() > kEventsMax) fail("too many events");
  std::vector<VersionOrder> established;
  if (info(*level).session_order) {
    prune::Saturation saturation(events, budget);
    if (saturation.run() != prune::Saturation::Outcome::kFixpoint) fail("decided already");
    for (const prune::DerivedOrder& each : saturation.orders()) {
      established.push_back(each.order);
    }
  }
  // Without times the product starts from a simulation.
  const std::vector<NodeId> first = history->has_times()
                                        ? checker::order_by_time(events, budget)
                                        : checker::order_by_simulation(events, budget);
  if (first.size() != events.graph().node_count()) fail("decided already");
  AllPairs pairs(events, established, first, budget);
  if (who == "write") {
    write(events, pairs);
    return 0;
  }
  const auto begin = std::chrono::steady_clock::now();
  Answer answer;
  if (who == "ours") {
    answer = run_ours(events, established, first, seconds);
  } else if (who == "cadical") {
    answer = run_cadical(pairs, seconds);
  } else if (who == "z3") {
    answer = run_z3(events, pairs, seconds);
  } else {
    fail("no such solver");
  }
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begin;
  std::printf("%s %.2f %zu %zu\n", answer.verdict, used.count(), pairs.count(), answer.rounds);
  return 0;
}

}  // namespace
}  // namespace isolde

int main(int argc, char** argv) { return isolde::run(argc, argv); }
