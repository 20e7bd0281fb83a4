// isolde explain: tell what a certificate says, in words and as a picture. Verifies it first,
// so that it never explains something that is not so.
#include <CLI/CLI.hpp>

#include "api/checking.hpp"
#include "api/proof.hpp"
#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "check/check.hpp"
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
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand("explain", "Explain a violation certificate");
    input_.add_to(*sub);
    outputs_.add_to(*sub);
    sub->footer(
        "Exit codes: 0 explained, 1 the certificate does not prove its claim, 3 usage error or "
        "bad input,\n4 environment or internal error.");
    return sub;
  }

  ExitCode run() override {
    const Result<LoadedProof> proof = load_proof(input_);
    if (!proof) return report(proof.error());
    if (!proof->result.proves) {
      print("not proved: " + api::claim(proof->certificate) + ": " + proof->result.reason +
            "\n");
      return ExitCode::kViolated;
    }
    base::Budget budget(0, default_memory_bytes());
    const base::MemoryGuard memory(budget);
    print(api::claim(proof->certificate) + ".\n");
    if (proof->certificate.holds()) return ExitCode::kSuccess;
    api::Checked checked = api::proved(proof->history, proof->certificate, budget);
    api::explain(checked);
    explain::LevelOutcome& level = checked.model.levels.front();
    level.certificate = input_.certificate_path;
    print("\n" + explain::narrate(proof->history, *level.scenario, {wants_colour(), 0}) +
          explain::notes_text(checked.model.not_checked));
    std::string printed;
    const Status written = outputs_.add(
        checked.model, 1, [](const std::function<void()>& work) { work(); }, printed);
    print(printed);
    return written ? ExitCode::kSuccess : report(written.error());
  }

 private:
  ProofInput input_;
  Outputs outputs_{Outputs::Of::kPictures};
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace isolde::cli
