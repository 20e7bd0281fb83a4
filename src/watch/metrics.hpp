// The status for Prometheus, in its text format, version 0.0.4.
#pragma once

#include <string>

#include "watch/board.hpp"

namespace isolde::watch {

/// What cannot be told, such as the lag of clients that count time from anywhere, is left out.
std::string metrics(const View& view);

}  // namespace isolde::watch
