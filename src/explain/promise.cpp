#include "explain/promise.hpp"

#include <algorithm>

namespace isolde::explain {

const LevelOutcome* promised_outcome(const std::optional<RunReport>& run,
                                     std::span<const LevelOutcome> levels) {
  if (!run || !run->promised) return nullptr;
  const auto found = std::find_if(
      levels.begin(), levels.end(),
      [&](const LevelOutcome& outcome) { return outcome.level == *run->promised; });
  return found == levels.end() ? nullptr : &*found;
}

std::string_view promise_verdict(const LevelOutcome& promised) {
  if (promised.verdict == Verdict::kHolds) {
    return promised.trial == history::Trial::kUntried
               ? "kept in this history, which did not put it to the test"
               : "kept in this history";
  }
  if (promised.verdict == Verdict::kViolated) return "BROKEN";
  return "not decided";
}

std::string promise_text(const std::optional<RunReport>& run,
                         std::span<const LevelOutcome> levels) {
  if (!run) return {};
  const std::string setting = run->product + " at " + run->isolation + " promises ";
  if (!run->promised) return setting + "none of these levels: " + run->no_promise;
  const std::string promise = setting + std::string(info(*run->promised).name);
  const LevelOutcome* const outcome = promised_outcome(run, levels);
  if (outcome == nullptr) {
    return promise + ", which was not checked, because --level did not ask for it";
  }
  return promise + ": " + std::string(promise_verdict(*outcome));
}

bool is_failure(const ReportModel& input, std::span<const Level> violated) {
  if (input.asked) return true;
  if (!input.run || !input.run->promised) return false;
  return std::any_of(violated.begin(), violated.end(), [&](Level level) {
    return implies_there(*input.run->promised, level, input.sessions_respect_time, input.rows);
  });
}

}  // namespace isolde::explain
