// A hash of a value, or of a key's name, that is the same in all histories.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <string_view>

#include "base/hash.hpp"
#include "isolde/history.hpp"

namespace isolde::stream {

inline std::uint64_t value_hash(const History& history, Value value) {
  const bool is_string = value.kind() == Value::Kind::kString;
  if (!is_string && value.kind() != Value::Kind::kLiteral) return base::mix(value.bits());
  const std::string_view text = history.pooled_text(value);
  return XXH3_64bits_withSeed(text.data(), text.size(), is_string ? 1 : 2);
}

}  // namespace isolde::stream
