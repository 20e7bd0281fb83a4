// Which verdicts follow from which: the verifier's own table.
#pragma once

#include <cstdint>

#include "certify/proof_parts.hpp"

namespace isolde::certify {

/// Objects unless every execution of this history that satisfies `stronger` shows that `weaker`
/// is satisfied too. COST: linear where it takes the order of sessions from times.
Objection check_implication(const History& history, Level stronger, Level weaker,
                            std::int64_t clock_error_ns);

/// What check_implication() knows about all histories in which each session's transactions
/// follow one another in real time, or do not; and in which selections leave out rows, or do
/// not.
bool is_weaker(Level stronger, Level weaker, bool sessions_follow_time, RowFacts rows);

}  // namespace isolde::certify
