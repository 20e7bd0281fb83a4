// The history as one session knows it: all writes, but only its own reads. Where a level
// requires nothing of other sessions' reads, lists that others saw must not count.
#pragma once

#include "base/budget.hpp"
#include "infer/observations.hpp"
#include "isolde/history.hpp"

namespace isolde::checker {

/// Sessions, transactions and keys keep their numbers, and so do the operations of `session`.
/// The included transactions of `seen` are committed. REQUIRES: `seen`, of this history, was
/// not cut short; the history has its absent reads. COST: linear.
History session_view(const History& history, const infer::Observations& seen,
                     SessionId session);

}  // namespace isolde::checker
