#include "history/current_reads.hpp"

#include <optional>
#include <vector>

#include "history/base_levels.hpp"

namespace isolde::history {
namespace {

bool counts(const History& history, TxnId txn, BaseLevel base) {
  if (history.status(txn) == TxnStatus::kAborted) return false;
  if (base != BaseLevel::kMixed) return counts_refused_inserts(base);
  const std::optional<Level> stated = history.stated_level(txn);
  return stated && counts_refused_inserts(info(*stated).base);
}

}  // namespace

History as_read_at(const History& history, Level level) {
  std::vector<bool> which(history.txn_count());
  for (std::size_t t = 0; t < which.size(); ++t) {
    which[t] = counts(history, TxnId::at(t), info(level).base);
  }
  return history.with_current_reads(which);
}

History with_all_current_reads(const History& history) {
  return as_read_at(history, Level::kSerializable);
}

}  // namespace isolde::history
