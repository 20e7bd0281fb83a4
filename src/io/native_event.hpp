// A line of the native format that is no transaction: what happened beside them.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "io/scalar_text.hpp"

namespace isolde::io {

/// Only two kinds mean something; all other fields and kinds may be anything.
struct LineEvent {
  bool is_event = false;
  bool ends = false;      ///< "end": the recorder came to its end
  bool stops = false;     ///< "stopped": the run ended before it was meant to
  std::string_view what;  ///< until the parser goes on to the next line

  void read_kind(simdjson::ondemand::value value) {
    const std::string_view kind = trim_json(value.raw_json_token());
    is_event = true;
    ends = kind == "\"end\"";
    stops = kind == "\"stopped\"";
  }
  void read_what(simdjson::ondemand::value value) {
    if (value.get_string().get(what) != simdjson::SUCCESS) what = {};
  }

  /// REQUIRES: stops.
  std::string stop_note() const {
    return "the run stopped early" + (what.empty() ? "" : ": " + std::string(what));
  }
};

}  // namespace isolde::io
