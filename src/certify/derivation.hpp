// Steps of a refutation that follow from earlier ones by unit propagation.
#pragma once

#include <cstddef>
#include <vector>

#include "certify/facts.hpp"
#include "certify/possible_sources.hpp"
#include "certify/proof_parts.hpp"
#include "history/certificate.hpp"

namespace isolde::certify {

/// Assumes that nothing in the clause of step `at` is true and derives a contradiction from the
/// clauses of the steps that it names and from what is true of all reads: with a source, both
/// transactions took effect; a transaction that took effect has a source for each read.
/// `sources` may be null when no step has claims. REQUIRES: the claims of all steps up to this
/// one make sense. COST: linear, but quadratic in the step's `from` when that is badly ordered.
Objection check_derivation(const std::vector<RefutationStep>& steps, std::size_t at,
                           const Facts& facts, PossibleSources* sources);

}  // namespace isolde::certify
