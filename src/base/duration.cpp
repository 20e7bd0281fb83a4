#include "base/duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace isolde::base {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::array kUnits = {
    Unit{"h", 3'600'000'000'000}, Unit{"m", 60'000'000'000}, Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},        Unit{"us", 1000},          Unit{"ns", 1}};

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  double amount = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, amount);
  if (error != std::errc() || !std::isfinite(amount) || amount < 0) return std::nullopt;
  std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  if (suffix.empty()) suffix = "s";
  for (const Unit& unit : kUnits) {
    if (suffix != unit.name) continue;
    const double nanoseconds = amount * static_cast<double>(unit.nanoseconds);
    constexpr double kMost = 9e18;
    if (nanoseconds > kMost) return std::nullopt;
    // Zero often means "none", so a nonzero duration never becomes zero.
    return amount > 0 ? std::max(std::llround(nanoseconds), 1LL) : 0;
  }
  return std::nullopt;
}

Result<std::int64_t> duration_between(std::string_view text, std::int64_t least,
                                      std::int64_t most) {
  const std::optional<std::int64_t> nanoseconds = parse_duration(text);
  if (!nanoseconds) {
    return usage_error("'" + std::string(text) +
                       "' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h");
  }
  if (*nanoseconds < least || *nanoseconds > most) {
    return usage_error(std::string(text) + " is not between " + duration_text(least) + " and " +
                       duration_text(most));
  }
  return *nanoseconds;
}

std::string duration_text(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return "0s";
  for (const Unit& unit : kUnits) {
    if (nanoseconds % unit.nanoseconds != 0) continue;
    return std::to_string(nanoseconds / unit.nanoseconds) + std::string(unit.name);
  }
  return {};  // the last unit divides all
}

}  // namespace isolde::base
