// The clock in the header of a native file.
#pragma once

#include <simdjson.h>

#include "isolde/history.hpp"

namespace isolde::io {

/// Sets the origin of the clients' clock when the field tells it. Any shape is allowed, for
/// version 1 did not always look at this field; only an origin that cannot be used is worth a
/// note. Gives the error of malformed JSON.
simdjson::error_code read_clock(simdjson::ondemand::value clock, HistoryOrigin& origin);

}  // namespace isolde::io
