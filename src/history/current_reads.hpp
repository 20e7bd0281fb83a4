// Refused inserts as a level reads them: some row was there, or nothing. For those that decide
// and explain; the verifier has its own (certify/current_reads.hpp).
#pragma once

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::history {

/// The history with the refused inserts that count at the level as reads
/// (History::with_current_reads()). COST: copies the history.
History as_read_at(const History& history, Level level);

/// The same with all that count at some level, for texts.
History with_all_current_reads(const History& history);

}  // namespace isolde::history
