#include "history/level_names.hpp"

#include <string>
#include <vector>

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
                     base::did_you_mean(base::plain_name(name), names) +
                     "; isolde levels lists them all");
}

}  // namespace isolde::history
