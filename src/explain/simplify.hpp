// A refutation with fewer suppositions. Engines suppose version orders that the history shows
// when one looks, and prove by cases what one of the cases rules out by itself; people should
// not have to follow that.
#pragma once

#include <optional>

#include "explain/writers.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::explain {

/// Proves the same, and the verifier accepts it when it accepts `refutation`: what list reads
/// show is supposed no more, steps that say what is known are left out, and the proof ends at
/// the first contradiction. Two transactions that rule out one of their orders by themselves
/// come first. REQUIRES: a refutation that the verifier accepts. COST: linear in the proof but
/// for logarithms, and in the history where it supposes orders of lists.
Refutation simplified(const Writers& writers, BaseLevel base, const Refutation& refutation);

/// The same, where the last step refutes by two transactions alone what other steps have
/// established: that comes first, and what the others showed is the contradiction. Mostly a
/// step less, but another cycle ends the proof and may give the violation another name.
/// Nothing: the last step is none of these. REQUIRES and COST: as above.
std::optional<Refutation> settled_first(const Writers& writers, BaseLevel base,
                                        const Refutation& refutation);

}  // namespace isolde::explain
