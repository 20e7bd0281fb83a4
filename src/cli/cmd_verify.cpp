// isolde verify: does a certificate prove its claim? Runs the independent verifier only.
#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "cli/proof_input.hpp"

namespace isolde::cli {
namespace {

class VerifyCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "verify", "Check a certificate against its history, independently of the checker");
    input_.add_to(*sub);
    sub->footer("Exit codes: 0 the certificate proves its claim, 1 it does not.");
    return sub;
  }

  ExitCode run() override {
    const Result<LoadedProof> proof = load_proof(input_);
    if (!proof) return report(proof.error());
    if (!proof->result.proves) {
      print("not proved: " + claim(proof->certificate) + ": " + proof->result.reason + "\n");
      return ExitCode::kViolated;
    }
    print("proved: " + claim(proof->certificate) + "\n");
    return ExitCode::kSuccess;
  }

 private:
  ProofInput input_;
};

}  // namespace

std::unique_ptr<Command> make_verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace isolde::cli
