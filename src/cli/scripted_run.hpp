// Scripted steps in place of a workload: what `isolde run --steps` and recipes play.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/cli11.hpp"
#include "db/driver.hpp"
#include "isolde/recorder.hpp"
#include "isolde/status.hpp"
#include "replay/numbering.hpp"
#include "replay/player.hpp"
#include "replay/steps.hpp"
#include "run/executor.hpp"

namespace isolde::cli {

/// Whether it is a file, and what stands in it begins as steps do. Others are histories.
bool is_file_of_steps(const std::string& path);

/// Use: set() where a recipe has steps; load(), check_fits(), create(), play(), text().
class ScriptedRun {
 public:
  /// --steps and --step-wait. The parser keeps references into this object.
  void add_to(CLI::App& app);

  bool given() const { return !file_.empty() || !text_.empty(); }
  /// Steps that stand in no file of their own.
  void set(std::string name, std::string text);
  /// The same as --steps and --step-wait.
  void set_file(std::string file, std::optional<std::int64_t> step_wait_ns);
  /// What reports call it.
  std::string name() const;
  /// REQUIRES: load().
  bool deletes() const { return steps_->deletes || !steps_->computed.empty(); }

  /// ERRORS: kUsage, kEnvironment; kBadInput, naming the line.
  Status load();
  /// ERRORS: kUsage for a database that cannot do what the steps ask for. `has_server`: the run
  /// has started the servers itself, so they may be crashed.
  Status check_fits(const db::DatabaseInfo& database, std::string_view isolation,
                    bool has_server) const;
  Status create(db::Database& database) const;
  /// `crash`: as of replay::PlayOptions. ERRORS: as replay::play().
  Result<run::RunStatistics> play(db::Database& database, Recorder& recorder,
                                  std::function<Status()> crash);
  /// What happened, step by step.
  std::string text() const;

 private:
  std::string what_never_came() const;

  std::string file_;
  std::string name_;
  std::string text_;
  std::int64_t step_wait_ns_ = 2'000'000'000;
  replay::PlayOptions options_;
  std::optional<replay::Steps> steps_;
  std::optional<replay::Numbering> numbering_;  // of steps_
  std::vector<replay::StepResult> results_;
};

}  // namespace isolde::cli
