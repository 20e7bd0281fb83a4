#include "explain/level_guide.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::explain {
namespace {

bool is_below(Level stronger, Level weaker) {
  return stronger != weaker && implies(stronger, weaker, false);
}

/// Those of `levels` for which no other one of them comes first.
template <typename ComesFirst>
std::vector<Level> nearest(const std::vector<Level>& levels, const ComesFirst& comes_first) {
  std::vector<Level> kept;
  for (const Level level : levels) {
    const bool behind = std::any_of(levels.begin(), levels.end(), [&](Level other) {
      return other != level && comes_first(other, level);
    });
    if (!behind) kept.push_back(level);
  }
  return kept;
}

}  // namespace

std::string_view form_text(const LevelInfo& level) {
  if (level.real_time && level.base == BaseLevel::kTransactionalCausal) {
    return "Real time binds too: a transaction that had ended before another one started is "
           "one of its causes.";
  }
  if (level.real_time && level.base != BaseLevel::kLinearizable) {
    return "Real time binds: a transaction that had ended before another one started, by the "
           "clocks of the clients, comes before it, and before its snapshot where there is "
           "one.";
  }
  // Other levels with session order have no form without it: their definition says so.
  if (level.name.starts_with("strong-session-")) {
    return "Session order binds: the earlier transactions of a session come before the later "
           "ones, and before their snapshots where there are any.";
  }
  return {};
}

std::vector<LevelExample> examples_of(Level level) {
  std::vector<LevelExample> found;
  for (const LevelExample& example : all_examples()) {
    if (example.level == level) found.push_back(example);
  }
  ISOLDE_CHECK(!found.empty());
  return found;
}

std::string native_text(const LevelExample& example) {
  return "{\"isolde\":1,\"kind\":\"history\"}\n" + std::string(example.lines) + "\n";
}

std::vector<Level> satisfied_levels(const LevelExample& example) {
  std::vector<Level> levels;
  std::string_view rest = example.satisfies;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::optional<Level> level = find_level(rest.substr(0, end));
    ISOLDE_CHECK(level.has_value());
    levels.push_back(*level);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return levels;
}

std::vector<Level> next_weaker(Level level) {
  std::vector<Level> weaker;
  for (const LevelInfo& row : all_levels()) {
    if (is_below(level, row.level)) weaker.push_back(row.level);
  }
  return nearest(weaker, [](Level other, Level one) { return is_below(other, one); });
}

std::vector<Level> next_stronger(Level level) {
  std::vector<Level> stronger;
  for (const LevelInfo& row : all_levels()) {
    if (is_below(row.level, level)) stronger.push_back(row.level);
  }
  return nearest(stronger, [](Level other, Level one) { return is_below(one, other); });
}

}  // namespace isolde::explain
