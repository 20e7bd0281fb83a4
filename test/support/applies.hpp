// Which levels a history can be asked about.
#pragma once

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::support {

/// False where the level does not apply: it binds real time and the history has no times, or it
/// goes by the database's own times, which the history does not carry, or by the levels that
/// transactions state, and one that did not abort states none that can be mixed. REQUIRES: all
/// transactions or none have both times of the database.
bool applies(Level level, const History& history);

}  // namespace isolde::support
