// --level of the commands that take one level: a name, or "promised" as in isolde check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/cli11.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

/// The name stands for the level that the database promises.
bool is_promised(std::string_view name);

class LevelOption {
 public:
  /// `otherwise` says which level it is without the option.
  CLI::Option* add_to(CLI::App& app, const std::string& otherwise);
  /// ERRORS: kUsage for a name that is no level, and for several.
  Status prepare();
  /// The level as the only one; none where none was asked for. Call after prepare().
  /// ERRORS: kUsage where the promised one is asked for and the history tells of none.
  Result<std::vector<Level>> levels_for(const History& history) const;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::vector<Level> levels_;
};

}  // namespace isolde::cli
