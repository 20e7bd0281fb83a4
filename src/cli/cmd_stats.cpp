// isolde stats: what a history consists of, without checking it.
#include <CLI/CLI.hpp>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "explain/report_model.hpp"
#include "history/stats.hpp"
#include "io/reader.hpp"

namespace isolde::cli {
namespace {

std::string to_text(const History& history) {
  const HistoryOrigin& origin = history.origin();
  std::string text = base::printable_path(origin.file) + ": " + origin.format + "\n";
  text += history::to_text(history::stats_of(history));
  for (const std::string& note : explain::reader_notes(history)) text += "note: " + note + "\n";
  if (origin.truncated) text += "note: the input is cut off\n";
  return text;
}

class StatsCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand("stats", "Count what a history consists of");
    sub->add_option("history", file_, "File or directory; - is standard input")
        ->required()
        ->type_name("HISTORY");
    add_format(*sub, format_);
    limits_.add_to(*sub);
    sub->add_flag("--json", json_, "Print one JSON object");
    return sub;
  }

  ExitCode run() override {
    const Result<std::uint64_t> bytes = limits_.memory_bytes();
    if (!bytes) return report(bytes.error());
    base::Budget budget(limits_.timeout_seconds, *bytes);
    const InterruptGuard guard(budget);
    const base::MemoryGuard memory(budget);
    const Result<History> history = io::read_history(file_, format_, budget);
    if (!history) return report(history.error());
    print(json_ ? history::to_json(history::stats_of(*history)) + "\n" : to_text(*history));
    return ExitCode::kSuccess;
  }

 private:
  std::string file_;
  std::string format_;
  LimitOptions limits_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_stats_command() { return std::make_unique<StatsCommand>(); }

}  // namespace isolde::cli
