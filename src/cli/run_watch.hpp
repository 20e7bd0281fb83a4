// isolde run --watch: the history is checked while the run goes on, by isolde watch, in place
// of all levels at the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "cli/cli11.hpp"
#include "cli/command.hpp"
#include "cli/watch_child.hpp"
#include "gen/workload.hpp"
#include "isolde/level.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

class RunWatch {
 public:
  /// The parser keeps references into this object.
  void add_to(CLI::App& app);
  bool given() const { return watches_; }
  /// `of_history`: the options of the run that are about its history. `arguments`: what the
  /// check's options are for isolde watch. ERRORS: kUsage: some mean nothing with the others.
  Status prepare(const std::vector<const CLI::Option*>& of_history, const std::string& out,
                 std::vector<std::string> arguments);
  /// ERRORS: kUsage: rounds do not know what the workload does.
  static Status check(const gen::WorkloadInfo& workload);

  /// ERRORS: kUsage: rounds do not decide them.
  static Status check(const std::vector<Level>& asked);

  /// `asked`: none stands for strict serializability. ERRORS: kUsage: rounds do not decide
  /// them.
  Status set_levels(const std::vector<Level>& asked);

  /// The file is there, and more will come. ERRORS: kEnvironment.
  Status start(const std::string& history);
  /// Asked while the run goes on: why it should not; empty: it should. Tells people of a
  /// violation, once.
  std::string trouble();
  /// The history will have no end.
  void give_up();
  /// Waits for the verdict; when the budget is cancelled, only for what is known by then.
  /// REQUIRES: start().
  ExitCode finish(base::Budget& budget);
  /// Of isolde watch, after finish().
  std::string report() const { return child_->output(); }

 private:
  bool watches_ = false;
  bool exits_ = false;
  std::string bundle_;
  std::vector<std::string> arguments_;
  Level level_ = Level::kStrictSerializable;
  std::optional<WatchChild> child_;
  bool is_told_ = false;
};

}  // namespace isolde::cli
