// Reads of one transaction that repeat each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "base/ways.hpp"
#include "infer/observations.hpp"

namespace isolde::infer {

/// Lists the reads from `first` on that repeat an earlier one of them exactly.
inline void list_repeats(std::span<const ReadFrom> all, std::size_t first,
                         std::vector<std::uint32_t>& repeats) {
  const std::span<const ReadFrom> reads = all.subspan(first);
  const auto same = [&](std::uint32_t a, std::uint32_t b) {
    return reads[a].key == reads[b].key && reads[a].source == reads[b].source;
  };
  if (reads.size() <= base::ways().short_txn) {
    for (std::uint32_t i = 1; i < reads.size(); ++i) {
      std::uint32_t j = 0;
      while (j < i && !same(i, j)) ++j;
      if (j < i) repeats.push_back(static_cast<std::uint32_t>(first) + i);
    }
    return;
  }
  std::vector<std::uint32_t> sorted(reads.size());
  for (std::uint32_t i = 0; i < reads.size(); ++i) sorted[i] = i;
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(reads[a].key, reads[a].source, a) <
           std::tuple(reads[b].key, reads[b].source, b);
  });
  const auto before = static_cast<std::ptrdiff_t>(repeats.size());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (!same(sorted[i - 1], sorted[i])) continue;
    repeats.push_back(static_cast<std::uint32_t>(first) + sorted[i]);
  }
  std::sort(repeats.begin() + before, repeats.end());
}

}  // namespace isolde::infer
