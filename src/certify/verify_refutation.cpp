// A refutation proves that a level is violated. Suppose there were an acceptable execution, and
// look at the order in which its transactions commit. Each step shows of a set of statements "a
// commits before b", its clause, that at least one is true in that order. The last clause is
// empty, and no statement of an empty set is true: there is no such execution.
//
// A step shows its clause in one of two ways. With a cycle: each edge says that one event comes
// before another, given the version order that it rests on. All edges together are impossible,
// so one of the orders they rest on is the other way round; the clause must list all of these
// but for orders that are certain. Without a cycle: if none of the clause's statements were
// true, the clauses of earlier steps would force one order after the other until one of them
// breaks.
//
// COST: linear in the steps, but quadratic in one step's `from` when it is badly ordered.
#include <cstddef>
#include <optional>
#include <unordered_set>

#include "base/hash.hpp"
#include "certify/facts.hpp"
#include "certify/proof_parts.hpp"

namespace isolde::certify {
namespace {

VersionOrder reversed(VersionOrder order) { return {order.after, order.before}; }

struct OrderHash {
  std::size_t operator()(const VersionOrder& order) const {
    return base::mix2(order.before.raw(), order.after.raw());
  }
};
using OrderSet = std::unordered_set<VersionOrder, OrderHash>;

class RefutationCheck {
 public:
  RefutationCheck(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
                  const Refutation& refutation)
      : history_(history),
        level_(level),
        clock_error_ns_(clock_error_ns),
        steps_(refutation.steps),
        facts_(history) {}

  Objection run();

 private:
  Objection check_step(std::size_t at);
  Objection check_clause(const RefutationStep& step) const;
  Objection check_cycle(const RefutationStep& step) const;
  Objection check_connection(const Edge& edge, const Edge& next) const;
  Objection check_derivation(std::size_t at) const;

  /// The edge holds if the order that it rests on does.
  Objection check_edge(const Edge& edge) const;
  Objection check_anti_dependency(const Edge& edge) const;
  Objection check_monotonic_view(const Edge& edge) const;
  bool allows(EdgeKind kind) const;
  bool has_snapshots() const {
    return level_.base == BaseLevel::kSerializable ||
           level_.base == BaseLevel::kSnapshotIsolation;
  }

  /// The history alone tells that the transactions commit in this order. REQUIRES: both
  /// certain.
  bool direct(VersionOrder order) const {
    return facts_.read_from(order.after, order.before) ||
           facts_.listed_before(order.before, order.after);
  }

