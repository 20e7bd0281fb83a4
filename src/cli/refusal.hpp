// What the parser of the command line refuses, in our own words: which option or argument of
// which command, what was given, what is expected, and where help is.
#pragma once

#include <string>
#include <vector>

#include "cli/cli11.hpp"
#include "isolde/status.hpp"

namespace CLI {
class Error;
}  // namespace CLI

namespace isolde::cli {

/// What is wrong, without where help is. `arguments`: all of them, in their order.
std::string refused_words(const CLI::App& command, const CLI::Error& error);

/// The same error, which also tells where the help of the command is that was met last.
Error with_help(const CLI::App& app, const Error& error);

/// kUsage: what the parser threw, of the command that was met last.
Error refusal(const CLI::App& app, const CLI::Error& error,
              const std::vector<std::string>& arguments);

}  // namespace isolde::cli
