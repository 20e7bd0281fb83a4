#include "history/level_names.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/phrases.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace isolde::history {

Result<Level> level_named(std::string_view name) {
  if (const std::optional<Level> level = find_level(name)) return *level;
  std::vector<std::string_view> names;
  for (const LevelInfo& row : all_levels()) {
    names.push_back(row.name);
    if (!row.alias.empty()) names.push_back(row.alias);
  }
  for (const AdyaName& each : adya_names()) names.push_back(each.name);
  return usage_error("unknown level '" + base::printable_name(name) + "'" +
                     base::did_you_mean(base::plain_name(name), names) + "; " +
                     std::string(base::kListOfLevels.of_library));
}

std::string without_hyphens(std::string_view name) {
  std::string letters(name);
  std::erase(letters, '-');
  return letters;
}

std::optional<std::string_view> meant_name(std::string_view name,
                                           std::span<const std::string_view> names) {
  const auto letters = [](std::string_view each) {
    return without_hyphens(base::plain_name(each));
  };
  // Names may differ in a hyphen, and then the whole name decides.
  const std::string plain = base::plain_name(name);
  auto found = std::ranges::find(names, plain, base::plain_name);
  if (found == names.end()) found = std::ranges::find(names, plain, letters);
  if (found != names.end()) return *found;
  const std::optional<Level> level = find_level(name);
  if (!level) return std::nullopt;
  found = std::ranges::find(names, info(*level).name, base::plain_name);
  return found == names.end() ? std::nullopt : std::optional(*found);
}

}  // namespace isolde::history
