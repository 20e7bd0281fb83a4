// What isolde watch says when a round has found no order, before there is a verdict, and of a
// violation behind which it goes on.
#pragma once

#include <cstdint>
#include <string>

#include "isolde/level.hpp"
#include "stream/rounds.hpp"

namespace isolde::cli {

/// One line, without a dot. Times are since `first_start`, where that is known; `searches`: a
/// violation is looked for now.
std::string suspicion_text(const stream::Suspicion& suspicion, std::int64_t first_start,
                           bool searches);

/// Of the one that they tell, likewise. `bundle`: the file with its transactions, or empty.
std::string violation_text(const stream::Rounds& rounds, Level level,
                           const std::string& bundle);

}  // namespace isolde::cli
