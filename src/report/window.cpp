#include "report/window.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace isolde::report {
namespace {

constexpr std::size_t kNeighbours = 6;                 // before and after, in a session
constexpr std::size_t kSharing = kWindowTxns * 2 / 5;  // that use the violation's keys

class Window {
 public:
  explicit Window(const History& history) : history_(history), shown_(history.txn_count(), 0) {}

  bool full() const { return txns_.size() >= kWindowTxns; }

  void add(TxnId txn) {
    if (!full()) add_always(txn);
  }

  void add_always(TxnId txn) {
    if (shown_[txn.raw()] != 0) return;
    shown_[txn.raw()] = 1;
    txns_.push_back(txn);
  }

  void add_neighbours(TxnId txn) {
    const auto session = history_.session_txns(history_.session_of(txn));
    const std::size_t at = history_.position_of(txn);
    const std::size_t begin = at - std::min(at, kNeighbours);
    const std::size_t end = std::min(session.size(), at + kNeighbours + 1);
    for (std::size_t i = begin; i < end; ++i) add(session[i]);
  }

  std::vector<TxnId> take() {
    std::sort(txns_.begin(), txns_.end());
    return std::move(txns_);
  }

 private:
  const History& history_;
  std::vector<std::uint8_t> shown_;
  std::vector<TxnId> txns_;
};

/// For each transaction how many others start between it and the nearest one of the focus.
/// Without a focus: between it and the first one.
std::vector<std::uint32_t> distances(const std::vector<TxnId>& order,
                                     std::span<const TxnId> focus) {
  constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> distance(order.size(), kFar);
  for (TxnId txn : focus) distance[txn.raw()] = 0;
  if (focus.empty() && !order.empty()) distance[order.front().raw()] = 0;
  const auto spread = [&](auto begin, auto end) {
    std::uint32_t last = kFar;
    for (auto it = begin; it != end; ++it) {
      std::uint32_t& own = distance[it->raw()];
      if (last != kFar) own = std::min(own, last + 1);
      last = own;
    }
  };
  spread(order.begin(), order.end());
  spread(order.rbegin(), order.rend());
  return distance;
}

bool uses_any(const History& history, TxnId txn, const std::vector<std::uint8_t>& wanted) {
  const std::span<const Op> ops = history.ops(txn);
  return std::any_of(ops.begin(), ops.end(),
                     [&](const Op& op) { return wanted[op.key.raw()] != 0; });
}

}  // namespace

std::vector<TxnId> in_time_order(const History& history) {
  std::vector<TxnId> order(history.txn_count());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = TxnId::at(i);
  if (!history.has_times()) return order;
  std::vector<std::int64_t> start(order.size());
  std::int64_t last = kNoTime;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t own = history.times(order[i]).start;
    if (own != kNoTime) last = own;
    start[i] = last;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](TxnId a, TxnId b) { return start[a.raw()] < start[b.raw()]; });
  return order;
}

std::vector<TxnId> choose_window(const History& history, std::span<const TxnId> focus,
                                 std::span<const KeyId> keys) {
  std::vector<TxnId> order = in_time_order(history);
  if (order.size() <= kWholeTxns) {
    std::sort(order.begin(), order.end());
    return order;
  }
  Window window(history);
  for (TxnId txn : focus) window.add_always(txn);
  for (TxnId txn : focus) window.add_neighbours(txn);

  const std::vector<std::uint32_t> distance = distances(order, focus);
  std::stable_sort(order.begin(), order.end(),
                   [&](TxnId a, TxnId b) { return distance[a.raw()] < distance[b.raw()]; });
  std::vector<std::uint8_t> wanted(history.key_count(), 0);
  for (KeyId key : keys) wanted[key.raw()] = 1;
  std::size_t sharing = 0;
  for (std::size_t i = 0; i < order.size() && sharing < kSharing && !keys.empty(); ++i) {
    if (!uses_any(history, order[i], wanted)) continue;
    window.add(order[i]);
    ++sharing;
  }
  for (std::size_t i = 0; i < order.size() && !window.full(); ++i) window.add(order[i]);
  return window.take();
}

}  // namespace isolde::report
