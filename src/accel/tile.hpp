// The arithmetic of the blocked transitive closure, compiled for the host and, by nvcc, for the
// device: what the tests of the CPU closure exercise is what the kernels compute with. C++17,
// so that older CUDA toolkits take it.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define ISOLDE_HOST_DEVICE __host__ __device__
#else
#define ISOLDE_HOST_DEVICE
#endif

namespace isolde::accel {

using Word = std::uint64_t;

/// Rows and columns of a tile: the bits of a word.
inline constexpr unsigned kTile = 64;

/// REQUIRES: mask is not 0.
ISOLDE_HOST_DEVICE inline unsigned lowest_bit(Word mask) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__ffsll(static_cast<long long>(mask))) - 1;
#else
  return static_cast<unsigned>(__builtin_ctzll(mask));
#endif
}

/// Warshall's step: a row after paths through vertex `via` of its tile, whose row is given.
ISOLDE_HOST_DEVICE inline Word through(Word row, Word via_row, unsigned via) {
  return (row >> via & 1U) != 0 ? row | via_row : row;
}

/// Adds to `into` the rows of a tile that the mask names: words v * stride + k * kStep of
/// `rows` for each bit v and each k below kWords. REQUIRES: `into` is not part of `rows`.
template <unsigned kWords, unsigned kStep>
ISOLDE_HOST_DEVICE inline void unite(Word mask, const Word* rows, std::size_t stride,
                                     Word (&into)[kWords]) {
  for (; mask != 0; mask &= mask - 1) {
    const Word* const row = rows + lowest_bit(mask) * stride;
    for (unsigned k = 0; k < kWords; ++k) into[k] |= row[k * kStep];
  }
}

}  // namespace isolde::accel
