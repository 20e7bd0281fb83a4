// A file of steps that `isolde replay` is given in place of a history: it is played once, just
// as `isolde run --steps` plays it, with the options that both commands have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/database_options.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"

namespace isolde::cli {

struct StepsToPlay {
  std::string file;
  std::string out;                           ///< empty: the history is not kept
  bool force = false;                        ///< replaces a file at `out`
  std::optional<std::int64_t> step_wait_ns;  ///< nothing: as `run` has it
  std::vector<std::string> levels;           ///< as of --level of `run`
  Outputs outputs;                           ///< as its options are
  DatabaseArguments target;
  LimitOptions limits;
  ProgressOption progress;
};

ExitCode play_steps(StepsToPlay steps);

}  // namespace isolde::cli
