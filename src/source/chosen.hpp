// A level of a history in which values repeat, once the sources of all reads are chosen: it is
// decided as for a history with unique values.
#pragma once

#include <optional>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "history/verdicts.hpp"
#include "infer/observations.hpp"
#include "isolde/level.hpp"
#include "level/check_options.hpp"
#include "search/event_level.hpp"

namespace isolde::checker {

struct Question {
  const LevelInfo& level;
  bool sessions_are_chains = false;       ///< the level orders the transactions of each session
  SessionId session = SessionId::none();  ///< whose execution, where each has its own
};

/// A witness, a refutation of the history with these sources, or none when the effort or the
/// budget did not suffice. REQUIRES: a level that searches sources; `chosen` is from
/// observe_chosen(), without finding or ambiguity. COST: that of the level.
std::optional<Proof> decide_chosen(const infer::Observations& chosen, const Question& question,
                                   const CheckOptions& options, CheckStatistics& statistics,
                                   const Effort& effort, base::Budget& budget);

}  // namespace isolde::checker
