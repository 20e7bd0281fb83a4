// A proof checker for the solver's tests, small and slow on purpose.
#pragma once

#include <string>
#include <vector>

#include "solver/types.hpp"

namespace isolde::solver::test {

/// What is wrong with a proof of Solver::core(), or nothing: every theory step denies the
/// conflict of its index in `taught`, every other step follows from the ones it names by unit
/// propagation, the last one is empty, and all steps are needed.
std::string complaint_about(const std::vector<ProofStep>& proof,
                            const std::vector<std::vector<Lit>>& taught);

}  // namespace isolde::solver::test
