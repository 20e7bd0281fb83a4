// The status as JSON: for programs (/status.json), and for the page, which also gets what was.
#pragma once

#include <string>

#include "watch/board.hpp"

namespace isolde::watch {

/// One object, on one line: docs/watching.md.
std::string status_json(const View& view);
/// {"status": ..., "samples": [...]}.
std::string status_json(const View& view, const std::vector<Sample>& samples);

}  // namespace isolde::watch
