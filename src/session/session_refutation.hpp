// Proves that a session has no execution.
#pragma once

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "session/session_graph.hpp"
#include "session/session_saturation.hpp"

namespace isolde::checker {

/// REQUIRES: saturation.run() found no order, and the budget did not run out in it. COST: a few
/// searches for paths, and one for each derived order that the proof needs.
Refutation refute_session(SessionGraph& events, const SessionSaturation& saturation,
                          base::Budget& budget);

}  // namespace isolde::checker
