// A history with the operations on some of its keys alone.
#pragma once

#include <functional>
#include <string>

#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::stream {

/// All transactions, in their places, with their operations on the keys for which keeps() is
/// true. A history with selections, which are about other keys as well, stays as it is. ERRORS:
/// as HistoryBuilder::finish(). COST: a copy.
Result<History> restricted(const History& from, const std::function<bool(KeyId)>& keeps);

/// Whether the key's text is one that the pattern describes: * stands for any characters, ? for
/// one, [a-z] for one of these.
bool is_like(const History& history, KeyId key, const std::string& pattern);

}  // namespace isolde::stream
