#include "infer/part.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "infer/repeats.hpp"

namespace isolde::infer {

TxnId PartBuilder::begin(TxnId txn, SessionId session, TxnTimes times) {
  const TxnId part = builder_.begin_txn(session);
  builder_.set_times(times);
  part_.txns_.push_back(txn);
  read_begin_.push_back(static_cast<std::uint32_t>(reads_.size()));
  write_begin_.push_back(static_cast<std::uint32_t>(writes_.size()));
  return part;
}

void PartBuilder::read(TxnId txn, std::size_t i) {
  reads_.push_back(whole_.reads(txn)[i]);
  steps_.push_back(whole_.step(txn, i));
}

void PartBuilder::write(WriteId write) {
  ISOLDE_ASSERT(writes_.empty() || writes_.back() < write);
  writes_.push_back(write);
}

/// None when the part does not have it.
WriteId PartBuilder::number(WriteId whole) const {
  const auto found = std::lower_bound(writes_.begin(), writes_.end(), whole);
  if (found == writes_.end() || *found != whole) return WriteId::none();
  return WriteId::at(static_cast<std::size_t>(found - writes_.begin()));
}

KeyId PartBuilder::number(KeyId whole) const {
  const auto found = std::lower_bound(part_.keys_.begin(), part_.keys_.end(), whole);
  return KeyId::at(static_cast<std::size_t>(found - part_.keys_.begin()));
}

void PartBuilder::drop_reads_without_source() {
  std::uint32_t kept = 0;
  read_begin_.push_back(static_cast<std::uint32_t>(reads_.size()));
  for (std::size_t t = 0; t + 1 < read_begin_.size(); ++t) {
    const std::uint32_t first = std::exchange(read_begin_[t], kept);
    for (std::uint32_t i = first; i < read_begin_[t + 1]; ++i) {
      ReadFrom read = reads_[i];
      if (read.source.is_some()) {
        read.source = number(read.source);
        if (read.source.is_none()) continue;
      }
      reads_[kept] = read;
      steps_[kept++] = steps_[i];
    }
  }
  read_begin_.back() = kept;
  reads_.resize(kept);
  steps_.resize(kept);
}

void PartBuilder::number_keys() {
  std::vector<KeyId>& keys = part_.keys_;
  for (const ReadFrom& read : reads_) keys.push_back(read.key);
  for (const WriteId write : writes_) keys.push_back(whole_.written_key(write));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const KeyId key : keys) {
    const KeyId own = builder_.key(Value::integer(std::int64_t{key.raw()}));
    if (whole_.is_list(key)) builder_.holds_list(own);
  }
}

void PartBuilder::number_writes_and_reads() {
  std::vector<KeyId> written;
  written.reserve(writes_.size());
  for (const WriteId write : writes_) written.push_back(number(whole_.written_key(write)));
  write_begin_.push_back(static_cast<std::uint32_t>(writes_.size()));
  part_.seen_.writes_ = WriteNumbers(std::move(write_begin_), std::move(written));
  for (ReadFrom& read : reads_) read.key = number(read.key);
  part_.op_count_ = reads_.size() + writes_.size();
  number_deletions();
  part_.seen_.reads_ =
      base::Csr<ReadFrom>::from_parts(std::move(read_begin_), std::move(reads_));
  if (!whole_.read_steps_.empty()) part_.seen_.read_steps_ = std::move(steps_);
}

/// Who deletes a key and is not in the part, or is so more than once, counts as many.
void PartBuilder::number_deletions() {
  if (!whole_.has_deletions()) return;
  Observations& seen = part_.seen_;
  for (const WriteId write : writes_)
    seen.deletions_.dead.push_back(whole_.is_dead(write) ? 1 : 0);
  std::vector<std::pair<TxnId, TxnId>> parts;  // whole, part
  for (std::size_t t = 0; t < part_.txns_.size(); ++t) {
    parts.emplace_back(part_.txns_[t], TxnId::at(t));
  }
  std::sort(parts.begin(), parts.end());
  for (const KeyId key : part_.keys_) {
    const Deleters& whole = whole_.deletions_.deleters[key.raw()];
    Deleters deleters;
    deleters.are_more = whole.are_more;
    deleters.are_doubtful = true;
    for (const TxnId txn : {whole.first, whole.second}) {
      if (txn.is_none()) continue;
      const auto [first, last] =
          std::equal_range(parts.begin(), parts.end(), std::pair(txn, TxnId()),
                           [](const auto& a, const auto& b) { return a.first < b.first; });
      if (last - first == 1) {
        deleters.add(first->second);
      } else {
        deleters.are_more = true;
      }
    }
    seen.deletions_.deleters.push_back(deleters);
  }
}

