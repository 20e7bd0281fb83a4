#include "certify/current_reads.hpp"

#include <vector>

namespace isolde::certify {

// What is committed when the transaction commits, or when the statement runs. Snapshots and
// views may be older.
bool reads_what_is_current(BaseLevel base) {
  return base == BaseLevel::kSerializable || base == BaseLevel::kPerKeyStrict ||
         base == BaseLevel::kRepeatableRead || base == BaseLevel::kLinearizable ||
         base == BaseLevel::kReadCommitted;
}

History with_refusals_read(const History& history, Level level) {
  std::vector<bool> counts(history.txn_count(), false);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    BaseLevel base = info(level).base;
    if (base == BaseLevel::kMixed) {
      if (!history.stated_level(txn)) continue;
      base = info(*history.stated_level(txn)).base;
    }
    counts[i] = reads_what_is_current(base);
  }
  return history.with_current_reads(counts);
}

}  // namespace isolde::certify
