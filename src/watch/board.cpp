#include "watch/board.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/memory.hpp"

namespace isolde::watch {
namespace {

constexpr double kNsPerSecond = 1e9;
/// The rate is that of so many samples, for groups come in pieces.
constexpr std::size_t kRateSamples = 10;

/// Clients may count time from anywhere. Only where it could be that of a calendar can it be
/// compared with ours.
bool is_of_a_calendar(std::int64_t time, double now) {
  constexpr double kOldest = 1e9;  // seconds: the year 2001
  constexpr double kAhead = 3600;
  const double seconds = static_cast<double>(time) / kNsPerSecond;
  return time != kNoTime && seconds > kOldest && seconds < now + kAhead;
}

}  // namespace

Board::Board(std::string source, std::string level, Clock clock) : clock_(std::move(clock)) {
  state_.source = std::move(source);
  state_.level = std::move(level);
  state_.verdict = "unknown";
  state_.reason = "nothing is settled yet";
  state_.started = seconds_now();
  came_ = state_.started;
}

double Board::seconds_now() const { return static_cast<double>(clock_()) / kNsPerSecond; }

void Board::update(const Figures& figures) {
  const std::lock_guard lock(mutex_);
  state_.figures = figures;
  if (state_.ended || state_.violations > 0 || is_lost_ || figures.settled == 0) return;
  state_.verdict = "holds";
  state_.reason.clear();
}

void Board::came() {
  const std::lock_guard lock(mutex_);
  came_ = seconds_now();
}

void Board::mark(std::string kind, std::string text) {
  const std::lock_guard lock(mutex_);
  state_.gaps += kind == "gap" ? 1 : 0;
  state_.faults += kind == "fault" ? 1 : 0;
  if (state_.marks.size() >= kMostMarks) state_.marks.erase(state_.marks.begin());
  state_.marks.push_back({seconds_now(), std::move(kind), std::move(text)});
}

void Board::suspect(std::string why) {
  if (!why.empty()) mark("suspected", why);
  const std::lock_guard lock(mutex_);
  state_.suspicion = std::move(why);
}

void Board::find(Found found) {
  const std::lock_guard lock(mutex_);
  ++state_.violations;
  state_.verdict = "violated";
  state_.reason.clear();
  state_.suspicion.clear();
  page_ = std::exchange(found.page, {});
  state_.found = std::move(found);
}

void Board::lose(std::string reason) {
  const std::lock_guard lock(mutex_);
  is_lost_ = true;
  if (state_.violations > 0) return;
  state_.verdict = "unknown";
  state_.reason = std::move(reason);
}

void Board::begin_behind(std::uint64_t violations, std::string lost) {
  if (!lost.empty()) lose(std::move(lost));
  const std::lock_guard lock(mutex_);
  state_.violations = violations;
  if (violations == 0) return;
  state_.verdict = "violated";
  state_.reason.clear();
}

void Board::end(std::string verdict, std::string reason) {
  const std::lock_guard lock(mutex_);
  state_.verdict = std::move(verdict);
  state_.reason = std::move(reason);
  state_.suspicion.clear();
  state_.ended = true;
}

View Board::view_locked(double now) const {
  View view = state_;
  view.now.time = now;
  view.now.memory = base::resident_bytes();
  view.since_group = std::max(0.0, now - came_);
  const Figures& figures = state_.figures;
  if (is_of_a_calendar(figures.newest_end, now)) {
    view.now.lag = std::max(0.0, now - static_cast<double>(figures.newest_end) / kNsPerSecond);
  }
  if (figures.newest_end != kNoTime && figures.settled_until != kNoTime) {
    view.now.unsettled = std::max(0.0, (static_cast<double>(figures.newest_end) -
                                        static_cast<double>(figures.settled_until)) /
                                           kNsPerSecond);
  }
  if (!samples_.empty()) view.now.rate = samples_.back().rate;
  return view;
}

void Board::sample() {
  {
    const std::lock_guard lock(mutex_);
    Sample sample = view_locked(seconds_now()).now;
    const std::uint64_t count = state_.figures.transactions;
    const bool is_early = samples_.size() < kRateSamples;
    const std::size_t back = is_early ? 0 : samples_.size() - kRateSamples;
    const double since = is_early ? state_.started : samples_[back].time;
    const std::uint64_t before = is_early ? 0 : counts_[back];
    const double length = sample.time - since;
    sample.rate = length > 0 ? static_cast<double>(count - before) / length : 0;
    samples_.push_back(sample);
    counts_.push_back(count);
    if (samples_.size() > kMostSamples) samples_.pop_front();
    if (counts_.size() > kMostSamples) counts_.pop_front();
    ++sampled_;
  }
  changed_.notify_all();
}

void Board::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

View Board::view() const {
  const std::lock_guard lock(mutex_);
  return view_locked(seconds_now());
}

std::vector<Sample> Board::samples() const {
  const std::lock_guard lock(mutex_);
  return {samples_.begin(), samples_.end()};
}

std::optional<Found> Board::found() const {
  const std::lock_guard lock(mutex_);
  if (!state_.found) return std::nullopt;
  Found found = *state_.found;
  found.page = page_;
  return found;
}

std::uint64_t Board::sampled() const {
  const std::lock_guard lock(mutex_);
  return sampled_;
}

bool Board::wait(std::uint64_t& seen) const {
  constexpr std::chrono::seconds kLongest(5);
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kLongest, [&] { return closed_ || sampled_ > seen; });
  // Also what came last is news.
  const bool goes_on = !closed_ || sampled_ > seen;
  seen = sampled_;
  return goes_on;
}

}  // namespace isolde::watch
