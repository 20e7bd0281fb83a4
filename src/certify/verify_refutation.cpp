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
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "certify/aggregates.hpp"
#include "certify/derivation.hpp"
#include "certify/own_level.hpp"
#include "certify/possible_sources.hpp"
#include "certify/session_events.hpp"
#include "certify/step_facts.hpp"

namespace isolde::certify {
namespace {

VersionOrder reversed(VersionOrder order) { return {order.after, order.before}; }

struct OrderHash {
  std::size_t operator()(const VersionOrder& order) const {
    return base::mix2(order.before.raw(), order.after.raw());
  }
};
using OrderSet = std::unordered_set<VersionOrder, OrderHash>;

/// Who leaves each key deleted, aborted transactions aside: a deletion need not have been
/// noticed by anybody to make place for a row.
std::map<KeyId, std::set<TxnId>> deleters_of(const History& history);

class RefutationCheck {
 public:
  RefutationCheck(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
                  const Refutation& refutation)
      : history_(history),
        level_(level),
        rules_(rules(level)),
        clock_error_ns_(clock_error_ns),
        steps_(refutation.steps),
        session_(refutation.session),
        facts_(history, rules(level).absent_rows),
        session_events_(history, level, facts_, refutation.session),
        deleters_(deleters_of(history)) {}

  Objection run();

 private:
  Objection check_step(std::size_t at);
  Objection check_clause(const RefutationStep& step);
  Objection check_cycle(const RefutationStep& step) const;
  Objection check_connection(const Edge& edge, const Edge& next) const;
  Objection check_shape(const std::vector<Edge>& cycle) const;
  bool may_insert_again(const Edge& edge) const;

  /// The edge holds if the order that it rests on does.
  Objection check_edge(const Edge& edge) const;
  Objection check_anti_dependency(const Edge& edge) const;
  bool may_miss(const Edge& edge) const;
  Objection check_view(const Edge& edge) const;
  Objection check_database_times(const Edge& edge) const;
  Objection check_shown_order(const Edge& edge) const;
  std::vector<Value> own_elements(TxnId txn, KeyId key) const;
  bool precedes_in_session(TxnId a, TxnId b) const {
    return history_.session_of(a) == history_.session_of(b) &&
           history_.position_of(a) < history_.position_of(b);
  }
  bool is_visible(const Edge& edge) const;
  bool leads_to(TxnId from, TxnId to) const;
  bool allows(const Edge& edge) const;
  /// Whose value was read took effect, but for dirty reads.
  bool took_effect(TxnId txn) const {
    return rules_.test == Test::kLists ? history_.status(txn) == TxnStatus::kCommitted
                                       : facts_.certain(txn);
  }
  bool uses(TxnId txn, KeyId key) const;
  const LevelRules& own(TxnId txn) const { return own_rules(history_, level_, txn); }
  /// The level orders all writes of a key, and counts anti-dependencies.
  bool orders_versions() const {
    return rules_.test == Test::kStates || rules_.test == Test::kPreceding ||
           rules_.is_by_sessions() || rules_.is_mixed();
  }
  /// The same, of one transaction's reads.
  bool counts_missed(TxnId reader) const {
    return rules_.is_mixed() ? own(reader).is_of_one_state() : orders_versions();
  }
  /// In an execution each read comes from one final write of a transaction that took effect.
  bool has_one_source_each() const {
    return rules_.test != Test::kLists && rules_.test != Test::kKeys;
  }

  /// The history alone tells that the transactions commit in this order. REQUIRES: both
  /// certain.
  bool direct(VersionOrder order) const {
    if (rules_.is_by_sessions()) return session_events_.direct(order);
    return facts_.read_from(order.after, order.before) ||
           facts_.listed_before(order.before, order.after) || by_database_times(order);
  }
  bool by_database_times(VersionOrder order) const {
    return rules_.clock != Clock::kNone &&
           is_before(history_.database_times(order.before).commit,
                     history_.database_times(order.after).commit);
  }
  /// Direct, established by an earlier step, or assumed by the present one.
  bool is_given(VersionOrder order) const {
    return clause_.count(reversed(order)) != 0 || established_.count(order) != 0 ||
           (facts_.certain(order.before) && facts_.certain(order.after) && direct(order)) ||
           by_database_times(order);
  }
  static bool is_before(std::int64_t a, std::int64_t b) {
    return a != kNoTime && b != kNoTime && a < b;
  }

