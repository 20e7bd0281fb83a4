// WriteTable: who wrote a value. One hash probe per write to build it and one per read to query
// it, exact without touching the operations again: a cell holds key, value and writer in 16
// bytes. Values written several times live in a side table, so that unique-value histories do
// not pay for them. In a large history every probe is a cache miss, so bulk users prefetch some
// probes ahead.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "isolde/history.hpp"

namespace isolde::infer {

class WriteTable {
 public:
  struct Writer {
    TxnId txn;
    bool is_final = false;  ///< the transaction's last write of the key (any append counts)
  };

  enum class Source : std::uint8_t {
    kWriter,        ///< exactly one transaction can have been read from
    kAborted,       ///< only aborted transactions wrote it
    kIntermediate,  ///< only overwritten by its writer, or by the reader itself
    kFuture,        ///< only the reader itself wrote it, or aborted transactions
    kUnwritten,     ///< nobody wrote it
    kAmbiguous,     ///< several transactions may have been read from
  };
  struct Answer {
    Source source = Source::kUnwritten;
    TxnId txn;  ///< kWriter: the writer; kAborted, kIntermediate: one of the writers
  };

  /// COST: one probe per write operation of the history. Each of `threads` threads scans all
  /// writes and inserts its part of them.
  WriteTable(const History& history, base::Budget& budget, unsigned threads = 1);

  /// Some key had the same value written more than once.
  bool has_repeats() const;

  /// Where `reader`, which has not written the value before, can have read it from; with none
  /// as the reader, where any other transaction can.
  Answer find(TxnId reader, KeyId key, Value value) const;

  /// Calls visit(txn) for all transactions that others can have read the value from, ascending.
  /// Registers only.
  template <typename Visit>
  void for_each_readable(KeyId key, Value value, const Visit& visit) const {
    const std::uint64_t hash = hash_of(key, value);
    const Part& part = part_of(hash);
    const Cell& cell = part.cells[part.place(hash, key, value)];
    if (cell.writer == kEmpty) return;
    if (cell.writer != kSeveral) {
      const Writer only = unpacked(cell.writer);
      if (is_readable(only)) visit(only.txn);
      return;
    }
    for (const Writer& writer : part.several.at({value.bits(), key.raw()})) {
      if (!is_readable(writer)) return;  // they come first
      visit(writer.txn);
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffffU;
  static constexpr std::uint32_t kSeveral = 0xfffffffeU;
  struct Cell {
    std::uint64_t value = 0;
    std::uint32_t key = 0;
    std::uint32_t writer = kEmpty;  // txn << 1 | is_final
  };
  static_assert(sizeof(Cell) == 16);
  struct Name {
    std::uint64_t value;
    std::uint32_t key;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const {
      return hash_of(KeyId(name.key), Value::from_bits(name.value));
    }
  };
  /// The writes with a range of hashes. What a lookup finds does not depend on the number of
  /// parts.
  struct Part {
    std::vector<Cell> cells;
    std::size_t used = 0;
    /// Those that can be read come first; see arrange().
    std::unordered_map<Name, std::vector<Writer>, NameHash> several;

    /// Where to look first. The number of the part comes from the hash's other half.
    std::size_t home(std::uint64_t hash) const {
      return ((hash & 0xffffffffU) * cells.size()) >> 32;
    }
    std::size_t place(std::uint64_t hash, KeyId key, Value value) const;
    void insert(std::uint64_t hash, KeyId key, Value value, Writer writer);
    void grow();
  };
  struct Pending;

  static std::uint64_t hash_of(KeyId key, Value value) {
    return base::mix(value.bits() + key.raw() * 0x9e3779b97f4a7c15ULL);
  }
  std::size_t number_of_part(std::uint64_t hash) const {
    return ((hash >> 32) * parts_.size()) >> 32;
  }
  const Part& part_of(std::uint64_t hash) const { return parts_[number_of_part(hash)]; }

  static Writer unpacked(std::uint32_t writer) {
    return {TxnId(writer >> 1), (writer & 1U) != 0};
  }
  bool is_readable(const Writer& writer) const {
    return writer.is_final && history_->status(writer.txn) != TxnStatus::kAborted;
  }

  void fill(std::size_t number, base::BudgetShare& budget);
  void arrange(Part& part, base::BudgetShare& budget) const;
  Answer judge(TxnId reader, const Writer* writers, std::size_t count) const;

  const History* history_;
  std::vector<Part> parts_;
};

}  // namespace isolde::infer
