// Several violations of a level in one history: finds one, reduces it to a minimal part,
// leaves its reads out of the history, and checks the rest again. Leaving out reads does not
// affect others (restriction.hpp), so each violation of the rest is one of the whole, and none
// is found twice. A violation that shares a read with an earlier one may be missed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"
#include "minimize/minimize.hpp"

namespace isolde::minimize {

struct Survey {
  std::vector<Minimized> violations;  ///< their origins are numbers in the whole history
  /// The rest satisfies the level.
  bool is_complete = false;
  std::string reason;  ///< why the search ended otherwise
};

/// At most `limit` violations, at least 1 unless the budget runs out. `certificate` and ERRORS
/// as for minimize(). COST: for each a check of the whole history and a pass over it.
Result<Survey> survey(const History& history, const Certificate& certificate, std::size_t limit,
                      const MinimizeOptions& options, base::Budget& budget);

}  // namespace isolde::minimize
