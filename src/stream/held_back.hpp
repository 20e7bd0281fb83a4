// Which open transactions a round has to wait with.
#pragma once

#include <cstdint>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::stream {

/// When others come that started at `open_since` or later (by clocks up to `clock_error_ns`
/// apart), a transaction that was open by then may have read from them. So one that read what
/// nobody here has written waits, and so does who read from it. One with unknown outcome waits
/// as long as nobody has read from it but who waits. By transaction. COST: two looks at each
/// operation, and two more for each step of such a chain.
std::vector<bool> held_back(const History& open, std::int64_t open_since,
                            std::int64_t clock_error_ns);

}  // namespace isolde::stream
