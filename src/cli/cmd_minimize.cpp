// isolde minimize: a minimal part of a history that still violates a level, as a history of
// its own.
#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <utility>

#include "api/checking.hpp"
#include "api/proof.hpp"
#include "base/memory_guard.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "certify/certificate_io.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/level_option.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/proof_input.hpp"
#include "explain/narrate.hpp"
#include "explain/report_text.hpp"
#include "explain/times.hpp"
#include "history/stats.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "minimize/minimize.hpp"

namespace isolde::cli {
namespace {

/// A proof of violation, or what to say and return instead.
struct Found {
  std::optional<Certificate> proof;
  std::string message;
  ExitCode code = ExitCode::kSuccess;
  /// What is known of the whole history, for the documents; nothing where that is an error.
  std::optional<api::Checked> whole = {};
};

std::string size_of(const History& history) {
  return base::grouped(history.txn_count()) + " transactions with " +
         base::grouped(history::operation_count(history)) + " operations";
}

class MinimizeCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override;
  ExitCode run() override;

 private:
  Status prepare();
  Result<Found> find_violation(const History& history, base::Budget& budget) const;
  Result<History> with_trust(History history) const;
  Found without_violation(api::Checked checked) const;
  Result<Found> read_proof(const History& history, base::Budget& budget) const;
  Status write(const minimize::Minimized& made) const;
  Status add_to_documents(const explain::ReportModel& model, std::string& printed);
  Status write_reports(const minimize::Minimized& made, base::Budget& budget,
                       std::string& printed);
  std::string report_text(const History& whole, const minimize::Minimized& made,
                          const std::optional<minimize::Minimized>& longer) const;
  std::string story(const History& whole, const minimize::Minimized& part) const;
  ExitCode failed(const Error& error);
  Status tell_failure(const Error& error);
  ExitCode without_part(const Found& found);

  std::string in_;
  std::string format_;
  LevelOption level_;
  std::string from_;
  std::string out_;
  bool force_ = false;
  std::string to_ = "native";
  std::string certificate_;
  bool writes_longer_ = false;
  LimitOptions limits_;
  ThreadsOption threads_;
  ProgressOption progress_;
  Outputs outputs_{Outputs::Of::kOwnText};

  CheckOptions check_options_;
  bool trusts_versions_ = false;
  std::uint64_t memory_bytes_ = 0;
};

CLI::App* MinimizeCommand::add_to(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "minimize", "Reduce a history to a minimal part that still violates a level");
  sub->add_option("history", in_, "History to reduce; - is standard input")
      ->required()
      ->type_name("HISTORY");
  add_format(*sub, format_);
  CLI::Option* const level =
      level_.add_to(*sub, "it is the first of the weakest ones that are violated");
  sub->add_option("--from", from_,
                  "Begin with this certificate of the history, which check --certificate "
                  "wrote, instead of checking the level")
      ->type_name("CERTIFICATE")
      ->excludes(level);
  sub->add_option(
         "--out", out_,
         "Write the part to this file, a new one unless --force is given; .gz and .zst "
         "compress; - is standard output, which then has nothing else")
      ->type_name("FILE");
  add_force_whole(*sub, "--out", force_);
  sub->add_option("--to", to_, "native (JSON Lines) or native-binary")
      ->type_name("F")
      ->capture_default_str();
  sub->add_option("--certificate", certificate_,
                  "Write the proof that the part violates the level")
      ->type_name("FILE");
  sub->add_flag("--longer", writes_longer_,
                "Write, and prove, the longer form where there is one: with the transactions "
                "that wrote in between, which show how the database came to it");
  limits_.add_to(*sub);
  threads_.add_to(*sub);
  add_clock_error(*sub, check_options_.clock_error_ns,
                  "Real time counts only for gaps larger than this, for example 10ms; with "
                  "--from it is that of the certificate");
  add_trust_versions(*sub, trusts_versions_,
                     "Reads with a version are from the write with that version; with --from "
                     "this, too, is that of the certificate");
  progress_.add_to(*sub);
  outputs_.add_to(*sub);
  sub->footer(
      "Exit codes: 0 reduced as far as possible, 1 there is no violation or the certificate "
      "proves none,\n2 unknown whether there is a violation, or whether more can be left out.");
  return sub;
}

Status MinimizeCommand::prepare() {
  if (const Status known = level_.prepare(); !known) return known;
  check_options_.threads = threads_.count();
  if (const Status fits = outputs_.prepare(); !fits) return fits;
  if (out_ == "-" && !outputs_.prints_text()) {
    return usage_error("--out - has standard output for itself; give a file in place of -");
  }
  if (!out_.empty()) {
    if (const Status free = check_whole_history(out_, force_); !free) return free;
  }
  const Result<std::uint64_t> memory = limits_.memory_bytes();
  if (!memory) return memory.error();
  memory_bytes_ = *memory;
  return ok_status();
}

