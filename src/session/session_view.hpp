// The history as one session knows it: all writes, but only its own reads. Where a level
// requires nothing of other sessions' reads, what others saw must not count.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "infer/observations.hpp"
#include "isolde/history.hpp"

namespace isolde::checker {

/// What is assumed of a doubtful transaction.
enum class Effect : std::uint8_t { kOpen, kSettled, kExcluded };

/// Sessions, transactions and keys keep their numbers, and so do the operations of `session`,
/// or of all sessions where it is none. The included transactions of `seen` are committed, but
/// the doubtful ones as `effects`, by transaction or empty, say. REQUIRES: `seen`, of this
/// history, was not cut short. COST: linear.
History session_view(const History& history, const infer::Observations& seen, SessionId session,
                     const std::vector<Effect>& effects = {});

}  // namespace isolde::checker
