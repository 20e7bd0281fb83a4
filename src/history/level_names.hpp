// Levels by the names that people type.
#pragma once

#include <string_view>

#include "isolde/level.hpp"
#include "isolde/status.hpp"

namespace isolde::history {

/// As find_level(), whatever the case and with blanks or underscores for hyphens. ERRORS:
/// kUsage, with the names that come closest.
Result<Level> level_named(std::string_view name);

}  // namespace isolde::history
