#include "stream/possible_writers.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "stream/settled_lists.hpp"
#include "stream/value_hash.hpp"

namespace isolde::stream {
namespace {

/// Calls visit(value) for each value that the read shows to be there, and returns true where it
/// may be of anybody who wrote the key.
template <typename Visit>
bool visit_values(const History& history, const Op& op, const Visit& visit) {
  const auto one = [&](Value value) {
    if (!value.is_null()) visit(value);
  };
  switch (op.kind) {
    case OpKind::kReadUnknown:
      return false;
    case OpKind::kRead:
      one(history.seen(op));
      return false;
    case OpKind::kReadMatch:
      one(history.read_value(op));
      return history.read_value(op).is_null();
    case OpKind::kReadList:
      for (const Value element : history.list(op)) one(element);
      return false;
    default:
      return true;
  }
}

/// The same in all histories.
std::uint64_t cell(std::uint64_t key_hash, const History& history, Value value) {
  return base::mix2(key_hash, value_hash(history, value));
}

/// In one history, which has each value once.
std::uint64_t cell_in(KeyId key, Value value) { return base::mix2(value.bits(), key.raw()); }

/// Who wrote which values in one history.
class Written {
 public:
  void add(const History& history, std::uint32_t txn) {
    for (const Op& op : history.ops(TxnId::at(txn))) {
      if (!op.is_write()) continue;
      by_cell_[cell_in(op.key, op.value)].push_back(txn);
      by_key_[op.key.raw()].push_back(txn);
    }
  }

