// Small text files that the command line writes beside its results.
#pragma once

#include <string>
#include <string_view>

#include "isolde/status.hpp"

namespace isolde::cli {

/// Replaces the file by `text`; "-" is standard output. ERRORS: kEnvironment.
Status write_text(const std::string& path, std::string_view text);

}  // namespace isolde::cli
