// isolde verify: does a certificate prove its claim? Runs the independent verifier only.
#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "api/proof.hpp"
#include "base/budget.hpp"
#include "base/duration.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "certify/part_of_whole.hpp"
#include "certify/verify.hpp"
#include "cli/archive_proof.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/proof_input.hpp"
#include "cli/segments_proof.hpp"
#include "history/evidence.hpp"

namespace isolde::cli {
namespace {

/// The proof that a level holds takes clocks for so far apart.
std::string refusal_of_clocks(std::int64_t assumed, std::int64_t allowed) {
  if (assumed <= allowed) return {};
  const std::string error = base::duration_text(assumed);
  return "refused: the proof assumes clocks up to " + error + " apart, and you allow " +
         (allowed == 0 ? "none" : "only " + base::duration_text(allowed)) +
         "; give --clock-error " + error + " to accept that\n";
}

/// Clocks that are further apart order less: what holds then needs not hold when they agree,
/// and what is violated when they agree needs not be then. Empty: the proof is accepted.
std::string refusal_for(const LoadedProof& proof, std::int64_t allowed) {
  Certificate certificate = proof.certificate;
  const std::int64_t assumed = certificate.assumed_clock_error_ns();
  if (certificate.holds()) return refusal_of_clocks(assumed, allowed);
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
    // An archive is a proof and the history that it is about.
    sub->get_option("history")->required(false);
    sub->get_option("certificate")
        ->description(
            "File that check --certificate or watch --segments wrote, or the folder of "
            "watch --archive, which needs no history");
    sub->add_option("more", more_,
                    "Of segments about several sources: the others, in the order "
                    "in which they were watched")
        ->type_name("HISTORY");
    sub->add_option("--archive", archive_,
                    "Of a violation that watch found: the folder of its --archive, against "
                    "which the bundle is held, and whose files are verified as far as they "
                    "were kept")
        ->type_name("DIR");
    add_clock_error(
        *sub, clock_error_ns_,
        "Clocks may be up to this far apart, for example 10ms: accept proofs that a "
        "level holds which assume so much, and of violations only those that stand "
        "then. Without it clocks agree");
    add_trust_versions(*sub, trusts_versions_,
                       "Accept proofs that take the versions which the history tells for true");
    sub->footer(
        "Exit codes: 0 the certificate proves its claim, 1 it does not, assumes other "
        "clocks than\n--clock-error says or trusts versions without --trust-versions, 3 usage "
        "error or bad input, 4 environment or "
        "internal error.");
    return sub;
  }

  ExitCode run() override {
    if (is_archive(input_.certificate_path)) {
      return archive_.empty() ? run_archive() : report(no_bundle());
    }
    if (input_.history_path.empty()) {
      return report(
          {ErrorCode::kUsage,
           "argument history is missing; write at least: isolde verify certificate history "
           "(see isolde verify --help)"});
    }
    if (is_segments_file(input_.certificate_path)) {
      return archive_.empty() ? run_segments() : report(no_bundle());
    }
    if (!more_.empty()) {
      return report({ErrorCode::kUsage, input_.certificate_path +
                                            " is no file of segments, so it is about one "
                                            "history; give no more"});
    }
    const Result<LoadedProof> proof = load_proof(input_);
    if (!proof) return report(proof.error());
    if (!archive_.empty() && proof->certificate.holds()) return report(no_bundle());
    if (!proof->result.proves) {
      print("not proved: " + api::claim(proof->certificate) + ": " + proof->result.reason +
            "\n");
      return ExitCode::kViolated;
    }
    if (proof->certificate.trusts_versions && !trusts_versions_) {
      print(
          "refused: the proof trusts the versions that the history tells; give "
          "--trust-versions to accept that\n");
      return ExitCode::kViolated;
    }
    if (const std::string refusal = refusal_for(*proof, clock_error_ns_); !refusal.empty()) {
      print(refusal);
      return ExitCode::kViolated;
    }
    base::Budget budget;
    const history::Evidence evidence = history::evidence_of(proof->history, budget);
    const std::string caveat = api::caveat(proof->history, proof->certificate, evidence);
    std::string text = "proved: " + api::claim(proof->certificate) + "\n" +
                       (caveat.empty() ? caveat : caveat + "\n");
    if (!archive_.empty()) {
      const Result<std::string> compared = held_against_archive(*proof, text);
      if (!compared) return report(compared.error());
      if (!compared->empty()) {
        print("not proved: " + api::claim(proof->certificate) + ": " + *compared + "\n");
        return ExitCode::kViolated;
      }
    }
    print(text);
    return ExitCode::kSuccess;
  }

 private:
  Error no_bundle() const {
    return {ErrorCode::kUsage,
            input_.certificate_path +
                " is no proof of a violation; --archive is for the bundle and "
                "certificate of one that watch found"};
  }