  const History& history_;
  const LevelInfo& level_;
  const std::int64_t clock_error_ns_;
  const std::vector<RefutationStep>& steps_;
  const Facts facts_;
  OrderSet established_;
};

Objection RefutationCheck::run() {
  if (steps_.empty()) return "the refutation has no steps";
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    Objection objection = check_step(at);
    if (!objection.empty()) return "step " + std::to_string(at) + ": " + objection;
    if (steps_[at].clause.size() == 1) established_.insert(steps_[at].clause.front());
  }
  return steps_.back().clause.empty() ? kNoObjection : "the last step's clause is not empty";
}

Objection RefutationCheck::check_step(std::size_t at) {
  const RefutationStep& step = steps_[at];
  Objection objection = check_clause(step);
  if (!objection.empty()) return objection;
  if (!step.cycle.empty() && !step.from.empty()) return "it has both a cycle and earlier steps";
  return step.cycle.empty() ? check_derivation(at) : check_cycle(step);
}

Objection RefutationCheck::check_clause(const RefutationStep& step) const {
  for (const VersionOrder& order : step.clause) {
    if (!exists(history_, order.before) || !exists(history_, order.after) ||
        order.before == order.after) {
      return "its clause does not order two transactions of the history";
    }
  }
  return kNoObjection;
}

std::optional<VersionOrder> rests_on(const Edge& edge) {
  if (edge.kind == EdgeKind::kVersionOrder) return VersionOrder{edge.from, edge.to};
  if (edge.kind == EdgeKind::kAntiDependency && edge.via.is_some()) {
    return VersionOrder{edge.via, edge.to};
  }
  return std::nullopt;
}

Objection RefutationCheck::check_cycle(const RefutationStep& step) const {
  const OrderSet clause(step.clause.begin(), step.clause.end());
  for (std::size_t i = 0; i < step.cycle.size(); ++i) {
    const Edge& edge = step.cycle[i];
    Objection objection = check_edge(edge);
    if (objection.empty()) {
      objection = check_connection(edge, step.cycle[(i + 1) % step.cycle.size()]);
    }
    const std::optional<VersionOrder> order = rests_on(edge);
    if (objection.empty() && order && clause.count(reversed(*order)) == 0 &&
        established_.count(*order) == 0 && !direct(*order)) {
      objection = "it assumes that " + name_of(history_, order->before) + " precedes " +
                  name_of(history_, order->after) + ", but its clause does not say so";
    }
    if (!objection.empty()) return "edge " + std::to_string(i) + ": " + objection;
  }
  return kNoObjection;
}

/// Every edge leaves the commit of `from` and arrives at the snapshot of `to`, except that an
/// anti-dependency leaves the snapshot and arrives at the commit. Inside a transaction time
/// goes from snapshot to commit, so a path may not arrive at a commit and go on from the
/// snapshot. At the other levels a transaction is one event.
Objection RefutationCheck::check_connection(const Edge& edge, const Edge& next) const {
  if (edge.to != next.from) return "the next edge starts at another transaction";
  if (level_.base == BaseLevel::kSnapshotIsolation && edge.kind == EdgeKind::kAntiDependency &&
      next.kind == EdgeKind::kAntiDependency) {
    return "it ends at a commit, but the next edge starts at the snapshot before it";
  }
  return kNoObjection;
}

bool RefutationCheck::allows(EdgeKind kind) const {
  switch (kind) {
    case EdgeKind::kSessionOrder:
      return level_.session_order;
    case EdgeKind::kRealTime:
      return level_.real_time;
    case EdgeKind::kReadFrom:
    case EdgeKind::kVersionOrder:
      return true;
    case EdgeKind::kAntiDependency:
      return has_snapshots();
    case EdgeKind::kMonotonicView:
      return level_.base == BaseLevel::kMonotonicAtomicView;
  }
  return false;
}

Objection RefutationCheck::check_edge(const Edge& edge) const {
  if (!allows(edge.kind)) return "the level has no edges of this kind";
  for (const TxnId txn : {edge.from, edge.to}) {
    if (!exists(history_, txn)) return "there is " + name_of(history_, txn) + " in it";
    if (!facts_.certain(txn)) return name_of(history_, txn) + " may not have taken effect";
  }
  switch (edge.kind) {
    case EdgeKind::kSessionOrder:
      if (history_.session_of(edge.from) == history_.session_of(edge.to) &&
          history_.position_of(edge.from) < history_.position_of(edge.to)) {
        return kNoObjection;
      }
      return "the session does not order them so";
    case EdgeKind::kRealTime:
      if (ended_before(history_, edge.from, edge.to, clock_error_ns_)) return kNoObjection;
      return "the first had not surely ended when the second started";
    case EdgeKind::kReadFrom:
      if (facts_.read_from(edge.to, edge.from, edge.key)) return kNoObjection;
      return name_of(history_, edge.to) + " did not, or not surely, read the key from " +
             name_of(history_, edge.from);
    case EdgeKind::kVersionOrder:
      if (edge.from == edge.to) return "it orders a transaction with itself";
      if (!facts_.writes(edge.from, edge.key) || !facts_.writes(edge.to, edge.key)) {
        return "they do not both write the key";
      }
      if (has_snapshots() || direct({edge.from, edge.to})) return kNoObjection;
      return "at this level no read shows the order of the writes";
    case EdgeKind::kAntiDependency:
      return check_anti_dependency(edge);
    case EdgeKind::kMonotonicView:
      return check_monotonic_view(edge);
  }
  return "the kind of edge does not exist";
}

/// `from` read what `via` left and `to` wrote the key after that, so the snapshot of `from`
/// does not hold the commit of `to`. Everybody writes after the initial value.
Objection RefutationCheck::check_anti_dependency(const Edge& edge) const {
  if (edge.from == edge.to || edge.via == edge.to) return "its transactions are not different";
  if (!facts_.read_from(edge.from, edge.via, edge.key)) {
    return name_of(history_, edge.from) +
           " did not, or not surely, read this version of the key";
  }
  return facts_.writes(edge.to, edge.key)
             ? kNoObjection
             : name_of(history_, edge.to) + " does not write the key";
}

/// `via` read from `from` and later read the key from `to`; `from` writes the key as well, so
/// the axiom puts it before `to`. When that later read returned the initial value there is no
/// `to`: the axiom is broken by itself, which is written as an edge from `from` to itself.
Objection RefutationCheck::check_monotonic_view(const Edge& edge) const {
  if (!exists(history_, edge.via)) return "there is no reader";
  if (!facts_.writes(edge.from, edge.key)) {
    return name_of(history_, edge.from) + " does not write the key";
  }
  const TxnId expected = edge.from == edge.to ? TxnId::none() : edge.to;
  bool saw_from = false;
  for (const SourcedRead& read : facts_.reads(edge.via)) {
    if (saw_from && read.key == edge.key && read.writer == expected) return kNoObjection;
    saw_from = saw_from || read.writer == edge.from;
  }
  return name_of(history_, edge.via) + " did not read from the one and later from the other";
}

/// Truth of statements "a commits before b" under assumptions. Of two different transactions
/// one commits first, so assuming a statement denies its reverse.
class Assumptions {
 public:
  /// False when the statement had been denied.
  bool assume(VersionOrder order) {
    if (true_.count(reversed(order)) != 0) return false;
    true_.insert(order);
    return true;
  }
  bool denied(VersionOrder order) const { return true_.count(reversed(order)) != 0; }

 private:
  OrderSet true_;
};

/// Unit propagation: assume that no statement of the clause is true; a clause of which all
/// statements but one are denied makes that one true; a clause with all denied is the
/// contradiction that proves the step.
Objection RefutationCheck::check_derivation(std::size_t at) const {
  const RefutationStep& step = steps_[at];
  for (const std::uint32_t earlier : step.from) {
    if (earlier >= at) return "it refers to a step that is not an earlier one";
  }
  Assumptions assumptions;
  for (const VersionOrder& order : step.clause) {
    if (!assumptions.assume(reversed(order))) return kNoObjection;
  }
  for (bool progress = true; progress;) {
    progress = false;
    for (const std::uint32_t earlier : step.from) {
      std::optional<VersionOrder> open;
      std::size_t open_count = 0;
      for (const VersionOrder& order : steps_[earlier].clause) {
        if (assumptions.denied(order) || open == order) continue;
        open = order;
        ++open_count;
      }
      if (open_count == 0) return kNoObjection;
      if (open_count == 1 && !assumptions.denied(reversed(*open))) {
        assumptions.assume(*open);
        progress = true;
      }
    }
  }
  return "its clause does not follow from the earlier steps by unit propagation";
}

}  // namespace

Objection check_refutation(const History& history, const LevelInfo& level,
                           std::int64_t clock_error_ns, const Refutation& refutation) {
  return RefutationCheck(history, level, clock_error_ns, refutation).run();
}

}  // namespace isolde::certify