/// The history as the options, or else the certificate, say.
Result<History> MinimizeCommand::with_trust(History history) const {
  bool trusts = trusts_versions_;
  if (!from_.empty()) {
    const Result<Certificate> proof = certify::read_certificate(from_, history);
    if (!proof) return proof.error();
    trusts = proof->trusts_versions;
  }
  if (!trusts) return history;
  return history.with_trusted_versions();
}

Result<Found> MinimizeCommand::read_proof(const History& history, base::Budget& budget) const {
  Result<Certificate> proof = certify::read_certificate(from_, history);
  if (!proof) return proof.error();
  const certify::VerifyResult result = certify::verify(history, *proof);
  if (!result.proves) {
    return Found{
        {}, "not proved: " + api::claim(*proof) + ": " + result.reason, ExitCode::kViolated};
  }
  if (proof->holds()) {
    return Found{{},
                 api::claim(*proof) + "; there is no violation to reduce it to",
                 ExitCode::kViolated,
                 api::proved(history, *proof, budget)};
  }
  return Found{std::move(*proof), {}, {}};
}

Result<Found> MinimizeCommand::find_violation(const History& history,
                                              base::Budget& budget) const {
  if (!from_.empty()) return read_proof(history, budget);
  api::Settings settings;
  settings.check = check_options_;
  api::Checked checked = api::check(history, settings, budget);
  const std::vector<Level>& weakest = checked.model.weakest_violated;
  for (LevelReport& level : checked.report.levels) {
    if (weakest.empty() || level.level != weakest.front()) continue;
    Proof& proof = checked.report.proofs[level.proof];
    return Found{Certificate{level.level, history.digest(), check_options_.clock_error_ns,
                             std::move(proof), history.trusts_versions()},
                 {},
                 {}};
  }
  return without_violation(std::move(checked));
}

Found MinimizeCommand::without_violation(api::Checked checked) const {
  const bool asked = !check_options_.levels.empty();
  const std::string nothing = api::why_no_verdict(*checked.history, checked.model.evidence, 1);
  std::string open;
  for (const LevelReport& level : checked.report.levels) {
    const bool is_open = (level.verdict == Verdict::kUnknown && level.reason != nothing) ||
                         (asked && level.verdict == Verdict::kNotApplicable);
    if (!is_open || !open.empty()) continue;
    open = std::string(info(level.level).name) + ": " + std::string(name(level.verdict)) +
           ", because " + level.reason;
  }
  if (open.empty() && !nothing.empty()) open = "unknown, because " + nothing;
  if (!open.empty()) {
    // A violation at any level would have done.
    checked.model.asked = true;
    return {{}, open, ExitCode::kUnknown, std::move(checked)};
  }
  const std::string none = !asked ? "no level is violated"
                                  : std::string(info(check_options_.levels[0]).name) +
                                        " holds; there is no violation to reduce it to";
  return {{}, none, ExitCode::kViolated, std::move(checked)};
}

Status MinimizeCommand::write(const minimize::Minimized& made) const {
  if (!out_.empty()) {
    if (Status written = io::write_history(made.history, to_, out_, io::Remarks::kWords);
        !written) {
      return written;
    }
  }
  if (certificate_.empty()) return ok_status();
  if (const Status safe = check_output(certificate_, in_); !safe) return safe;
  return certify::write_certificate(made.history, made.certificate, certificate_);
}

Status MinimizeCommand::add_to_documents(const explain::ReportModel& model,
                                         std::string& printed) {
  const auto at_once = [](const std::function<void()>& work) { work(); };
  return outputs_.add(model, 1, at_once, printed);
}

/// On the part, where there is one.
Status MinimizeCommand::write_reports(const minimize::Minimized& made, base::Budget& budget,
                                      std::string& printed) {
  api::Checked checked = api::proved(made.history, made.certificate, budget);
  api::explain(checked);
  checked.model.asked = !level_.name().empty();
  if (!certificate_.empty()) checked.model.levels.front().certificate = certificate_;
  const Status added = add_to_documents(checked.model, printed);
  const Status written = outputs_.write();
  return added ? written : added;
}

std::string MinimizeCommand::story(const History& whole,
                                   const minimize::Minimized& part) const {
  return explain::narrate(part.history, explain::make_scenario(part.history, part.certificate),
                          {wants_colour(), 0, explain::first_start(whole), true});
}

