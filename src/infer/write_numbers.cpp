#include "infer/write_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/parallel.hpp"
#include "base/ways.hpp"

namespace isolde::infer {
namespace {

constexpr std::size_t kShort = 16;

/// Appends at most kShort keys, ascending and each once. Without branches on keys, which are
/// unpredictable.
void append_short(std::span<const KeyId> keys, std::vector<KeyId>& all) {
  std::array<KeyId, kShort> sorted;
  std::uint32_t taken = 0;
  for (const KeyId key : keys) {
    std::size_t rank = 0;
    for (const KeyId other : keys) rank += other < key ? 1 : 0;
    sorted[rank] = key;
    taken |= 1U << rank;
  }
  if (taken == (1U << keys.size()) - 1) {
    all.insert(all.end(), sorted.begin(),
               sorted.begin() + static_cast<std::ptrdiff_t>(keys.size()));
    return;
  }
  for (; taken != 0; taken &= taken - 1) {
    all.push_back(sorted[static_cast<std::size_t>(std::countr_zero(taken))]);
  }
}

/// Appends the keys that the operations write, ascending and each once.
void append_written(std::span<const Op> ops, std::vector<KeyId>& all) {
  std::array<KeyId, kShort> few;
  std::size_t count = 0;
  if (ops.size() <= std::min(kShort, base::ways().short_txn)) {
    for (const Op& op : ops) {
      few[count] = op.key;
      count += op.is_write() ? 1 : 0;
    }
    return append_short(std::span(few).first(count), all);
  }
  const auto first = static_cast<std::ptrdiff_t>(all.size());
  for (const Op& op : ops) {
    if (op.is_write()) all.push_back(op.key);
  }
  std::sort(all.begin() + first, all.end());
  all.erase(std::unique(all.begin() + first, all.end()), all.end());
}

std::size_t op_count(const History& history, std::size_t first, std::size_t last) {
  const auto begin = [&](std::size_t t) {
    return t < history.txn_count() ? history.first_op(TxnId::at(t)) : history.op_count();
  };
  return begin(last) - begin(first);
}

}  // namespace

WriteNumbers::WriteNumbers(const History& history, std::span<const std::uint8_t> counts,
                           unsigned threads)
    : begin_(history.txn_count() + 1, 0) {
  const std::size_t parts = base::part_count(threads);
  std::vector<std::vector<KeyId>> keys(parts);
  base::run_parts(threads, parts, history.txn_count(),
                  [&](std::size_t part, std::size_t first, std::size_t last) {
                    keys[part].reserve(op_count(history, first, last));
                    for (std::size_t t = first; t < last; ++t) {
                      if (counts[t] != 0) append_written(history.ops(TxnId::at(t)), keys[part]);
                      begin_[t + 1] = static_cast<std::uint32_t>(keys[part].size());
                    }
                  });
  key_ = base::concatenate_rows(threads, keys, begin_);
  txn_.resize(key_.size());
  base::run_parts(threads, parts, history.txn_count(),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t t = first; t < last; ++t) {
                      for (std::uint32_t w = begin_[t]; w < begin_[t + 1]; ++w) {
                        txn_[w] = TxnId::at(t);
                      }
                    }
                  });
}

WriteNumbers::WriteNumbers(std::vector<std::uint32_t> begin, std::vector<KeyId> keys)
    : begin_(std::move(begin)), key_(std::move(keys)), txn_(key_.size()) {
  for (std::size_t t = 0; t + 1 < begin_.size(); ++t) {
    for (std::uint32_t w = begin_[t]; w < begin_[t + 1]; ++w) txn_[w] = TxnId::at(t);
  }
}

WriteId WriteNumbers::find(TxnId txn, KeyId key) const {
  const std::span<const KeyId> written = keys(txn);
  const std::size_t at = rank(written, key);
  if (at == written.size() || written[at] != key) return WriteId::none();
  return WriteId::at(begin_[txn.raw()] + at);
}

}  // namespace isolde::infer
