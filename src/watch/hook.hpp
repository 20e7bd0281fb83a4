// A command of the user's that runs when something was found.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::watch {

struct Hook {
  std::string command;  ///< for the system's shell, just as the user gave it
  /// What it has to know, as variables of its environment: no text from a history becomes part
  /// of a command.
  std::vector<std::pair<std::string, std::string>> variables;
  std::chrono::milliseconds limit{};
};

/// Runs it to its end; its standard output goes where standard error does, and it has no input.
/// It has a process group of its own, of which nothing is left after the limit. ERRORS:
/// kEnvironment: it cannot be started, ends with another exit code than 0, or has not ended.
Status run_hook(const Hook& hook);

}  // namespace isolde::watch
