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

std::optional<std::string_view> meant_name(std::string_view name,
                                           std::span<const std::string_view> names) {
  const std::string plain = base::plain_name(name);
  const auto same = [](const std::string& wanted) {
    return [&wanted](std::string_view each) { return base::plain_name(each) == wanted; };
  };
  auto found = std::ranges::find_if(names, same(plain));
  if (found != names.end()) return *found;
  const std::optional<Level> level = find_level(plain);
  if (!level) return std::nullopt;
  const std::string of_level(info(*level).name);
  found = std::ranges::find_if(names, same(of_level));
  return found == names.end() ? std::nullopt : std::optional(*found);
}

}  // namespace isolde::history
