// isolde publish: what a recorder writes, to NATS JetStream, where a watch on another machine
// takes it from (stream/publisher.hpp).

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "io/group_reader.hpp"
#include "io/source.hpp"
#include "stream/publisher.hpp"
#include "stream/source.hpp"

namespace isolde::cli {
namespace {

class PublishCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "publish", "Send a history, as it is written, to NATS JetStream, for isolde watch");
    sub->add_option("source", source_,
                    "File in the native-binary format, not compressed, which may still be "
                    "written; - is standard input")
        ->required()
        ->type_name("SOURCE");
    sub->add_option("--to", to_,
                    "Stream, and name of the recorder in it: nats://HOST:PORT/STREAM/RECORDER, "
                    "or tls://; the stream is made if it is not there")
        ->required()
        ->type_name("ADDRESS");
    sub->add_flag("--follow", options_.follows,
                  "Wait for more at the end of the file, until it says that it ends or the "
                  "program is interrupted; and for the server as long as it takes");
    limits_.add_to(*sub);
    sub->footer(
        "NATS_USER, NATS_PASSWORD, NATS_CREDS, NATS_CA, NATS_CERT and NATS_KEY in the\n"
        "environment mean what they mean to the program nats.");
    return sub;
  }

  ExitCode run() override {
    Result<stream::NatsAddress> address = checked_address();
    if (!address) return report(address.error());
    if (io::is_directory(source_)) {
      return report(
          {ErrorCode::kUsage,
           source_ + " is a folder; publish each file of it under a name of its own"});
    }
    const Result<const stream::NatsModule*> module = stream::nats_module();
    if (!module) return report(module.error());
    const Result<std::uint64_t> bytes = limits_.memory_bytes();
    if (!bytes) return report(bytes.error());
    base::Budget budget(limits_.timeout_seconds, *bytes);
    const InterruptGuard guard(budget);
    const base::MemoryGuard memory(budget);
    options_.tell = [](const std::string& line) {
      std::fprintf(stderr, "isolde: %s\n", base::printable_line(line).c_str());
    };
    if (options_.follows) {
      const Status there = stream::wait_until_there({&source_, 1}, options_.tell, budget);
      if (!there) return report(there.error());
    }
    Result<io::GroupReader> file = io::GroupReader::open(source_);
    if (!file) return report(file.error());
    if (options_.follows) file->wait_for_nothing();
    const std::string name = address->name_of(address->recorders.front());
    stream::Publisher publisher(**module, std::move(*address), options_);
    const Status published = publisher.publish(*file, budget);
    const stream::Publisher::Counts& counts = publisher.counts();
    print(name + ": " + plural(counts.groups, "group") + " in " +
          plural(counts.messages, "message") + ", " + plural(counts.txns, "transaction") +
          " published" +
          (counts.there > 0 ? "; " + plural(counts.there, "group") + " there before" : "") +
          "\n");
    if (!published) return report(published.error());
    if (file->begun() > 0) {
      return report({ErrorCode::kBadInput, base::printable_path(source_) +
                                               ": the last group is cut off, and was not "
                                               "published"});
    }
    return ExitCode::kSuccess;
  }

 private:
  Result<stream::NatsAddress> checked_address() const {
    if (!stream::is_nats_address(to_)) {
      return Error{ErrorCode::kUsage,
                   "--to is no address of NATS; write nats://HOST:PORT/STREAM/RECORDER"};
    }
    Result<stream::NatsAddress> address = stream::parse_nats_address(to_);
    if (address && address->recorders.size() > 1) {
      return Error{ErrorCode::kUsage, "--to names several recorders; a file is that of one"};
    }
    return address;
  }

  std::string source_;
  std::string to_;
  stream::PublisherOptions options_;
  LimitOptions limits_;
};

}  // namespace

std::unique_ptr<Command> make_publish_command() { return std::make_unique<PublishCommand>(); }

}  // namespace isolde::cli
