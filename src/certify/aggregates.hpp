// What aggregates say about the versions that their items read. The meaning of counts, sums,
// minima and maxima is stated here once more, apart from the engine's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "certify/committed_states.hpp"
#include "certify/possible_sources.hpp"
#include "certify/proof_parts.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::certify {

/// The version that an item of the transaction read from outside; null for none.
using VersionRead = std::function<Value(std::uint32_t op)>;

/// Each aggregate of the transaction has its result from the versions that its items read: the
/// transaction's own, where it wrote the row before, else those that `version_of` tells. COST:
/// linear in the transaction's operations, and the condition for each item.
Objection check_aggregates(const History& history, TxnId txn, const VersionRead& version_of);

/// The same for its external reads, in the order of their operations, each with the place of
/// its version among `states`.
Objection check_aggregates(const History& history, TxnId txn,
                           std::span<const ExternalRead> reads,
                           std::span<const Position> sources, const CommittedStates& states);

/// The transaction has an aggregate.
bool has_aggregate(const History& history, TxnId txn);

/// If no claim of the step is true, the aggregate that it names has another result, whichever
/// of the versions that are left its items read. REQUIRES: the claims make sense. `sources`: of
/// all reads that the level asks for, and of rows that selections left out. `is_certain`: the
/// transaction took effect.
Objection check_wrong_result(const History& history, const RefutationStep& step,
                             PossibleSources& sources, bool is_certain);

}  // namespace isolde::certify
