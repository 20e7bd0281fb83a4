// Hashing for in-memory tables. Not stable across versions; History::digest is.
#pragma once

#include <cstdint>

namespace isolde::base {

/// Mixes all bits of a word (the finaliser of splitmix64).
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Hash of two words where order matters.
inline std::uint64_t mix2(std::uint64_t a, std::uint64_t b) {
  return mix(a * 0x9e3779b97f4a7c15ULL + mix(b + 0x9e3779b97f4a7c15ULL));
}

}  // namespace isolde::base