  const History& history_;
  const LevelInfo& level_;
  const LevelRules& rules_;
  const std::int64_t clock_error_ns_;
  const std::vector<RefutationStep>& steps_;
  const SessionId session_;
  StepFacts facts_;
  const SessionEvents session_events_;
  const std::map<KeyId, std::set<TxnId>> deleters_;
  OrderSet established_;
  OrderSet clause_;                         // of the present step
  std::optional<PossibleSources> sources_;  // when there are claims
};

Objection RefutationCheck::run() {
  if (steps_.empty()) return "the refutation has no steps";
  if (rules_.is_by_sessions()) {
    Objection objection = session_events_.check_session();
    if (!objection.empty()) return objection;
  } else if (session_.is_some()) {
    return "at this level it is about no session alone";
  }
  const bool has_claims = std::any_of(steps_.begin(), steps_.end(), [](const auto& step) {
    return !step.claims.empty() || step.wrong_result;
  });
  if (has_claims && !has_one_source_each()) {
    return "the level's tests are not about one source of each read, so claims mean nothing";
  }
  if (has_claims) {
    sources_.emplace(history_, rules_.absent_rows,
                     session_events_.asks_for_all_reads() ? SessionId::none() : session_);
  }
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    Objection objection = check_step(at);
    if (!objection.empty()) return "step " + std::to_string(at) + ": " + objection;
    const bool is_one_order = steps_[at].clause.size() == 1 && steps_[at].claims.empty();
    if (is_one_order) established_.insert(steps_[at].clause.front());
  }
  const bool is_empty = steps_.back().clause.empty() && steps_.back().claims.empty();
  return is_empty ? kNoObjection : "the last step's clause is not empty";
}

Objection RefutationCheck::check_step(std::size_t at) {
  const RefutationStep& step = steps_[at];
  Objection objection = check_clause(step);
  if (!objection.empty()) return objection;
  if (!step.cycle.empty() && !step.from.empty()) return "it has both a cycle and earlier steps";
  if (step.wrong_result) {
    if (!step.cycle.empty() || !step.from.empty()) return "it has a wrong result and more";
    const TxnId txn = step.wrong_result->txn;
    const bool is_certain = exists(history_, txn) && facts_.known().certain(txn);
    if (rules_.absent_rows) {
      return check_wrong_result(history_, step, *sources_, is_certain);
    }
    // What the items read counts there, but not what they missed.
    PossibleSources with_items(history_);
    return check_wrong_result(history_, step, with_items, is_certain);
  }
  if (step.cycle.empty()) {
    return check_derivation(steps_, at, facts_.known(), sources_ ? &*sources_ : nullptr);
  }
  facts_.suppose(step);
  clause_ = OrderSet(step.clause.begin(), step.clause.end());
  objection = check_cycle(step);
  facts_.forget();
  return objection;
}

Objection RefutationCheck::check_clause(const RefutationStep& step) {
  for (const VersionOrder& order : step.clause) {
    if (!exists(history_, order.before) || !exists(history_, order.after) ||
        order.before == order.after) {
      return "its clause does not order two transactions of the history";
    }
  }
  ISOLDE_ASSERT(step.claims.empty() || sources_);
  for (const Claim& claim : step.claims) {
    if (!sources_->makes_sense(claim)) {
      return "it has a claim about a read that cannot have come from there";
    }
  }
  return kNoObjection;
}

bool RefutationCheck::uses(TxnId txn, KeyId key) const {
  const std::span<const Op> ops = history_.ops(txn);
  return std::any_of(ops.begin(), ops.end(),
                     [&](const Op& op) { return op.key == key && op.uses_item(); });
}

std::optional<VersionOrder> rests_on(const Edge& edge) {
  if (edge.kind == EdgeKind::kVersionOrder) return VersionOrder{edge.from, edge.to};
  if (edge.kind == EdgeKind::kAntiDependency && edge.via.is_some()) {
    return VersionOrder{edge.via, edge.to};
  }
  return std::nullopt;
}

Objection RefutationCheck::check_cycle(const RefutationStep& step) const {
  for (std::size_t i = 0; i < step.cycle.size(); ++i) {
    const Edge& edge = step.cycle[i];
    Objection objection = check_edge(edge);
    if (objection.empty() && rules_.is_by_sessions()) {
      objection = session_events_.check_edge(edge);
    }
    if (objection.empty()) {
      objection = check_connection(edge, step.cycle[(i + 1) % step.cycle.size()]);
    }
    // At read uncommitted the edge itself must show the order.
    const bool shown = rules_.test == Test::kLists;
    const std::optional<VersionOrder> order = rests_on(edge);
    if (objection.empty() && order && !shown && !is_given(*order)) {
      objection = "it assumes that " + name_of(history_, order->before) + " precedes " +
                  name_of(history_, order->after) + ", but its clause does not say so";
    }
    if (!objection.empty()) return "edge " + std::to_string(i) + ": " + objection;
  }
  return check_shape(step.cycle);
}

/// Parallel snapshot isolation rules out the cycles with at most one anti-dependency, where
/// what it missed precedes the reader; any order of commits is without cycles.
Objection RefutationCheck::check_shape(const std::vector<Edge>& cycle) const {
  if (rules_.test != Test::kPreceding) return kNoObjection;
  const auto missed = std::count_if(cycle.begin(), cycle.end(), [](const Edge& edge) {
    return edge.kind == EdgeKind::kAntiDependency;
  });
  if (missed > 1) return "the level allows cycles with two anti-dependencies";
  const bool may_overlap = std::any_of(cycle.begin(), cycle.end(), [&](const Edge& edge) {
    return edge.kind == EdgeKind::kVersionOrder && may_insert_again(edge);
  });
  return missed == 1 && may_overlap ? "one of its writers may have inserted a deleted row again"
                                    : kNoObjection;
}

/// The second writer of the key may have found it deleted, and need not have seen that:
/// somebody leaves the key deleted whom neither what is certain nor the step's clause puts
/// before the first writer or behind the second, or a transaction that is missing does.
bool RefutationCheck::may_insert_again(const Edge& edge) const {
  const HistoryOrigin& origin = history_.origin();
  if (origin.truncated && origin.rows_are_deleted && !history_.is_list(edge.key)) return true;
  const auto deleters = deleters_.find(edge.key);
  if (deleters == deleters_.end()) return false;
  const std::set<TxnId>& all = deleters->second;
  if (all.count(edge.from) != 0) return true;
  return std::any_of(all.begin(), all.end(), [&](TxnId txn) {
    return txn != edge.to && !is_given({txn, edge.from}) && !is_given({edge.to, txn});
  });
}

std::map<KeyId, std::set<TxnId>> deleters_of(const History& history) {
  std::map<KeyId, std::set<TxnId>> deleters;
  if (!history.origin().rows_are_deleted) return deleters;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    if (history.status(TxnId::at(i)) == TxnStatus::kAborted) continue;
    for (const Op& op : history.ops(TxnId::at(i))) {
      if (op.is_delete()) deleters[op.key].insert(TxnId::at(i));
      if (op.kind == OpKind::kWrite && !op.is_delete() && !deleters.empty()) {
        deleters[op.key].erase(TxnId::at(i));
      }
    }
  }
  return deleters;
}

