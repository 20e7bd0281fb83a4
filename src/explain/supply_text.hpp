// A read that no write can have supplied, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain/phrase.hpp"
#include "explain/supply.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// "T1 read x = 4, which was not there at any time while it ran: T3 had written 1 before, and
/// nobody wrote 4 between the two", without full stop.
std::string unsupplied_text(const History& history, const Names& names, const Unsupplied& read);

struct SupplyLine {
  std::size_t depth = 0;  ///< 0, or one more than that of the line that it explains
  std::string text;       ///< "T2 wrote 4, but T3 came between, which wrote 1."
};

/// Why none of the writes of the value supplied it, one each.
std::vector<SupplyLine> supply_lines(const History& history, const Names& names,
                                     const Unsupplied& read);

}  // namespace isolde::explain
