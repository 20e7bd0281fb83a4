// Session tests (Crooks 2019, section 4.1): levels at which each session may have an execution
// of its own.
#pragma once

#include "oracle/execution.hpp"

namespace isolde::oracle {

/// Whether the level's test for one session asks for read states of all transactions' reads,
/// not only of those of the session.
bool asks_for_all_reads(BaseLevel base);

/// Completes the empty execution such that it passes the level's test for the session.
/// Returns false, and leaves it empty, when that cannot be.
bool complete_for_session(Execution& execution, BaseLevel base, SessionId session);

}  // namespace isolde::oracle