std::string MinimizeCommand::report_text(
    const History& whole, const minimize::Minimized& made,
    const std::optional<minimize::Minimized>& longer) const {
  std::string text = base::printable_path(in_) + ": " + api::claim(made.certificate) + ".\n\n";
  text += "  before  " + size_of(whole) + "\n  after   " + size_of(made.history) + "\n\n";
  text += made.is_minimal ? "Nothing more can be left out"
                          : "Perhaps more can be left out, because " + made.reason;
  text += "; " + base::grouped(made.checks) + " parts were checked. The proof is verified.\n";
  if (made.history.open_increments() > 0) {
    text +=
        "Of a number that the proof is about all increments stay: any of them may be in what "
        "was "
        "read.\n";
  }
  if (!out_.empty()) text += "History: " + base::printable_path(out_) + "\n";
  if (!certificate_.empty())
    text += "Certificate: " + base::printable_path(certificate_) + "\n";
  if (longer && writes_longer_) {
    text += "Written is the longer form, told second: " + size_of(longer->history) + ".\n";
  }
  text += "\nNames, lines and times are those of " +
          (in_ == "-" ? std::string("standard input") : base::printable_path(in_)) + ":\n\n";
  text += story(whole, made);
  if (longer) {
    text +=
        "\nThat is the shortest form. One of its transactions replaced a version that it had "
        "read\nand another had not seen; with who wrote that version:\n\n" +
        story(whole, *longer);
  } else if (writes_longer_) {
    text += "\nThere is no longer form: nobody wrote in between.\n";
  }
  return text + explain::notes_text(explain::reader_notes(whole));
}

/// There is nothing to tell of, and the documents say so.
ExitCode MinimizeCommand::failed(const Error& error) {
  const Status written = tell_failure(error);
  const ExitCode code = report(error);
  return written ? code : worse(code, report(written.error()));
}

Status MinimizeCommand::tell_failure(const Error& error) {
  print(outputs_.add_failure(in_, error));
  if (!certificate_.empty()) remove_earlier(certificate_, in_, "nothing was proved");
  return outputs_.write();
}

/// The words are on one of the two channels, whatever is printed in place of the text. The
/// documents are about the whole history.
ExitCode MinimizeCommand::without_part(const Found& found) {
  const std::string line = base::printable_path(in_) + ": " + found.message + "\n";
  std::string printed;
  if (outputs_.prints_text()) {
    printed = line;
  } else {
    std::fprintf(stderr, "isolde: %s", line.c_str());
  }
  Status told = ok_status();
  if (!certificate_.empty()) remove_earlier(certificate_, in_, found.message);
  if (found.whole) {
    told = add_to_documents(found.whole->model, printed);
  } else {
    printed += outputs_.add_failure(in_, {ErrorCode::kBadInput, found.message});
  }
  print(printed);
  const Status written = outputs_.write();
  const ExitCode code = told ? found.code : worse(found.code, report(told.error()));
  return written ? code : worse(code, report(written.error()));
}

ExitCode MinimizeCommand::run() {
  if (const Status ready = prepare(); !ready) return report(ready.error());
  base::Budget budget(limits_.timeout_seconds, memory_bytes_);
  const InterruptGuard guard(budget);
  const base::MemoryGuard memory(budget);
  Progress progress(progress_.enabled());
  progress.show("loading " + in_);
  minimize::MinimizeOptions options;
  options.threads = threads_.count();
  options.progress = [&progress](std::string_view work) { progress.show(work); };
  check_options_.progress = options.progress;
  Result<History> history = io::read_history(in_, format_, budget, options.threads);
  if (history) history = with_trust(std::move(*history));
  if (!history) return failed(history.error());
  Result<std::vector<Level>> levels = level_.levels_for(*history);
  if (!levels) return failed(levels.error());
  check_options_.levels = std::move(levels).value();
  const Result<Found> found = find_violation(*history, budget);
  if (!found) return failed(found.error());
  if (!found->proof) {
    progress.clear();
    return without_part(*found);
  }
  const Result<minimize::Minimized> made =
      minimize::minimize(*history, *found->proof, options, budget);
  progress.clear();
  if (!made) return failed(made.error());
  const auto longer = minimize::with_writers_between(*history, *made, options, budget);
  const bool has_longer = longer && longer->has_value();
  const minimize::Minimized& part = writes_longer_ && has_longer ? **longer : *made;
  if (const Status written = write(part); !written) return failed(written.error());
  if (!longer) return failed(longer.error());
  std::string printed;
  if (out_ != "-" && outputs_.prints_text()) printed = report_text(*history, *made, *longer);
  const Status told = write_reports(part, budget, printed);
  print(printed);
  if (!told) return report(told.error());
  return made->is_minimal ? ExitCode::kSuccess : ExitCode::kUnknown;
}

}  // namespace

std::unique_ptr<Command> make_minimize_command() { return std::make_unique<MinimizeCommand>(); }

}  // namespace isolde::cli
