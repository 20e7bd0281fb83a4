#include "order/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "base/assert.hpp"

namespace isolde::checker {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

namespace {

/// Runs the transactions one after the other against a store that counts, for each key, the
/// pending readers of the current version.
///
/// Invariants: I1 a transaction runs once, after all that it misses; I2 one that has not run
/// and misses nothing is in ready_ or blocked_.
class Simulation {
 public:
  Simulation(const Observations& seen, base::Budget& budget) : seen_(seen), budget_(budget) {}

  std::vector<TxnId> run() {
    prepare();
    std::vector<TxnId> order;
    order.reserve(seen_.included_count());
    while (order.size() < seen_.included_count()) {
      const TxnId txn = next();
      if (txn.is_none()) break;  // read-from and session order form a cycle
      ISOLDE_INVARIANT(seen_.is_included(txn));
      order.push_back(txn);
      execute(txn);
      if (!budget_.spend(16)) break;
    }
    return order;
  }

 private:
  using Entry = std::uint64_t;  // rank by moment, transaction

  Entry entry(TxnId txn) const { return (std::uint64_t{wish_[txn.raw()]} << 32) | txn.raw(); }
  static TxnId txn_of(Entry entry) { return TxnId(static_cast<std::uint32_t>(entry)); }
  static void push(std::vector<Entry>& heap, Entry entry) {
    heap.push_back(entry);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  }
  static Entry pop(std::vector<Entry>& heap) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const Entry top = heap.back();
    heap.pop_back();
    return top;
  }

  void rank_by_moment() {
    std::vector<std::pair<std::int64_t, TxnId>> moments;
    moments.reserve(seen_.included_count());
    for (std::size_t t = 0; t < seen_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (!seen_.is_included(txn)) continue;
      moments.emplace_back(moment_of(seen_.history(), txn, true), txn);
    }
    ISOLDE_ASSERT(moments.size() == seen_.included_count());
    std::sort(moments.begin(), moments.end());
    wish_.assign(seen_.txn_count(), 0);
    for (std::size_t i = 0; i < moments.size(); ++i) {
      wish_[moments[i].second.raw()] = static_cast<std::uint32_t>(i);
    }
  }

  void prepare() {
    const History& history = seen_.history();
    rank_by_moment();
    missing_.assign(seen_.txn_count(), 0);
    next_in_session_.assign(seen_.txn_count(), TxnId::none());
    done_.assign(seen_.txn_count(), 0);
    pending_.resize(history.key_count());
    version_.assign(history.key_count(), WriteId::none());
    waiting_.resize(history.key_count());
    for (std::size_t k = 0; k < history.key_count(); ++k) {
      pending_[k] = static_cast<std::uint32_t>(seen_.initial_readers(KeyId::at(k)).size());
    }
    for (std::size_t w = 0; w < seen_.write_count(); ++w) {
      for (const TxnId reader : seen_.readers(WriteId::at(w))) ++missing_[reader.raw()];
    }
    for (std::size_t s = 0; s < history.session_count(); ++s) {
      TxnId last;
      for (const TxnId txn : history.session_txns(SessionId::at(s))) {
        if (!seen_.is_included(txn)) continue;
        if (last.is_some()) {
          next_in_session_[last.raw()] = txn;
          ++missing_[txn.raw()];
        }
        last = txn;
      }
    }
    for (std::size_t t = 0; t < seen_.txn_count(); ++t) {
      const bool ready = seen_.is_included(TxnId::at(t)) && missing_[t] == 0;
      if (ready) push(ready_, entry(TxnId::at(t)));
    }
  }

  /// A key that the transaction would overwrite although its version has pending readers.
  KeyId blocking_key(TxnId txn) const {
    for (const WriteId write : seen_.writes(txn)) {
      const KeyId key = seen_.written_key(write);
      const std::span<const TxnId> readers = seen_.readers(version_[key.raw()], key);
      const bool reads_itself = std::binary_search(readers.begin(), readers.end(), txn);
      if (pending_[key.raw()] > (reads_itself ? 1U : 0U)) return key;
    }
    return KeyId::none();
  }

  TxnId next() {
    while (!ready_.empty()) {
      const Entry top = pop(ready_);
      if (done_[txn_of(top).raw()] != 0) continue;
      const KeyId key = blocking_key(txn_of(top));
      if (key.is_none()) return txn_of(top);
      waiting_[key.raw()].push_back(top);
      push(blocked_, top);
    }
    // Everything is blocked: run the earliest anyway; its version order is a bad guess.
    while (!blocked_.empty()) {
      const TxnId txn = txn_of(pop(blocked_));
      if (done_[txn.raw()] == 0) return txn;
    }
    return TxnId::none();
  }

  void execute(TxnId txn) {
    ISOLDE_INVARIANT(missing_[txn.raw()] == 0 && done_[txn.raw()] == 0);  // I1
    done_[txn.raw()] = 1;
    const ReadFrom* last = nullptr;
    for (const ReadFrom& read : seen_.reads(txn)) {
      const bool present = version_[read.key.raw()] == read.source;
      const bool repeated = last != nullptr && last->key == read.key;
      if (present && !repeated && pending_[read.key.raw()] > 0) {
        --pending_[read.key.raw()];
        wake(read.key);
      }
      last = &read;
    }
    for (const WriteId write : seen_.writes(txn)) {
      const KeyId key = seen_.written_key(write);
      version_[key.raw()] = write;
      pending_[key.raw()] = static_cast<std::uint32_t>(seen_.readers(write).size());
      for (const TxnId reader : seen_.readers(write)) release(reader);
      wake(key);
    }
    if (next_in_session_[txn.raw()].is_some()) release(next_in_session_[txn.raw()]);
  }

  void release(TxnId txn) {
    ISOLDE_INVARIANT(missing_[txn.raw()] > 0);
    if (--missing_[txn.raw()] == 0) push(ready_, entry(txn));
  }

  void wake(KeyId key) {
    if (pending_[key.raw()] > 1) return;
    for (const Entry entry : waiting_[key.raw()]) {
      if (done_[txn_of(entry).raw()] == 0) push(ready_, entry);
    }
    waiting_[key.raw()].clear();
  }

  const Observations& seen_;
  base::Budget& budget_;
  std::vector<std::uint32_t> wish_;     // by transaction: its rank by moment
  std::vector<std::uint32_t> missing_;  // unmet session and read-from predecessors
  std::vector<TxnId> next_in_session_;
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> pending_;  // by key: pending readers of the current version
  std::vector<WriteId> version_;
  std::vector<std::vector<Entry>> waiting_;  // by key: transactions it blocks
  std::vector<Entry> ready_;
  std::vector<Entry> blocked_;
};

}  // namespace

std::int64_t moment_of(const History& history, TxnId txn, bool at_end) {
  const TxnTimes times = history.times(txn);
  if (history.has_times()) {
    const std::int64_t time = at_end ? times.end : times.start;
    return time != kNoTime ? time : at_end ? times.start : times.end;
  }
  const std::int64_t length =
      static_cast<std::int64_t>(history.session_txns(history.session_of(txn)).size());
  const std::int64_t place = history.position_of(txn);
  ISOLDE_INVARIANT(place < length);
  return (place << 30) / length;
}

std::vector<TxnId> simulate(const Observations& seen, base::Budget& budget) {
  return Simulation(seen, budget).run();
}

}  // namespace isolde::checker
