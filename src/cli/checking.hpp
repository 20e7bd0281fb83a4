// Checking one history from the command line: the options, loading and deciding within limits,
// writing proofs and pictures, printing. What `isolde check` does for each of its files, and
// `isolde run` for the history it has just recorded.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/checking.hpp"
#include "base/budget.hpp"
#include "cli/cli11.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"

namespace isolde::cli {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

using Deadline = base::Budget::Clock::time_point;

/// --promise LEVEL: in place of what is known of the database.
class PromiseOption {
 public:
  /// `known_from` says what it is in place of.
  void add_to(CLI::App& app, const std::string& known_from);
  /// ERRORS: kUsage.
  Status prepare();
  bool given() const { return !text_.empty(); }
  /// Nothing: it says that no level is promised.
  std::optional<Level> level() const { return level_; }
  static std::string why_none() { return "by --promise none"; }

 private:
  std::string text_;
  std::optional<Level> level_;
};

/// A history with its verdicts, from loading on.
struct Outcome {
  std::unique_ptr<const History> history;
  api::Checked checked;  ///< of *history
  /// By when explanations and reports have to be there; nothing without a limit of time.
  std::optional<Deadline> tell_by = {};
  Status written = ok_status();  ///< of proofs that are written while the history is read

  explain::ReportModel& model() { return checked.model; }
  const explain::ReportModel& model() const { return checked.model; }
};

/// The reason of those that are not read after an interruption.
inline constexpr const char* kNotRead = "interrupted before the history was read";

class Checking {
 public:
  /// The parser keeps references into this object.
  void add_to(CLI::App& app, bool of_run = false);
  /// In place of add_to(), for a command whose own options these are.
  void take(std::vector<std::string> levels, const LimitOptions& limits,
            const ProgressOption& progress, const Outputs& outputs = Outputs());
  /// Reads what was parsed. ERRORS: kUsage.
  Status prepare();

  /// Several histories in one call of the program: files that are written get the number of
  /// the history in their name.
  void set_several(bool several) {
    several_ = several;
    outputs_.set_several(several);
  }
  /// check_stream() is what is called for each history. The time is as
  /// stream::RoundsOptions::takes_effect_within_ns. ERRORS: kUsage: something was asked for
  /// that needs the whole history.
  Status set_stream(const std::string& format, const std::string& bundle,
                    std::int64_t takes_effect_within_ns);
  /// Those of --level but for the promised one, which is known later.
  const std::vector<Level>& levels() const { return settings_.check.levels; }
  /// Standard output is for people, not for a program.
  bool prints_text() const { return outputs_.prints_text(); }
  bool shows_progress() const { return progress_.enabled(); }
  /// What isolde watch takes of the options, as its arguments.
  std::vector<std::string> watch_arguments() const;

  /// What io::histories_at() finds, within the limits; says on standard error what it leaves
  /// out. ERRORS: as that.
  Result<std::vector<std::string>> find(const std::string& path,
                                        const std::string& format) const;

  /// Loads and decides. A limit that ends the loading gives `unknown` for every level. ERRORS:
  /// as io::read_history(); kUsage for --level promised where no promise is known.
  /// `shown_as`: what reports call the file instead, where it goes when the program ends.
  Result<Outcome> check(const std::string& file, const std::string& format,
                        const std::string& shown_as = {});
  /// The same for one of several, which after an interruption is not read: then every level is
  /// `unknown`.
  Result<Outcome> check_next(const std::string& file, const std::string& format);
  /// The same part by part, in memory that does not grow with the history (stream_check.hpp).
  /// Without --level the promised level is asked for, and strict-serializable where none is.
  /// `file_number` and `bundle` are for what is written; an empty bundle is not.
  Result<Outcome> check_stream(const std::string& file, std::size_t file_number,
                               const std::string& bundle);
  /// That one which is not read: every level is `unknown` for that reason.
  Outcome leave_out(const std::string& file, const std::string& format,
                    const std::string& reason) const;

  /// Makes the explanations, as far as the limits have room for them, and writes certificates.
  /// Numbers begin at 1. ERRORS: of the first file that could not be written.
  Status explain(Outcome& outcome, std::size_t file_number) const;

  /// Verifies the proofs where that was asked for, then explain(), then in all forms that were
  /// asked for; what is for standard output is added to `printed`. The verdicts stand whatever
  /// fails here, of which each is reported.
  ExitCode tell_all(Outcome& outcome, std::size_t file_number, std::string& printed);

  /// Prints the error, and puts it into the other documents in place of the history.
  ExitCode report_failure(const std::string& file, const Error& error);

  /// Writes the other documents; call at the end. Returns the worse of both codes.
  ExitCode finish(ExitCode code);

  /// Without --level the promised level decides, where there is one.
  ExitCode verdict_code(const explain::ReportModel& model) const;

  const PromiseOption& promise() const { return promise_; }
  /// Whether --level promised can be answered; call after prepare(). ERRORS: kUsage when that
  /// was asked for and there is no promise.
  Status expect(std::optional<Level> promised, std::string_view why_none) const;
  /// Those that are asked for by name, the promised one among them where it is; none: all.
  /// REQUIRES: expect().
  std::vector<Level> asked_levels(std::optional<Level> promised) const;

 private:
  Result<api::Settings> settings_for(const History& history) const;
  std::optional<explain::Promise> promise_for(const History& history) const;
  Result<Outcome> check_loaded(Result<History> history, const std::string& file,
                               const std::string& format, base::Budget& budget);
  Status list_anomalies(api::Checked& checked, const api::Settings& settings,
                        base::Budget& budget) const;
  Status write_certificates(Outcome& outcome, std::size_t file_number) const;
  Status write_bundle(Outcome& outcome, const std::string& bundle,
                      std::size_t file_number) const;
  std::string certificate_path(Level level, bool is_only, std::size_t file_number) const;
  Result<api::Settings> stream_settings(const std::string& file, base::Budget& budget) const;
  void set_time_to_tell(Outcome& outcome, const base::Budget& budget) const;
  ExitCode verify(Outcome& outcome) const;
  std::string within_limits(std::optional<Deadline> tell_by,
                            const std::function<void()>& work) const;
  void tell(Outcome& outcome, const std::function<void()>& work) const;
  std::string file_prefix(std::string path, std::size_t file_number) const;

  std::vector<std::string> level_names_;
  bool several_ = false;
  bool streams_ = false;
  std::int64_t takes_effect_within_ns_ = kNoTime;
  std::string certificate_;
  Outputs outputs_;
  bool asks_for_promise_ = false;
  PromiseOption promise_;
  std::size_t anomalies_ = 0;  // 0: not asked for
  LimitOptions limits_;
  ProgressOption progress_;
  ThreadsOption threads_;
  bool trusts_versions_ = false;
  bool verifies_ = false;

  api::Settings settings_;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace isolde::cli
