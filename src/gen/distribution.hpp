// Which key an operation touches: the access distributions of the published workload
// generators, sampled with integers only, so that a seed gives the same keys on every machine
// and compiler.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.hpp"
#include "isolde/status.hpp"

namespace isolde::gen {

enum class DistributionKind : std::uint8_t { kUniform, kZipfian, kHotspot, kExponential };

// A distribution with its parameters; those of other kinds are ignored. Key 0 is the most
// popular one.
struct Distribution {
  DistributionKind kind = DistributionKind::kUniform;
  // kZipfian: the i-th key has weight i^-theta, i from 1; 0.99 is YCSB's choice.
  double theta = 0.99;
  // kHotspot: this share of the accesses goes to this share of the keys, evenly.
  double hot_accesses = 0.8;
  double hot_keys = 0.2;
  // kExponential: 95 % of the accesses go to this share of the keys; YCSB's choice.
  double span = 0.8571;
};

struct DistributionInfo {
  DistributionKind kind;
  std::string_view name;
  std::string_view syntax;  // as parse_distribution takes it
  std::string_view summary;
};

std::span<const DistributionInfo> all_distributions();

// From "uniform", "zipfian[:THETA]", "hotspot[:ACCESSES,KEYS]", "exponential[:SPAN]".
// ERRORS: kUsage, naming what is allowed.
Result<Distribution> parse_distribution(std::string_view text);

// What parse_distribution takes.
std::string to_text(const Distribution& distribution);

// ERRORS: kUsage for a parameter out of range or more keys than a table may have (2^24, except
// for uniform and hotspot).
Status validate(const Distribution& distribution, std::uint64_t keys);

// Draws keys from 0 to keys - 1.
//
// zipfian and exponential: a table of cumulative integer weights, searched within the narrow
// range that a second table gives for the leading bits of the draw. Rejection-inversion needs
// no table but needs pow() and log(), which differ between C libraries in the last bit. COST: 8
// to 12 bytes a key and O(1) expected time for zipfian and exponential; otherwise none.
class Sampler {
 public:
  // REQUIRES: keys > 0 and validate(distribution, keys).
  Sampler(const Distribution& distribution, std::uint64_t keys);

  std::uint64_t sample(base::Rng& rng) const;

  std::uint64_t key_count() const { return keys_; }

 private:
  void build_guide();

  DistributionKind kind_;
  std::uint64_t keys_;
  std::uint64_t hot_count_ = 0;            // kHotspot
  double hot_accesses_ = 0;                // kHotspot
  std::vector<std::uint64_t> cumulative_;  // weight of the keys up to and including this one
  std::vector<std::uint32_t> guide_;       // first candidate for each value of draw >> shift_
  int shift_ = 0;
};

// TPC-C's NURand (clause 2.1.6) with the range from 1 to `count`: `spread` is its A, or less
// where the range is small; its C comes from the seed.
class NonUniform {
 public:
  // REQUIRES: count > 0.
  NonUniform(std::int64_t count, std::int64_t spread, std::uint64_t seed);

  std::int64_t draw(base::Rng& rng) const;

 private:
  std::int64_t count_;
  std::int64_t spread_;
  std::int64_t shift_;
};

// Evenly. REQUIRES: least <= most.
std::int64_t between(base::Rng& rng, std::int64_t least, std::int64_t most);

}  // namespace isolde::gen
