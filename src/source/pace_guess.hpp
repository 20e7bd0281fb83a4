// A guess at when transactions ran. Where values repeat and nothing tells when transactions
// ran, each read has so many possible sources that saturation excludes hardly any. Once it is
// known roughly which transactions ran at about the same time, it excludes nearly all of them.
//
// Sessions are taken to have moved at the same pace, then *aligned*: each read pulls its
// transaction and those of its possible sources together, the more the closer they are, and a
// session moves as its neighbouring transactions are pulled on the whole. Wrong sources pull
// both ways alike; the true one pulls to where the session belongs. (A mean shift, in which the
// width of the kernel falls: Cheng, IEEE PAMI 17(8), 1995.) Where most of them are then,
// sessions are aligned once more by the values that they read and wrote (alignment.hpp), which
// also finds the stretches that are far off.
//
// Then each transaction gets an interval of supposed time, as long as the places of its
// neighbours in the session leave in doubt and as short as saturation allows, and from what
// that derives shorter ones, until they contradict or tell no more. The search decides what is
// left. Where reads tell too little for that, all get intervals of the same length.
//
// A supposition adds edges to the certain ones. So a witness that respects it is a witness, and
// none proves nothing.
#pragma once

#include <optional>

#include "base/budget.hpp"
#include "history/verdicts.hpp"
#include "infer/observations.hpp"
#include "level/check_options.hpp"
#include "search/groups.hpp"
#include "source/chosen.hpp"

namespace isolde::checker {

/// A witness that explains all aggregates, or none. REQUIRES: as ChoiceLevel, at a level where
/// the order of events tells sources. COST: some twenty saturations and a search, within a
/// limit on work.
std::optional<Witness> guess_by_pace(const infer::Observations& seen, const Groups& groups,
                                     const Question& question, const CheckOptions& options,
                                     CheckStatistics& statistics, base::Budget& budget);

}  // namespace isolde::checker
