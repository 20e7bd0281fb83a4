// Map from what was written, a key and a value, to anything. A plain hash table with linear
// probing: the verifier looks up every operation of a history, and std::unordered_map would
// make that several times slower than all the rest.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "isolde/history.hpp"

namespace isolde::certify {

/// Invariants: V1 the number of cells is a power of two, and more than half of them are free;
/// V2 an item is found by going on from its hash over cells that are not free. Null marks a
/// free cell: it is never written.
template <typename Item>
class ValueTable {
 public:
  bool empty() const { return count_ == 0; }

  /// The item of the written value, or nullptr. Valid until the next add().
  Item* find(KeyId key, Value value) {
    Cell& cell = cells_[place_of(key, value)];
    return cell.value.is_null() ? nullptr : &cell.item;
  }

  /// The item of the written value, made on first use. REQUIRES: value is not null.
  Item& add(KeyId key, Value value) {
    ISOLDE_INVARIANT(!value.is_null());
    if ((count_ + 1) * 2 > cells_.size()) grow();
    ISOLDE_INVARIANT((cells_.size() & (cells_.size() - 1)) == 0);  // V1
    Cell& cell = cells_[place_of(key, value)];
    if (cell.value.is_null()) {
      cell.key = key;
      cell.value = value;
      ++count_;
    }
    ISOLDE_INVARIANT(count_ * 2 <= cells_.size());  // V1
    return cell.item;
  }

 private:
  struct Cell {
    Value value;
    KeyId key;
    Item item{};
  };

  /// Of the cell that holds the item, or of the free one where it would go.
  std::size_t place_of(KeyId key, Value value) const {
    std::size_t at = base::mix2(key.raw(), value.bits()) & (cells_.size() - 1);
    while (!cells_[at].value.is_null() &&
           (cells_[at].value != value || cells_[at].key != key)) {
      at = (at + 1) & (cells_.size() - 1);
    }
    return at;
  }

  void grow() {
    std::vector<Cell> old = std::exchange(cells_, std::vector<Cell>(cells_.size() * 2));
    for (Cell& cell : old) {
      if (!cell.value.is_null()) cells_[place_of(cell.key, cell.value)] = std::move(cell);
    }
  }

  std::vector<Cell> cells_ = std::vector<Cell>(16);
  std::size_t count_ = 0;
};

}  // namespace isolde::certify
