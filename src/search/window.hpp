// A part of a history, to find a violation in. Transactions and reads may be left out, as long
// as each remaining read keeps its source: a witness for the whole history, restricted to the
// part, is a witness for the part, since each read still finds its version with no write in
// between. Each edge of the part holds in the whole, so what refutes the part refutes the
// whole, step by step (docs/ALGORITHMS.md, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "infer/observations.hpp"
#include "isolde/certificate.hpp"
#include "isolde/check.hpp"

namespace isolde::checker {

class Window {
 public:
  /// The included transactions in `txns`, ascending, with their final writes and what they read
  /// from each other or from the initial version. Lists become registers.
  Window(const infer::Observations& seen, std::span<const TxnId> txns);

  const History& history() const { return history_; }
  Refutation original(const Refutation& refutation) const;

 private:
  std::vector<TxnId> txns_;  // by transaction of the window
  std::vector<KeyId> keys_;
  History history_;
};

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
