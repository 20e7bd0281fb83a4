// isolde verify: does a certificate prove its claim? Runs the independent verifier only.
#include <CLI/CLI.hpp>

#include "base/budget.hpp"
#include "base/duration.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/proof_input.hpp"
#include "history/evidence.hpp"

namespace isolde::cli {
namespace {

/// What a proof that a level holds says little for: `check` would have left it undecided, or
/// said that it was not put to the test.
std::string caveat(const LoadedProof& proof) {
  if (!proof.certificate.holds()) return {};
  base::Budget budget;
  const history::Evidence evidence = history::evidence_of(proof.history, budget);
  std::string text;
  if (evidence.in_effect == 0) {
    text = "no transaction took effect, so it says nothing of the database";
  } else if (history::trial(evidence, info(proof.certificate.level)) ==
             history::Trial::kUntried) {
    text = history::why_untried(evidence) + ", so the level was not put to the test";
  }
  if (proof.history.origin().truncated) {
    text += std::string(text.empty() ? "" : "; ") + "the input is cut off; what is there holds";
  }
  return text.empty() ? text : "but " + text + "\n";
}

class VerifyCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "verify", "Check a certificate against its history, independently of the checker");
    input_.add_to(*sub);
    sub->add_option("--clock-error", clock_error_,
                    "Accept certificates that assume clocks to be up to this far apart, for "
                    "example 10ms. Without it: none that assume any error")
        ->type_name("MAX");
    sub->footer(
        "Exit codes: 0 the certificate proves its claim, 1 it does not, or assumes more of "
        "the clocks than\n--clock-error allows, 3 wrong usage or bad input, 4 trouble with the "
        "machine.");
    return sub;
  }

  ExitCode run() override {
    const Result<std::int64_t> allowed = parse_clock_error(clock_error_);
    if (!allowed) return report(allowed.error());
    const Result<LoadedProof> proof = load_proof(input_);
    if (!proof) return report(proof.error());
    if (!proof->result.proves) {
      print("not proved: " + claim(proof->certificate) + ": " + proof->result.reason + "\n");
      return ExitCode::kViolated;
    }
    const std::int64_t assumed = proof->certificate.assumed_clock_error_ns();
    if (assumed > *allowed) {
      const std::string error = base::duration_text(assumed);
      print("refused: the proof assumes clocks up to " + error + " apart, and you allow " +
            (*allowed == 0 ? "none" : "only " + base::duration_text(*allowed)) +
            "; give --clock-error " + error + " to accept that\n");
      return ExitCode::kViolated;
    }
    print("proved: " + claim(proof->certificate) + "\n" + caveat(*proof));
    return ExitCode::kSuccess;
  }

 private:
  ProofInput input_;
  std::string clock_error_ = "0";
};

}  // namespace

std::unique_ptr<Command> make_verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace isolde::cli
