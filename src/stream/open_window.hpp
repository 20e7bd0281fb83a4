// How long a transaction stays open while others start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isolde/history.hpp"

namespace isolde::stream {

/// Why a transaction that is open since then has been so for longer than `window_ns` before the
/// last start in the part, a clause; empty: it has not. `first_start`: of the history.
std::string open_for_too_long(const History& part, std::int64_t open_since,
                              std::optional<std::int64_t> first_start, std::int64_t window_ns);

}  // namespace isolde::stream
