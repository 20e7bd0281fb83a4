#include "linear/key_table.hpp"

namespace isolde::checker {

KeyTable::KeyTable(const History& history)
    : entries_(base::Csr<Entry>::build(history.key_count(), [&](const auto& add) {
        for (std::size_t i = 0; i < history.txn_count(); ++i) {
          const TxnId txn = TxnId::at(i);
          const std::span<const Op> ops = history.ops(txn);
          for (std::uint32_t at = 0; at < ops.size(); ++at) {
            if (ops[at].kind != OpKind::kReadUnknown) add(ops[at].key.raw(), Entry{txn, at});
          }
        }
      })) {}

Interval interval_of(const History& history, TxnId txn, std::int64_t clock_error_ns) {
  const TxnTimes times = history.times(txn);
  Interval interval{times.start, kForever};
  const bool ended = history.status(txn) == TxnStatus::kCommitted && times.end != kNoTime;
  if (ended && times.end < kForever - clock_error_ns) interval.end = times.end + clock_error_ns;
  return interval;
}

}  // namespace isolde::checker
