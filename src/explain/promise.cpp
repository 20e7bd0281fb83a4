#include "explain/promise.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "base/text.hpp"

namespace isolde::explain {
namespace {

std::string database_of(const Promise& promise) {
  return promise.database.empty() ? "the database" : base::printable_name(promise.database);
}

}  // namespace

std::optional<Promise> recorded_promise(const HistoryOrigin& origin) {
  if (!origin.promise && origin.no_promise.empty()) return std::nullopt;
  return Promise{origin.product.empty() ? origin.database : origin.product, origin.isolation,
                 origin.promise, origin.no_promise, origin.promise && origin.promised_by_user};
}

const LevelOutcome* promised_outcome(const ReportModel& model) {
  if (!model.promise || !model.promise->level) return nullptr;
  const auto found =
      std::ranges::find(model.levels, *model.promise->level, &LevelOutcome::level);
  return found == model.levels.end() ? nullptr : &*found;
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

std::string promise_text(const ReportModel& model) {
  if (!model.promise) return {};
  const Promise& promise = *model.promise;
  const std::string setting =
      promise.isolation.empty() ? "" : " at " + base::printable_name(promise.isolation);
  const std::string promises = database_of(promise) + setting + " promises ";
  if (!promise.level) {
    constexpr std::size_t kLongest = 1000;
    return promises + "none of these levels: " +
           base::printable_line(base::shortened(promise.why_none, kLongest));
  }
  const std::string text =
      (promise.is_asked ? database_of(promise) + setting + " is held by --promise to "
                        : promises) +
      std::string(info(*promise.level).name);
  const LevelOutcome* const outcome = promised_outcome(model);
  if (outcome == nullptr) {
    return text + ", which was not checked, because only other levels were asked for";
  }
  return text + ": " + std::string(promise_verdict(*outcome));
}

std::string namesake_text(const ReportModel& model) {
  if (!model.promise) return {};
  const Promise& promise = *model.promise;
  const std::string called = base::plain_name(promise.isolation);
  const auto row = std::ranges::find_if(model.levels, [&](const LevelOutcome& outcome) {
    return outcome.is_violated() && info(outcome.level).name == called;
  });
  if (row == model.levels.end()) return {};
  const auto implies = [&](Level stronger, Level weaker) {
    return implies_there(stronger, weaker, model.sessions_respect_time, model.rows);
  };
  if (promise.level && implies(*promise.level, row->level)) return {};
  const std::string text = "The level " + called + ", which is violated, is not what " +
                           database_of(promise) + " calls " +
                           base::printable_name(promise.isolation) + ", and was not promised";
  if (!promise.level) return text + ".";
  const std::string promised(info(*promise.level).name);
  return text + (implies(row->level, *promise.level)
                     ? ": " + promised + " is weaker."
                     : ": neither it nor " + promised + " implies the other.");
}

bool breaks_promise(const ReportModel& model, std::span<const Level> violated) {
  if (!model.promise || !model.promise->level) return false;
  return std::any_of(violated.begin(), violated.end(), [&](Level level) {
    return implies_there(*model.promise->level, level, model.sessions_respect_time, model.rows);
  });
}

bool is_defect(const ReportModel& model, std::span<const Level> violated) {
  return breaks_promise(model, violated) && !model.promise->is_asked;
}

bool is_failure(const ReportModel& input, std::span<const Level> violated) {
  return input.asked || breaks_promise(input, violated);
}

}  // namespace isolde::explain
