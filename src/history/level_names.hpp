// Levels by the names that people type, and by those that files have.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isolde/level.hpp"
#include "isolde/status.hpp"

namespace isolde::history {

/// As find_level(). ERRORS: kUsage, with the names that come closest.
Result<Level> level_named(std::string_view name);

/// "readcommitted" of "read-committed".
std::string without_hyphens(std::string_view name);

/// The one of `names` that is meant, as isolations and simulated stores have them: the same but
/// for case and blanks, or without its hyphens, or the level's own name for any other name of
/// the level.
std::optional<std::string_view> meant_name(std::string_view name,
                                           std::span<const std::string_view> names);

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