  /// Why the bundle is no part of what the archive has, one line; empty: it is, and `text` says
  /// of what. ERRORS: as verify_archive().
  Result<std::string> held_against_archive(const LoadedProof& proof, std::string& text) const {
    if (!is_archive(archive_)) {
      return Error{ErrorCode::kUsage,
                   archive_ +
                       " is no archive: a folder that watch --archive wrote has a file "
                       "chain; give that folder"};
    }
    certify::PartOfWhole part(proof.history);
    const Result<ArchiveProof> archive = verify_archive(archive_, &part);
    if (!archive) return archive.error();
    if (!archive->objection.empty()) return "the archive is wrong: " + archive->objection;
    part.finish();
    if (!part.objection().empty()) {
      return "the bundle is no part of the archive: " + part.objection();
    }
    text += of_archive(*archive, part, proof.history.txn_count());
    return std::string();
  }

  /// What was proved of an archive and a bundle, and what was not.
  static std::string of_archive(const ArchiveProof& archive, const certify::PartOfWhole& part,
                                std::size_t txns) {
    std::string text = "The archive has ";
    if (archive.first == 0) {
      text += (txns == 1 ? "its transaction" : "all of its " + plural(txns, "transaction")) +
              std::string(
                  " as the bundle has them; nobody else in it wrote what they read, and "
                  "keys held at the start what the bundle says.\n");
    } else {
      text +=
          base::grouped(part.found()) + " of its " + plural(txns, "transaction") +
          " as the bundle has them, and nobody else in it wrote what they read.\n"
          "What came before transaction " +
          base::grouped(archive.first + 1) + " was deleted and can no longer be verified: " +
          (part.not_kept() == 0 ? "" : "the other " + base::grouped(part.not_kept()) + ", ") +
          "who wrote there what they read, and what keys held at the start.\n";
    }
    text += "Its " + plural(archive.files, "file") + (archive.files == 1 ? " has" : " have") +
            " the digests of the chain" +
            (archive.has_open_file ? ", but for the last one, which is not complete" : "") +
            "; " +
            (archive.placed == 0
                 ? "no order was settled there.\n"
                 : "the order there explains " + plural(archive.placed, "transaction") + ".\n");
    return text + "The chain ends with " + archive.chain + ".\n";
  }

  ExitCode run_archive() const {
    if (!input_.history_path.empty()) {
      return report({ErrorCode::kUsage, input_.certificate_path +
                                            " is an archive, which has its history in it; give "
                                            "no other"});
    }
    const Result<ArchiveProof> proof = verify_archive(input_.certificate_path);
    if (!proof) return report(proof.error());
    std::string claim = std::string(info(proof->header.level).name) + " holds";
    const std::string& keys = proof->header.keys;
    if (!keys.empty()) claim += " of the keys like " + base::printable_line(keys);
    if (proof->first > 0)
      claim += " from transaction " + base::grouped(proof->first + 1) + " on";
    std::string objection = proof->objection;
    if (objection.empty() && !proof->has_end) {
      objection = "the archive has no end: " + plural(proof->files, "file") + " with " +
                  plural(proof->placed, "transaction") + ", and nothing wrong so far";
    }
    if (!objection.empty()) {
      print("not proved: " + claim + ": " + objection + "\n");
      return ExitCode::kViolated;
    }
    const std::string refusal = refusal_of_clocks(proof->clock_error_ns, clock_error_ns_);
    if (!refusal.empty()) {
      print(refusal);
      return ExitCode::kViolated;
    }
    print("proved: " + claim + ", by an order of " + plural(proof->placed, "transaction") +
          " in " + plural(proof->files, "file") + "\n");
    if (proof->first > 0) {
      print("What came before was deleted and can no longer be verified.\n");
    }
    if (proof->committed == 0) print("No transaction has committed, so this says nothing.\n");
    print("The chain ends with " + proof->chain + ".\n");
    return ExitCode::kSuccess;
  }

  ExitCode run_segments() const {
    std::vector<std::string> histories{input_.history_path};
    histories.insert(histories.end(), more_.begin(), more_.end());
    const Result<SegmentsProof> proof =
        verify_segments(input_.certificate_path, histories, input_.format);
    if (!proof) return report(proof.error());
    const std::string claim = std::string(info(proof->header.level).name) + " holds";
    if (!proof->objection.empty()) {
      print("not proved: " + claim + ": " + proof->objection + "\n");
      return ExitCode::kViolated;
    }
    const std::string refusal = refusal_of_clocks(proof->clock_error_ns, clock_error_ns_);
    if (!refusal.empty()) {
      print(refusal);
      return ExitCode::kViolated;
    }
    const std::string& keys = proof->header.keys;
    print("proved: " + claim +
          (keys.empty() ? "" : " of the keys like " + base::printable_line(keys)) +
          ", by an order of " + plural(proof->placed, "transaction") + " in " +
          plural(proof->segments, "segment") + "\n");
    if (proof->header.initial_is_unknown) {
      print("What keys held at the start is not known, and taken from their first reads.\n");
    }
    if (proof->committed == 0) print("No transaction has committed, so this says nothing.\n");
    return ExitCode::kSuccess;
  }

  ProofInput input_;
  std::vector<std::string> more_;
  std::string archive_;
  std::int64_t clock_error_ns_ = 0;
  bool trusts_versions_ = false;
};

}  // namespace

std::unique_ptr<Command> make_verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace isolde::cli
