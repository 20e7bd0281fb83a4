// isolde convert: read a history in any known format, write it in one of our own.

#include <CLI/CLI.hpp>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"

namespace isolde::cli {
namespace {

class ConvertCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand("convert", "Write a history in another format");
    sub->add_option("--to", to_, "native (JSON Lines) or native-binary")
        ->required()
        ->type_name("F");
    sub->add_option("in", in_, "History to read; - is standard input")
        ->required()
        ->type_name("IN");
    sub->add_option(
           "out", out_,
           "File to write, a new one unless --force is given; - is standard output; .gz "
           "and .zst compress")
        ->required()
        ->type_name("OUT");
    add_force_whole(*sub, "out", force_);
    add_format(*sub, format_);
    limits_.add_to(*sub);
    return sub;
  }

  ExitCode run() override {
    if (const Status free = check_whole_history(out_, force_); !free) {
      return report(free.error());
    }
    const Result<std::uint64_t> bytes = limits_.memory_bytes();
    if (!bytes) return report(bytes.error());
    base::Budget budget(limits_.timeout_seconds, *bytes);
    const InterruptGuard guard(budget);
    const base::MemoryGuard memory(budget);
    const Result<History> history = io::read_history(in_, format_, budget);
    if (!history) return report(history.error());
    const Status written = io::write_history(*history, to_, out_);
    return written ? ExitCode::kSuccess : report(written.error());
  }

 private:
  std::string to_;
  std::string in_;
  std::string out_;
  bool force_ = false;
  std::string format_;
  LimitOptions limits_;
};

}  // namespace

std::unique_ptr<Command> make_convert_command() { return std::make_unique<ConvertCommand>(); }

}  // namespace isolde::cli
