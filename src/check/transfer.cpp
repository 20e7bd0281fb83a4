#include "check/transfer.hpp"

#include <utility>
#include <vector>

#include "infer/event_graph.hpp"

namespace isolde::checker {
namespace {

bool is_event_base(BaseLevel base) {
  return base == BaseLevel::kSerializable || base == BaseLevel::kSnapshotIsolation;
}

/// Two anti-dependencies in a row leave through the begin of a transaction that the first one
/// reaches only at its commit, so such a cycle does not close at snapshot isolation.
bool closes_at_snapshot_isolation(const std::vector<Edge>& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Edge& next = cycle[(i + 1) % cycle.size()];
    if (cycle[i].kind == EdgeKind::kAntiDependency && next.kind == EdgeKind::kAntiDependency) {
      return false;
    }
  }
  return true;
}

bool adapt(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
           Edge& edge) {
  switch (edge.kind) {
    case EdgeKind::kSessionOrder:
      if (level.session_order) return true;
      if (!level.real_time ||
          !infer::ended_before(history, edge.from, edge.to, clock_error_ns)) {
        return false;
      }
      edge.kind = EdgeKind::kRealTime;
      return true;
    case EdgeKind::kRealTime:
      return level.real_time;
    case EdgeKind::kReadFrom:
      return true;
    case EdgeKind::kVersionOrder:
    case EdgeKind::kAntiDependency:
      return is_event_base(level.base);
    case EdgeKind::kMonotonicView:
      return level.base == BaseLevel::kMonotonicAtomicView;
  }
  return false;
}

std::optional<Proof> adapt(const History& history, Refutation refutation,
                           const LevelInfo& level, std::int64_t clock_error_ns) {
  for (RefutationStep& step : refutation.steps) {
    for (Edge& edge : step.cycle) {
      if (!adapt(history, level, clock_error_ns, edge)) return std::nullopt;
    }
    if (level.base == BaseLevel::kSnapshotIsolation &&
        !closes_at_snapshot_isolation(step.cycle)) {
      return std::nullopt;
    }
  }
  return refutation;
}

/// Weak levels read from one order of commits; their commit tests see no snapshots.
Witness commits_only(const Witness& witness) {
  Witness commits;
  std::vector<bool> begun;
  for (const TxnId txn : witness.order) {
    if (begun.size() <= txn.raw()) begun.resize(txn.raw() + 1);
    if (begun[txn.raw()]) commits.order.push_back(txn);
    begun[txn.raw()] = true;
  }
  return commits;
}

}  // namespace

std::optional<Proof> transfer(const History& history, const Proof& proof,
                              const LevelInfo& level, std::int64_t clock_error_ns) {
  if (const auto* witness = std::get_if<Witness>(&proof)) {
    if (witness->mentions == 2 && !is_event_base(level.base)) return commits_only(*witness);
    return proof;
  }
  if (const auto* refutation = std::get_if<Refutation>(&proof)) {
    return adapt(history, *refutation, level, clock_error_ns);
  }
  // Findings are settled by the pipeline for all levels at once.
  return std::nullopt;
}

}  // namespace isolde::checker
