#include "certify/current_reads.hpp"

#include <vector>

#include "certify/level_rules.hpp"
#include "certify/own_level.hpp"

namespace isolde::certify {

History with_refusals_read(const History& history, Level level) {
  std::vector<bool> counts(history.txn_count(), false);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    if (rules(info(level)).is_mixed() && !history.stated_level(txn)) continue;
    counts[i] = own_rules(history, info(level), txn).current_reads;
  }
  return history.with_current_reads(counts);
}

}  // namespace isolde::certify
