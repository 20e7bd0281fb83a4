#include "io/native_recording.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/clock_bound.hpp"
#include "base/moment.hpp"
#include "base/printable.hpp"
#include "history/level_names.hpp"
#include "history/notation.hpp"
#include "io/native_binary.hpp"

namespace isolde::io {
namespace {

simdjson::error_code read_origin(simdjson::ondemand::value value, HistoryOrigin& origin) {
  std::string_view text;
  std::optional<std::int64_t> moment;
  if (value.get_string().get(text) == simdjson::SUCCESS) moment = base::parse_moment(text);
  origin.clock_origin = moment.value_or(kNoTime);
  if (moment) return simdjson::SUCCESS;
  origin.notes.emplace_back(
      "the origin of the clock in the header is not an RFC 3339 time "
      "(2026-11-20T14:03:22.5Z) and is not used");
  return simdjson::SUCCESS;
}

simdjson::error_code read_clock(simdjson::ondemand::value clock, HistoryOrigin& origin) {
  simdjson::ondemand::object object;
  if (clock.get_object().get(object) != simdjson::SUCCESS) return simdjson::SUCCESS;
  for (auto item : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(item).get(field); error != simdjson::SUCCESS) return error;
    const simdjson::ondemand::raw_json_string name = field.key();
    simdjson::ondemand::value value = field.value();
    simdjson::error_code error = simdjson::SUCCESS;
    std::string_view text;
    if (name.unsafe_is_equal("origin")) {
      error = read_origin(value, origin);
    } else if (name.unsafe_is_equal("host")) {
      if (value.get_string().get(text) != simdjson::SUCCESS) continue;
      if (text.size() <= binary::kMostOfHost) origin.clock_host = text;
    } else if (name.unsafe_is_equal("monotonic_ns")) {
      if (value.get_int64().get(origin.clock_monotonic_ns) != simdjson::SUCCESS) {
        origin.clock_monotonic_ns = kNoTime;
      }
    } else if (name.unsafe_is_equal("error_ns")) {
      error = read_bound(value, origin.clock_error_ns);
    }
    if (error != simdjson::SUCCESS) return error;
  }
  return simdjson::SUCCESS;
}

void take_times(std::string_view text, HistoryOrigin& origin) {
  origin.times_are_order = origin.times_are_order || text == "order";
}

void take_versions(std::string_view text, HistoryOrigin& origin) {
  origin.versions_are_ordered = origin.versions_are_ordered || text == "order";
}

void take_promiser(std::string_view text, HistoryOrigin& origin) {
  origin.promised_by_user = text == "user";
}

/// A data source name: SCHEME://USER@HOST:PORT,HOST:PORT/NAME. Of what has no servers, or does
/// not tell them here, nothing is known.
void take_source(std::string_view text, HistoryOrigin& origin) {
  const std::size_t begin = text.find("://");
  if (begin == std::string_view::npos || text.starts_with("exec:")) return;
  const std::string_view rest = text.substr(begin + 3);
  std::string_view where = rest.substr(0, rest.find_first_of("/?"));
  where.remove_prefix(where.find('@') + 1);  // npos + 1 is 0
  if (where.empty()) return;
  origin.endpoints = 1 + static_cast<std::size_t>(std::ranges::count(where, ','));
}

}  // namespace

simdjson::error_code read_bound(simdjson::ondemand::value value, std::int64_t& error_ns) {
  std::int64_t number = kNoTime;
  if (value.get_int64().get(number) != simdjson::SUCCESS) number = kNoTime;
  error_ns = base::ClockBound::known(number);
  return simdjson::SUCCESS;
}

void take_promise(std::string_view text, HistoryOrigin& origin) {
  origin.promise = history::level_written(text);
  if (origin.promise) return;
  if (text == "none") {
    if (origin.no_promise.empty()) origin.no_promise = "the recording says so";
    return;
  }
  origin.notes.push_back("the promise in the header, " + base::printable_name(text) +
                         ", is not the name of a level and is not used");
}

void take_tables(std::string_view text, HistoryOrigin& origin) {
  if (auto tables = history::parse_tables(text)) {
    origin.notation.tables = std::move(*tables);
  } else {
    origin.notes.push_back("the tables in the header, " + base::printable_name(text) +
                           ", are no names and are not used");
  }
}

void take_values(std::string_view text, HistoryOrigin& origin) {
  if (auto values = history::parse_values(text)) {
    origin.notation.values = std::move(*values);
  } else {
    origin.notes.push_back("what the header says of values, " + base::printable_name(text) +
                           ", is not understood and not used");
  }
}

simdjson::error_code read_recording(simdjson::ondemand::raw_json_string name,
                                    simdjson::ondemand::value value, HistoryOrigin& origin) {
  if (name.unsafe_is_equal("clock")) return read_clock(value, origin);
  const std::array<std::pair<const char*, std::string*>, 4> texts = {
      {{"database", &origin.database},
       {"isolation", &origin.isolation},
       {"product", &origin.product},
       {"no_promise", &origin.no_promise}}};
  std::string_view text;
  for (const auto& [field, into] : texts) {
    if (!name.unsafe_is_equal(field)) continue;
    if (value.get_string().get(text) == simdjson::SUCCESS) *into = text;
    return simdjson::SUCCESS;
  }
  using Take = void (*)(std::string_view text, HistoryOrigin & origin);
  constexpr std::array<std::pair<const char*, Take>, 7> kTakes = {
      {{"promise", take_promise},
       {"promised_by", take_promiser},
       {"source", take_source},
       {"tables", take_tables},
       {"values", take_values},
       {"times", take_times},
       {"versions", take_versions}}};
  for (const auto& [field, take] : kTakes) {
    if (!name.unsafe_is_equal(field)) continue;
    if (value.get_string().get(text) == simdjson::SUCCESS) take(text, origin);
    return simdjson::SUCCESS;
  }
  return simdjson::SUCCESS;
}

void note_torn_group(std::uint64_t byte, HistoryOrigin& origin) {
  origin.truncated = true;
  origin.notes.push_back("the group at byte " + std::to_string(byte) +
                         " is cut off and left out; the recorder seems to have stopped while "
                         "writing it");
}

void note_no_last_group(HistoryOrigin& origin) {
  origin.truncated = true;
  origin.notes.emplace_back(
      "no group says that it is the last, as the file promises; the recorder seems to have "
      "stopped early");
}

}  // namespace isolde::io
