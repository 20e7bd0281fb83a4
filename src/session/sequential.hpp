// Sequential consistency (Crooks 2019, section 4.2): one line of states for all, along which
// each session moves read by read. A history satisfies it exactly when its *split* satisfies
// strong session serializability: the history in which each external read is a transaction of
// its own, followed in its session by one with all the writes. The moments at which the reads
// of an execution look at the state are the places of the small transactions in a serial order,
// and the other way round.
//
// The reads of one selection have no order. Those of a session are put into as many sessions of
// the split as it takes, the first into that of the other reads, and links to what comes before
// and after the selection. Only initial values are read in one line before the others: whoever
// reads them can as well have done so first.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "infer/observations.hpp"
#include "isolde/check.hpp"
#include "search/event_level.hpp"

namespace isolde::checker {

/// The split of a history's included transactions.
struct SplitHistory {
  History history;
  std::vector<TxnId> whole;      ///< by part: the transaction that it is a part of
  std::vector<bool> has_writes;  ///< by part: it stands for the commit
  /// Session order between parts in different sessions of the split, as infer::Encoding has it.
  std::vector<std::pair<TxnId, TxnId>> links;
};

/// REQUIRES: the observations have no finding and no ambiguity. COST: linear; about 60 bytes
/// for each external read.
SplitHistory split_reads(const infer::Observations& seen);

/// Decides the level in stages of rising cost.
class SequentialLevel {
 public:
  /// All arguments must outlive this object. REQUIRES: as split_reads().
  SequentialLevel(const infer::Observations& seen, const CheckOptions& options,
                  CheckStatistics& statistics, base::Budget& budget);

  /// A witness or refutation that costs little, or none. Its witness is an execution for all
  /// sessions at the levels that explain sessions apart, too. REQUIRES: called first, once.
  std::optional<Proof> guess();
  /// A proof, or none when the budget ran out. REQUIRES: guess() had none.
  std::optional<Proof> decide();

 private:
  std::optional<Proof> join(const std::optional<Proof>& proof) const;

  SplitHistory split_;
  infer::Observations parts_;
  base::Budget& budget_;
  std::optional<EventLevel> level_;  // none when the budget ran out before
};

}  // namespace isolde::checker
