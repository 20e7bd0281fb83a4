#include "io/native_recording.hpp"

#include "base/moment.hpp"

namespace isolde::io {
namespace {

simdjson::error_code read_clock(simdjson::ondemand::value clock, HistoryOrigin& origin) {
  simdjson::ondemand::object object;
  if (clock.get_object().get(object) != simdjson::SUCCESS) return simdjson::SUCCESS;
  for (auto item : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(item).get(field); error != simdjson::SUCCESS) return error;
    if (!field.key().unsafe_is_equal("origin")) continue;
    std::string_view text;
    std::optional<std::int64_t> moment;
    if (field.value().get_string().get(text) == simdjson::SUCCESS) {
      moment = base::parse_moment(text);
    }
    origin.clock_origin = moment.value_or(kNoTime);
    if (moment) continue;
    origin.notes.emplace_back(
        "the origin of the clock in the header is not an RFC 3339 time "
        "(2026-11-20T14:03:22.5Z) and is not used");
  }
  return simdjson::SUCCESS;
}

}  // namespace

simdjson::error_code read_recording(simdjson::ondemand::raw_json_string name,
                                    simdjson::ondemand::value value, HistoryOrigin& origin) {
  if (name.unsafe_is_equal("clock")) return read_clock(value, origin);
  const bool is_times = name.unsafe_is_equal("times");
  const bool is_database = name.unsafe_is_equal("database");
  if (!is_times && !is_database && !name.unsafe_is_equal("isolation")) return simdjson::SUCCESS;
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return simdjson::SUCCESS;
  if (is_times) {
    origin.times_are_order = origin.times_are_order || text == "order";
  } else {
    (is_database ? origin.database : origin.isolation) = text;
  }
  return simdjson::SUCCESS;
}

}  // namespace isolde::io
