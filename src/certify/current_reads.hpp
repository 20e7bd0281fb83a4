// Which refused inserts count at a level: each is a read of some row.
#pragma once

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::certify {

/// The history as the level reads it; at mixed levels each transaction's own level tells. COST:
/// copies the history.
History with_refusals_read(const History& history, Level level);

}  // namespace isolde::certify
