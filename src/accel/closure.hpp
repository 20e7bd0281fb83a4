// Transitive closure of a dense graph, by Warshall's algorithm on bits in tiles of 64 x 64
// (Warshall, JACM 9(1), 1962; in tiles: Venkataraman, Sahni & Mukhopadhyaya, JEA 8, 2003). For
// each pivot tile on the diagonal:
//
//   1  the tile is closed by itself;
//   2  each of the pivot's rows takes those of them that its word in the tile names;
//   3  every other row takes those that its word in the pivot's column names.
//
// It needs neither an order nor chains, and pays for that: see docs/BENCHMARKS.md, section
// "Accelerator". The engine does not use it.
#pragma once

#include "accel/bit_matrix.hpp"

namespace isolde::accel {

/// From edges (row to column) to paths of at least one edge. One thread. COST: at most n^3 / 64
/// operations on words; rows without a path into a pivot tile are skipped.
void closure(BitMatrix& matrix);

}  // namespace isolde::accel
