// Seeded random numbers that give the same sequence on every machine and compiler
// (std::uniform_int_distribution does not promise that).
#pragma once

#include <cstdint>

#include "base/assert.hpp"

namespace isolde::base {

/// splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA
/// 2014).
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound), by Lemire's multiplication; the bias is below 2^-32 for the bounds
  /// used here. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    ISOLDE_ASSERT(bound > 0);
    return mul_high(next(), bound);
  }

  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// True with the given probability.
  bool chance(double probability) { return unit() < probability; }

 private:
  static std::uint64_t mul_high(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
  }

  std::uint64_t state_;
};

}  // namespace isolde::base
