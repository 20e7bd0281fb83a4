// Sequential consistency (Crooks 2019, section 4.2): one sequence of states for all, along
// which each session moves read by read. A history satisfies it exactly when its *split*
// satisfies strong session serializability: the history in which each external read is a
// transaction of its own, followed in its session by one with all the writes. The moments at
// which an execution's reads see the state are the places of the small transactions in a serial
// order, and vice versa.
//
// The reads of one selection are unordered. The split puts them into as many sessions as
// needed, the first into that of the other reads, with links to what comes before and after the
// selection. Only initial values are read in sequence, before the others: such reads can always
// come first.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "history/verdicts.hpp"
#include "infer/observations.hpp"
#include "infer/part.hpp"
#include "level/check_options.hpp"
#include "search/event_level.hpp"

namespace isolde::checker {

/// The split of a history's included transactions.
struct Split {
  infer::Part part;
  std::vector<bool> has_writes;  ///< by transaction of the part: it stands for the commit
  /// Session order between parts in different sessions of the split, as in infer::Encoding.
  std::vector<std::pair<TxnId, TxnId>> links;
};

/// REQUIRES: the observations have no finding and no ambiguity. COST: n log n; about 60 bytes
/// for each external read.
Split split_reads(const infer::Observations& seen);

/// Decides the level in stages of rising cost.
class SequentialLevel {
 public:
  /// All arguments must outlive this object. REQUIRES: as split_reads().
  SequentialLevel(const infer::Observations& seen, const CheckOptions& options,
                  CheckStatistics& statistics, base::Budget& budget);

  /// A cheap witness or refutation, or none. The witness is also an execution for all sessions
  /// at the levels that explain sessions apart. REQUIRES: called first, once.
  std::optional<Proof> guess();
  /// A proof, or none when the budget ran out. REQUIRES: guess() had none.
  std::optional<Proof> decide();

 private:
  std::optional<Proof> join(const std::optional<Proof>& proof) const;

  Split split_;
  base::Budget& budget_;
  EventLevel level_;
};

}  // namespace isolde::checker
