// isolde levels [L]: the table of levels, or one level in detail.
#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "cli/level_text.hpp"
#include "cli/options.hpp"
#include "explain/level_guide.hpp"
#include "isolde/level.hpp"

namespace isolde::cli {
namespace {

class LevelsCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand("levels", "List the isolation levels, or describe one");
    CLI::Option* level =
        sub->add_option("level", level_, "Name or short name of a level")->type_name("L");
    whole_number(
        sub->add_option("--example", example_,
                        "Print only the N-th example, a history that isolde check reads"),
        1)
        ->needs(level);
    return sub;
  }

  ExitCode run() override {
    if (level_.empty()) {
      print(level_table());
      return ExitCode::kSuccess;
    }
    const Result<std::vector<Level>> levels = parse_levels({level_});
    if (!levels) return report(levels.error());
    for (const Level level : *levels) {
      if (example_ > 0) {
        const ExitCode code = print_example(level);
        if (code != ExitCode::kSuccess) return code;
        continue;
      }
      print((level == levels->front() ? "" : "\n") + level_text(info(level)));
    }
    return ExitCode::kSuccess;
  }

 private:
  ExitCode print_example(Level level) const {
    const std::vector<explain::LevelExample> examples = explain::examples_of(level);
    if (example_ > examples.size()) {
      return report(Error{ErrorCode::kUsage, std::string(info(level).name) + " has " +
                                                 plural(examples.size(), "example") + ", not " +
                                                 std::to_string(example_)});
    }
    print(explain::native_text(examples[example_ - 1]));
    return ExitCode::kSuccess;
  }

  std::string level_;
  std::size_t example_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_levels_command() { return std::make_unique<LevelsCommand>(); }

}  // namespace isolde::cli
