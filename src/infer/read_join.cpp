#include "infer/read_join.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <utility>

#include "base/parallel.hpp"
#include "base/ways.hpp"
#include "infer/local_keys.hpp"

namespace isolde::infer {
namespace {

/// A write with its number (none when nobody may read it), or a read with its place.
struct Item {
  std::uint64_t value;
  KeyId key;
  std::uint32_t id;
};
static_assert(sizeof(Item) == 16);

/// Both halves of a product: each bit depends on all. For joins only: the high half of a
/// product depends on all bits.
std::uint64_t hash_of(KeyId key, std::uint64_t value) {
  const auto product = static_cast<__uint128_t>(value ^ (key.raw() * 0x9e3779b97f4a7c15ULL)) *
                       0xd6e8feb86659fd93ULL;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

/// Numbers of the operations that are final writes, none for other writes; meaningless for
/// reads.
class OwnWrites {
 public:
  OwnWrites(const History& history, const WriteNumbers& writes)
      : history_(history), writes_(writes) {}

  /// Valid until the next call.
  std::span<const WriteId> number(TxnId txn) {
    const std::span<const Op> ops = history_.ops(txn);
    const std::span<const KeyId> keys = writes_.keys(txn);
    numbers_.resize(ops.size());
    std::size_t write_count = 0;
    for (const Op& op : ops) write_count += op.is_write() ? 1 : 0;
    if (keys.empty()) {
      std::fill(numbers_.begin(), numbers_.end(), WriteId::none());
    } else if (write_count == keys.size()) {
      for (std::size_t i = 0; i < ops.size(); ++i) {
        numbers_[i] = WriteId(writes_.first(txn).raw() + rank(keys, ops[i].key));
      }
    } else {
      number_some(txn, ops);
    }
    return numbers_;
  }

 private:
  static std::uint32_t rank(std::span<const KeyId> keys, KeyId key) {
    return static_cast<std::uint32_t>(WriteNumbers::rank(keys, key));
  }

  /// Numbers those that are not overwritten.
  void number_some(TxnId txn, std::span<const Op> ops) {
    std::fill(numbers_.begin(), numbers_.end(), WriteId::none());
    const std::span<const std::uint32_t> first_uses = keys_.first_uses(ops);
    overwritten_.assign(ops.size(), 0);
    for (std::size_t i = ops.size(); i-- > 0;) {
      if (ops[i].kind != OpKind::kWrite) continue;
      std::uint8_t& overwritten = overwritten_[first_uses[i]];
      if (overwritten == 0) numbers_[i] = writes_.find(txn, ops[i].key);
      overwritten = 1;
    }
  }

  const History& history_;
  const WriteNumbers& writes_;
  LocalKeys keys_;
  std::vector<WriteId> numbers_;
  std::vector<std::uint8_t> overwritten_;  // by first use of a key
};

/// Computes the slot of an operation's item. Each pile has a slot for writes and, after it, one
/// for reads; a last slot is for operations that take no part. No branches on operations, which
/// are unpredictable.
class Slots {
 public:
  explicit Slots(std::size_t op_count)
      : pile_bits_(static_cast<unsigned>(std::bit_width(op_count / base::ways().join_pile)) +
                   1) {}

  std::size_t pile_count() const { return std::size_t{1} << pile_bits_; }
  std::size_t count() const { return 2 * pile_count() + 1; }

  std::size_t of(const Op& op) const {
    const std::size_t pile = hash_of(op.key, op.value.bits()) >> (64 - pile_bits_);
    const auto is_read = static_cast<std::size_t>(ReadJoin::takes(op));
    const std::size_t takes_part =
        is_read | static_cast<std::size_t>(op.kind == OpKind::kWrite);
    return takes_part != 0 ? 2 * pile + is_read : count() - 1;
  }

 private:
  unsigned pile_bits_;
};

class Join {
 public:
  Join(const History& history, const WriteNumbers& writes,
       std::vector<std::uint32_t>& read_begin, std::vector<WriteId>& sources,
       base::Budget& budget, unsigned threads)
      : history_(history),
        writes_(writes),
        read_begin_(read_begin),
        sources_(sources),
        budget_(budget),
        threads_(threads),
        slots_(history.op_count()),
        parts_(base::part_count(threads)),
        counts_(parts_ * slots_.count(), 0),
        begin_(parts_ * slots_.count() + 1, 0),
        tables_(threads) {}

  void run() {
    count();
    place_reads();
    lay_out();
    deal();
    if (budget_.exhausted()) return;
    base::run_tasks(threads_, slots_.pile_count(),
                    [&](std::size_t pile, unsigned worker) { join(pile, tables_[worker]); });
  }

 private:
  /// Calls begin(part) for each part of the history, and its result with each of the part's
  /// transactions, on all threads while the budget lasts.
  template <typename Begin>
  void for_each_txn(const Begin& begin) {
    base::run_tasks(threads_, parts_, [&](std::size_t part, unsigned worker) {
      base::BudgetShare budget(budget_, worker);
      auto visit = begin(part);
      const std::size_t last = base::part_begin(history_.txn_count(), parts_, part + 1);
      for (std::size_t t = base::part_begin(history_.txn_count(), parts_, part); t < last;
           ++t) {
        if (!budget.spend(history_.ops(TxnId::at(t)).size())) return;
        visit(TxnId::at(t));
      }
    });
  }

  void count() {
    for_each_txn([this](std::size_t part) {
      std::uint32_t* const counts = counts_.data() + part * slots_.count();
      return [this, slots = slots_, counts](TxnId txn) {
        std::uint32_t reads = 0;
        for (const Op& op : history_.ops(txn)) {
          ++counts[slots.of(op)];
          reads += static_cast<std::uint32_t>(ReadJoin::takes(op));
        }
        read_begin_[txn.raw()] = reads;
      };
    });
  }

  void place_reads() {
    std::uint32_t place = 0;
    for (std::uint32_t& begin : read_begin_) place += std::exchange(begin, place);
    sources_.resize(place);
  }

  /// Slot by slot, and within a slot part by part, which keeps the order of transactions.
  void lay_out() {
    std::size_t place = 0;
    for (std::size_t slot = 0; slot < slots_.count(); ++slot) {
      for (std::size_t part = 0; part < parts_; ++part) {
        begin_[slot * parts_ + part] = place;
        place += counts_[part * slots_.count() + slot];
      }
    }
    begin_.back() = place;
    items_ = std::make_unique_for_overwrite<Item[]>(place);
  }
  std::span<Item> items(std::size_t slot) const {
    const std::size_t begin = begin_[slot * parts_];
    return {items_.get() + begin, begin_[(slot + 1) * parts_] - begin};
  }

  void deal() {
    for_each_txn([this](std::size_t part) {
      std::vector<Item*> ends(slots_.count());
      for (std::size_t slot = 0; slot < slots_.count(); ++slot) {
        ends[slot] = items_.get() + begin_[slot * parts_ + part];
      }
      return [this, slots = slots_, own = OwnWrites(history_, writes_),
              ends = std::move(ends)](TxnId txn) mutable {
        const std::span<const WriteId> numbers = own.number(txn);
        const WriteId* number = numbers.data();
        std::uint32_t read = read_begin_[txn.raw()];
        for (const Op& op : history_.ops(txn)) {
          const bool is_read = ReadJoin::takes(op);
          const std::uint32_t id = is_read ? read : number->raw();
          Item* const end = ends[slots.of(op)]++;
          *end = {op.value.bits(), op.key, id};
          read += static_cast<std::uint32_t>(is_read);
          ++number;
        }
      };
    });
  }

  /// Cells hold places in the pile's writes.
  void join(std::size_t pile, std::vector<std::uint32_t>& cells) {
    constexpr std::uint32_t kEmpty = 0xffffffffU;
    const std::span<Item> writes = items(2 * pile);
    cells.assign(std::bit_ceil(2 * writes.size() + 1), kEmpty);
    const std::size_t mask = cells.size() - 1;
    const auto cell_of = [&](const Item& item) -> std::uint32_t& {
      std::size_t at = hash_of(item.key, item.value) & mask;
      while (cells[at] != kEmpty &&
             (writes[cells[at]].value != item.value || writes[cells[at]].key != item.key)) {
        at = (at + 1) & mask;
      }
      return cells[at];
    };
    for (std::uint32_t i = 0; i < writes.size(); ++i) {
      std::uint32_t& cell = cell_of(writes[i]);
      if (cell == kEmpty) {
        cell = i;
      } else {
        writes[cell].id = WriteId::none().raw();
      }
    }
    for (const Item& read : items(2 * pile + 1)) {
      const std::uint32_t cell = cell_of(read);
      sources_[read.id] = cell == kEmpty ? WriteId::none() : WriteId(writes[cell].id);
    }
  }

  const History& history_;
  const WriteNumbers& writes_;
  std::vector<std::uint32_t>& read_begin_;
  std::vector<WriteId>& sources_;
  base::Budget& budget_;
  unsigned threads_;
  Slots slots_;
  std::size_t parts_;
  std::vector<std::uint32_t> counts_;  // of items by part and slot
  std::vector<std::size_t> begin_;     // places of items by slot and part
  std::unique_ptr<Item[]> items_;
  std::vector<std::vector<std::uint32_t>> tables_;  // one for each thread
};

}  // namespace

ReadJoin::ReadJoin(const History& history, const WriteNumbers& writes, base::Budget& budget,
                   unsigned threads)
    : read_begin_(history.txn_count() + 1) {
  Join(history, writes, read_begin_, sources_, budget, threads).run();
}

}  // namespace isolde::infer
