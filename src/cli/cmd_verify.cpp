// isolde verify: does a certificate prove its claim? Runs the independent verifier only.
#include <CLI/CLI.hpp>

#include "api/proof.hpp"
#include "base/budget.hpp"
#include "base/duration.hpp"
#include "certify/verify.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/proof_input.hpp"
#include "history/evidence.hpp"

namespace isolde::cli {
namespace {

/// What a proof says little for: `check` would have left it undecided, or said that the level
/// was not put to the test; and what it takes for granted of a history that is cut off.
std::string caveat(const LoadedProof& proof) {
  if (!proof.certificate.holds()) {
    if (!proof.history.origin().truncated) return {};
    return "but the input is cut off; " + std::string(history::kViolatedPart) + "\n";
  }
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

/// Clocks that are further apart order less: what holds then needs not hold when they agree,
/// and what is violated when they agree needs not be then. Empty: the proof is accepted.
std::string refusal_for(const LoadedProof& proof, std::int64_t allowed) {
  Certificate certificate = proof.certificate;
  const std::int64_t assumed = certificate.assumed_clock_error_ns();
  const std::string error = base::duration_text(assumed);
  if (certificate.holds()) {
    if (assumed <= allowed) return {};
    return "refused: the proof assumes clocks up to " + error + " apart, and you allow " +
           (allowed == 0 ? "none" : "only " + base::duration_text(allowed)) +
           "; give --clock-error " + error + " to accept that\n";
  }
  if (assumed >= allowed) return {};
  certificate.clock_error_ns = allowed;
  if (certify::verify(proof.history, certificate).proves) return {};
  return "refused: the proof does not stand when clocks are up to " +
         base::duration_text(allowed) + " apart; check with --clock-error " +
         base::duration_text(allowed) + "\n";
}

class VerifyCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "verify", "Check a certificate against its history, independently of the checker");
    input_.add_to(*sub);
    add_clock_error(
        *sub, clock_error_ns_,
        "Clocks may be up to this far apart, for example 10ms: accept proofs that a "
        "level holds which assume so much, and of violations only those that stand "
        "then. Without it clocks agree");
    sub->footer(
        "Exit codes: 0 the certificate proves its claim, 1 it does not, or assumes other "
        "clocks than\n--clock-error says, 3 usage error or bad input, 4 environment or "
        "internal error.");
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
    if (const std::string refusal = refusal_for(*proof, clock_error_ns_); !refusal.empty()) {
      print(refusal);
      return ExitCode::kViolated;
    }
    print("proved: " + api::claim(proof->certificate) + "\n" + caveat(*proof));
    return ExitCode::kSuccess;
  }

 private:
  ProofInput input_;
  std::int64_t clock_error_ns_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace isolde::cli
