// Which event of a history reaches which: four ways to know, on the same graphs.
//
//     bench_closure [TRANSACTIONS...]        # 1000 and 3000 when none are given
//
// - clocks: one counter for each event and session, merged in topological order, as
//   prune/saturation does. Edges x sessions operations.
// - rows: a row of bits for each event, united in topological order. Edges x n / 64.
// - closure: accel/closure, which asks for no order. At most n^3 / 64.
// - CUDA: the same on a device, with both ways there; "-" where there is none.
//
// Each from the graph to the complete answer, on one core, best of three, in milliseconds;
// saturation, which the clocks are for, in milliseconds a round, once. The program fails where
// two of them differ on any pair.
//
// Histories are simulated, without times, and strictly serializable. "known": the certain edges
// and those that saturation derives, with session order. "resolved": the edges of the true
// version order between all writers of a key, the densest graph that a check could meet.
#include "accel/closure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "accel/cuda_closure.hpp"
#include "base/budget.hpp"
#include "base/csr.hpp"
#include "graph/topological.hpp"
#include "infer/event_graph.hpp"
#include "infer/observations.hpp"
#include "prune/saturation.hpp"
#include "sim/simulate.hpp"

namespace isolde {
namespace {

using accel::BitMatrix;
using accel::Word;
using graph::Digraph;
using graph::EdgeId;
using graph::NodeId;

struct Shape {
  const char* name;
  std::uint64_t keys;
  double reads;  ///< share of the transactions that only read; the others only write
  bool resolved;
};

constexpr Shape kShapes[] = {{"10,000 keys, half reads, known", 10'000, 0.5, false},
                             {"300 keys, 4/5 writes, known", 300, 0.2, false},
                             {"300 keys, 4/5 writes, resolved", 300, 0.2, true}};
constexpr std::uint32_t kNowhere = 0xffffffffU;
constexpr std::uint32_t kSessions[] = {8, 24, 100, 1000};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench_closure: %s\n", why.c_str());
  std::exit(1);
}

template <typename Run>
double milliseconds(const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

template <typename Run>
double best_of_three(const Run& run) {
  return std::min({milliseconds(run), milliseconds(run), milliseconds(run)});
}

/// The events that have edges, numbered in topological order, and each edge once; and the
/// events as chains of sessions.
struct Instance {
  base::Csr<std::uint32_t> out;
  std::size_t sessions = 0;
  std::vector<std::uint32_t> session = {};  // by event
  std::vector<std::uint32_t> number = {};   // by event: in its session, from 1; 0 = in none

  std::size_t size() const { return out.row_count(); }
};

using EdgeList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// The place of each node among those that have edges, in topological order.
std::vector<std::uint32_t> places_of(const Digraph& graph, std::uint32_t& count) {
  base::Budget budget;
  const std::vector<std::uint32_t> priority(graph.node_count(), 0);
  const std::vector<NodeId> order = graph::topological_order(graph, priority, budget);
  if (order.size() != graph.node_count()) fail("a cycle in the graph of a valid history");
  std::vector<std::uint8_t> used(order.size(), 0);
  for (const NodeId node : order) {
    graph.out_edges(node, [&](NodeId target, EdgeId) {
      used[node.raw()] = used[target.raw()] = 1;
      return true;
    });
  }
  std::vector<std::uint32_t> place(order.size(), kNowhere);
  count = 0;
  for (const NodeId node : order) {
    if (used[node.raw()] != 0) place[node.raw()] = count++;
  }
  return place;
}

Instance instance_of(const infer::EventGraph& events) {
  std::uint32_t count = 0;
  const std::vector<std::uint32_t> place = places_of(events.graph(), count);
  EdgeList edges;
  for (std::size_t node = 0; node < place.size(); ++node) {
    events.graph().out_edges(NodeId::at(node), [&](NodeId target, EdgeId) {
      edges.emplace_back(place[node], place[target.raw()]);
      return true;
    });
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  const infer::Observations& seen = events.observations();
  Instance made{base::Csr<std::uint32_t>::build(count,
                                                [&](const auto& add) {
                                                  for (const auto& [from, to] : edges) {
                                                    add(from, to);
                                                  }
                                                }),
                seen.history().session_count()};
  made.session.resize(count);
  made.number.resize(count);
  for (std::size_t s = 0; s < made.sessions; ++s) {
    std::uint32_t number = 0;
    for (const TxnId txn : seen.history().session_txns(SessionId::at(s))) {
      const std::uint32_t at = place[events.commit(txn).raw()];
      if (!seen.is_included(txn) || at == kNowhere) continue;
      made.session[at] = static_cast<std::uint32_t>(s);
      made.number[at] = ++number;
    }
  }
  return made;
}

void by_clocks(const Instance& in, std::vector<std::uint32_t>& clocks) {
  std::fill(clocks.begin(), clocks.end(), 0);
  for (std::size_t event = 0; event < in.size(); ++event) {
    std::uint32_t* const own = &clocks[event * in.sessions];
    if (in.number[event] != 0) own[in.session[event]] = in.number[event];
    for (const std::uint32_t target : in.out.row(event)) {
      std::uint32_t* const into = &clocks[target * in.sessions];
      for (std::size_t s = 0; s < in.sessions; ++s) into[s] = std::max(into[s], own[s]);
    }
  }
}

void by_rows(const Instance& in, BitMatrix& matrix) {
  matrix.clear();
  for (std::size_t event = in.size(); event-- > 0;) {
    Word* const own = matrix.row(event);
    for (const std::uint32_t target : in.out.row(event)) {
      const Word* const theirs = matrix.row(target);
      for (std::size_t w = 0; w < matrix.words(); ++w) own[w] |= theirs[w];
      matrix.set(event, target);
    }
  }
}

void fill_edges(const Instance& in, BitMatrix& matrix) {
  matrix.clear();
  for (std::size_t event = 0; event < in.size(); ++event) {
    for (const std::uint32_t target : in.out.row(event)) matrix.set(event, target);
  }
}

bool agree(const Instance& in, const std::vector<std::uint32_t>& clocks,
           const BitMatrix& rows) {
  for (std::size_t from = 0; from < in.size(); ++from) {
    if (in.number[from] == 0) continue;
    for (std::size_t to = 0; to < in.size(); ++to) {
      const std::uint32_t clock = clocks[to * in.sessions + in.session[from]];
      if (from != to && rows.test(from, to) != (clock >= in.number[from])) return false;
    }
  }
  return true;
}

std::string by_cuda(const Instance& in, BitMatrix& matrix) {
  if (!accel::cuda_device().ok()) return "-";
  const double best = best_of_three([&] {
    fill_edges(in, matrix);
    const Status status = accel::cuda_closure(matrix);
    if (!status.ok()) fail(status.error().message);
  });
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", best);
  return text;
}

/// "saturation" is its cell of the table.
void print_row(const Shape& shape, const infer::EventGraph& events,
               const std::string& saturation) {
  const Instance in = instance_of(events);
  std::vector<std::uint32_t> clocks(in.size() * in.sessions);
  BitMatrix rows(in.size());
  BitMatrix closed(in.size());
  const double clocks_ms = best_of_three([&] { by_clocks(in, clocks); });
  const double rows_ms = best_of_three([&] { by_rows(in, rows); });
  if (!agree(in, clocks, rows)) fail("clocks and rows differ");
  const double closure_ms = best_of_three([&] {
    fill_edges(in, closed);
    accel::closure(closed);
  });
  if (!(closed == rows)) fail("closure and rows differ");
  const std::string cuda_ms = by_cuda(in, closed);
  if (!(closed == rows)) fail("the closure on the device differs");
  std::printf("| %s | %zu | %zu | %zu | %s | %.2f | %.2f | %.2f | %s |\n", shape.name,
              in.sessions, in.size(), in.out.item_count(), saturation.c_str(), clocks_ms,
              rows_ms, closure_ms, cuda_ms.c_str());
  std::fflush(stdout);
}

/// Adds what the commits in the simulated store say of all versions.
void resolve(infer::EventGraph& events, const sim::SimulationTrace& trace) {
  const infer::Observations& seen = events.observations();
  for (std::size_t k = 0; k < seen.history().key_count(); ++k) {
    const std::span<const infer::WriteId> writes = seen.writes_of(KeyId::at(k));
    for (const infer::WriteId a : writes) {
      for (const infer::WriteId b : writes) {
        const VersionOrder order{seen.writer(a), seen.writer(b)};
        if (trace.txns[order.before.raw()].commit >= trace.txns[order.after.raw()].commit) {
          continue;
        }
        events.order_edges(order,
                           [&](NodeId from, NodeId to) { events.graph().add(from, to, 0); });
      }
    }
  }
}

void measure(std::uint64_t txns, std::uint32_t sessions, const Shape& shape) {
  sim::SimulationOptions options;
  options.workload.workload = gen::Workload("blindw-rw");
  options.workload.txns = txns;
  options.workload.sessions = sessions;
  options.workload.keys = shape.keys;
  options.workload.reads = shape.reads;
  options.workload.seed = 1;
  options.user_abort_rate = 0;
  options.times = false;
  sim::SimulationTrace trace;
  const Result<History> history = sim::simulate(options, &trace);
  if (!history.ok()) fail(history.error().message);
  base::Budget budget;
  const infer::Observations seen = infer::observe(*history, budget);
  infer::EventGraph events(seen, {.session_order = true}, budget);
  std::string saturation_ms = "-";
  if (shape.resolved) {
    resolve(events, trace);
  } else {
    prune::Saturation saturation(events, budget);
    prune::Saturation::Outcome outcome{};
    const double all = milliseconds([&] { outcome = saturation.run(); });
    if (outcome != prune::Saturation::Outcome::kFixpoint) fail("no fixpoint");
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", all / static_cast<double>(saturation.rounds()));
    saturation_ms = text;
  }
  print_row(shape, events, saturation_ms);
}

int main(int count, char** arguments) {
  std::vector<std::uint64_t> sizes;
  for (int i = 1; i < count; ++i) {
    sizes.push_back(std::strtoull(arguments[i], nullptr, 10));
    if (sizes.back() == 0) fail("arguments are numbers of transactions");
  }
  if (sizes.empty()) sizes = {1000, 3000};
  const Result<std::string> device = accel::cuda_device();
  std::printf("device: %s\n\n", device.ok() ? device->c_str() : device.error().message.c_str());
  std::printf(
      "| graph | sessions | events | edges | saturation, a round | clocks | rows | closure "
      "| CUDA |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const std::uint64_t txns : sizes) {
    for (const Shape& shape : kShapes) {
      for (const std::uint32_t sessions : kSessions) measure(txns, sessions, shape);
    }
  }
  return 0;
}

}  // namespace
}  // namespace isolde

int main(int count, char** arguments) { return isolde::main(count, arguments); }
