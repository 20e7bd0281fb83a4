#include "cli/run_watch.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>
#include <utility>

#include "cli/options.hpp"
#include "stream/rounds.hpp"

namespace isolde::cli {

void RunWatch::add_to(CLI::App& app) {
  app.add_flag(
      "--watch", watches_,
      "Check one level while the run goes on, as isolde watch does, in memory that does "
      "not grow with the history, in place of all levels at the end: that of --level, "
      "or strict-serializable");
  app.add_flag("--exit-on-violation", exits_, "End the run when --watch has found a violation");
  app.add_option(
         "--bundle", bundle_,
         "Write the transactions of a violation that --watch has found, as a history of "
         "their own")
      ->type_name("HISTORY");
}

Status RunWatch::prepare(const std::vector<const CLI::Option*>& of_history,
                         const std::string& out, std::vector<std::string> arguments) {
  if (!watches_) {
    if (!exits_ && bundle_.empty()) return ok_status();
    return usage_error(std::string(exits_ ? "--exit-on-violation" : "--bundle") +
                       " is about --watch; give that, too");
  }
  static constexpr std::array<std::string_view, 13> kKnown = {
      "--watch",       "--exit-on-violation",
      "--bundle",      "--certificate",
      "--out",         "--to",
      "--timeout",     "--memory",
      "--threads",     "--verify",
      "--clock-error", "--level",
      "--promise"};
  std::vector<const CLI::Option*> others;
  std::ranges::copy_if(of_history, std::back_inserter(others), [](const CLI::Option* option) {
    return std::ranges::find(kKnown, option->get_name()) == kKnown.end();
  });
  if (const std::string given = given_of(others); !given.empty()) {
    return usage_error("--watch checks a level as the history comes, without " + given +
                       "; leave one or the other out");
  }
  if (!bundle_.empty() && bundle_ == out) {
    return usage_error(bundle_ + " is written twice; choose another file for one of them");
  }
  arguments_ = std::move(arguments);
  if (exits_) arguments_.emplace_back("--exit-on-violation");
  if (!bundle_.empty()) arguments_.insert(arguments_.end(), {"--bundle", bundle_});
  const bool has_certificate =
      std::ranges::find(arguments_, "--certificate") != arguments_.end();
  if (!has_certificate || !bundle_.empty()) return ok_status();
  return usage_error("--certificate is about the bundle; give --bundle too");
}

Status RunWatch::check(const gen::WorkloadInfo& workload) {
  struct Row {
    bool gen::WorkloadNeeds::*needs;
    std::string_view what;
  };
  using Needs = gen::WorkloadNeeds;
  static constexpr std::array kRows = {
      Row{&Needs::tables, "rows with columns"},        Row{&Needs::rows, "selections"},
      Row{&Needs::aggregates, "aggregates"},           Row{&Needs::increments, "increments"},
      Row{&Needs::compare_and_set, "refused inserts"},
  };
  for (const Row& row : kRows) {
    if (!(workload.needs.*row.needs)) continue;
    return usage_error("workload " + std::string(workload.name) + " has " +
                       std::string(row.what) +
                       ", which are not checked in rounds; leave out --watch");
  }
  return ok_status();
}

Status RunWatch::check(const std::vector<Level>& asked) {
  if (asked.empty()) return ok_status();
  if (asked.size() > 1) {
    return usage_error("--watch checks one level; leave out --watch, or the other levels");
  }
  if (stream::level_of_rounds(asked.front())) return ok_status();
  return usage_error(std::string(info(asked.front()).name) +
                     " is not decided as a history comes; leave out --watch");
}

Status RunWatch::set_levels(const std::vector<Level>& asked) {
  if (const Status fits = check(asked); !fits || asked.empty()) return fits;
  level_ = asked.front();
  arguments_.insert(arguments_.end(), {"--level", std::string(info(level_).name)});
  return ok_status();
}

Status RunWatch::start(const std::string& history) {
  std::vector<std::string> words{"watch", "--follow", "--no-progress"};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  words.insert(words.end(), {"--", history});
  Result<WatchChild> child = WatchChild::start(words);
  if (!child) return child.error();
  child_.emplace(std::move(*child));
  return ok_status();
}

std::string RunWatch::trouble() {
  const std::optional<int> code = child_ ? child_->ended() : std::nullopt;
  if (!code || *code == static_cast<int>(ExitCode::kUnknown)) return "";
  if (*code != static_cast<int>(ExitCode::kViolated)) {
    return "isolde watch ended with exit code " + std::to_string(*code);
  }
  if (!std::exchange(is_told_, true)) {
    std::fprintf(stderr, "isolde: %s is violated; the report comes at the end of the run\n",
                 std::string(info(level_).name).c_str());
  }
  return exits_ ? "a violation was found" : "";
}

void RunWatch::give_up() {
  if (child_) child_->interrupt();
}

ExitCode RunWatch::finish(base::Budget& budget) {
  constexpr std::chrono::milliseconds kPause(20);
  bool is_asked = false;
  while (true) {
    if (const std::optional<int> code = child_->ended()) return static_cast<ExitCode>(*code);
    if (!budget.look() && !std::exchange(is_asked, true)) child_->interrupt();
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace isolde::cli
