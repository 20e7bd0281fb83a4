// isolde explain: tell what a certificate says, in all forms of a report. Verifies it first, so
// that it never explains something that is not so.
#include <CLI/CLI.hpp>
#include <utility>

#include "api/checking.hpp"
#include "api/proof.hpp"
#include "base/budget.hpp"
#include "base/memory.hpp"
#include "base/memory_guard.hpp"
#include "cli/checking.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/proof_input.hpp"
#include "explain/narrate.hpp"
#include "explain/report_text.hpp"

namespace isolde::cli {
namespace {

class ExplainCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  ExitCode refuse(const LoadedProof& proof);
  ExitCode failed(const Error& error);
  Status tell(const LoadedProof& proof, double load_seconds);

  ProofInput input_;
  Outputs outputs_{Outputs::Of::kOwnText};
};

CLI::App* ExplainCommand::add_to(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("explain", "Explain a certificate");
  input_.add_to(*sub);
  outputs_.add_to(*sub);
  sub->footer(
      "Exit codes: 0 explained, 1 the certificate does not prove its claim, 3 usage error or "
      "bad input,\n4 environment or internal error.");
  return sub;
}

/// There is nothing to tell of, and the documents say so.
ExitCode ExplainCommand::failed(const Error& error) {
  print(outputs_.add_failure(input_.history_path, error));
  const Status written = outputs_.write();
  return written ? ExitCode::kSuccess : report(written.error());
}

ExitCode ExplainCommand::refuse(const LoadedProof& proof) {
  const Error why{ErrorCode::kBadInput,
                  "not proved: " + api::claim(proof.certificate) + ": " + proof.result.reason};
  if (outputs_.prints_text()) {
    print(why.message + "\n");
  } else {
    static_cast<void>(report(why));
  }
  return worse(ExitCode::kViolated, failed(why));
}

Status ExplainCommand::tell(const LoadedProof& proof, double load_seconds) {
  base::Budget budget(0, default_memory_bytes());
  const base::MemoryGuard memory(budget);
  const Stopwatch watch;
  api::Checked checked = api::proved(proof.history, proof.certificate, budget);
  api::explain(checked);
  explain::ReportModel& model = checked.model;
  explain::LevelOutcome& level = model.levels.front();
  level.certificate = input_.certificate_path;
  model.load_seconds = load_seconds;
  model.explain_seconds = watch.seconds();
  model.peak_rss_bytes = base::peak_resident_bytes();
  std::string printed;
  if (outputs_.prints_text()) {
    printed = api::claim(proof.certificate);
    if (level.scenario) {
      printed += ".\n\n" + explain::to_text(explain::summary_of(model)) + "\n" +
                 explain::narrate(proof.history, *level.scenario, {wants_colour(), 0}) +
                 explain::notes_text(model.not_checked);
    } else {
      const std::string caveat = api::caveat(proof.history, proof.certificate, model.evidence);
      printed += (caveat.empty() ? "" : ",\n" + caveat) + ".\n";
    }
  }
  const auto at_once = [](const std::function<void()>& work) { work(); };
  const Status added = outputs_.add(model, 1, at_once, printed);
  print(printed);
  const Status written = outputs_.write();
  return added ? written : added;
}

ExitCode ExplainCommand::run() {
  if (const Status fits = outputs_.prepare(); !fits) return report(fits.error());
  const Stopwatch watch;
  const Result<LoadedProof> proof = load_proof(input_);
  if (!proof) {
    const ExitCode code = report(proof.error());
    return worse(code, failed(proof.error()));
  }
  if (!proof->result.proves) return refuse(*proof);
  const Status told = tell(*proof, watch.seconds());
  return told ? ExitCode::kSuccess : report(told.error());
}

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace isolde::cli
