#include "explain/times.hpp"

#include <algorithm>
#include <vector>

#include "base/moment.hpp"
#include "explain/phrase.hpp"

namespace isolde::explain {
namespace {

/// Starts and ends that are shown, ascending, each once.
std::vector<std::int64_t> moments(const History& history, const Scenario& scenario) {
  std::vector<std::int64_t> found;
  for (const ScenarioTxn& member : scenario.txns) {
    const TxnTimes times = history.times(member.txn);
    for (const std::int64_t time : {times.start, times.end}) {
      if (const auto moment = moment_of(history, time)) found.push_back(*moment);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::int64_t first_start(const History& history) {
  std::int64_t first = kNoTime;
  for (std::size_t t = 0; history.has_times() && t < history.txn_count(); ++t) {
    const std::int64_t start = history.times(TxnId::at(t)).start;
    if (start != kNoTime && (first == kNoTime || start < first)) first = start;
  }
  return first;
}

std::optional<std::int64_t> moment_of(const History& history, std::int64_t time) {
  const std::int64_t origin = history.origin().clock_origin;
  std::int64_t moment = 0;
  if (time == kNoTime || origin == kNoTime) return std::nullopt;
  if (__builtin_add_overflow(origin, time, &moment) || moment == kNoTime) return std::nullopt;
  return moment;
}

TimeTexts::TimeTexts(const History& history, const Scenario& scenario, std::int64_t zero_point)
    : history_(history) {
  const std::vector<std::int64_t> shown = moments(history, scenario);
  on_calendar_ = !shown.empty();
  if (!on_calendar_) {
    first_ = zero_point == kNoTime ? first_start(history) : zero_point;
    return;
  }
  const std::string first = base::day_and_time(shown.front()).day;
  if (first == base::day_and_time(shown.back()).day) day_ = first;
  constexpr std::size_t kAll = 9;
  for (std::size_t i = 1; i < shown.size(); ++i) {
    if (text(shown[i]) == text(shown[i - 1])) {
      digits_ = kAll;
      break;
    }
  }
}

std::string TimeTexts::text(std::int64_t moment) const {
  const base::DayAndTime parts = base::day_and_time(moment);
  constexpr std::size_t kWholeSeconds = 9;  // "14:03:22."
  const std::string time = parts.time.substr(0, kWholeSeconds + digits_);
  return day_.empty() ? parts.day + ' ' + time : time;
}

std::string TimeTexts::heading() const {
  if (!on_calendar_) return {};
  return day_.empty() ? "Times are in UTC." : "Times are of " + day_ + ", in UTC.";
}

std::string TimeTexts::of(TxnId txn) const {
  const TxnTimes times = history_.times(txn);
  if (on_calendar_) {
    const auto start = moment_of(history_, times.start);
    const auto end = moment_of(history_, times.end);
    if (start && end) return text(*start) + " to " + text(*end);
    return start ? "from " + text(*start) : end ? "until " + text(*end) : std::string();
  }
  if (times.start == kNoTime || times.end == kNoTime || first_ == kNoTime) return {};
  if (history_.origin().times_are_order) {
    return "events " + std::to_string(times.start) + " to " + std::to_string(times.end);
  }
  return "from " + duration_text(times.start - first_) + " to " +
         duration_text(times.end - first_);
}

}  // namespace isolde::explain
