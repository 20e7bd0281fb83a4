// isolde help [COMMAND]: what --help prints.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"

namespace isolde::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

class HelpCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    app_ = &app;
    CLI::App* sub = app.add_subcommand("help", "Print what --help prints, of a command or all");
    sub->add_option("command", words_, "Command to tell of, as databases or databases try")
        ->type_name("COMMAND");
    return sub;
  }

  ExitCode run() override {
    const CLI::App* told = app_;
    std::string name = app_->get_name();
    for (const std::string& word : words_) {
      const std::vector<const CLI::App*> commands = commands_of(*told);
      const auto found = std::ranges::find(commands, word, &CLI::App::get_name);
      if (found == commands.end()) return unknown(*told, word, commands);
      told = *found;
      name += " " + word;
    }
    print(told->get_formatter()->make_help(told, name, CLI::AppFormatMode::Normal));
    return ExitCode::kSuccess;
  }

 private:
  static ExitCode unknown(const CLI::App& in, const std::string& word,
                          const std::vector<const CLI::App*>& commands) {
    if (commands.empty()) {
      return report(usage_error(in.get_name() + " has no commands of its own, so no '" + word +
                                "' among them"));
    }
    std::vector<std::string> names;
    for (const CLI::App* command : commands) names.push_back(command->get_name());
    return report(usage_error(unknown_name("command", word, {names.begin(), names.end()})));
  }

  const CLI::App* app_ = nullptr;
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_help_command() { return std::make_unique<HelpCommand>(); }

}  // namespace isolde::cli
