// A line of the native format that is no transaction: what happened beside them.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

#include "isolde/history_builder.hpp"

namespace isolde::io {

/// Texts live until the parser goes on to the next line. Other fields may be anything.
struct LineEvent {
  bool is_event = false;
  std::optional<std::string_view> kind;  ///< none: not a string, and the event is not kept
  std::optional<std::string_view> what;
  std::optional<std::string_view> begins;
  std::optional<std::string_view> ends;
  std::int64_t at = kNoTime;
  std::int64_t clock_error_ns = kNoTime;  ///< HistoryOrigin's, where this is the end

  bool ends_history() const { return kind == "end"; }   ///< the recorder came to its end
  bool stops_run() const { return kind == "stopped"; }  ///< before it was meant to
};

/// Takes the event apart that the document is, if it is one. Fields of another type than they
/// should have are left out: version 1 did not always look at them. ERRORS: malformed JSON.
simdjson::error_code read_event(simdjson::ondemand::document& document, LineEvent& event);

/// Tells the builder of the event, and its origin why a run stopped early. The end of the
/// history is none of its events.
void add_event(const LineEvent& event, HistoryBuilder& builder);

}  // namespace isolde::io
