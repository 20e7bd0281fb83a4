#include "explain/sight.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "explain/evidence.hpp"

namespace isolde::explain {
namespace {

/// Writers by what they left, without those whose work was undone.
class Writers {
 public:
  /// `any`: where several may have written what was read, any of them will do.
  Writers(const History& history, Taken taken, bool any)
      : history_(history), taken_(taken), any_(any) {
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (history.status(txn) == TxnStatus::kAborted) continue;
      for (const Op& op : history.ops(txn)) {
        if (!op.is_write()) continue;
        const OpRef last = *final_write(history, txn, op.key);
        if (&op == &op_at(history, last)) writers_.emplace_back(mixed(op.key, op.value), txn);
      }
    }
    std::sort(writers_.begin(), writers_.end());
  }

  /// None for initial versions, the reader's own, and where it is not known.
  std::vector<TxnId> sources(OpRef read) const {
    const Op& op = op_at(history_, read);
    for (const ReadSource& source : taken_) {
      if (source.txn == read.txn && source.op == read.op) return {source.writer};
    }
    Value value = op.value;
    if (op.kind == OpKind::kReadList) {
      const std::span<const Value> list = before_own_elements(history_, read.txn, op);
      if (list.empty()) return {};
      value = list.back();
    }
    const std::uint64_t wanted = mixed(op.key, value);
    auto found = std::lower_bound(
        writers_.begin(), writers_.end(), wanted,
        [](const auto& entry, std::uint64_t number) { return entry.first < number; });
    std::vector<TxnId> writers;
    for (; found != writers_.end() && found->first == wanted; ++found) {
      if (found->second == read.txn) continue;
      if (!writers.empty() && !any_) return {};
      writers.push_back(found->second);
    }
    return writers;
  }

 private:
  static std::uint64_t mixed(KeyId key, Value value) {
    return base::mix2(key.raw(), value.bits());
  }

  const History& history_;
  Taken taken_;
  bool any_;
  std::vector<std::pair<std::uint64_t, TxnId>> writers_;  // sorted
};

/// A search backwards for how an effect came to see its cause; as few reads as possible.
class Causes {
 public:
  Causes(const History& history, const Writers& writers, bool sessions_count)
      : history_(history),
        writers_(writers),
        sessions_count_(sessions_count),
        next_(history.txn_count()) {}

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
      if (!steps.empty() && step.key.is_none() && steps.back().key.is_none()) {
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
    std::vector<KeyId> written;  // registers; what is read of them is the transaction's own
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind == OpKind::kWrite) written.push_back(ops[i].key);
      if (!ops[i].is_read()) continue;
      if (std::find(written.begin(), written.end(), ops[i].key) != written.end()) continue;
      for (const TxnId source : writers_.sources({txn, i})) {
        if (!is_new(source)) continue;
        next_[source.raw()] = {source, txn, ops[i].key};
        open_.push_back(source);
      }
    }
    if (sessions_count_) look_before(txn, cause);
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
  const Writers& writers_;
  bool sessions_count_;
  std::vector<CausalStep> next_;  // by transaction: towards the effect
  std::deque<TxnId> open_;
};

bool is_cause(const History& history, const Writers& writers, TxnId cause, TxnId effect,
              bool sessions_count) {
  return !Causes(history, writers, sessions_count).path(cause, effect).empty();
}

bool session_read_it(const History& history, const Edge& edge) {
  for (const TxnId earlier : history.session_txns(history.session_of(edge.via))) {
    if (earlier == edge.via) return false;
    if (history.status(earlier) != TxnStatus::kCommitted) continue;
    if (sure_read_of(history, earlier, edge.key, edge.from, {})) return true;
  }
  return false;
}

/// By causes, of reads whose source is sure or, with `any`, of all that may be.
std::optional<Sight> causes_of(const History& history, const Edge& edge, bool any) {
  const Writers writers(history, {}, any);
  if (is_cause(history, writers, edge.from, edge.via, false)) return Sight::kCauses;
  if (session_read_it(history, edge)) return Sight::kOwnSessionRead;
  if (is_cause(history, writers, edge.from, edge.via, true)) return Sight::kCausesInSession;
  return std::nullopt;
}

bool ended_before(const History& history, TxnId first, TxnId second) {
  const std::int64_t end = history.times(first).end;
  const std::int64_t start = history.times(second).start;
  return end != kNoTime && start != kNoTime && end < start;
}

}  // namespace

Sight sight_of(const History& history, const Edge& edge) {
  const bool monotonic = edge.kind == EdgeKind::kMonotonicView;
  if (monotonic || sure_read_of(history, edge.via, edge.from, {})) return Sight::kRead;
  if (precedes_in_session(history, edge.from, edge.via)) return Sight::kOwnSession;
  if (edge.kind == EdgeKind::kAtomicView) {
    const bool read = read_of(history, edge.via, edge.from).has_value();
    return read && !ended_before(history, edge.from, edge.via) ? Sight::kRead
                                                               : Sight::kRealTime;
  }
  if (const auto sure = causes_of(history, edge, false)) return *sure;
  if (ended_before(history, edge.from, edge.via)) return Sight::kRealTime;
  if (read_of(history, edge.via, edge.from)) return Sight::kRead;
  return causes_of(history, edge, true).value_or(Sight::kRealTime);
}

std::vector<CausalStep> causal_path(const History& history, TxnId cause, TxnId effect,
                                    Taken taken) {
  const Writers writers(history, taken, false);
  std::vector<CausalStep> path = Causes(history, writers, false).path(cause, effect);
  return path.empty() ? Causes(history, writers, true).path(cause, effect) : path;
}

SeenAndMissed seen_and_missed(const History& history, const Edge& edge, Taken taken) {
  const TxnId viewer = edge.via;
  SeenAndMissed found;
  found.seen = {edge.from, viewer, EdgeKind::kCausalView, {}, {}};
  if (const std::optional<OpRef> read = sure_read_of(history, viewer, edge.from, taken)) {
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
