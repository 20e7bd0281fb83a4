#include "explain/sight.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "explain/evidence.hpp"

namespace isolde::explain {
namespace {

/// Writers by what they wrote. Where several wrote the same, any of them: the name of the
/// anomaly may then be less telling.
class Writers {
 public:
  explicit Writers(const History& history) : history_(history) {
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      for (const Op& op : history.ops(TxnId::at(t))) {
        if (op.is_write()) writers_.emplace_back(mixed(op.key, op.value), TxnId::at(t));
      }
    }
    std::sort(writers_.begin(), writers_.end());
  }

  /// None for initial versions and values that nobody wrote.
  TxnId source(const Op& read) const {
    Value value = read.value;
    if (read.kind == OpKind::kReadList) {
      if (history_.list(read).empty()) return {};
      value = history_.list(read).back();
    }
    const std::uint64_t wanted = mixed(read.key, value);
    const auto found = std::lower_bound(
        writers_.begin(), writers_.end(), wanted,
        [](const auto& entry, std::uint64_t number) { return entry.first < number; });
    return found == writers_.end() || found->first != wanted ? TxnId() : found->second;
  }

 private:
  static std::uint64_t mixed(KeyId key, Value value) {
    return base::mix2(key.raw(), value.bits());
  }

  const History& history_;
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
      look_behind(txn);
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
  void look_behind(TxnId txn) {
    for (const Op& op : history_.ops(txn)) {
      if (!op.is_read()) continue;
      if (const TxnId source = writers_.source(op); is_new(source)) {
        next_[source.raw()] = {source, txn, op.key};
        open_.push_back(source);
      }
    }
    if (!sessions_count_ || history_.position_of(txn) == 0) return;
    const auto session = history_.session_txns(history_.session_of(txn));
    const TxnId before = session[history_.position_of(txn) - 1];
    if (!is_new(before)) return;
    next_[before.raw()] = {before, txn, {}};
    open_.push_front(before);
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
    if (read_of(history, earlier, edge.key, edge.from)) return true;
  }
  return false;
}

}  // namespace

Sight sight_of(const History& history, const Edge& edge) {
  if (edge.kind == EdgeKind::kMonotonicView || read_of(history, edge.via, edge.from)) {
    return Sight::kRead;
  }
  if (history.session_of(edge.via) == history.session_of(edge.from)) return Sight::kOwnSession;
  if (edge.kind == EdgeKind::kAtomicView) return Sight::kRealTime;
  const Writers writers(history);
  if (is_cause(history, writers, edge.from, edge.via, false)) return Sight::kCauses;
  if (session_read_it(history, edge)) return Sight::kOwnSessionRead;
  return is_cause(history, writers, edge.from, edge.via, true) ? Sight::kCausesInSession
                                                               : Sight::kRealTime;
}

std::vector<CausalStep> causal_path(const History& history, TxnId cause, TxnId effect) {
  const Writers writers(history);
  std::vector<CausalStep> path = Causes(history, writers, false).path(cause, effect);
  return path.empty() ? Causes(history, writers, true).path(cause, effect) : path;
}

SeenAndMissed seen_and_missed(const History& history, const Edge& edge) {
  const TxnId viewer = edge.via;
  SeenAndMissed found;
  found.seen = {edge.from, viewer, EdgeKind::kCausalView, {}, {}};
  if (const std::optional<OpRef> read = read_of(history, viewer, edge.from)) {
    found.seen.kind = EdgeKind::kReadFrom;
    found.seen.key = op_at(history, *read).key;
  } else if (history.session_of(edge.from) == history.session_of(viewer)) {
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
