// The tables by which HistoryBuilder interns names and values: open addressing with linear
// probing, because key lookup is one of the two memory accesses per operation that loading
// cannot avoid (the other resolves reads).
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"

namespace isolde::history {

/// Map from 64-bit words to dense 32-bit slots. Slot kEmpty marks a free cell.
class WordTable {
 public:
  /// Returns the slot of `word`, or inserts it with `fresh` and returns `fresh`.
  std::uint32_t find_or_insert(std::uint64_t word, std::uint32_t fresh) {
    if ((count_ + 1) * 2 > cells_.size()) grow();
    std::size_t at = base::mix(word) & (cells_.size() - 1);
    while (cells_[at].slot != kEmpty) {
      if (cells_[at].word == word) return cells_[at].slot;
      at = (at + 1) & (cells_.size() - 1);
    }
    cells_[at] = {word, fresh};
    ++count_;
    return fresh;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffffU;
  struct Cell {
    std::uint64_t word = 0;
    std::uint32_t slot = kEmpty;
  };

  void grow() {
    std::vector<Cell> old = std::exchange(
        cells_, std::vector<Cell>(cells_.empty() ? std::size_t{64} : cells_.size() * 2));
    for (const Cell& cell : old) {
      if (cell.slot == kEmpty) continue;
      std::size_t at = base::mix(cell.word) & (cells_.size() - 1);
      while (cells_[at].slot != kEmpty) at = (at + 1) & (cells_.size() - 1);
      cells_[at] = cell;
    }
  }

  std::vector<Cell> cells_;
  std::size_t count_ = 0;
};

/// Map from things kept elsewhere, by their hashes, to 32-bit slots.
class SlotTable {
 public:
  static constexpr std::uint32_t kEmpty = 0xffffffffU;

  /// The slot of the thing, or kEmpty, which the caller replaces by one before the next call.
  /// `is_at(slot)` tells whether that slot's thing is this one.
  template <typename IsAt>
  std::uint32_t& slot(std::uint64_t full_hash, const IsAt& is_at) {
    if ((count_ + 1) * 2 > cells_.size()) grow();
    const auto hash = static_cast<std::uint32_t>(full_hash);
    std::size_t at = hash & (cells_.size() - 1);
    while (cells_[at].slot != kEmpty) {
      if (cells_[at].hash == hash && is_at(cells_[at].slot)) return cells_[at].slot;
      at = (at + 1) & (cells_.size() - 1);
    }
    cells_[at].hash = hash;
    ++count_;
    return cells_[at].slot;
  }

  /// That slot() will soon be asked for this.
  void prefetch(std::uint64_t full_hash) const {
    if (!cells_.empty()) __builtin_prefetch(&cells_[full_hash & (cells_.size() - 1)]);
  }
  /// Where the search begins; perhaps another thing's, or kEmpty.
  std::uint32_t first_slot(std::uint64_t full_hash) const {
    return cells_.empty() ? kEmpty : cells_[full_hash & (cells_.size() - 1)].slot;
  }

 private:
  struct Cell {
    std::uint32_t hash = 0;
    std::uint32_t slot = kEmpty;
  };

  void grow() {
    const std::vector<Cell> old = std::exchange(
        cells_, std::vector<Cell>(cells_.empty() ? std::size_t{64} : cells_.size() * 2));
    for (const Cell& cell : old) {
      if (cell.slot == kEmpty) continue;
      std::size_t at = cell.hash & (cells_.size() - 1);
      while (cells_[at].slot != kEmpty) at = (at + 1) & (cells_.size() - 1);
      cells_[at] = cell;
    }
  }

  std::vector<Cell> cells_;
  std::size_t count_ = 0;
};

/// Map from texts to dense 32-bit slots. The texts themselves are kept elsewhere.
class TextTable {
 public:
  /// Returns the slot of `text`, or inserts it with `fresh` and returns `fresh`. `is_at(slot)`
  /// tells whether that slot's text is this one.
  template <typename IsAt>
  std::uint32_t find_or_insert(std::string_view text, std::uint32_t fresh, const IsAt& is_at) {
    return find_or_insert(hash(text), fresh, is_at);
  }
  /// The same by the text's hash.
  template <typename IsAt>
  std::uint32_t find_or_insert(std::uint64_t hash, std::uint32_t fresh, const IsAt& is_at) {
    std::uint32_t& slot = slots_.slot(hash, is_at);
    if (slot == SlotTable::kEmpty) slot = fresh;
    return slot;
  }
  static std::uint64_t hash(std::string_view text) {
    return XXH3_64bits(text.data(), text.size());
  }
  const SlotTable& slots() const { return slots_; }

 private:
  SlotTable slots_;
};

}  // namespace isolde::history
