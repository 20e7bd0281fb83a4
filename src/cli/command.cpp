#include "cli/command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/phrases.hpp"
#include "base/printable.hpp"
#include "base/secrets.hpp"
#include "cli/interrupt.hpp"

namespace isolde::cli {
namespace {

int rank(ExitCode code) {
  switch (code) {
    case ExitCode::kSuccess:
      return 0;
    case ExitCode::kUnknown:
      return 1;
    case ExitCode::kViolated:
      return 2;
    case ExitCode::kUsage:
      return 3;
    case ExitCode::kEnvironment:
      break;
  }
  return 4;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

ExitCode worse(ExitCode a, ExitCode b) { return rank(a) < rank(b) ? b : a; }

ExitCode exit_code(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUsage:
    case ErrorCode::kBadInput:
      return ExitCode::kUsage;
    case ErrorCode::kLimit:
      return ExitCode::kUnknown;
    case ErrorCode::kEnvironment:
    case ErrorCode::kInternal:
      break;
  }
  return ExitCode::kEnvironment;
}

std::string told(const Error& error) {
  std::string text = error.message;
  for (const base::Phrase& phrase : base::kPhrases) {
    for (std::size_t at = text.find(phrase.of_library); at != std::string::npos;
         at = text.find(phrase.of_library, at + phrase.of_program.size())) {
      text.replace(at, phrase.of_library.size(), phrase.of_program);
    }
  }
  // A DSN or a command may stand where none belongs.
  const std::string line = base::printable_line(text);
  return line.find("exec:") == std::string::npos ? base::without_secrets(line)
                                                 : base::command_without_secrets(line);
}

ExitCode report(const Error& error) {
  // Whatever it quotes: paths, pieces of the input, what a database said.
  const std::string line = "isolde: " + told(error);
  std::fprintf(stderr, "%s\n", line.c_str());
  return exit_code(error);
}

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) != 0 || !written) heed_lost_reader(STDOUT_FILENO);
}

ExitCode finish_output(ExitCode code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  // Who does not read it does not ask for the code either.
  if (heed_lost_reader(STDOUT_FILENO)) return code;
  return worse(code, report({ErrorCode::kEnvironment, "cannot write to standard output"}));
}

bool wants_colour() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return isatty(STDOUT_FILENO) == 1 && !is_set("NO_COLOR") && !dumb;
}

}  // namespace isolde::cli
