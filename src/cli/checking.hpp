// Checking one history from the command line: the options, loading and deciding within limits,
// writing proofs and pictures, printing. What `isolde check` does for each of its files, and
// `isolde run` for the history it has just recorded.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "cli/cli11.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/outcome.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "isolde/check.hpp"

namespace isolde::cli {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Checking {
 public:
  /// The parser keeps references into this object. Only a run knows what is promised.
  void add_to(CLI::App& app, bool of_run = false);
  /// In place of add_to(), for a command whose own options these are.
  void take(std::vector<std::string> levels, const LimitOptions& limits,
            const ProgressOption& progress);
  /// Reads what was parsed. ERRORS: kUsage.
  Status prepare();

  /// Several histories in one call of the program: files that are written get the number of
  /// the history in their name.
  void set_several(bool several) { several_ = several; }
  /// Standard output is for people, not for a program.
  bool prints_text() const { return !json_ && !outputs_.takes_stdout(); }
  bool shows_progress() const { return progress_.enabled(); }

  /// Loads and decides. A limit that ends the loading gives `unknown` for every level. ERRORS:
  /// as io::read_history().
  Result<Outcome> check(const std::string& file, const std::string& format);

  /// Fills outcome.levels: makes the explanations, as far as the limits have room for them;
  /// writes certificates, pictures and the HTML report. Numbers begin at 1. The verdicts stand
  /// whatever fails here. ERRORS: of the first file that could not be written.
  Status explain(Outcome& outcome, std::size_t file_number) const;

  /// The report as text or JSON, with annotations; call after explain(), which it uses up. Puts
  /// the history into the other documents, too.
  std::string report_text(Outcome& outcome);

  /// Prints the error, and puts it into the other documents in place of the history.
  ExitCode report_failure(const std::string& file, const Error& error);

  /// Writes the other documents; call at the end. Returns the worse of both codes.
  ExitCode finish(ExitCode code);

  /// Without --level the promised level decides, where there is one.
  ExitCode verdict_code(const Outcome& outcome) const;

  bool asks_for_promise() const { return asks_for_promise_; }
  /// What the database promises, for --level promised; call after prepare(). ERRORS: kUsage
  /// when that was asked for and there is no promise.
  Status expect(std::optional<Level> promised, std::string_view why_none);

 private:
  void decide(Outcome& outcome, base::Budget& budget);
  void weigh(Outcome& outcome) const;
  Status list_anomalies(Outcome& outcome, base::Budget& budget) const;
  explain::LevelOutcome outcome_of(const LevelReport& level, const Outcome& outcome) const;
  Status explain_levels(Outcome& outcome, std::size_t file_number) const;
  explain::ReportInput report_input(Outcome& outcome) const;
  std::string within_limits(const Outcome& outcome, const std::function<void()>& work) const;
  void tell(const Outcome& outcome, std::vector<explain::LevelOutcome>& levels,
            const std::function<void()>& work) const;
  Status write_pictures(Outcome& outcome, std::size_t file_number) const;
  Status write_graph(const Outcome& outcome, const explain::Scenario& scenario,
                     std::size_t file_number) const;
  Status write_page(Outcome& outcome, std::size_t file_number) const;
  std::string picture_path(const std::string& path, std::size_t file_number,
                           const char* extension) const;
  std::string file_prefix(std::string path, std::size_t file_number) const;

  std::vector<std::string> level_names_;
  bool json_ = false;
  bool several_ = false;
  std::string certificate_;
  std::string dot_;
  Outputs outputs_;
  bool asks_for_promise_ = false;
  std::uint64_t min_committed_ = 1;
  bool require_evidence_ = false;
  std::size_t anomalies_ = 0;  // 0: not asked for
  std::string svg_;
  std::string html_;
  LimitOptions limits_;
  ProgressOption progress_;
  ThreadsOption threads_;
  std::string clock_error_ = "0";

  CheckOptions options_;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace isolde::cli
