// Two transactions that both replaced one version of an item: what people call a lost update,
// and tell in two lines, whatever the proof's steps are.
#pragma once

#include <optional>
#include <span>

#include "explain/writers.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// Two transactions that read the same version of `key` and then write it.
struct LostUpdate {
  TxnId first;
  TxnId second;
  KeyId key;
  TxnId version;  ///< writer of the version both read, none for the initial one
};

/// The first lost update among `txns` (by key, then by transaction), judged from the reads
/// themselves: both took effect, and neither read what the other one wrote. Values that several
/// transactions wrote do not count. COST: linear in the history for each version that several
/// of `txns` replaced.
std::optional<LostUpdate> find_lost_update(const Writers& writers, std::span<const TxnId> txns);

/// As find_lost_update(), but `second` also read what `first` wrote: its read was not
/// repeatable, and no update was lost.
std::optional<LostUpdate> find_seen_update(const Writers& writers, std::span<const TxnId> txns);

}  // namespace isolde::explain
