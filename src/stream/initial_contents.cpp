#include "stream/initial_contents.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace isolde::stream {
namespace {

constexpr std::int64_t kAtNoTime = std::numeric_limits<std::int64_t>::max();

/// The last moment at which somebody who ended then may have met others.
std::int64_t later(std::int64_t end, std::int64_t clock_error_ns) {
  if (end == kNoTime) return kAtNoTime;
  return end > kAtNoTime - clock_error_ns ? kAtNoTime : end + clock_error_ns;
}

/// Calls visit(op) for each read of the transaction that comes before its own writes of the
/// key.
template <typename Visit>
void each_external_read(const History& history, TxnId txn, const Visit& visit) {
  const std::span<const Op> ops = history.ops(txn);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].is_write() || !ops[i].uses_item()) continue;
    const bool is_own = std::any_of(
        ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const Op& earlier) { return earlier.is_write() && earlier.key == ops[i].key; });
    if (!is_own) visit(ops[i]);
  }
}

/// Who wrote which values, and since when they may have been there.
class Writes {
 public:
  Writes(const History& history, const std::vector<bool>& is_open) {
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (history.status(txn) == TxnStatus::kAborted) continue;
      for (const Op& op : history.ops(txn)) {
        if (!op.is_write() || !is_open[op.key.raw()]) continue;
        writes_.push_back({op.key.raw(), op.value.bits(), history.times(txn).start, txn});
      }
    }
    std::ranges::sort(writes_);
  }

  /// Somebody else than the reader has written that until then.
  bool has(const Op& read, TxnId reader, std::int64_t until) const {
    const Write first{read.key.raw(), read.value.bits(), kNoTime, TxnId::at(0)};
    for (auto at = std::ranges::lower_bound(writes_, first); at != writes_.end(); ++at) {
      if (at->key != first.key || at->value != first.value || at->start > until) return false;
      if (at->txn != reader) return true;
    }
    return false;
  }

 private:
  struct Write {
    std::uint32_t key = 0;
    std::uint64_t value = 0;
    std::int64_t start = kNoTime;
    TxnId txn;
    friend auto operator<=>(const Write&, const Write&) = default;
  };
  std::vector<Write> writes_;
};

/// A read of an open key; the least one tells what the key held.
struct Candidate {
  bool is_doubtful = true;
  std::int64_t end = kAtNoTime;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

}  // namespace

std::vector<Value> initial_contents(const History& round, const std::vector<bool>& is_open,
                                    std::int64_t clock_error_ns) {
  if (std::ranges::find(is_open, true) == is_open.end()) return {};
  const Writes writes(round, is_open);
  const std::vector<bool> is_early = may_be_initial(round, clock_error_ns);
  std::vector<Candidate> best(round.key_count());
  std::vector<bool> is_told(round.key_count());
  std::vector<Value> contents(round.key_count());
  for (std::size_t t = 0; t < round.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const TxnStatus status = round.status(txn);
    if (status == TxnStatus::kAborted) continue;
    const std::int64_t end = round.times(txn).end;
    const Candidate candidate{status != TxnStatus::kCommitted,
                              end == kNoTime ? kAtNoTime : end};
    each_external_read(round, txn, [&](const Op& op) {
      const std::size_t key = op.key.raw();
      if (!is_open[key] || op.kind != OpKind::kRead) return;
      if (!is_early[static_cast<std::size_t>(&op - round.all_ops().data())]) return;
      if (is_told[key] && best[key] <= candidate) return;
      if (!op.value.is_null() && writes.has(op, txn, later(end, clock_error_ns))) return;
      is_told[key] = true;
      best[key] = candidate;
      contents[key] = op.value;
    });
  }
  const auto is_value = [](Value value) { return !value.is_null(); };
  if (std::ranges::none_of(contents, is_value)) contents.clear();
  return contents;
}

std::vector<bool> may_be_initial(const History& history, std::int64_t clock_error_ns) {
  std::vector<std::int64_t> first_end(history.key_count(), kAtNoTime);
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::int64_t end = history.times(txn).end;
    if (history.status(txn) != TxnStatus::kCommitted || end == kNoTime) continue;
    for (const Op& op : history.ops(txn)) {
      std::int64_t& first = first_end[op.key.raw()];
      if (op.is_write()) first = std::min(first, end);
    }
  }
  std::vector<bool> result(history.op_count());
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::int64_t start = history.times(txn).start;
    each_external_read(history, txn, [&](const Op& op) {
      const auto place = static_cast<std::size_t>(&op - history.all_ops().data());
      const std::int64_t first = first_end[op.key.raw()];
      result[place] = first == kAtNoTime || start <= later(first, clock_error_ns);
    });
  }
  return result;
}

}  // namespace isolde::stream
