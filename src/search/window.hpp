// Windows: a violation is sought in a part of the history (infer/part.hpp, which says why what
// refutes the part refutes the whole), around a cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "history/verdicts.hpp"
#include "infer/observations.hpp"
#include "level/check_options.hpp"

namespace isolde::checker {

/// Looks for a violation around a cycle that fails to be a witness: in windows of rising size,
/// each with a limit on its work. None: not found, which proves nothing. `order` has all
/// included transactions, concurrent ones near each other. REQUIRES: as EventLevel; the level
/// is not mixed.
std::optional<Refutation> refute_nearby(const infer::Observations& seen, const LevelInfo& level,
                                        bool sessions_are_chains, std::span<const TxnId> order,
                                        std::span<const TxnId> cycle,
                                        const CheckOptions& options,
                                        CheckStatistics& statistics, base::Budget& budget);

}  // namespace isolde::checker
