// isolde schedules [NAME]: the classes of anomalies of Coo as interleavings, which gen --steps,
// run --steps and replay play.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command.hpp"
#include "schedule/coo.hpp"

namespace isolde::cli {
namespace {

std::string table() {
  std::string text;
  std::size_t width = 0;
  for (const schedule::CooClass& row : schedule::coo_classes()) {
    width = std::max(width, row.name.size());
  }
  for (const schedule::CooClass& row : schedule::coo_classes()) {
    text += padded(row.name, width + 2) + padded(row.kind, 5) + std::string(row.steps) + "\n";
  }
  text += "\nEach in these forms, as NAME.FORM:\n";
  for (const schedule::Form& form : schedule::all_forms()) {
    text += "  " + padded(form.name, 20) + std::string(form.summary) + "\n";
  }
  return text;
}

class SchedulesCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "schedules",
        "List interleavings that show the classes of anomalies of Coo, or print one");
    sub->add_option("schedule", name_,
                    "Class and form, as in lost-update.lists; the class alone: on registers")
        ->type_name("NAME");
    return sub;
  }

  ExitCode run() override {
    if (name_.empty()) {
      print(table());
      return ExitCode::kSuccess;
    }
    const Result<schedule::Schedule> schedule = schedule::find_schedule(name_);
    if (!schedule) return report(schedule.error());
    print("# " + schedule->name + ": " + std::string(schedule->what->steps) + "\n" +
          schedule::steps_of(*schedule));
    return ExitCode::kSuccess;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_schedules_command() {
  return std::make_unique<SchedulesCommand>();
}

}  // namespace isolde::cli
