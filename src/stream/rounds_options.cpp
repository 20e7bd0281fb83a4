#include "stream/rounds_options.hpp"

#include "history/base_levels.hpp"
#include "level/level_traits.hpp"

namespace isolde::stream {
namespace {

/// The weakest level with one order of all commits that implies it and for which takes() is
/// true.
template <typename Takes>
std::optional<Level> level_of_orders(Level asked, const Takes& takes) {
  // It is about what each transaction states.
  if (checker::is_mixed(asked)) return std::nullopt;
  std::optional<Level> weakest;
  for (const LevelInfo& each : all_levels()) {
    const checker::LevelTraits& traits = checker::traits(each.base);
    const bool is_one = traits.method == checker::Method::kVersionOrders &&
                        traits.role.has_anti_dependencies && takes(each);
    if (is_one && implies(each.level, asked, /*sessions_respect_time=*/true)) {
      weakest = each.level;
    }
  }
  return weakest;
}

}  // namespace

std::optional<Level> level_of_rounds(Level asked) {
  return level_of_orders(asked, [](const LevelInfo& each) { return each.real_time; });
}

std::optional<Level> level_of_fences(Level asked) {
  return level_of_orders(
      asked, [](const LevelInfo& each) { return each.session_order && !each.real_time; });
}

std::optional<Level> level_of_orders(const RoundsOptions& options) {
  return options.fence.empty() ? level_of_rounds(options.level)
                               : level_of_fences(options.level);
}

}  // namespace isolde::stream
