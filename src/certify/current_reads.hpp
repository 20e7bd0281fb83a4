// Which refused inserts count at a level: each is a read of some row.
#pragma once

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::certify {

/// The history as the level reads it. COST: copies the history.
History with_refusals_read(const History& history, Level level);

/// Whether refused inserts of transactions at that level count. At mixed levels each
/// transaction's own level tells.
bool reads_what_is_current(BaseLevel base);

}  // namespace isolde::certify
