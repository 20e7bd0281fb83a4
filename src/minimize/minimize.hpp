// A minimal part of a history that still violates a level: delta debugging over
// transactions, then over operations, guided by the proof. restriction.hpp explains what a part
// is, and why a violation in it is one in the whole.
//
// 1. The transactions that the proof names, and those that it needs (neighbours.hpp), usually
//    suffice to show the violation, whatever the size of the history. If not, the search starts
//    from the whole history.
// 2. Leave out runs of transactions: half of them, then a quarter, down to single ones
//    (Zeller & Hildebrandt, "Simplifying and isolating failure-inducing input", 2002). A part
//    that still violates the level is kept, and cut down to what its own proof names.
// 3. The same with operations, and again from 2 until nothing can be left out any more.
// 4. If the argument then has several steps: 2 and 3 once more for these transactions, without
//    leaving out operations when that makes the argument longer. Among parts with the fewest
//    transactions this gives one with a short argument, if not the fewest operations.
// 5. Where the proof is two reads that contradict each other, these and a writer for each, if
//    that has nothing to spare: before all else, and in the end (contradiction.hpp).
//
// So each check but the first ones is about a handful of transactions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::minimize {

struct MinimizeOptions {
  unsigned threads = 1;  ///< never changes the result
  /// Do not follow proofs; for tests that drive the search.
  bool skip_proofs = false;
  /// Keep operations that make the argument shorter; else as few as possible.
  bool keep_argument = true;
  /// Called now and then with a short description of the current work; may be empty.
  std::function<void(std::string_view)> progress;
};

struct Minimized {
  History history;
  Certificate certificate;    ///< the level is violated; the verifier has accepted it
  std::vector<TxnId> origin;  ///< by transaction: its number in the whole history
  /// Nothing can be left out: without any one transaction, and the reads that go with it, the
  /// level is not violated; nor without any one operation, or (with keep_argument) the argument
  /// has more steps.
  bool is_minimal = false;
  std::string reason;  ///< why it may not be minimal, or empty
  std::uint64_t checks = 0;
};

/// The longer form of a short argument, with the writers in between (between.hpp); none where
/// there are none, or the longer form proves nothing. Where the proof allows it, with all
/// operations of its transactions, so that none seems to have done less. Budget and ERRORS: as
/// minimize().
Result<std::optional<Minimized>> with_writers_between(const History& history,
                                                      const Minimized& made,
                                                      const MinimizeOptions& options,
                                                      base::Budget& budget);

/// How many steps a reader of a proof of violation has to follow; the maximum when all orders
/// were tried. COST: as explain::proof_core().
std::size_t argument_steps(const Certificate& proof);

/// `certificate` gives the level and the clock error. When the budget runs out, the result is
/// the smallest part so far. REQUIRES: it proves a violation of the history.
/// ERRORS: kInternal when the verifier does not accept the last proof, which is a bug.
Result<Minimized> minimize(const History& history, const Certificate& certificate,
                           const MinimizeOptions& options, base::Budget& budget);

/// The level for which minimize() made the history, as its notes say; none of other histories.
std::optional<Level> minimised_for(const History& history);

}  // namespace isolde::minimize
