#include "base/moment.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace isolde::base {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Walks over the text; the first error is final.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  /// Exactly `digits` of them, as a number from `min` to `max`.
  int number(int digits, int min, int max) {
    int value = 0;
    for (int i = 0; i < digits; ++i) value = value * 10 + digit();
    good_ = good_ && value >= min && value <= max;
    return value;
  }
  bool eat(char first, char second) {
    if (rest_.empty() || (rest_[0] != first && rest_[0] != second)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char first, char second) { good_ = eat(first, second) && good_; }
  /// Digits of a fraction of a second, at least one.
  std::int64_t fraction() {
    std::int64_t nanoseconds = digit() * (kSecond / 10);
    for (std::int64_t unit = kSecond / 100; good_ && at_digit(); unit /= 10) {
      nanoseconds += digit() * unit;
    }
    return nanoseconds;
  }
  bool is_done() const { return good_ && rest_.empty(); }

 private:
  bool at_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  int digit() {
    good_ = good_ && at_digit();
    if (!good_) return 0;
    const int value = rest_[0] - '0';
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::optional<std::int64_t> parse_moment(std::string_view text) {
  namespace chrono = std::chrono;
  Scanner scan(text);
  const int year = scan.number(4, 1677, 2262);
  scan.expect('-', '-');
  const int month = scan.number(2, 1, 12);
  scan.expect('-', '-');
  const int day = scan.number(2, 1, 31);
  scan.expect('T', 't');
  const int hour = scan.number(2, 0, 23);
  scan.expect(':', ':');
  const int minute = scan.number(2, 0, 59);
  scan.expect(':', ':');
  const int second = scan.number(2, 0, 60);
  const std::int64_t fraction = scan.eat('.', '.') ? scan.fraction() : 0;
  std::int64_t offset_minutes = 0;
  if (!scan.eat('Z', 'z')) {
    const bool west = scan.eat('-', '-');
    if (!west) scan.expect('+', '+');
    const int hours = scan.number(2, 0, 23);
    scan.expect(':', ':');
    offset_minutes = (west ? -1 : 1) * (hours * 60 + scan.number(2, 0, 59));
  }
  const chrono::year_month_day date{chrono::year(year),
                                    chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day))};
  if (!scan.is_done() || !date.ok()) return std::nullopt;
  const std::int64_t days = chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds =
      ((days * 24 + hour) * 60 + minute - offset_minutes) * 60 + second;
  constexpr std::int64_t kSecondsMax = INT64_MAX / kSecond - 1;
  if (seconds > kSecondsMax || seconds < -kSecondsMax) return std::nullopt;
  return seconds * kSecond + fraction;
}

DayAndTime day_and_time(std::int64_t nanoseconds) {
  namespace chrono = std::chrono;
  std::int64_t seconds = nanoseconds / kSecond;
  std::int64_t fraction = nanoseconds % kSecond;
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  }
  const auto moment = chrono::sys_seconds(chrono::seconds(seconds));
  const auto midnight = chrono::floor<chrono::days>(moment);
  const chrono::year_month_day date(midnight);
  const auto in_day = static_cast<int>((moment - midnight).count());
  std::array<char, 64> day{};
  std::array<char, 64> time{};
  std::snprintf(day.data(), day.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  std::snprintf(time.data(), time.size(), "%02d:%02d:%02d.%09d", in_day / 3600,
                in_day / 60 % 60, in_day % 60, static_cast<int>(fraction));
  return {day.data(), time.data()};
}

std::string moment_text(std::int64_t nanoseconds) {
  const DayAndTime parts = day_and_time(nanoseconds);
  return parts.day + 'T' + parts.time + 'Z';
}

}  // namespace isolde::base
