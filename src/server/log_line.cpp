#include "server/log_line.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace isolde::server {
namespace {

constexpr std::size_t kLongest = 300;

/// Redis quotes the setting that it does not like, and says why in the next line.
constexpr std::string_view kQuote = ">>> ";

constexpr std::string_view kProblems[] = {
    "[error]",       "error:",    "fatal",        "panic",       "cannot",         "can't",
    "failed",        "could not", "unknown",      "invalid",     "in use",         "denied",
    "not permitted", "no space",  "unrecognized", "not defined", "verifying flags"};

constexpr std::string_view kConsequences[] = {"aborting",
                                              "contains errors",
                                              "database system is shut down",
                                              "hint:",
                                              "failed to load provider",
                                              "failed to create a new provider",
                                              "failed to initialize wsrep provider",
                                              "installation of system tables failed",
                                              "could not increase number"};

template <typename Words>
bool contains_any(std::string_view line, const Words& words) {
  std::string lower(line);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

/// "2026-11-21  4:08:30 0 [ERROR] x" and "2026-11-21 04:08:30.123 GMT [17] FATAL:  x".
std::string_view without_time(std::string_view line) {
  if (line.size() < 10 || line[4] != '-' || line[7] != '-') return line;
  const std::size_t end = line.find_first_of("[ABCDEFGHIJKLMNOPQRSTUVWXYZ", 10);
  if (end == std::string_view::npos) return line;
  line.remove_prefix(end);
  const std::size_t zone = line.find(" [");
  const std::size_t process = line.find("] ");
  if (zone <= 5 && process != std::string_view::npos) line.remove_prefix(process + 2);
  return line;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) {
    line.remove_prefix(1);
  }
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

std::string telling_line(std::string_view log) {
  std::string problem;
  std::string_view last;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = trimmed(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
    if (line.empty()) continue;
    // What follows is the help text of etcd, full of the words above.
    if (line == "Usage:") break;
    if (last.starts_with(kQuote)) {
      problem = std::string(last.substr(kQuote.size())) + ": " + std::string(line);
    } else if (contains_any(line, kProblems) && !contains_any(line, kConsequences)) {
      problem = without_time(line);
    }
    last = line;
  }
  std::string result = problem.empty() ? std::string(without_time(last)) : problem;
  // PostgreSQL sets its messages off by two blanks.
  const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
  result.erase(std::unique(result.begin(), result.end(), both_blank), result.end());
  if (result.size() > kLongest) result = result.substr(0, kLongest) + "...";
  return result;
}

}  // namespace isolde::server
