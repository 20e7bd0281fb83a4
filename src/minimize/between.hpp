// Who wrote in between, where a short argument leaves it out.
//
// P missed a version of x that Tout wrote; Tin read that version and overwrote it. Then P also
// missed what Tin wrote, and a part without Tout shows as much: two transactions instead of
// three. That is true, but may mislead about the mechanism: a database that would have refused
// these two let them through because of the third. So there is a longer form: the argument of
// the same transactions with Tout, without the write that makes it short.
#pragma once

#include <vector>

#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::minimize {

/// An anti-dependency that skips versions.
struct Skipping {
  TxnId reader;   ///< missed `writer`'s version of `key`
  TxnId writer;   ///< and before that the version that `writer` read
  TxnId between;  ///< wrote that one
  KeyId key;
};

/// The proof's edges for which that is certain: `writer` read `key` before it wrote it, only
/// `between` can have written what it read, and `reader` did not see that. In numbers of
/// `whole`, of which `part` has the transactions `origin`. None for proofs other than a single
/// cycle. COST: n log n in the whole.
std::vector<Skipping> skipping_edges(const History& whole, const History& part,
                                     const std::vector<TxnId>& origin,
                                     const Certificate& proof);

}  // namespace isolde::minimize
