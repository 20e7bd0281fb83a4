// What the header of a native file tells of the recording.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "isolde/history.hpp"

namespace isolde::io {

/// Takes the field if it is "clock", "times", or of what was recorded: "database", "isolation",
/// "product", "promise", "promised_by", "no_promise", "source", "tables", "values". Any shape
/// is allowed, for version 1 did not always look at these; only a clock whose origin cannot be
/// used, and a text of the last ones that is not understood, are worth a note. Gives the error
/// of malformed JSON.
simdjson::error_code read_recording(simdjson::ondemand::raw_json_string name,
                                    simdjson::ondemand::value value, HistoryOrigin& origin);

/// By how much a clock may be off: from 0 to a day, in nanoseconds. Anything else is unknown.
simdjson::error_code read_bound(simdjson::ondemand::value value, std::int64_t& error_ns);

/// "promise": the name of a level, or "none". Of what is neither a note tells, for it may be a
/// level of a later version.
void take_promise(std::string_view text, HistoryOrigin& origin);

/// "tables", "values": the notation. Of what is not understood a note tells.
void take_tables(std::string_view text, HistoryOrigin& origin);
void take_values(std::string_view text, HistoryOrigin& origin);

/// Of the native binary format: the recorder did not come to the end of its history. A part of
/// the group at that byte is there, or the last group is not the one that says so.
void note_torn_group(std::uint64_t byte, HistoryOrigin& origin);
void note_no_last_group(HistoryOrigin& origin);

}  // namespace isolde::io
