#include "explain/sight.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/memory_guard.hpp"
#include "explain/evidence.hpp"

namespace isolde::explain {
namespace {

/// Where reads of a search came from.
class Sources {
 public:
  /// `any`: where several may have written what was read, any of them will do.
  Sources(const Writers& writers, Taken taken, bool any)
      : writers_(writers), taken_(taken), any_(any) {}

  const History& history() const { return writers_.history(); }

  /// None for initial versions, the reader's own, and where it is not known.
  std::vector<TxnId> of(OpRef read) const {
    const Op& op = op_at(history(), read);
    for (const ReadSource& source : taken_) {
      if (source.txn == read.txn && source.op == read.op) return {source.writer};
    }
    Value value = op.value;
    std::vector<TxnId> writers;
    if (op.is_partial()) {
      if (history().fits_initial(op)) return writers;
      for (const TxnId writer : writers_.who_fits(op.key, op.partial())) {
        if (writer != read.txn) writers.push_back(writer);
      }
      if (writers.size() > 1 && !any_) writers.clear();
      return writers;
    }
    if (op.kind == OpKind::kReadList) {
      const std::span<const Value> list = before_own_elements(history(), read.txn, op);
      if (list.empty()) return {};
      value = list.back();
    }
    for (const Writers::Left& left : writers_.who_left(op.key, value)) {
      if (left.writer == read.txn) continue;
      if (!writers.empty() && !any_) return {};
      writers.push_back(left.writer);
    }
    return writers;
  }

 private:
  const Writers& writers_;
  Taken taken_;
  bool any_;
};

/// Committed transactions, each given out once, to the first that started after it had ended.
class Ended {
 public:
  Ended(const History& history, std::int64_t clock_error_ns)
      : history_(history), clock_error_ns_(clock_error_ns) {
    base::MemoryGuard::spend(history.txn_count());
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      const bool committed = history.status(txn) == TxnStatus::kCommitted;
      if (committed && history.times(txn).end != kNoTime) by_end_.push_back(txn);
    }
    std::ranges::stable_sort(by_end_, {}, [&](TxnId txn) { return history.times(txn).end; });
  }

  std::span<const TxnId> before(TxnId txn) {
    const std::size_t begin = given_;
    while (given_ < by_end_.size() && is_before(by_end_[given_], txn)) ++given_;
    return std::span(by_end_).subspan(begin, given_ - begin);
  }

 private:
  bool is_before(TxnId first, TxnId second) const {
    if (!ended_before(history_, first, second)) return false;
    // Unsigned, because the difference of two 64-bit times may need the 64th bit.
    const std::uint64_t gap = static_cast<std::uint64_t>(history_.times(second).start) -
                              static_cast<std::uint64_t>(history_.times(first).end);
    return gap > static_cast<std::uint64_t>(clock_error_ns_);
  }

  const History& history_;
  std::int64_t clock_error_ns_;
  std::vector<TxnId> by_end_;
  std::size_t given_ = 0;
};

/// A search backwards for how an effect came to see its cause; as few reads as possible.
class Causes {
 public:
  Causes(const Sources& sources, bool sessions_count,
         std::optional<std::int64_t> clock_error_ns = {})
      : history_(sources.history()),
        sources_(sources),
        sessions_count_(sessions_count),
        next_(history_.txn_count()) {
    if (clock_error_ns) ended_.emplace(history_, *clock_error_ns);
  }

  /// Empty when there is no path.
  std::vector<CausalStep> path(TxnId cause, TxnId effect) {
    next_[effect.raw()] = {effect, effect, {}};
    open_.push_back(effect);
    while (!open_.empty() && next_[cause.raw()].from.is_none()) {
      const TxnId txn = open_.front();
      open_.pop_front();
      look_behind(txn, cause);
    }
    std::vector<CausalStep> steps;
    if (next_[cause.raw()].from.is_none()) return steps;
    for (TxnId txn = cause; txn != effect; txn = next_[txn.raw()].to) {
      const CausalStep& step = next_[txn.raw()];
      if (!steps.empty() && step.key.is_none() && steps.back().key.is_none() &&
          step.by_time == steps.back().by_time) {
        steps.back().to = step.to;
      } else {
        steps.push_back(step);
      }
    }
    return steps;
  }

 private:
  void look_behind(TxnId txn, TxnId cause) {
    const std::span<const Op> ops = history_.ops(txn);
    std::set<KeyId> written;  // registers; what is read of them is the transaction's own
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind == OpKind::kWrite) written.insert(ops[i].key);
      const bool tells =
          ops[i].is_read() || (ops[i].is_exclusion() && !history_.fits_initial(ops[i]));
      if (!tells || written.count(ops[i].key) != 0) continue;
      for (const TxnId source : sources_.of({txn, i})) {
        if (!is_new(source)) continue;
        next_[source.raw()] = {source, txn, ops[i].key};
        open_.push_back(source);
      }
    }
    if (sessions_count_) look_before(txn, cause);
    if (!ended_) return;
    for (const TxnId earlier : ended_->before(txn)) {
      if (!is_new(earlier)) continue;
      next_[earlier.raw()] = {earlier, txn, {}, true};
      open_.push_back(earlier);
    }
  }

  /// Who came before in the session, back to the nearest that certainly took effect.
  void look_before(TxnId txn, TxnId cause) {
    const auto session = history_.session_txns(history_.session_of(txn));
    for (std::size_t at = history_.position_of(txn); at-- > 0;) {
      const TxnId before = session[at];
      const bool committed = history_.status(before) == TxnStatus::kCommitted;
      if ((committed || before == cause) && is_new(before)) {
        next_[before.raw()] = {before, txn, {}};
        open_.push_front(before);
      }
      if (committed) return;
    }
  }

  bool is_new(TxnId txn) const { return txn.is_some() && next_[txn.raw()].from.is_none(); }

  const History& history_;
  const Sources& sources_;
  bool sessions_count_;
  std::optional<Ended> ended_;    // real time counts
  std::vector<CausalStep> next_;  // by transaction: towards the effect
  std::deque<TxnId> open_;
};

