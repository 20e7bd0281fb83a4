#include "stream/initial_contents.hpp"

#include <algorithm>
#include <limits>
#include <optional>
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
  bool has(KeyId key, Value value, TxnId reader, std::int64_t until) const {
    const Write first{key.raw(), value.bits(), kNoTime, TxnId::at(0)};
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

Candidate candidate_of(const History& round, TxnId txn) {
  const std::int64_t end = round.times(txn).end;
  return {round.status(txn) != TxnStatus::kCommitted, end == kNoTime ? kAtNoTime : end};
}

/// A read of a list, or of a key that held nothing, which may be one.
struct ListRead {
  KeyId key;
  Candidate candidate;
  std::span<const Value> elements;
};

/// Those that may tell what lists began with, for each key the best ones first.
std::vector<ListRead> list_reads(const History& round, const std::vector<bool>& is_open) {
  std::vector<ListRead> reads;
  for (std::size_t t = 0; t < round.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (round.status(txn) == TxnStatus::kAborted) continue;
    const Candidate candidate = candidate_of(round, txn);
    for (const Op& op : round.ops(txn)) {
      if (!is_open[op.key.raw()]) continue;
      const bool is_nothing = op.kind == OpKind::kRead && round.seen(op).is_null();
      if (op.kind == OpKind::kReadList) reads.push_back({op.key, candidate, round.list(op)});
      if (is_nothing) reads.push_back({op.key, candidate, {}});
    }
  }
  std::ranges::stable_sort(reads, [](const ListRead& one, const ListRead& other) {
    return std::pair(one.key.raw(), one.candidate) <
           std::pair(other.key.raw(), other.candidate);
  });
  return reads;
}

/// How many elements of the read are its front; nothing: what is settled is not in its place.
std::optional<std::size_t> front_of(const ListRead& read, const History& round,
                                    const Writes& writes, ListPrefix settled,
                                    std::int64_t clock_error_ns) {
  const std::int64_t until =
      read.candidate.end == kAtNoTime ? kAtNoTime : later(read.candidate.end, clock_error_ns);
  const auto is_of_round = [&](Value element) {
    return writes.has(read.key, element, TxnId(), until);
  };
  const std::span<const Value> elements = read.elements;
  if (settled.length == 0) {
    const auto first = std::ranges::find_if(elements, is_of_round);
    return static_cast<std::size_t>(first - elements.begin());
  }
  std::size_t front = elements.size();
  while (front > 0 && is_of_round(elements[front - 1])) --front;
  if (front < settled.length) return std::nullopt;
  const auto count = static_cast<std::size_t>(settled.length);
  const std::span<const Value> behind_start = elements.subspan(front - count, count);
  if (extended({}, round, behind_start) != settled) return std::nullopt;
  return front;
}

}  // namespace

std::vector<ListFront> list_fronts(const History& round, const std::vector<bool>& is_open,
                                   std::span<const ListPrefix> settled,
                                   std::int64_t clock_error_ns) {
  std::vector<bool> is_open_list(is_open.size());
  for (std::size_t key = 0; key < is_open.size(); ++key) {
    is_open_list[key] =
        is_open[key] && (round.is_list(KeyId::at(key)) || settled[key].length > 0);
  }
  if (std::ranges::find(is_open_list, true) == is_open_list.end()) return {};
  std::vector<ListFront> fronts(is_open.size());
  for (std::size_t key = 0; key < fronts.size(); ++key) {
    fronts[key].must_fit = is_open_list[key] && settled[key].length > 0;
  }
  const Writes writes(round, is_open_list);
  for (const ListRead& read : list_reads(round, is_open_list)) {
    const std::size_t key = read.key.raw();
    ListFront& front = fronts[key];
    if (front.is_told) continue;
    const std::optional<std::size_t> count =
        front_of(read, round, writes, settled[key], clock_error_ns);
    if (!count) continue;
    const std::span<const Value> elements = read.elements.first(*count);
    front = {true, true, {elements.begin(), elements.end()}};
  }
  return fronts;
}

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
    if (round.status(txn) == TxnStatus::kAborted) continue;
    const Candidate candidate = candidate_of(round, txn);
    each_external_read(round, txn, [&](const Op& op) {
      const std::size_t key = op.key.raw();
      if (!is_open[key] || op.kind != OpKind::kRead) return;
      if (!is_early[static_cast<std::size_t>(&op - round.all_ops().data())]) return;
      if (is_told[key] && best[key] <= candidate) return;
      if (!op.value.is_null() &&
          writes.has(op.key, op.value, txn, later(round.times(txn).end, clock_error_ns))) {
        return;
      }
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
