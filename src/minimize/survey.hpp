// Several violations of a level in one history: one is found and reduced to its smallest part;
// the reads that it consists of are left out of the history; and what is left is checked again.
// Leaving out reads takes nothing away from others (restriction.hpp), so each violation of what
// is left is one of the whole, and none is found twice. What shares a read with an earlier one
// may remain unseen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "isolde/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"
#include "minimize/minimize.hpp"

namespace isolde::minimize {

struct Survey {
  std::vector<Minimized> violations;  ///< their origins are numbers in the whole history
  /// What is left satisfies the level.
  bool is_complete = false;
  std::string reason;  ///< why the search ended otherwise
};

/// At most `limit` violations, and at least 1 unless the budget ends before. `certificate` and
/// ERRORS as for minimize(). COST: for each a check of the whole history and a pass over it.
Result<Survey> survey(const History& history, const Certificate& certificate, std::size_t limit,
                      const MinimizeOptions& options, base::Budget& budget);

}  // namespace isolde::minimize
