// Levels by the names that people type, and by those that files have.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "isolde/level.hpp"
#include "isolde/status.hpp"

namespace isolde::history {

/// As find_level(). ERRORS: kUsage, with the names that come closest.
Result<Level> level_named(std::string_view name);

/// Adya's name of a level, which find_level() knows as well.
struct AdyaName {
  std::string_view name;
  Level level;
};

/// Those of his levels that are rows of the table exactly.
std::span<const AdyaName> adya_names();

/// As find_level(), but only exactly as the table of levels has the name, as in our files.
std::optional<Level> level_written(std::string_view name);

}  // namespace isolde::history
