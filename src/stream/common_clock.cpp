#include "stream/common_clock.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "base/clock_bound.hpp"
#include "base/printable.hpp"

namespace isolde::stream {
namespace {

constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max();

/// a - b, or as much as there is room for.
std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < b ? -kFarthest : kFarthest;
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? -kFarthest : kFarthest;
}

}  // namespace

/// The one that the file has, which may be a new one.
std::size_t CommonClock::clock_of(const std::string& file, const std::string& host,
                                  std::int64_t origin, std::int64_t monotonic_ns) {
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    Clock& clock = clocks_[i];
    const bool may_differ = !host.empty() && !clock.host.empty();
    const bool is_same =
        may_differ
            ? host == clock.host && monotonic_ns != kNoTime && clock.monotonic_ns != kNoTime
            : origin == kNoTime || clock.origin == kNoTime || origin == clock.origin;
    if (!is_same) continue;
    if (clock.origin == kNoTime && clock.host.empty()) {
      // What the first file did not say.
      clock.host = host;
      clock.origin = origin;
      clock.monotonic_ns = monotonic_ns;
      clock.shift_ns = base_ == kNoTime || origin == kNoTime ? 0 : minus(origin, base_);
    }
    return i;
  }
  clocks_.push_back({file, host, origin, monotonic_ns,
                     base_ == kNoTime || origin == kNoTime ? 0 : minus(origin, base_)});
  return clocks_.size() - 1;
}

void CommonClock::enter(const std::string& name, const std::string& host, std::int64_t origin,
                        std::int64_t monotonic_ns, std::optional<std::int64_t> shift) {
  if (base_ == kNoTime) base_ = shift && origin != kNoTime ? minus(origin, *shift) : origin;
  const std::size_t index = clock_of(name, host, origin, monotonic_ns);
  const Clock& clock = clocks_[index];
  File& file = files_[name];
  file.clock = index;
  file.shift_ns = clock.shift_ns;
  const bool is_exact = !host.empty() && host == clock.host && monotonic_ns != kNoTime &&
                        clock.monotonic_ns != kNoTime;
  if (is_exact) {
    const std::int64_t later = minus(monotonic_ns, clock.monotonic_ns);
    file.shift_ns = plus(clock.shift_ns, later);
    if (origin != kNoTime && clock.origin != kNoTime) {
      const std::int64_t set_by = minus(minus(origin, clock.origin), later);
      file.set_by_ns = set_by < 0 ? minus(0, set_by) : set_by;
    }
  }
  if (shift) file.shift_ns = *shift;
}

Result<std::int64_t> CommonClock::shift_of(const HistoryOrigin& first) {
  if (const auto known = files_.find(first.file); known != files_.end()) {
    return known->second.shift_ns;  // it is read again
  }
  if (first.times_are_order && places_.empty()) places_ = first.file;
  if (!places_.empty() && (!files_.empty() || places_ != first.file)) {
    return Error{ErrorCode::kBadInput,
                 places_ + ": its times are places in it, which tell nothing of other files"};
  }
  enter(first.file, first.clock_host, first.clock_origin, first.clock_monotonic_ns, {});
  return files_[first.file].shift_ns;
}

void CommonClock::has_read(const std::string& name, const io::GroupsBefore& before) {
  if (before.groups == 0) return;
  if (!files_.contains(name)) {
    enter(name, before.clock_host, before.clock_origin, before.clock_monotonic_ns,
          before.shift_ns);
  }
  File& file = files_[name];
  // Who reads it again has read less so far.
  const bool is_unknown = file.is_read && file.error_ns == kNoTime;
  if (is_unknown || before.clock_error_ns == kNoTime) {
    file.error_ns = kNoTime;
  } else {
    file.error_ns = std::max(file.error_ns, before.clock_error_ns);
  }
  file.is_read = true;
}

std::vector<CommonClock::Bound> CommonClock::bounds() const {
  std::vector<Bound> bounds;
  for (const Clock& clock : clocks_) bounds.push_back({clock.first_file, 0});
  for (const auto& [name, file] : files_) {
    Bound& bound = bounds[file.clock];
    if (!file.is_read || bound.error_ns == kNoTime) continue;
    const bool is_known = file.error_ns != kNoTime &&
                          (clocks_[file.clock].origin != kNoTime || clocks_.size() == 1);
    bound.error_ns =
        is_known ? std::max(bound.error_ns, plus(file.error_ns, file.set_by_ns)) : kNoTime;
    if (bound.error_ns > base::ClockBound::kMost) bound.error_ns = kNoTime;
  }
  return bounds;
}

std::optional<std::int64_t> CommonClock::error_ns() const {
  if (clocks_.size() < 2) return 0;
  std::vector<std::int64_t> errors;
  for (const Bound& bound : bounds()) {
    if (bound.error_ns == kNoTime) return std::nullopt;
    errors.push_back(bound.error_ns);
  }
  std::ranges::sort(errors, std::greater<>());
  const std::int64_t sum = errors[0] + errors[1];
  if (sum > base::ClockBound::kMost) return std::nullopt;
  return sum;
}

std::string CommonClock::why_unknown() const {
  const std::vector<Bound> all = bounds();
  const auto unknown = std::ranges::find(all, kNoTime, &Bound::error_ns);
  const std::string which =
      unknown == all.end()
          ? "the clocks of the sources may be more than a day apart"
          : "the sources have different clocks, and by how much that of " +
                base::printable_path(unknown->file) + " may be off is not known";
  return which + "; give --clock-error the most by which two of them differ";
}

bool tells_initial(const History& part) {
  for (std::size_t k = 0; k < part.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    if (!part.initial(key).is_null() || !part.initial_list(key).empty()) return true;
  }
  return false;
}

}  // namespace isolde::stream
