// Two reads of one transaction that no version of their key explains together: a refused
// insert, and a selection that did not find the row. That is a violation whatever else there
// is, so that who else may have written what one of them returned matters no more.
//
// Why restrict() alone does not get there: it leaves a read out that may have lost its source,
// for another argument could rest on which one that was. So all writers that may have refused
// the insert would stay. Here the argument is known. In the whole no version is both
// (docs/formats/certificate.md), so none is among fewer versions, and the part with the same
// two reads shows no violation but that of the whole. A part of it is another matter: without
// one of the two reads, the other one says in it more than it did in the whole.
#pragma once

#include <optional>

#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "minimize/restriction.hpp"

namespace isolde::minimize {

/// The reader with these reads, and for each of them that the initial version does not explain
/// one transaction with one write that does. None where the proof is another one, and where
/// sums of increments are not known. `reading`: the history as its level reads it. REQUIRES:
/// the certificate proves a violation of the history. COST: linear in the history.
std::optional<Choice> contradiction_alone(const History& reading,
                                          const Certificate& certificate);

}  // namespace isolde::minimize