bool is_cause(const Sources& sources, TxnId cause, TxnId effect, bool sessions_count) {
  return !Causes(sources, sessions_count).path(cause, effect).empty();
}

bool session_read_it(const Writers& writers, const Edge& edge) {
  const History& history = writers.history();
  for (const TxnId earlier : history.session_txns(history.session_of(edge.via))) {
    if (earlier == edge.via) return false;
    if (history.status(earlier) != TxnStatus::kCommitted) continue;
    if (sure_read_of(writers, earlier, edge.key, edge.from, {})) return true;
  }
  return false;
}

/// By causes, of reads whose source is sure or, with `any`, of all that may be.
std::optional<Sight> causes_of(const Writers& writers, const Edge& edge, bool any) {
  const Sources sources(writers, {}, any);
  if (is_cause(sources, edge.from, edge.via, false)) return Sight::kCauses;
  if (session_read_it(writers, edge)) return Sight::kOwnSessionRead;
  if (is_cause(sources, edge.from, edge.via, true)) return Sight::kCausesInSession;
  return std::nullopt;
}

/// What the viewer computed may have taken in a row of the source.
bool may_have_computed(const History& history, const Edge& edge) {
  const std::span<const Op> ops = history.ops(edge.via);
  for (std::uint32_t i = 0; history.has_aggregates() && i < ops.size(); ++i) {
    const Selection* const computed = aggregate_of(history, {edge.via, i});
    if (computed == nullptr) continue;
    const std::optional<OpRef> write = final_write(history, edge.from, ops[i].key);
    const PredicateView predicate = history.predicates()[computed->predicate];
    if (write && history.selects(predicate, op_at(history, *write).value)) return true;
  }
  return false;
}

}  // namespace

bool ended_before(const History& history, TxnId first, TxnId second) {
  const std::int64_t end = history.times(first).end;
  const std::int64_t start = history.times(second).start;
  return end != kNoTime && start != kNoTime && end < start;
}

Sight sight_of(const Writers& writers, const Edge& edge) {
  const History& history = writers.history();
  const bool monotonic = edge.kind == EdgeKind::kMonotonicView;
  if (monotonic || sure_read_of(writers, edge.via, edge.from, {})) return Sight::kRead;
  if (precedes_in_session(history, edge.from, edge.via)) return Sight::kOwnSession;
  if (edge.kind == EdgeKind::kAtomicView) {
    return ended_before(history, edge.from, edge.via) ? Sight::kRealTime : Sight::kRead;
  }
  if (const auto sure = causes_of(writers, edge, false)) return *sure;
  if (ended_before(history, edge.from, edge.via)) return Sight::kRealTime;
  if (read_of(history, edge.via, edge.from) || may_have_computed(history, edge)) {
    return Sight::kRead;
  }
  return causes_of(writers, edge, true).value_or(Sight::kRealTime);
}

std::vector<CausalStep> causal_path(const Writers& writers, TxnId cause, TxnId effect,
                                    const Causality& causality) {
  const Sources sources(writers, causality.taken, false);
  std::vector<CausalStep> path = Causes(sources, false).path(cause, effect);
  if (path.empty()) path = Causes(sources, true).path(cause, effect);
  if (!path.empty() || !causality.clock_error_ns) return path;
  return Causes(sources, true, causality.clock_error_ns).path(cause, effect);
}

SeenAndMissed seen_and_missed(const Writers& writers, const Edge& edge, Taken taken) {
  const History& history = writers.history();
  const TxnId viewer = edge.via;
  SeenAndMissed found;
  found.seen = {edge.from, viewer, EdgeKind::kCausalView, {}, {}};
  if (const std::optional<OpRef> read = sure_read_of(writers, viewer, edge.from, taken)) {
    found.seen.kind = EdgeKind::kReadFrom;
    found.seen.key = op_at(history, *read).key;
  } else if (precedes_in_session(history, edge.from, viewer)) {
    found.seen.kind = EdgeKind::kSessionOrder;
  } else if (edge.kind == EdgeKind::kAtomicView) {
    found.seen.kind = EdgeKind::kRealTime;
  }
  // `to` is `from` itself when the version read is the initial one.
  found.missed = edge.to == edge.from
                     ? Edge{viewer, edge.from, EdgeKind::kAntiDependency, edge.key, {}}
                     : Edge{edge.to, viewer, EdgeKind::kReadFrom, edge.key, {}};
  return found;
}

}  // namespace isolde::explain
