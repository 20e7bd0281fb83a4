#include "literal.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace isolde::certify::test {
namespace {

using List = std::vector<std::uint64_t>;

/// A key's contents; an empty list also stands for a register that was never written.
using Contents = List;
using State = std::map<KeyId, Contents>;

struct Read {
  KeyId key;
  Contents seen;
};

Contents contents(const State& state, KeyId key) {
  const auto found = state.find(key);
  return found == state.end() ? Contents{} : found->second;
}

void apply(State& state, const Op& op) {
  if (op.kind == OpKind::kWrite) state[op.key] = {op.value.bits()};
  if (op.kind == OpKind::kAppend) state[op.key].push_back(op.value.bits());
}

std::set<KeyId> written_keys(const History& history, TxnId txn) {
  std::set<KeyId> keys;
  for (const Op& op : history.ops(txn)) {
    if (op.is_write()) keys.insert(op.key);
  }
  return keys;
}

/// External reads; false when a read contradicts own writes.
bool split(const History& history, TxnId txn, std::vector<Read>& reads) {
  State own;
  for (const Op& op : history.ops(txn)) {
    if (op.is_write()) apply(own, op);
    if (op.kind == OpKind::kRead) {
      const Contents seen = op.value.is_null() ? Contents{} : Contents{op.value.bits()};
      const bool internal = own.count(op.key) != 0;
      if (internal && seen != own[op.key]) return false;
      if (!internal) reads.push_back({op.key, seen});
    }
    if (op.kind == OpKind::kReadList) {
      Contents seen;
      for (const Value element : history.list(op)) seen.push_back(element.bits());
      for (Contents mine = contents(own, op.key); !mine.empty(); mine.pop_back()) {
        if (seen.empty() || seen.back() != mine.back()) return false;
        seen.pop_back();
      }
      reads.push_back({op.key, seen});
    }
  }
  return true;
}

class Execution {
 public:
  Execution(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
            const std::vector<TxnId>& order)
      : history_(history), level_(level), clock_error_ns_(clock_error_ns), order_(order) {
    states_.emplace_back();
    for (const TxnId txn : order) {
      State next = states_.back();
      for (const Op& op : history.ops(txn)) apply(next, op);
      states_.push_back(next);
    }
  }

  bool passes(std::size_t at) const {
    std::vector<Read> reads;
    if (!split(history_, order_[at], reads)) return false;
    const std::size_t oldest = oldest_snapshot(at);
    if (oldest > at) return false;
    switch (level_.base) {
      case BaseLevel::kSerializable:
        return complete(reads, at);
      case BaseLevel::kSnapshotIsolation:
        for (std::size_t s = oldest; s <= at; ++s) {
          if (complete(reads, s) && no_conflict(s, at)) return true;
        }
        return false;
      case BaseLevel::kReadCommitted:
        return std::all_of(reads.begin(), reads.end(),
                           [&](const Read& read) { return !sources(read, at).empty(); });
      case BaseLevel::kMonotonicAtomicView:
        return monotonic(reads, at, {});
    }
    return false;
  }

 private:
  /// Index of the first state that holds what session and real time ask for.
  std::size_t oldest_snapshot(std::size_t at) const {
    std::size_t oldest = 0;
    for (std::size_t other = 0; other < order_.size(); ++other) {
      const TxnId a = order_[other];
      const TxnId b = order_[at];
      const bool session = level_.session_order &&
                           history_.session_of(a) == history_.session_of(b) &&
                           history_.position_of(a) < history_.position_of(b);
      const bool time = level_.real_time && history_.status(a) == TxnStatus::kCommitted &&
                        history_.times(a).end != kNoTime &&
                        history_.times(b).start != kNoTime &&
                        history_.times(a).end + clock_error_ns_ < history_.times(b).start;
      if (session || time) oldest = std::max(oldest, other + 1);
    }
    return oldest;
  }

  bool complete(const std::vector<Read>& reads, std::size_t state) const {
    return std::all_of(reads.begin(), reads.end(), [&](const Read& read) {
      return contents(states_[state], read.key) == read.seen;
    });
  }

  bool no_conflict(std::size_t snapshot, std::size_t at) const {
    for (const KeyId key : written_keys(history_, order_[at])) {
      for (std::size_t other = snapshot; other < at; ++other) {
        if (written_keys(history_, order_[other]).count(key) != 0) return false;
      }
    }
    return true;
  }

  /// States up to `at` right after which the key holds what was read, and whose producer wrote
  /// the key; 0 for the initial state.
  std::vector<std::size_t> sources(const Read& read, std::size_t at) const {
    std::vector<std::size_t> found;
    for (std::size_t s = 0; s <= at; ++s) {
      const bool wrote = s == 0 || written_keys(history_, order_[s - 1]).count(read.key) != 0;
      if (wrote && contents(states_[s], read.key) == read.seen) found.push_back(s);
    }
    return found;
  }

  /// Tries every assignment of sources to the reads after the first `chosen`.
  bool monotonic(const std::vector<Read>& reads, std::size_t at,
                 const std::vector<std::size_t>& chosen) const {
    if (chosen.size() == reads.size()) return true;
    const Read& read = reads[chosen.size()];
    for (const std::size_t t1 : sources(read, at)) {
      const bool allowed = std::all_of(chosen.begin(), chosen.end(), [&](std::size_t t2) {
        if (t2 == 0 || t2 == t1) return true;
        return written_keys(history_, order_[t2 - 1]).count(read.key) == 0 || t2 < t1;
      });
      std::vector<std::size_t> more = chosen;
      more.push_back(t1);
      if (allowed && monotonic(reads, at, more)) return true;
    }
    return false;
  }

  const History& history_;
  const LevelInfo& level_;
  const std::int64_t clock_error_ns_;
  const std::vector<TxnId>& order_;
  std::vector<State> states_;  // states_[i] is what the first i transactions left
};

}  // namespace

bool acceptable(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
                const std::vector<TxnId>& order) {
  const Execution execution(history, level, clock_error_ns, order);
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (!execution.passes(at)) return false;
  }
  return true;
}

void each_acceptable_order(const History& history, const LevelInfo& level,
                           std::int64_t clock_error_ns,
                           const std::function<void(const std::vector<TxnId>&)>& visit) {
  std::vector<TxnId> open;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    if (history.status(TxnId::at(i)) == TxnStatus::kIndeterminate) open.push_back(TxnId::at(i));
  }
  for (std::size_t choice = 0; choice < (std::size_t{1} << open.size()); ++choice) {
    std::vector<TxnId> order;
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      if (history.status(TxnId::at(i)) == TxnStatus::kCommitted) order.push_back(TxnId::at(i));
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      if ((choice >> i & 1U) != 0) order.push_back(open[i]);
    }
    std::sort(order.begin(), order.end());
    do {
      if (acceptable(history, level, clock_error_ns, order)) visit(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

}  // namespace isolde::certify::test
