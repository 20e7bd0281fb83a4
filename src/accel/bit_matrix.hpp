// BitMatrix: a square of bits in 64-bit words, row by row. Rows and columns are padded with
// zeros, to whole tiles and strips, so that inner loops need no bounds. Memory: n^2 / 8 bytes
// for n vertices, and the padding: up to 63 rows and 1,023 columns.
#pragma once

#include <algorithm>
#include <vector>

#include "accel/tile.hpp"
#include "base/assert.hpp"

namespace isolde::accel {

class BitMatrix {
 public:
  /// Words that the CPU handles at once; a row has a multiple of them.
  static constexpr unsigned kStrip = 16;

  explicit BitMatrix(std::size_t size)
      : size_(size),
        tiles_((size + kTile - 1) / kTile),
        words_((tiles_ + kStrip - 1) / kStrip * kStrip),
        bits_(tiles_ * kTile * words_, 0) {}

  std::size_t size() const { return size_; }
  std::size_t tile_count() const { return tiles_; }
  std::size_t row_count() const { return tiles_ * kTile; }
  /// Words of a row.
  std::size_t words() const { return words_; }
  Word* row(std::size_t index) { return bits_.data() + index * words_; }
  const Word* row(std::size_t index) const { return bits_.data() + index * words_; }

  void set(std::size_t row_index, std::size_t column) {
    ISOLDE_ASSERT(row_index < size_ && column < size_);
    row(row_index)[column / kTile] |= Word{1} << (column % kTile);
  }
  bool test(std::size_t row_index, std::size_t column) const {
    ISOLDE_ASSERT(row_index < size_ && column < size_);
    return (row(row_index)[column / kTile] >> (column % kTile) & 1U) != 0;
  }
  void clear() { std::fill(bits_.begin(), bits_.end(), Word{0}); }

  friend bool operator==(const BitMatrix& a, const BitMatrix& b) {
    return a.size_ == b.size_ && a.bits_ == b.bits_;
  }

 private:
  std::size_t size_;
  std::size_t tiles_;
  std::size_t words_;
  std::vector<Word> bits_;
};

}  // namespace isolde::accel
