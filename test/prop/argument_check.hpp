// Does an argument, taken as data, still prove what the certificate proves? Nothing of its text
// is looked at here; prose_check.hpp does that.
#pragma once

#include <string>

#include "explain/scenario.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::prop {

/// Empty when all of this holds, else what does not. Every supposition of a cycle is denied in
/// the clause of its step; every step that an edge or a conclusion calls on is there, is
/// earlier and says what it is called on for; the last step is a contradiction; the steps are
/// those of the simplified proof, with all of their alternatives; and put together as a
/// certificate they satisfy the verifier. REQUIRES: `proof` is a refutation, which the verifier
/// accepts.
std::string complaint_about_argument(const History& history, const Certificate& proof,
                                     const explain::Scenario& scenario);

}  // namespace isolde::prop
