// What is said of one level and one history.
#pragma once

#include <cstdint>
#include <string_view>

#include "isolde/export.h"

namespace isolde {

enum class Verdict : std::uint8_t {
  kHolds,
  kViolated,
  kUnknown,        ///< a limit was reached, or the input does not determine the answer
  kNotApplicable,  ///< the level needs something the history does not carry (times)
};

/// "holds", "violated", "unknown", "not-applicable"; lives as long as the program. From any
/// thread. COST: constant.
ISOLDE_API std::string_view name(Verdict verdict);

}  // namespace isolde
