// Keys with initial contents, in an order that depends on their names alone.
#pragma once

#include <vector>

#include "isolde/history.hpp"

namespace isolde::history {

/// Keys that had contents before all transactions: integers by number, then the others by their
/// text as JSON. COST: linear in keys, nothing without initial contents.
std::vector<KeyId> keys_with_contents(const History& history);

}  // namespace isolde::history