/// Where there are snapshots, every edge leaves the commit of `from` and arrives at the
/// snapshot of `to`, except that an anti-dependency leaves the snapshot and arrives at the
/// commit, and that where writers of a key may overlap, at prefix consistency and where a
/// deleted row may have been inserted again, a version order arrives at the commit too, and at
/// the levels below it in a mixed history. The database's times tell which events they order.
/// Inside a transaction time goes from snapshot to commit, so a path may not arrive at a commit
/// and go on from the snapshot. At the other levels a transaction is one event.
Objection RefutationCheck::check_connection(const Edge& edge, const Edge& next) const {
  if (edge.to != next.from) return "the next edge starts at another transaction";
  if (rules_.is_by_sessions()) return session_events_.check_connection(edge, next);
  const bool from_snapshot =
      next.kind == EdgeKind::kAntiDependency || next.kind == EdgeKind::kStartedBefore;
  const LevelRules& asked = own(edge.to);
  if (!asked.has_snapshot() || !from_snapshot) return kNoObjection;
  const bool at_commit = edge.kind == EdgeKind::kAntiDependency ||
                         edge.kind == EdgeKind::kStartedBefore ||
                         edge.kind == EdgeKind::kCommitOrder ||
                         ((edge.kind == EdgeKind::kVersionOrder || is_view(edge.kind)) &&
                          (!asked.keeps_writers_apart || may_insert_again(edge)));
  return at_commit ? "it ends at a commit, but the next edge starts at the snapshot before it"
                   : kNoObjection;
}

