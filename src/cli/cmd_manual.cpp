// isolde manual: the manual page, and scripts by which shells complete commands.
#include <CLI/CLI.hpp>
#include <array>

#include "cli/command.hpp"
#include "cli/command_texts.hpp"
#include "cli/options.hpp"

namespace isolde::cli {
namespace {

struct Form {
  std::string_view name;
  std::string (*text)(std::span<const CommandText>);
};
constexpr std::array kForms = {Form{"man", man_page}, Form{"bash", bash_completion},
                               Form{"zsh", zsh_completion}, Form{"fish", fish_completion}};

class ManualCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    app_ = &app;
    CLI::App* sub = app.add_subcommand(
        "manual", "Print the manual page, or a script by which a shell completes commands");
    sub->add_option("form", form_, "man, bash, zsh or fish")
        ->type_name("FORM")
        ->capture_default_str();
    sub->footer(
        "isolde manual | man -l -          reads it\n"
        "source <(isolde manual bash)      completes commands in this shell; of zsh, too\n"
        "isolde manual fish | source       the same in fish");
    return sub;
  }

  ExitCode run() override {
    std::vector<std::string_view> names;
    for (const Form& form : kForms) {
      if (form.name == form_) {
        print(form.text(command_texts(*app_)));
        return ExitCode::kSuccess;
      }
      names.push_back(form.name);
    }
    return report({ErrorCode::kUsage, unknown_name("form", form_, names)});
  }

 private:
  const CLI::App* app_ = nullptr;
  std::string form_ = "man";
};

}  // namespace

std::unique_ptr<Command> make_manual_command() { return std::make_unique<ManualCommand>(); }

}  // namespace isolde::cli
