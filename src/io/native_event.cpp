#include "io/native_event.hpp"

#include <algorithm>
#include <vector>

#include "io/native_recording.hpp"

namespace isolde::io {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

error_code read_text(ondemand::value value, std::optional<std::string_view>& out) {
  std::string_view text;
  const error_code error = value.get_string().get(text);
  if (error == SUCCESS) out = text;
  return error == simdjson::INCORRECT_TYPE ? SUCCESS : error;
}

error_code read_field(ondemand::field& field, LineEvent& event) {
  const ondemand::raw_json_string name = field.key();
  ondemand::value value = field.value();
  if (name.unsafe_is_equal("event")) {
    event.is_event = true;
    return read_text(value, event.kind);
  }
  if (name.unsafe_is_equal("what")) return read_text(value, event.what);
  if (name.unsafe_is_equal("begins")) return read_text(value, event.begins);
  if (name.unsafe_is_equal("ends")) return read_text(value, event.ends);
  if (name.unsafe_is_equal("clock_error_ns")) {
    return read_bound(value, event.clock_error_ns);
  }
  if (name.unsafe_is_equal("at") && value.get_int64().get(event.at) != SUCCESS) {
    event.at = kNoTime;
  }
  return SUCCESS;
}

}  // namespace

error_code read_event(ondemand::document& document, LineEvent& event) {
  event = {};
  ondemand::object object;
  if (const error_code error = document.get_object().get(object); error != SUCCESS) {
    return error;
  }
  for (auto item : object) {
    ondemand::field field;
    if (const error_code error = std::move(item).get(field); error != SUCCESS) return error;
    if (const error_code error = read_field(field, event); error != SUCCESS) return error;
  }
  return SUCCESS;
}

void add_event(const LineEvent& event, HistoryBuilder& builder) {
  if (!event.kind || event.ends_history()) return;
  if (event.stops_run()) {
    std::string note = "the run stopped early";
    if (event.what && !event.what->empty()) note += ": " + std::string(*event.what);
    // The header has it already where the file was made from another one.
    std::vector<std::string>& notes = builder.origin().notes;
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  RecordedEvent out;
  out.kind = builder.string(*event.kind);
  if (event.what) out.what = builder.string(*event.what);
  if (event.begins || event.ends) {
    out.part = event.begins ? RecordedEvent::Part::kBegins : RecordedEvent::Part::kEnds;
    out.name = builder.string(event.begins ? *event.begins : *event.ends);
  }
  out.at = event.at;
  builder.add_event(out);
}

}  // namespace isolde::io
