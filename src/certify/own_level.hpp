// The level that a transaction is held to: at the mixed levels its own, else the level of the
// certificate.
#pragma once

#include <algorithm>

#include "certify/level_rules.hpp"
#include "certify/proof_parts.hpp"

namespace isolde::certify {

/// REQUIRES: at a mixed level, check_stated_levels() has no objection and the transaction is
/// not aborted.
inline const LevelRules& own_rules(const History& history, const LevelInfo& level, TxnId txn) {
  return rules(rules(level).is_mixed() ? info(history.stated_level(txn).value()) : level);
}

/// The transaction selects, or reads less than a whole version.
inline bool reads_in_part(const History& history, TxnId txn) {
  return !history.selections(txn).empty() ||
         std::ranges::any_of(history.ops(txn), &Op::is_partial);
}

/// Objects where a transaction that did not abort states no level, or one that is not defined
/// for mixing.
inline Objection check_stated_levels(const History& history) {
  bool in_part = false;
  for (std::size_t i = 0; i < history.txn_count() && !history.predicates().empty(); ++i) {
    if (history.status(TxnId::at(i)) == TxnStatus::kAborted) continue;
    in_part = in_part || reads_in_part(history, TxnId::at(i));
  }
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    const std::optional<Level> level = history.stated_level(txn);
    const bool is_unclear = level && !rules(info(*level)).absent_rows && in_part;
    if (!level || !rules(info(*level)).may_be_stated || info(*level).real_time || is_unclear) {
      return history.txn_name(txn) + " states no level that can be mixed";
    }
  }
  return kNoObjection;
}

}  // namespace isolde::certify
