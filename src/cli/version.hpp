// isolde --version: the version, and what this build has and lacks.
#pragma once

#include <string>

namespace isolde::cli {

/// Without a line end behind the last line.
std::string version_text();

}  // namespace isolde::cli