  /// Calls visit(writer) for all that the operation may be a read of.
  template <typename Visit>
  void each_source(const History& history, const Op& op, const Visit& visit) const {
    if (op.is_write()) return;
    const auto visit_all = [&](const auto& sources, const auto& at) {
      const auto found = sources.find(at);
      if (found == sources.end()) return;
      for (const std::uint32_t writer : found->second) visit(writer);
    };
    const bool is_any = visit_values(
        history, op, [&](Value value) { visit_all(by_cell_, cell_in(op.key, value)); });
    if (is_any) visit_all(by_key_, op.key.raw());
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_cell_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_key_;
};

}  // namespace

std::vector<bool> unread_among(const History& open, const std::vector<bool>& stays,
                               const std::function<bool(std::size_t)>& goes_on) {
  std::vector<bool> unread(open.txn_count());
  Written written;
  bool has_some = false;
  for (std::uint32_t i = 0; i < unread.size(); ++i) {
    const bool is_unknown = open.status(TxnId::at(i)) == TxnStatus::kIndeterminate;
    if (!stays[i] || !is_unknown || goes_on(i)) continue;
    unread[i] = has_some = true;
    written.add(open, i);
  }
  if (!has_some) return unread;
  std::vector<std::uint32_t> readers;
  for (std::uint32_t i = 0; i < unread.size(); ++i) {
    if (stays[i] && !unread[i]) readers.push_back(i);
  }
  while (!readers.empty()) {
    const std::uint32_t reader = readers.back();
    readers.pop_back();
    for (const Op& op : open.ops(TxnId::at(reader))) {
      written.each_source(open, op, [&](std::uint32_t writer) {
        if (unread[writer]) readers.push_back(writer);
        unread[writer] = false;
      });
    }
  }
  return unread;
}

void PossibleWriters::add_living(const Heap& heap, Joiner& joiner) {
  joiner.add(
      heap.history, Joiner::kOwnNumbers, [&](std::size_t i) { return !heap.is_gone[i]; },
      kEnterNothing);
}

std::vector<std::uint64_t> PossibleWriters::key_hashes(const std::vector<Boundary::Key>& keys) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(keys.size());
  for (const Boundary::Key key : keys) hashes.push_back(base::mix(Boundary::place(key) + 1));
  return hashes;
}

Result<PossibleWriters::Heap> PossibleWriters::heap_of(Joiner& joiner) {
  Result<History> joined = joiner.finish();
  if (!joined) return joined.error();
  Heap heap;
  heap.history = std::move(joined).value();
  const History& history = heap.history;
  if (!budget_->spend(history.op_count())) return Error{ErrorCode::kLimit, budget_->reason()};
  heap.left = history.txn_count();
  heap.is_gone.assign(heap.left, false);
  heap.known_keys = boundary_->keys(history);
  heap.keys = key_hashes(heap.known_keys);
  for (std::uint32_t i = 0; i < heap.left; ++i) {
    for (const Op& op : history.ops(TxnId::at(i))) {
      if (!op.is_write()) continue;
      heap.cells.push_back({cell(heap.keys[op.key.raw()], history, op.value), i});
    }
  }
  std::ranges::sort(heap.cells, {},
                    [](const Cell& each) { return std::pair(each.hash, each.writer); });
  return heap;
}

void PossibleWriters::rebuild_filter() {
  std::size_t cells = 0;
  for (const Heap& heap : heaps_) cells += heap.cells.size();
  constexpr std::size_t kCellsPerWord = 2;  // when the table is new: 32 bits for each cell
  filter_.assign(std::bit_ceil(cells / kCellsPerWord + 1), 0);
  noted_ = 0;
  for (const Heap& heap : heaps_) note(heap.cells);
}

void PossibleWriters::note(const std::vector<Cell>& cells) {
  noted_ += cells.size();
  for (const Cell& each : cells) {
    filter_[(each.hash >> 6U) & (filter_.size() - 1)] |= std::uint64_t{1} << (each.hash & 63U);
  }
}

/// The last two heaps become one.
Status PossibleWriters::merge_last() {
  Joiner joiner;
  add_living(heaps_[heaps_.size() - 2], joiner);
  add_living(heaps_.back(), joiner);
  Result<Heap> merged = heap_of(joiner);
  if (!merged) return merged.error();
  heaps_.pop_back();
  heaps_.back() = std::move(merged).value();
  return ok_status();
}

Status PossibleWriters::drop_gone(Heap& heap) {
  if (2 * heap.left >= heap.is_gone.size()) return ok_status();
  Joiner joiner;
  add_living(heap, joiner);
  Result<Heap> less = heap_of(joiner);
  if (!less) return less.error();
  heap = std::move(less).value();
  return ok_status();
}

Status PossibleWriters::add(const History& open, const std::vector<bool>& which) {
  if (std::ranges::find(which, true) == which.end()) return ok_status();
  Joiner joiner;
  joiner.add(
      open, Joiner::kOwnNumbers, [&](std::size_t i) { return which[i]; }, kEnterNothing);
  Result<Heap> heap = heap_of(joiner);
  if (!heap) return heap.error();
  size_ += heap->left;
  heaps_.push_back(std::move(heap).value());
  const std::size_t fresh = heaps_.back().cells.size();
  while (heaps_.size() > 1 && heaps_[heaps_.size() - 2].left <= 2 * heaps_.back().left) {
    if (const Status merged = merge_last(); !merged) return merged;
  }
  constexpr std::size_t kMostPerWord = 4;
  if (filter_.empty() || noted_ + fresh > kMostPerWord * filter_.size()) {
    rebuild_filter();
  } else {
    note(heaps_.back().cells);
  }
  return ok_status();
}

void PossibleWriters::take(std::size_t heap, std::size_t txn, Taken& taken) {
  if (heaps_[heap].is_gone[txn]) return;
  heaps_[heap].is_gone[txn] = true;
  --heaps_[heap].left;
  --size_;
  taken.places.push_back({heap, txn});
}

void PossibleWriters::take_writers_of(std::vector<std::uint64_t> keys, Taken& taken) {
  std::ranges::sort(keys);
  for (std::size_t i = 0; i < heaps_.size(); ++i) {
    const Heap& heap = heaps_[i];
    for (std::size_t txn = 0; txn < heap.is_gone.size(); ++txn) {
      const auto writes = [&](const Op& op) {
        return op.is_write() && std::ranges::binary_search(keys, heap.keys[op.key.raw()]);
      };
      if (std::ranges::any_of(heap.history.ops(TxnId::at(txn)), writes)) take(i, txn, taken);
    }
  }
}

void PossibleWriters::take_writers(std::uint64_t cell_hash, Taken& taken) {
  const std::uint64_t word = filter_[(cell_hash >> 6U) & (filter_.size() - 1)];
  if ((word >> (cell_hash & 63U) & 1U) == 0) return;
  for (std::size_t i = 0; i < heaps_.size(); ++i) {
    const std::vector<Cell>& cells = heaps_[i].cells;
    auto at = std::ranges::lower_bound(cells, cell_hash, {}, &Cell::hash);
    for (; at != cells.end() && at->hash == cell_hash; ++at) take(i, at->writer, taken);
  }
}

void PossibleWriters::take_read_by(const History& history, std::size_t txn,
                                   const std::vector<std::uint64_t>& keys, Taken& taken) {
  for (const Op& op : history.ops(TxnId::at(txn))) {
    if (op.is_write()) continue;
    const bool is_any = visit_values(history, op, [&](Value value) {
      take_writers(cell(keys[op.key.raw()], history, value), taken);
    });
    if (is_any) taken.keys.push_back(keys[op.key.raw()]);
  }
}

Status PossibleWriters::take_all_read_in(const History& part, Taken& taken) {
  if (!budget_->spend(part.op_count() + elements_read(part))) {
    return Error{ErrorCode::kLimit, budget_->reason()};
  }
  const std::vector<std::uint64_t> keys = key_hashes(boundary_->keys(part));
  for (std::size_t txn = 0; txn < part.txn_count(); ++txn) {
    take_read_by(part, txn, keys, taken);
  }
  std::size_t next = 0;
  while (next < taken.places.size() || !taken.keys.empty()) {
    for (; next < taken.places.size(); ++next) {
      const auto [heap, txn] = taken.places[next];
      take_read_by(heaps_[heap].history, txn, heaps_[heap].keys, taken);
    }
    if (taken.keys.empty()) continue;
    if (!budget_->spend(size_)) return Error{ErrorCode::kLimit, budget_->reason()};
    take_writers_of(std::exchange(taken.keys, {}), taken);
  }
  return ok_status();
}

Result<History> PossibleWriters::give_read_in(const History& part) {
  if (size_ == 0) return History();
  Taken taken;
  if (const Status all = take_all_read_in(part, taken); !all) return all.error();
  if (taken.places.empty()) return History();
  std::vector<std::vector<bool>> is_taken(heaps_.size());
  for (const auto& [heap, txn] : taken.places) {
    is_taken[heap].resize(heaps_[heap].is_gone.size());
    is_taken[heap][txn] = true;
  }
  Joiner joiner;
  for (std::size_t i = 0; i < heaps_.size(); ++i) {
    if (is_taken[i].empty()) continue;
    joiner.add(
        heaps_[i].history, Joiner::kOwnNumbers, [&](std::size_t t) { return is_taken[i][t]; },
        kEnterNothing);
    if (const Status dropped = drop_gone(heaps_[i]); !dropped) return dropped.error();
  }
  return joiner.finish();
}

Result<std::size_t> PossibleWriters::forget(const Deadlines& deadlines) {
  std::size_t count = 0;
  for (Heap& heap : heaps_) {
    if (!budget_->spend(heap.history.op_count())) {
      return Error{ErrorCode::kLimit, budget_->reason()};
    }
    for (std::size_t txn = 0; txn < heap.is_gone.size(); ++txn) {
      if (heap.is_gone[txn]) continue;
      if (!deadlines.has_passed(heap.history, TxnId::at(txn), heap.known_keys)) continue;
      heap.is_gone[txn] = true;
      --heap.left;
      --size_;
      ++count;
    }
    if (const Status dropped = drop_gone(heap); !dropped) return dropped.error();
  }
  return count;
}

std::vector<std::size_t> PossibleWriters::add_to(Joiner& joiner) const {
  std::vector<std::size_t> sizes;
  for (const Heap& heap : heaps_) {
    add_living(heap, joiner);
    sizes.push_back(heap.left);
  }
  return sizes;
}

Status PossibleWriters::restore(const History& from, const std::vector<std::size_t>& sizes) {
  std::size_t begin = 0;
  for (const std::size_t size : sizes) {
    if (size > from.txn_count() - begin) {
      return Error{ErrorCode::kBadInput,
                   "the checkpoint tells of transactions that it does not have"};
    }
    Joiner joiner;
    joiner.add(
        from, Joiner::kLabelledNumbers,
        [&](std::size_t i) { return i >= begin && i < begin + size; }, kEnterNothing);
    Result<Heap> heap = heap_of(joiner);
    if (!heap) return heap.error();
    begin += size;
    heaps_.push_back(std::move(heap).value());
  }
  size_ = begin;
  rebuild_filter();
  return ok_status();
}

}  // namespace isolde::stream
