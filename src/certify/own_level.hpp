// The level that a transaction is held to: at the mixed levels its own, else the level of the
// certificate.
#pragma once

#include <algorithm>

#include "certify/proof_parts.hpp"
#include "history/base_levels.hpp"

namespace isolde::certify {

/// REQUIRES: at a mixed level, check_stated_levels() has no objection and the transaction is
/// not aborted.
inline BaseLevel base_of(const History& history, const LevelInfo& level, TxnId txn) {
  return level.base == BaseLevel::kMixed ? info(history.stated_level(txn).value()).base
                                         : level.base;
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
    const bool is_unclear = level && info(*level).base == BaseLevel::kRepeatableRead && in_part;
    if (!level || !is_mixable(info(*level).base) || info(*level).real_time || is_unclear) {
      return history.txn_name(txn) + " states no level that can be mixed";
    }
  }
  return kNoObjection;
}

/// All reads come from one state that a transaction may commit long after.
inline bool has_snapshot(BaseLevel base) {
  return base == BaseLevel::kSnapshotIsolation || base == BaseLevel::kPrefixConsistency ||
         goes_by_database_times(base);
}

inline bool is_serial(BaseLevel base) {
  return base == BaseLevel::kSerializable || base == BaseLevel::kRepeatableRead ||
         base == BaseLevel::kPerKeyStrict;
}

}  // namespace isolde::certify
