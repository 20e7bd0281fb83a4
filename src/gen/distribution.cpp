// Sampling keys. The weights of zipfian and exponential come from 2^-x and log2(x) in fixed
// point: libm's pow() and log() may differ in the last bit from one C library to the next, and
// one different table entry would make a seed mean another history there.
#include "gen/distribution.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace isolde::gen {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::array<DistributionInfo, 4> kDistributions = {{
    {DistributionKind::kUniform, "uniform", "uniform", "every key alike"},
    {DistributionKind::kZipfian, "zipfian", "zipfian[:THETA]",
     "the i-th key with weight i^-THETA, 0.99 by default"},
    {DistributionKind::kHotspot, "hotspot", "hotspot[:ACCESSES,KEYS]",
     "that share of the accesses on that share of the keys, 0.8,0.2 by default"},
    {DistributionKind::kExponential, "exponential", "exponential[:SPAN]",
     "weights fall exponentially, 95 % of the accesses on the share SPAN of the keys, "
     "0.8571 by default"},
}};

constexpr std::uint64_t kTableKeysMax = std::uint64_t{1} << 24;
constexpr double kThetaMax = 10;

// The largest weight is 2^38, so that 2^24 of them add up to less than 2^64.
constexpr unsigned kWeightBits = 38;

std::uint64_t square_root(Wide square) {
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t candidate = root | (std::uint64_t{1} << bit);
    if (Wide{candidate} * candidate <= square) root = candidate;
  }
  return root;
}

// log2(x) with 32 binary places, digit by digit: squaring a mantissa doubles its logarithm.
// REQUIRES: x > 0.
std::uint64_t log2_fixed(std::uint64_t x) {
  const int zeros = std::countl_zero(x);
  std::uint64_t mantissa = x << zeros;  // 63 binary places, in [1, 2)
  auto log = static_cast<std::uint64_t>(63 - zeros);
  for (int place = 0; place < 32; ++place) {
    const Wide square = Wide{mantissa} * mantissa;
    const bool at_least_2 = (square >> 127) != 0;
    mantissa = static_cast<std::uint64_t>(square >> (at_least_2 ? 64 : 63));
    log = (log << 1) | (at_least_2 ? 1U : 0U);
  }
  return log;
}

// Weights 2^-x, x with 32 binary places.
class NegativePower {
 public:
  NegativePower() {
    std::uint64_t root = std::uint64_t{1} << 62;  // 2^-1 with 63 binary places
    for (std::uint64_t& entry : roots_) {
      root = square_root(Wide{root} << 63);
      entry = root;
    }
  }

  // At least 1, so that every key can occur.
  std::uint64_t weight(std::uint64_t x) const {
    std::uint64_t power = std::uint64_t{1} << 63;
    for (std::size_t place = 0; place < roots_.size(); ++place) {
      if (((x >> (31 - place)) & 1U) == 0) continue;
      power = static_cast<std::uint64_t>((Wide{power} * roots_[place]) >> 63);
    }
    const std::uint64_t shift = (x >> 32) + (63 - kWeightBits);
    return std::max<std::uint64_t>(shift < 64 ? power >> shift : 0, 1);
  }

 private:
  std::array<std::uint64_t, 32> roots_ = {};  // 2^-(2^-1), 2^-(2^-2), ... with 63 places
};

std::uint64_t to_fixed(double number) {
  return static_cast<std::uint64_t>(std::llround(number * 0x1.0p32));
}

std::string number_text(double number) {
  std::array<char, 32> buffer = {};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  ISOLDE_CHECK(error == std::errc());
  return std::string(buffer.data(), end);
}

// Reads a number at the front of `text` and removes it there.
bool take_number(std::string_view& text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

Error unknown_distribution(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  std::vector<std::string_view> names;
  for (const DistributionInfo& row : kDistributions) names.push_back(row.name);
  std::string message = "no distribution '" + std::string(text) + "'";
  // Else it is the numbers that are wrong.
  if (std::ranges::find(names, name) == names.end()) {
    message += base::did_you_mean(base::plain_name(name), names);
  }
  message += "; use ";
  for (const DistributionInfo& row : kDistributions) {
    if (row.kind != kDistributions.front().kind) message += ", ";
    message += row.syntax;
  }
  return Error{ErrorCode::kUsage, std::move(message)};
}

}  // namespace

std::span<const DistributionInfo> all_distributions() { return kDistributions; }

Result<Distribution> parse_distribution(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto* const row = std::ranges::find(kDistributions, name, &DistributionInfo::name);
  if (row == kDistributions.end()) return unknown_distribution(text);
  Distribution distribution;
  distribution.kind = row->kind;
  if (colon != std::string_view::npos) {
    std::string_view rest = text.substr(colon + 1);
    bool ok = false;
    switch (row->kind) {
      case DistributionKind::kUniform:
        break;
      case DistributionKind::kZipfian:
        ok = take_number(rest, distribution.theta);
        break;
      case DistributionKind::kExponential:
        ok = take_number(rest, distribution.span);
        break;
      case DistributionKind::kHotspot:
        ok = take_number(rest, distribution.hot_accesses) && rest.starts_with(',');
        if (ok) {
          rest.remove_prefix(1);
          ok = take_number(rest, distribution.hot_keys);
        }
        break;
    }
    if (!ok || !rest.empty()) return unknown_distribution(text);
  }
  const Status status = validate(distribution, 1);
  if (!status.ok()) return status.error();
  return distribution;
}

