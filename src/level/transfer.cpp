#include "level/transfer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "history/base_levels.hpp"
#include "infer/event_graph.hpp"
#include "level/level_traits.hpp"

namespace isolde::checker {
namespace {

/// Dependencies named by this kind of edge count at the level.
bool has_views(BaseLevel base, EdgeKind kind) {
  const Views views = traits(base).views;
  if (kind == EdgeKind::kMonotonicView) return views >= Views::kMonotonic;
  return views >= (kind == EdgeKind::kAtomicView ? Views::kAtomic : Views::kCausal);
}

/// The keys that some transaction deletes, or may, where the input is cut off: there the writer
/// of a later version need not have seen the earlier one.
class DeletedKeys {
 public:
  explicit DeletedKeys(const History& history) : history_(history) {}

  bool may_insert_again(const Edge& edge) {
    if (edge.kind != EdgeKind::kVersionOrder || !history_.origin().rows_are_deleted)
      return false;
    if (history_.origin().truncated) return !history_.is_list(edge.key);
    if (deleted_.empty()) find();
    return deleted_[edge.key.raw()];
  }

 private:
  void find() {
    deleted_.resize(history_.key_count());
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      for (const Op& op : history_.ops(TxnId::at(t))) {
        if (op.is_delete()) deleted_[op.key.raw()] = true;
      }
    }
  }

  const History& history_;
  std::vector<bool> deleted_;  // by key; empty: not looked for yet
};

/// Whether the cycle goes through the events of the level. With snapshots, what arrives at the
/// commit of a transaction cannot leave by its begin; parallel snapshot isolation allows cycles
/// with several anti-dependencies.
bool closes(const std::vector<Edge>& cycle, BaseLevel base, DeletedKeys& deleted) {
  const infer::Role& role = traits(base).role;
  std::size_t missed = 0;
  bool may_overlap = false;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const EdgeKind kind = cycle[i].kind;
    const EdgeKind next = cycle[(i + 1) % cycle.size()].kind;
    if (kind == EdgeKind::kAntiDependency) ++missed;
    const bool overlaps = lets_insert_again(base) && deleted.may_insert_again(cycle[i]);
    may_overlap = may_overlap || overlaps;
    if (next != EdgeKind::kAntiDependency) continue;
    if (!role.snapshot) continue;
    if (kind == EdgeKind::kAntiDependency) return false;
    if (!role.forbids_concurrent_writers && kind == EdgeKind::kVersionOrder) return false;
    if (overlaps) return false;
  }
  return !allows_long_forks(base) || missed == 0 || (missed == 1 && !may_overlap);
}

/// Levels tested session by session or key by key.
bool is_apart(BaseLevel base) {
  const Method method = traits(base).method;
  return tests_each_read(base) || method == Method::kKeyByKey ||
         method == Method::kMixedVersionOrders;
}

/// The events of a refutation at a session level also exist at stronger session levels, in the
/// same order. (Monotonic writes alone orders writes by themselves.)
std::optional<Refutation> transfer_session(const Refutation& refutation, BaseLevel proved,
                                           BaseLevel level) {
  if (proved == level) return refutation;
  const bool stronger = level == BaseLevel::kSequential ||
                        (level == BaseLevel::kCausal && proved != BaseLevel::kSequential);
  if (!stronger) return std::nullopt;
  Refutation adapted = refutation;
  if (level == BaseLevel::kSequential) {
    adapted.session = SessionId::none();
  } else if (adapted.session.is_none()) {
    adapted.session = SessionId(0);  // no session's reads are needed
  }
  return adapted;
}

/// Whether an order that proves one level proves the other, weaker one unchanged. Where reads
/// of a transaction need not come from one state, the order may put something that the session
/// has not seen yet between a value and its read.
bool serves(BaseLevel proved, BaseLevel level) {
  switch (level) {
    case BaseLevel::kLinearizable:
      return proved == BaseLevel::kSerializable;
    case BaseLevel::kWritesFollowReads:
    case BaseLevel::kMonotonicWrites:
      return true;  // no read is bound to what its session has seen
    default:
      return !is_apart(level) || is_apart(proved) || reads_one_state(proved);
  }
}

/// Linearizability sees each key alone, with the transactions that are certain there. Other
/// keys may make more transactions certain, and these may have read more of a list.
bool others_read_lists(const History& history, const Refutation& refutation) {
  std::vector<KeyId> lists;
  for (const RefutationStep& step : refutation.steps) {
    for (const Edge& edge : step.cycle) {
      if (edge.key.is_some() && history.is_list(edge.key)) lists.push_back(edge.key);
    }
  }
  for (std::size_t t = 0; !lists.empty() && t < history.txn_count(); ++t) {
    if (history.status(TxnId::at(t)) != TxnStatus::kIndeterminate) continue;
    for (const Op& op : history.ops(TxnId::at(t))) {
      const bool reads = op.kind == OpKind::kReadList &&
                         std::find(lists.begin(), lists.end(), op.key) != lists.end();
      if (reads) return true;
    }
  }
  return false;
}

bool has_claims(const Refutation& refutation) {
  return std::any_of(refutation.steps.begin(), refutation.steps.end(),
                     [](const RefutationStep& step) { return !step.claims.empty(); });
}

class Adapter {
 public:
  Adapter(const History& history, const LevelInfo& proved, const LevelInfo& level,
          std::int64_t clock_error_ns)
      : history_(history), proved_(proved), level_(level), clock_error_ns_(clock_error_ns) {}

