#include "explain/sight.hpp"

#include <map>
#include <utility>
#include <vector>

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
        if (op.is_write()) writers_[{op.key, op.value.bits()}] = TxnId::at(t);
      }
    }
  }

  /// None for initial versions and values that nobody wrote.
  TxnId source(const Op& read) const {
    Value value = read.value;
    if (read.kind == OpKind::kReadList) {
      if (history_.list(read).empty()) return {};
      value = history_.list(read).back();
    }
    const auto found = writers_.find({read.key, value.bits()});
    return found == writers_.end() ? TxnId() : found->second;
  }

 private:
  const History& history_;
  std::map<std::pair<KeyId, std::uint64_t>, TxnId> writers_;
};

/// A path of reads, and of session order where that counts, leads from `cause` to `effect`.
bool is_cause(const History& history, const Writers& writers, TxnId cause, TxnId effect,
              bool sessions_count) {
  std::vector<bool> seen(history.txn_count(), false);
  std::vector<TxnId> open = {effect};
  const auto visit = [&](TxnId txn) {
    if (txn.is_none() || seen[txn.raw()]) return;
    seen[txn.raw()] = true;
    open.push_back(txn);
  };
  while (!open.empty()) {
    const TxnId txn = open.back();
    open.pop_back();
    for (const Op& op : history.ops(txn)) {
      if (op.is_read()) visit(writers.source(op));
    }
    if (!sessions_count) continue;
    for (const TxnId earlier : history.session_txns(history.session_of(txn))) {
      if (earlier == txn) break;
      visit(earlier);
    }
  }
  return seen[cause.raw()];
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

}  // namespace isolde::explain
