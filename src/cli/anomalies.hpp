// Several anomalies of a history, not only the one that decides a level: `isolde check
// --anomalies`.
#pragma once

#include <cstddef>
#include <optional>

#include "base/budget.hpp"
#include "check/check.hpp"
#include "explain/report_model.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

/// At most `limit` violations of the first of the weakest levels that are violated, those of
/// one type on the same keys together. Nothing when no level is violated. `options` are those
/// of the check. ERRORS: as minimize::survey().
Result<std::optional<explain::AnomaliesReport>> find_anomalies(const History& history,
                                                               const CheckReport& report,
                                                               const CheckOptions& options,
                                                               std::size_t limit,
                                                               base::Budget& budget);

}  // namespace isolde::cli
