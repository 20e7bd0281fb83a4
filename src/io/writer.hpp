// Writing histories to files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

/// For those who open the file: what the operations of a transaction say where the header has a
/// notation for keys or values, in a field that readers ignore. Native text only.
enum class Remarks : std::uint8_t { kNone, kWords };

/// Writes the history to `path` in format "native" or "native-binary"; "-" is standard output.
/// A name that ends in .gz or .zst compresses the whole file. The bytes go to a temporary file
/// beside `path` that takes its name at the end, so that a crash never leaves half a history
/// under the final name. ERRORS: kUsage for another format; kBadInput for names that are not
/// UTF-8; kEnvironment with path and reason.
Status write_history(const History& history, std::string_view format, const std::string& path,
                     Remarks remarks = Remarks::kNone);

}  // namespace isolde::io