std::string to_text(const Distribution& distribution) {
  std::string text(kDistributions[static_cast<std::size_t>(distribution.kind)].name);
  const Distribution standard;
  const auto add = [&text](char separator, double number) {
    text += separator;
    text += number_text(number);
  };
  switch (distribution.kind) {
    case DistributionKind::kUniform:
      break;
    case DistributionKind::kZipfian:
      if (distribution.theta != standard.theta) add(':', distribution.theta);
      break;
    case DistributionKind::kHotspot:
      if (distribution.hot_accesses != standard.hot_accesses ||
          distribution.hot_keys != standard.hot_keys) {
        add(':', distribution.hot_accesses);
        add(',', distribution.hot_keys);
      }
      break;
    case DistributionKind::kExponential:
      if (distribution.span != standard.span) add(':', distribution.span);
      break;
  }
  return text;
}

Status validate(const Distribution& distribution, std::uint64_t keys) {
  if (keys == 0) return usage_error("a distribution over 0 keys; use at least 1");
  switch (distribution.kind) {
    case DistributionKind::kUniform:
      return ok_status();
    case DistributionKind::kHotspot:
      // Written so that not-a-number fails too.
      if (!(distribution.hot_accesses >= 0 && distribution.hot_accesses <= 1)) {
        return usage_error("the hotspot's share of accesses must be between 0 and 1");
      }
      if (!(distribution.hot_keys > 0 && distribution.hot_keys <= 1)) {
        return usage_error("the hotspot's share of keys must be above 0 and at most 1");
      }
      return ok_status();
    case DistributionKind::kZipfian:
      if (!(distribution.theta >= 0 && distribution.theta <= kThetaMax)) {
        return usage_error("zipfian's theta must be between 0 and 10");
      }
      break;
    case DistributionKind::kExponential:
      if (!(distribution.span >= 0.001 && distribution.span <= 100)) {
        return usage_error("exponential's span must be between 0.001 and 100");
      }
      break;
  }
  if (keys > kTableKeysMax) {
    return usage_error("zipfian and exponential take at most 16777216 keys, " +
                       std::to_string(keys) + " asked for");
  }
  return ok_status();
}

Sampler::Sampler(const Distribution& distribution, std::uint64_t keys)
    : kind_(distribution.kind), keys_(keys), hot_accesses_(distribution.hot_accesses) {
  ISOLDE_CHECK(validate(distribution, keys).ok());
  if (kind_ == DistributionKind::kUniform) return;
  if (kind_ == DistributionKind::kHotspot) {
    const double share = distribution.hot_keys * static_cast<double>(keys);
    hot_count_ =
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::llround(share)), 1, keys);
    return;
  }
  // The weight falls to a twentieth, 2^-4.32, over `span`: 95 % lie before.
  constexpr double kLog2Of20 = 4.321928094887363;
  const double width = distribution.span * static_cast<double>(keys);
  const std::uint64_t slope = to_fixed(kLog2Of20 / width);
  const std::uint64_t theta = to_fixed(distribution.theta);
  const NegativePower power;
  cumulative_.reserve(keys);
  std::uint64_t sum = 0;
  for (std::uint64_t key = 0; key < keys; ++key) {
    const std::uint64_t exponent =
        kind_ == DistributionKind::kZipfian
            ? static_cast<std::uint64_t>((Wide{theta} * log2_fixed(key + 1)) >> 32)
            : key * slope;
    sum += power.weight(exponent);
    cumulative_.push_back(sum);
  }
  build_guide();
}

void Sampler::build_guide() {
  const std::uint64_t total = cumulative_.back();
  const int total_bits = 64 - std::countl_zero(total);
  const int guide_bits = std::min(64 - std::countl_zero(keys_), total_bits);
  shift_ = total_bits - guide_bits;
  const std::uint64_t buckets = ((total - 1) >> shift_) + 1;
  guide_.reserve(buckets + 1);
  std::uint32_t first = 0;
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
    while (cumulative_[first] <= bucket << shift_) ++first;
    guide_.push_back(first);
  }
  guide_.push_back(static_cast<std::uint32_t>(keys_ - 1));
}

std::uint64_t Sampler::sample(base::Rng& rng) const {
  switch (kind_) {
    case DistributionKind::kUniform:
      return rng.below(keys_);
    case DistributionKind::kHotspot:
      if (hot_count_ == keys_ || rng.chance(hot_accesses_)) return rng.below(hot_count_);
      return hot_count_ + rng.below(keys_ - hot_count_);
    case DistributionKind::kZipfian:
    case DistributionKind::kExponential:
      break;
  }
  const std::uint64_t draw = rng.below(cumulative_.back());
  const std::uint64_t bucket = draw >> shift_;
  const auto begin = cumulative_.begin() + guide_[bucket];
  const auto end = cumulative_.begin() + guide_[bucket + 1];
  return static_cast<std::uint64_t>(std::upper_bound(begin, end, draw) - cumulative_.begin());
}

NonUniform::NonUniform(std::int64_t count, std::int64_t spread, std::uint64_t seed)
    : count_(count) {
  const auto widest =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count)) - 1);
  spread_ = std::min(spread, widest);
  base::Rng rng(seed);
  shift_ = between(rng, 0, spread_);
}

std::int64_t NonUniform::draw(base::Rng& rng) const {
  const std::int64_t low = between(rng, 0, spread_);
  return ((low | between(rng, 1, count_)) + shift_) % count_ + 1;
}

std::int64_t between(base::Rng& rng, std::int64_t least, std::int64_t most) {
  return least +
         static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(most - least + 1)));
}

}  // namespace isolde::gen
