// Why a server did not start, in one line of its log.
#pragma once

#include <string>
#include <string_view>

namespace isolde::server {

/// The last line that tells of a problem and is not a mere consequence ("Aborting"); without
/// one, the last line at all. Time stamps at the beginning are left out, long lines are cut.
/// Empty when the log is.
std::string telling_line(std::string_view log);

}  // namespace isolde::server
