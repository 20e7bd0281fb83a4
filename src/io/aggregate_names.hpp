// The names of aggregates in files.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "isolde/operation.hpp"

namespace isolde::io {

/// By AggregateKind, in quotes.
inline constexpr std::array<std::string_view, kAggregateKindCount> kAggregateNames = {
    "\"count\"", "\"exists\"", "\"sum\"", "\"min\"", "\"max\""};

/// `token`: a JSON text.
inline std::optional<AggregateKind> find_aggregate(std::string_view token) {
  for (std::size_t kind = 0; kind < kAggregateNames.size(); ++kind) {
    if (kAggregateNames[kind] == token) return static_cast<AggregateKind>(kind);
  }
  return std::nullopt;
}

}  // namespace isolde::io
