#include "accel/closure.hpp"

#include <algorithm>

namespace isolde::accel {
namespace {

constexpr unsigned kStrip = BitMatrix::kStrip;

void close_tile(Word (&tile)[kTile]) {
  for (unsigned via = 0; via < kTile; ++via) {
    for (Word& row : tile) row = through(row, tile[via], via);
  }
}

/// Adds to some words of a row the same words of the rows that the mask names.
void unite_strip(Word mask, const Word* rows, std::size_t stride, Word* into) {
  Word strip[kStrip];
  std::copy_n(into, kStrip, strip);
  unite<kStrip, 1>(mask, rows, stride, strip);
  std::copy_n(strip, kStrip, into);
}

/// Phase 2. The rows name each other, so each strip is set apart first.
void unite_pivot_rows(BitMatrix& matrix, std::size_t first_row, const Word (&tile)[kTile]) {
  Word old[kTile * kStrip];
  for (std::size_t at = 0; at < matrix.words(); at += kStrip) {
    for (unsigned r = 0; r < kTile; ++r) {
      std::copy_n(matrix.row(first_row + r) + at, kStrip, old + r * kStrip);
    }
    for (unsigned r = 0; r < kTile; ++r) {
      unite_strip(tile[r], old, kStrip, matrix.row(first_row + r) + at);
    }
  }
}

}  // namespace

void closure(BitMatrix& matrix) {
  for (std::size_t pivot = 0; pivot < matrix.tile_count(); ++pivot) {
    const std::size_t first_row = pivot * kTile;
    Word tile[kTile];
    for (unsigned r = 0; r < kTile; ++r) tile[r] = matrix.row(first_row + r)[pivot];
    close_tile(tile);
    unite_pivot_rows(matrix, first_row, tile);
    for (std::size_t row = 0; row < matrix.row_count(); ++row) {
      if (row / kTile == pivot) continue;
      Word* const own = matrix.row(row);
      const Word mask = own[pivot];
      if (mask == 0) continue;
      for (std::size_t at = 0; at < matrix.words(); at += kStrip) {
        unite_strip(mask, matrix.row(first_row) + at, matrix.words(), own + at);
      }
    }
  }
}

}  // namespace isolde::accel