void PartBuilder::index_writes() {
  Observations& seen = part_.seen_;
  seen.key_writes_ = base::Csr<WriteId>::build(part_.keys_.size(), [&](const auto& add) {
    for (std::size_t w = 0; w < seen.write_count(); ++w) {
      add(seen.written_key(WriteId::at(w)).raw(), WriteId::at(w));
    }
  });
}

/// The writes that are left, in the order of the whole.
void PartBuilder::index_lists() {
  Observations& seen = part_.seen_;
  std::vector<std::uint32_t> begin;
  std::vector<WriteId> order;
  if (seen.has_lists()) seen.list_rank_.assign(writes_.size(), Observations::kUnseen);
  for (std::size_t k = 0; k < part_.keys_.size(); ++k) {
    const std::size_t first = order.size();
    begin.push_back(static_cast<std::uint32_t>(first));
    // Without any read of a list, the whole has no ranks.
    if (whole_.list_order(part_.keys_[k]).empty()) continue;
    const auto rank = [this](WriteId write) { return whole_.list_rank(writes_[write.raw()]); };
    for (const WriteId write : seen.writes_of(KeyId::at(k))) {
      if (rank(write) != Observations::kUnseen) order.push_back(write);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
              [&](WriteId a, WriteId b) { return rank(a) < rank(b); });
    for (std::size_t i = first; i < order.size(); ++i) {
      seen.list_rank_[order[i].raw()] = static_cast<std::uint32_t>(i - first);
    }
  }
  begin.push_back(static_cast<std::uint32_t>(order.size()));
  seen.list_order_ = base::Csr<WriteId>::from_parts(std::move(begin), std::move(order));
}

/// A transaction that reads a version twice is one reader.
void PartBuilder::index_reads() {
  Observations& seen = part_.seen_;
  const auto for_each = [&seen](const auto& visit) {
    std::vector<std::uint32_t> repeats;
    for (std::size_t t = 0; t < seen.txn_count(); ++t) {
      const std::span<const ReadFrom> reads = seen.reads(TxnId::at(t));
      repeats.clear();
      list_repeats(reads, 0, repeats);
      auto repeat = repeats.begin();
      for (std::size_t i = 0; i < reads.size(); ++i) {
        const bool repeats_another = repeat != repeats.end() && *repeat == i;
        repeats_another ? static_cast<void>(++repeat) : visit(TxnId::at(t), reads[i]);
      }
    }
  };
  seen.readers_ = base::Csr<TxnId>::build(seen.write_count(), [&](const auto& add) {
    for_each([&](TxnId txn, const ReadFrom& read) {
      if (read.source.is_some()) add(read.source.raw(), txn);
    });
  });
  seen.initial_readers_ = base::Csr<TxnId>::build(part_.keys_.size(), [&](const auto& add) {
    for_each([&](TxnId txn, const ReadFrom& read) {
      if (read.source.is_none()) add(read.key.raw(), txn);
    });
  });
}

Part PartBuilder::finish() {
  drop_reads_without_source();
  number_keys();
  Result<History> history = builder_.finish();
  ISOLDE_CHECK(history.ok());
  part_.history_ = std::make_unique<const History>(std::move(history).value());
  part_.seen_.history_ = part_.history_.get();
  part_.seen_.included_.assign(part_.txns_.size(), 1);
  part_.seen_.included_count_ = part_.txns_.size();
  number_writes_and_reads();
  index_writes();
  index_lists();
  index_reads();
  return std::move(part_);
}

Part restriction(const Observations& whole, std::span<const TxnId> txns) {
  const History& history = whole.history();
  PartBuilder builder(whole);
  for (const TxnId txn : txns) {
    if (!whole.is_included(txn)) continue;
    TxnTimes times = history.times(txn);
    // Its outcome is known from its readers; its end is not.
    if (history.status(txn) != TxnStatus::kCommitted) times.end = kNoTime;
    builder.begin(txn, builder.session(history.session_name(history.session_of(txn))), times);
    for (std::size_t i = 0; i < whole.reads(txn).size(); ++i) builder.read(txn, i);
    for (const WriteId write : whole.writes(txn)) {
      builder.write(write);
    }
  }
  return builder.finish();
}

}  // namespace isolde::infer
