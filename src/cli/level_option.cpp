#include "cli/level_option.hpp"

#include <CLI/CLI.hpp>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "explain/promise.hpp"

namespace isolde::cli {

bool is_promised(std::string_view name) { return base::plain_name(name) == "promised"; }

CLI::Option* LevelOption::add_to(CLI::App& app, const std::string& otherwise) {
  return app
      .add_option("--level", name_,
                  "The level; promised is the one that the database promises, where the "
                  "history tells it. Without it " +
                      otherwise)
      ->type_name("L");
}

Status LevelOption::prepare() {
  if (name_.empty() || is_promised(name_)) return ok_status();
  if (name_.find(',') != std::string::npos) {
    return usage_error("--level takes one level here, not '" + name_ + "'");
  }
  Result<std::vector<Level>> levels = parse_levels({name_});
  if (!levels) return levels.error();
  levels_ = std::move(levels).value();
  return ok_status();
}

Result<std::vector<Level>> LevelOption::levels_for(const History& history) const {
  if (!is_promised(name_)) return levels_;
  const auto promise = explain::recorded_promise(history.origin());
  const std::string file = base::printable_path(history.origin().file);
  if (!promise) {
    return usage_error(file +
                       ": --level promised: the history does not tell what the database "
                       "promises; name the level");
  }
  if (!promise->level) {
    return usage_error(file +
                       ": --level promised: nothing is promised here: " + promise->why_none);
  }
  return std::vector<Level>{*promise->level};
}

}  // namespace isolde::cli
