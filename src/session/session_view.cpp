#include "session/session_view.hpp"

namespace isolde::checker {
namespace {

TxnStatus status_of(const History& history, const infer::Observations& seen, TxnId txn,
                    const std::vector<Effect>& effects) {
  if (!seen.is_included(txn)) return history.status(txn);
  if (!seen.is_doubtful(txn)) return TxnStatus::kCommitted;
  const Effect effect = effects.empty() ? Effect::kOpen : effects[txn.raw()];
  if (effect == Effect::kExcluded) return TxnStatus::kAborted;
  return effect == Effect::kSettled ? TxnStatus::kCommitted : history.status(txn);
}

}  // namespace

History session_view(const History& history, const infer::Observations& seen, SessionId session,
                     const std::vector<Effect>& effects) {
  std::vector<TxnStatus> statuses;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    statuses.push_back(status_of(history, seen, TxnId::at(t), effects));
  }
  return history.with_reads_of(session, statuses);
}

}  // namespace isolde::checker
