// How readers tell what is wrong with an input: one line that begins with the place, then what
// was found, what was expected and what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/reader.hpp"
#include "isolde/history_builder.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

/// "file:line: what".
Error bad_line(std::string_view file, std::uint64_t line, std::string_view what);

/// "file@offset: what".
Error bad_byte(std::string_view file, std::uint64_t offset, std::string_view what);

/// A later pass over the file found something else than the first one did: a bug, unless
/// somebody wrote to the file meanwhile.
Error passes_differ(std::string_view file, std::uint64_t offset);

/// The budget ran out while reading.
Error out_of_budget(std::string_view file, const base::Budget& budget);

/// A piece of the input for a message: quoted, at most 24 bytes, control characters escaped.
std::string shown(std::string_view text);

/// "1 file", "2 files".
std::string counted(std::uint64_t count, std::string_view noun);

/// Fills in the origin and finishes. ERRORS: the builder's own, with the input's name in front.
Result<History> finish_history(HistoryBuilder& builder, const Inputs& inputs,
                               std::string_view format);

}  // namespace isolde::io