bool RefutationCheck::allows(const Edge& edge) const {
  const bool of_reader = is_view(edge.kind) && edge.via.is_some();
  const LevelRules& asked = of_reader ? own(edge.via) : rules_;
  switch (edge.kind) {
    case EdgeKind::kSessionOrder:
      return level_.session_order;
    case EdgeKind::kRealTime:
      return level_.real_time || rules_.real_time_by_key;
    case EdgeKind::kReadFrom:
      return asked.test != Test::kLists;
    case EdgeKind::kVersionOrder:
      return true;
    case EdgeKind::kAntiDependency:
      return counts_missed(edge.from);
    case EdgeKind::kMonotonicView:
      return asked.views >= Views::kMonotonic;
    case EdgeKind::kAtomicView:
      return asked.views >= Views::kAtomic;
    case EdgeKind::kCausalView:
      return asked.views == Views::kCausal;
    case EdgeKind::kCommitOrder:
    case EdgeKind::kStartedBefore:
      return rules_.clock != Clock::kNone;
    case EdgeKind::kCommittedBefore:
      return asked.clock == Clock::kExactly;
  }
  return false;
}

Objection RefutationCheck::check_edge(const Edge& edge) const {
  for (const TxnId txn : {edge.from, edge.to}) {
    if (!exists(history_, txn)) return "there is " + name_of(history_, txn) + " in it";
    if (!took_effect(txn)) return name_of(history_, txn) + " may not have taken effect";
  }
  if (is_view(edge.kind) && (!exists(history_, edge.via) || !took_effect(edge.via))) {
    return "its reader, " + name_of(history_, edge.via) + ", may not have taken effect";
  }
  if (!allows(edge)) return "the level has no edges of this kind";
  switch (edge.kind) {
    case EdgeKind::kSessionOrder:
      return precedes_in_session(edge.from, edge.to) ? kNoObjection
                                                     : "the session does not order them so";
    case EdgeKind::kRealTime:
      if (!level_.real_time && !(uses(edge.from, edge.key) && uses(edge.to, edge.key))) {
        return "they do not both use the key";
      }
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
      if (rules_.test == Test::kLists) return check_shown_order(edge);
      if (orders_versions() || direct({edge.from, edge.to})) return kNoObjection;
      return "at this level no read shows the order of the writes";
    case EdgeKind::kAntiDependency:
      return check_anti_dependency(edge);
    case EdgeKind::kMonotonicView:
    case EdgeKind::kAtomicView:
    case EdgeKind::kCausalView:
      return check_view(edge);
    case EdgeKind::kCommitOrder:
    case EdgeKind::kStartedBefore:
    case EdgeKind::kCommittedBefore:
      return check_database_times(edge);
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
  if (!facts_.writes(edge.to, edge.key)) {
    return name_of(history_, edge.to) + " does not write the key";
  }
  return may_miss(edge) ? kNoObjection
                        : "at this level a selection may miss rows that it would return";
}

/// Where rows that selections left out do not count, such a read came from the last one before
/// it who left a row that does not match. So only others of these come later.
bool RefutationCheck::may_miss(const Edge& edge) const {
  if (rules_.absent_rows) return true;
  Value left;
  for (const Op& op : history_.ops(edge.to)) {
    if (op.is_write() && op.key == edge.key) left = op.value;
  }
  const std::vector<SourcedRead> reads = facts_.reads(edge.from);
  return std::any_of(reads.begin(), reads.end(), [&](const SourcedRead& read) {
    if (read.key != edge.key || read.writer != edge.via) return false;
    const Op& op = history_.ops(edge.from)[read.op];
    return op.kind != OpKind::kReadAbsent || history_.fits(op, left);
  });
}

/// `via` read the key from `to` although `from`, which writes it as well, was visible to it, so
/// the axiom puts `from` before `to`. When that read returned the initial value there is no
/// `to`: the axiom is broken by itself, which is written as an edge from `from` to itself.
Objection RefutationCheck::check_view(const Edge& edge) const {
  if (edge.via == edge.from) return "a transaction is not visible to itself";
  if (!facts_.writes(edge.from, edge.key)) {
    return name_of(history_, edge.from) + " does not write the key";
  }
  const TxnId expected = edge.from == edge.to ? TxnId::none() : edge.to;
  if (!facts_.read_from(edge.via, expected, edge.key)) {
    return name_of(history_, edge.via) +
           " did not, or not surely, read this version of the key";
  }
  return is_visible(edge) ? kNoObjection
                          : name_of(history_, edge.from) + " was not visible to " +
                                name_of(history_, edge.via);
}

Objection RefutationCheck::check_database_times(const Edge& edge) const {
  const DatabaseTimes from = history_.database_times(edge.from);
  const DatabaseTimes to = history_.database_times(edge.to);
  const std::int64_t first = edge.kind == EdgeKind::kStartedBefore ? from.start : from.commit;
  const std::int64_t second = edge.kind == EdgeKind::kCommittedBefore ? to.start : to.commit;
  // A snapshot that is taken at the very moment of a commit does not hold it.
  const bool same =
      edge.kind == EdgeKind::kStartedBefore && first != kNoTime && first == second;
  return same || is_before(first, second) ? kNoObjection : "the database's times do not say so";
}

/// REQUIRES: `via` read the version.
bool RefutationCheck::is_visible(const Edge& edge) const {
  if (edge.kind == EdgeKind::kCausalView) return leads_to(edge.from, edge.via);
  if (edge.kind == EdgeKind::kAtomicView) {
    return facts_.read_from(edge.via, edge.from) ||
           (level_.session_order && precedes_in_session(edge.from, edge.via)) ||
           (level_.real_time && ended_before(history_, edge.from, edge.via, clock_error_ns_));
  }
  const TxnId expected = edge.from == edge.to ? TxnId::none() : edge.to;
  std::optional<std::uint32_t> seen_at;
  for (const SourcedRead& read : facts_.reads(edge.via)) {
    const std::uint32_t step = history_.step(edge.via, read.op);
    const bool is_later = seen_at && *seen_at < step;  // no row of a selection is
    if (is_later && read.key == edge.key && read.writer == expected) return true;
    if (!seen_at && read.writer == edge.from) seen_at = step;
  }
  return false;
}

/// A path of read-from, session and real-time steps, found backwards. COST: linear, but that
/// real time makes it quadratic.
bool RefutationCheck::leads_to(TxnId from, TxnId to) const {
  std::vector<bool> met(history_.txn_count(), false);
  std::vector<TxnId> work{to};
  const auto meet = [&](TxnId txn) {
    if (txn.is_none() || met[txn.raw()] || !facts_.certain(txn)) return;
    met[txn.raw()] = true;
    work.push_back(txn);
  };
  while (!work.empty() && !met[from.raw()]) {
    const TxnId txn = work.back();
    work.pop_back();
    for (const SourcedRead& read : facts_.reads(txn)) meet(read.writer);
    if (level_.session_order) {
      const std::span<const TxnId> session = history_.session_txns(history_.session_of(txn));
      for (std::size_t at = history_.position_of(txn); at-- > 0;) {
        meet(session[at]);
        // Those before it come with it.
        if (facts_.certain(session[at])) break;
      }
    }
    if (!level_.real_time) continue;
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      if (ended_before(history_, TxnId::at(i), txn, clock_error_ns_)) meet(TxnId::at(i));
    }
  }
  return met[from.raw()];
}

