// The names of aggregates, as formats, steps, recordings and statistics have them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "isolde/operation.hpp"

namespace isolde::history {

/// By AggregateKind.
inline constexpr std::array<std::string_view, kAggregateKindCount> kAggregateNames = {
    "count", "exists", "sum", "min", "max"};

constexpr std::string_view name_of(AggregateKind kind) {
  return kAggregateNames[static_cast<std::size_t>(kind)];
}

constexpr std::optional<AggregateKind> aggregate_named(std::string_view name) {
  const auto* const found = std::ranges::find(kAggregateNames, name);
  if (found == kAggregateNames.end()) return std::nullopt;
  return static_cast<AggregateKind>(found - kAggregateNames.begin());
}

}  // namespace isolde::history
