#include "gen/active_keys.hpp"

#include "base/hash.hpp"

namespace isolde::gen {
namespace {

// Beyond every session's number, which seeds the others.
constexpr std::uint64_t kSeedOfLifetimes = 65'536;

Distribution zipfian() {
  Distribution distribution;
  distribution.kind = DistributionKind::kZipfian;
  return distribution;
}

}  // namespace

ActiveKeys::ActiveKeys(std::uint64_t places, std::uint32_t updates_most, std::uint64_t seed)
    : places_(places),
      lifetimes_(zipfian(), updates_most),
      rng_(base::mix2(seed, kSeedOfLifetimes)) {
  for (Place& place : places_) replace(place);
}

std::int64_t ActiveKeys::peek(std::uint64_t place) const {
  const std::lock_guard lock(mutex_);
  return places_[place].key;
}

std::int64_t ActiveKeys::take(std::uint64_t place) {
  const std::lock_guard lock(mutex_);
  Place& chosen = places_[place];
  if (chosen.updates_left == 0) replace(chosen);
  --chosen.updates_left;
  return chosen.key;
}

// Elle draws the number of updates anew for each key, mostly small: with one bound for all,
// keys end in step.
void ActiveKeys::replace(Place& place) {
  place.key = next_++;
  place.updates_left = static_cast<std::uint32_t>(lifetimes_.sample(rng_)) + 1;
}

}  // namespace isolde::gen
