// Csr: rows of 32-bit items in two flat arrays (compressed sparse rows). Memory: 4 bytes a row
// and 4 bytes an item. Built in two passes over the same sequence of (row, item) pairs, so that
// no pair is ever stored twice.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/parallel.hpp"

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
  /// Prefetches the row's place in the item array.
  void prefetch(std::size_t index) const { __builtin_prefetch(&begin_[index]); }
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

  /// As build(), for pairs in random row order and arrays too large for the cache: prefetches
  /// some pairs ahead, and each of `threads` threads takes a range of rows. Each calls `emit`
  /// twice, concurrently.
  template <typename Emit>
  static Csr scatter(unsigned threads, std::size_t row_count, const Emit& emit) {
    Csr csr;
    csr.begin_.assign(row_count + 1, 0);
    std::uint32_t* const begin = csr.begin_.data();
    const auto in_parts = [&](const auto& visit, const auto& look) {
      run_tasks(threads, threads, [&](std::size_t part, unsigned) {
        const std::size_t first = part_begin(row_count, threads, part);
        const std::size_t last = part_begin(row_count, threads, part + 1);
        Delay delay;
        emit([&](std::size_t row, const Item& item) {
          if (row < first || row >= last) return;
          __builtin_prefetch(begin + row, 1);
          delay.add({static_cast<std::uint32_t>(row), item}, visit, look);
        });
        delay.finish(visit);
      });
    };
    in_parts([begin](const Pair& pair) { ++begin[pair.row + 1]; }, [](const Pair&) {});
    std::uint64_t total = 0;
    for (std::size_t row = 0; row <= row_count; ++row) {
      total += begin[row];
      begin[row] = static_cast<std::uint32_t>(total);
    }
    ISOLDE_CHECK(total < 0xffffffffULL);
    csr.items_.resize(total);
    Item* const items = csr.items_.data();
    in_parts([=](const Pair& pair) { items[begin[pair.row]++] = pair.item; },
             [=](const Pair& pair) { __builtin_prefetch(items + begin[pair.row], 1); });
    for (std::size_t row = row_count; row > 0; --row) begin[row] = begin[row - 1];
    begin[0] = 0;
    return csr;
  }

  /// For rows produced in order. REQUIRES: begin has one entry per row and one more, ascending
  /// from 0 to items.size().
  static Csr from_parts(std::vector<std::uint32_t> begin, std::vector<Item> items) {
    ISOLDE_CHECK(!begin.empty() && begin.back() == items.size());
    Csr csr;
    csr.begin_ = std::move(begin);
    csr.items_ = std::move(items);
    return csr;
  }

 private:
  struct Pair {
    std::uint32_t row;
    Item item;
  };

  /// Holds pairs back until their memory is in the cache: first the row's, halfway the item's.
  class Delay {
   public:
    template <typename Visit, typename Look>
    void add(const Pair& pair, const Visit& visit, const Look& look) {
      Pair& place = waiting_[count_ % kSize];
      if (count_ >= kSize) visit(place);
      place = pair;
      if (count_ >= kSize / 2) look(waiting_[(count_ - kSize / 2) % kSize]);
      ++count_;
    }
    template <typename Visit>
    void finish(const Visit& visit) {
      for (std::size_t i = count_ < kSize ? 0 : count_ - kSize; i < count_; ++i) {
        visit(waiting_[i % kSize]);
      }
    }

   private:
    static constexpr std::size_t kSize = 32;
    std::array<Pair, kSize> waiting_;
    std::size_t count_ = 0;
  };

  std::vector<std::uint32_t> begin_;
  std::vector<Item> items_;
};

}  // namespace isolde::base
