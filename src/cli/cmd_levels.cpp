// isolde levels [L]: the table of levels, or one level in detail.
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "isolde/level.hpp"

namespace isolde::cli {
namespace {

std::string table() {
  std::string text;
  for (const LevelInfo& row : all_levels()) {
    text += padded(row.name, 37) + padded(row.alias, 11) + std::string(row.summary) + "\n";
  }
  return text;
}

std::string names_of(const std::vector<Level>& levels) {
  std::string text;
  for (Level level : levels) text += "\n  " + std::string(info(level).name);
  return text.empty() ? " none of the others\n" : text + "\n";
}

std::string describe(const LevelInfo& level) {
  std::vector<Level> weaker;
  std::vector<Level> stronger;
  for (const LevelInfo& other : all_levels()) {
    if (other.level == level.level) continue;
    if (implies(level.level, other.level, false)) weaker.push_back(other.level);
    if (implies(other.level, level.level, false)) stronger.push_back(other.level);
  }
  std::string text = std::string(level.name) + "\n  " + std::string(level.summary) + "\n\n";
  if (!level.alias.empty()) text += "Short name: " + std::string(level.alias) + "\n";
  text += std::string("The order inside each session binds: ") +
          (level.session_order ? "yes" : "no") + "\n";
  text += std::string("Real time as clients see it binds: ") +
          (level.real_time ? "yes; needs start and end times in the history" : "no") + "\n\n";
  text += "A history at this level is also at:" + names_of(weaker) + "\n";
  text += "This level is implied by:" + names_of(stronger);
  return text;
}

class LevelsCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand("levels", "List the isolation levels, or describe one");
    sub->add_option("level", level_, "Name or short name of a level")->type_name("L");
    return sub;
  }

  ExitCode run() override {
    if (level_.empty()) {
      print(table());
      return ExitCode::kSuccess;
    }
    const Result<std::vector<Level>> levels = parse_levels({level_});
    if (!levels) return report(levels.error());
    for (Level level : *levels) print(describe(info(level)));
    return ExitCode::kSuccess;
  }

 private:
  std::string level_;
};

}  // namespace

std::unique_ptr<Command> make_levels_command() { return std::make_unique<LevelsCommand>(); }

}  // namespace isolde::cli
