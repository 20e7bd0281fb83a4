// Which open transactions a round has to wait with.
#pragma once

#include <cstdint>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::stream {

/// When others come that started at `open_since` or later (by clocks up to `clock_error_ns`
/// apart), a transaction that had not ended by then may have read from them. So one that read
/// what nobody here has written waits, and so does who read from it and had not ended either:
/// who had can have read from nobody that comes later, whoever is between them. One whose end
/// is not known waits until somebody who had ended has read from it. Those that have begun have
/// read what they read.
/// By transaction. COST: two looks at each operation, and one at those of the late ones for
/// each step of a chain.
std::vector<bool> held_back(const History& open, const std::vector<bool>& begun,
                            std::int64_t open_since, std::int64_t clock_error_ns);

}  // namespace isolde::stream
