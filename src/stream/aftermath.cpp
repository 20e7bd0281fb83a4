#include "stream/aftermath.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>

#include "base/hash.hpp"
#include "stream/settled_lists.hpp"
#include "stream/value_hash.hpp"

namespace isolde::stream {
namespace {

/// Of keys that were asked for, by the history's keys.
class KeyHashes {
 public:
  explicit KeyHashes(const History& history)
      : history_(history), hashes_(history.key_count()) {}
  std::uint64_t cell(KeyId key, Value value) {
    std::uint64_t& hash = hashes_[key.raw()];
    if (hash == 0) hash = value_hash(history_, history_.key_name(key));
    return base::mix2(hash, value_hash(history_, value));
  }

 private:
  const History& history_;
  std::vector<std::uint64_t> hashes_;  // 0: not yet
};

}  // namespace

Aftermath::Aftermath(std::int64_t latest, std::int64_t clock_error_ns,
                     const Aftermath* before) {
  constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
  state_.ended = latest;
  state_.since = latest > kForever - clock_error_ns ? kForever : latest + clock_error_ns;
  if (before != nullptr) state_.cells = before->state_.cells;
}

void Aftermath::add(const History& history) {
  KeyHashes hashes(history);
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const TxnStatus status = history.status(txn);
    // Who ended by then is among those that leave what keys hold at the beginning.
    const std::int64_t end = history.times(txn).end;
    const bool is_over =
        status == TxnStatus::kCommitted && end != kNoTime && end <= state_.ended;
    if (!is_before(history, txn) || status == TxnStatus::kAborted || is_over) continue;
    for (const Op& op : history.ops(txn)) {
      if (op.is_write()) state_.cells.push_back(hashes.cell(op.key, op.value));
    }
  }
}

void Aftermath::settle() {
  std::vector<std::uint64_t>& cells = state_.cells;
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  state_.is_settled = true;
}

std::vector<bool> Aftermath::reads_in(const History& history) const {
  std::vector<bool> reads;
  if (state_.cells.empty()) return reads;
  KeyHashes hashes(history);
  const std::span<const Op> ops = history.all_ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].is_write()) continue;
    if (ops[i].kind == OpKind::kReadList) continue;
    // What tells no value may be a read of anybody.
    if (ops[i].kind == OpKind::kRead) {
      const Value seen = history.seen(ops[i]);
      if (seen.is_null()) continue;
      if (!std::ranges::binary_search(state_.cells, hashes.cell(ops[i].key, seen))) continue;
    }
    reads.resize(ops.size());
    reads[i] = true;
  }
  return reads;
}

Joiner::EditList Aftermath::without_theirs(const History& history) const {
  if (state_.cells.empty() || !has_lists(history)) return {};
  const auto hashes = std::make_shared<KeyHashes>(history);
  return [this, hashes](const History&, KeyId key, std::vector<Value>& elements) {
    std::erase_if(elements, [&](Value element) {
      return std::ranges::binary_search(state_.cells, hashes->cell(key, element));
    });
    return true;
  };
}

}  // namespace isolde::stream
