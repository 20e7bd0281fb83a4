#include "infer/local_keys.hpp"

#include <bit>

#include "base/hash.hpp"

namespace isolde::infer {

void LocalKeys::by_table(std::span<const Op> ops) {
  constexpr std::uint32_t kFree = 0xffffffffU;
  cells_.assign(std::bit_ceil(ops.size() * 2), kFree);
  const std::size_t mask = cells_.size() - 1;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    std::size_t at = base::mix(ops[i].key.raw()) & mask;
    while (cells_[at] != kFree && ops[cells_[at]].key != ops[i].key) at = (at + 1) & mask;
    if (cells_[at] == kFree) cells_[at] = i;
    first_[i] = cells_[at];
  }
}

}  // namespace isolde::infer