/// Some list that a committed transaction read shows an element of `from` before one of `to`,
/// elements that nobody else appended.
Objection RefutationCheck::check_shown_order(const Edge& edge) const {
  if (history_.origin().values_repeat) return "what is missing may have appended the elements";
  const std::vector<Value> first = own_elements(edge.from, edge.key);
  const std::vector<Value> second = own_elements(edge.to, edge.key);
  const auto among = [](const std::vector<Value>& elements, Value element) {
    return std::find(elements.begin(), elements.end(), element) != elements.end();
  };
  for (std::size_t i = 0; i < history_.txn_count(); ++i) {
    if (!took_effect(TxnId::at(i))) continue;
    for (const Op& op : history_.ops(TxnId::at(i))) {
      if (op.kind != OpKind::kReadList || op.key != edge.key) continue;
      bool seen = false;
      for (const Value element : history_.list(op)) {
        if (seen && among(second, element)) return kNoObjection;
        seen = seen || among(first, element);
      }
    }
  }
  return "no list shows the one before the other";
}

/// What the transaction and nobody else appended to the list.
std::vector<Value> RefutationCheck::own_elements(TxnId txn, KeyId key) const {
  std::vector<Value> own;
  for (const Op& op : history_.ops(txn)) {
    if (op.kind == OpKind::kAppend && op.key == key) own.push_back(op.value);
  }
  for (std::size_t i = 0; i < history_.txn_count() && !own.empty(); ++i) {
    if (TxnId::at(i) == txn) continue;
    for (const Op& op : history_.ops(TxnId::at(i))) {
      if (op.kind == OpKind::kAppend && op.key == key) std::erase(own, op.value);
    }
  }
  return own;
}

}  // namespace

Objection check_refutation(const History& history, const LevelInfo& level,
                           std::int64_t clock_error_ns, const Refutation& refutation) {
  return RefutationCheck(history, level, clock_error_ns, refutation).run();
}

}  // namespace isolde::certify
