// What a recorder has left in FILE.inflight when it died, as further lines of the text FILE,
// for who does not read all of FILE at once. native_reader.cpp takes the same in when it does.
#pragma once

#include <cstddef>
#include <string>

#include "isolde/status.hpp"

namespace isolde::io {

struct LeftBehind {
  std::string lines;     ///< transactions that the text does not have, and an event about them
  std::size_t txns = 0;  ///< how many these are
  bool is_all = false;   ///< with them nothing is missing
};

/// Of a text whose recorder has ended, where it was cut off. `text` is a descriptor of it,
/// `is_second` whether it is of version 2. ERRORS: kEnvironment, kBadInput for a folder that is
/// broken. COST: where transactions were under way, a look at each line of the text; a piece of
/// it at a time.
Result<LeftBehind> left_behind(const std::string& path, int text, bool is_second);

}  // namespace isolde::io
