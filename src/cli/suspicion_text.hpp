// What isolde watch says when a round has found no order, before there is a verdict.
#pragma once

#include <cstdint>
#include <string>

#include "stream/suspects.hpp"

namespace isolde::cli {

/// One line, without a dot. Times are since `first_start`, where that is known; `searches`: a
/// violation is looked for now.
std::string suspicion_text(const stream::Suspicion& suspicion, std::int64_t first_start,
                           bool searches);

}  // namespace isolde::cli
