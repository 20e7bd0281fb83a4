// Csr: rows of 32-bit items in two flat arrays (compressed sparse rows). Memory: 4 bytes a row
// and 4 bytes an item. Built in two passes over the same sequence of (row, item) pairs, so that
// no pair is ever stored twice.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.hpp"

namespace isolde::base {

template <typename Item>
class Csr {
 public:
  Csr() = default;

  std::size_t row_count() const { return begin_.empty() ? 0 : begin_.size() - 1; }
  std::size_t item_count() const { return items_.size(); }
  std::span<const Item> row(std::size_t index) const {
    return std::span<const Item>(items_).subspan(begin_[index],
                                                 begin_[index + 1] - begin_[index]);
  }
  std::span<Item> row(std::size_t index) {
    return std::span<Item>(items_).subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }
  /// Position of the row's first item in the item array.
  std::uint32_t row_begin(std::size_t index) const { return begin_[index]; }

  /// `emit` is called twice with a function taking (row, item), and must emit the same pairs in
  /// the same order both times; items of a row keep that order.
  template <typename Emit>
  static Csr build(std::size_t row_count, const Emit& emit) {
    Csr csr;
    csr.begin_.assign(row_count + 1, 0);
    std::uint64_t total = 0;
    emit([&](std::size_t row, const Item&) {
      ++csr.begin_[row + 1];
      ++total;
    });
    ISOLDE_CHECK(total < 0xffffffffULL);
    for (std::size_t row = 0; row < row_count; ++row) csr.begin_[row + 1] += csr.begin_[row];
    csr.items_.resize(total);
    // Filling moves each row's begin to its end; shifting by one row restores it.
    emit([&](std::size_t row, const Item& item) { csr.items_[csr.begin_[row]++] = item; });
    for (std::size_t row = row_count; row > 0; --row) csr.begin_[row] = csr.begin_[row - 1];
    csr.begin_[0] = 0;
    return csr;
  }

  /// For rows that were produced in order. REQUIRES: begin has one entry per row and one more,
  /// ascending from 0 to items.size().
  static Csr from_parts(std::vector<std::uint32_t> begin, std::vector<Item> items) {
    ISOLDE_CHECK(!begin.empty() && begin.back() == items.size());
    Csr csr;
    csr.begin_ = std::move(begin);
    csr.items_ = std::move(items);
    return csr;
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<Item> items_;
};

}  // namespace isolde::base