  /// Whether the edge counts, after a change of kind where needed.
  bool adapt(Edge& edge) const {
    switch (edge.kind) {
      case EdgeKind::kSessionOrder:
        if (level_.session_order) return true;
        if (!level_.real_time ||
            !infer::ended_before(history_, edge.from, edge.to, clock_error_ns_)) {
          return false;
        }
        edge.kind = EdgeKind::kRealTime;
        return true;
      case EdgeKind::kRealTime:
        return level_.real_time;
      case EdgeKind::kReadFrom:
        return traits(level_.base).method != Method::kShownOrders;
      case EdgeKind::kVersionOrder:
      case EdgeKind::kAntiDependency:
        return orders_versions(level_.base);
      case EdgeKind::kMonotonicView:
        return has_views(level_.base, edge.kind);
      case EdgeKind::kAtomicView:
      case EdgeKind::kCausalView:
        return has_views(level_.base, edge.kind) && keeps_order();
      case EdgeKind::kCommitOrder:
      case EdgeKind::kStartedBefore:
        return goes_by_database_times(level_.base);
      case EdgeKind::kCommittedBefore:
        return sees_all_committed(level_.base);
    }
    return false;
  }

 private:
  /// What made a transaction visible may be session order or real time.
  bool keeps_order() const {
    return (level_.session_order || !proved_.session_order) &&
           (level_.real_time || !proved_.real_time);
  }

  const History& history_;
  const LevelInfo& proved_;
  const LevelInfo& level_;
  std::int64_t clock_error_ns_;
};

/// No versions explain an aggregate.
bool is_impossible_result(const Refutation& refutation) {
  return refutation.steps.size() == 1 && refutation.steps[0].wrong_result &&
         refutation.steps[0].claims.empty();
}

/// It does not matter at which level: none but read uncommitted lets a result come from
/// nowhere.
Refutation impossible_result(const History& history, const Refutation& refutation,
                             BaseLevel level) {
  Refutation adapted = refutation;
  const bool is_about_session =
      traits(level).method == Method::kSessions && !traits(level).session.writes_follow_reads;
  adapted.session = is_about_session ? history.session_of(refutation.steps[0].wrong_result->txn)
                                     : SessionId::none();
  return adapted;
}

}  // namespace

Fit fit(const Witness& witness, const LevelInfo& proved, const LevelInfo& level) {
  if (!serves(proved.base, level.base)) return Fit::kNone;
  const bool snapshots =
      witness.mentions == 2 && !reads_one_state(level.base) && !is_mixed(level.level);
  return snapshots ? Fit::kCommitsOnly : Fit::kAsIs;
}

Witness commits_only(const Witness& witness) {
  Witness commits;
  commits.sources = witness.sources;
  std::vector<bool> begun;
  for (const TxnId txn : witness.order) {
    if (begun.size() <= txn.raw()) begun.resize(txn.raw() + 1);
    if (begun[txn.raw()]) commits.order.push_back(txn);
    begun[txn.raw()] = true;
  }
  return commits;
}

std::optional<Refutation> transfer(const History& history, const Refutation& refutation,
                                   const LevelInfo& proved, const LevelInfo& level,
                                   std::int64_t clock_error_ns) {
  if (is_impossible_result(refutation) && !is_mixed(proved.level) && !is_mixed(level.level) &&
      !goes_by_database_times(level.base) &&
      traits(level.base).method != Method::kShownOrders) {
    // Others may be certain at one level and not at another.
    const bool needs_commit =
        is_told_by_key(level.level) || disregards_left_out_rows(level.base);
    const TxnId txn = refutation.steps[0].wrong_result->txn;
    if (needs_commit && history.status(txn) != TxnStatus::kCommitted) return std::nullopt;
    return impossible_result(history, refutation, level.base);
  }
  const bool has_results =
      std::any_of(refutation.steps.begin(), refutation.steps.end(),
                  [](const RefutationStep& step) { return step.wrong_result.has_value(); });
  if (has_results && (traits(level.base).method == Method::kShownOrders ||
                      disregards_left_out_rows(level.base))) {
    return std::nullopt;
  }
  if (tests_each_read(level.base) && tests_each_read(proved.base)) {
    return transfer_session(refutation, proved.base, level.base);
  }
  if (is_mixed(proved.level)) {
    const bool same = is_mixed(level.level) && (level.real_time || !proved.real_time);
    return same ? std::optional(refutation) : std::nullopt;
  }
  // Dependencies on several keys say nothing about a single key. The converse holds.
  if (is_apart(level.base) || tests_each_read(proved.base)) return std::nullopt;
  // At timed levels the database's times give the version order, or any list that was read.
  // Whether these levels apply is unknown here, and deciding them is cheap.
  if (goes_by_database_times(proved.base) != goes_by_database_times(level.base))
    return std::nullopt;
  if (is_uncommitted(proved.level) && level.base != proved.base) {
    return std::nullopt;
  }
  // Read uncommitted restricts no read, so what a read cannot have returned refutes nothing.
  const bool restricts_reads = traits(level.base).method != Method::kShownOrders;
  if (!restricts_reads && has_claims(refutation)) return std::nullopt;
  if (is_told_by_key(proved.level) && others_read_lists(history, refutation)) {
    return std::nullopt;
  }
  DeletedKeys deleted(history);
  const Adapter adapter(history, proved, level, clock_error_ns);
  Refutation adapted = refutation;
  adapted.session = SessionId::none();
  for (RefutationStep& step : adapted.steps) {
    for (Edge& edge : step.cycle) {
      if (!adapter.adapt(edge)) return std::nullopt;
    }
    if (!closes(step.cycle, level.base, deleted)) return std::nullopt;
  }
  return adapted;
}

}  // namespace isolde::checker
