// Keys in use at a time: places that hold a key each, and get a fresh one after some updates,
// so that a long run does not wear out a few keys. The only state that sessions share.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/rng.hpp"
#include "gen/distribution.hpp"

namespace isolde::gen {

// Thread-safe. Keys are numbered in the order in which they come into use.
class ActiveKeys {
 public:
  // A key has at most `updates_most` updates. REQUIRES: both numbers are above 0.
  ActiveKeys(std::uint64_t places, std::uint32_t updates_most, std::uint64_t seed);

  // The key at the place, to read it.
  std::int64_t peek(std::uint64_t place) const;
  // The key at the place, to update it: a fresh one when the old one has had its updates. Only
  // an update replaces it, so that until then the whole of its history can be read.
  std::int64_t take(std::uint64_t place);

 private:
  struct Place {
    std::int64_t key = 0;
    std::uint32_t updates_left = 0;
  };

  void replace(Place& place);

  mutable std::mutex mutex_;
  std::vector<Place> places_;  // guarded by mutex_, as is all below
  Sampler lifetimes_;
  base::Rng rng_;
  std::int64_t next_ = 0;
};

}  // namespace isolde::gen
