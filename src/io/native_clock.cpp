#include "io/native_clock.hpp"

#include "base/moment.hpp"

namespace isolde::io {

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
        "the origin of the clock in the header is no moment as in RFC 3339 "
        "(2026-11-20T14:03:22.5Z) and is not used");
  }
  return simdjson::SUCCESS;
}

}  // namespace isolde::io
