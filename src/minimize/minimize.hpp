// The smallest part of a history that still violates a level: delta debugging over
// transactions, then over operations, guided by the proof. What a part is, and why a violation
// in it is one in the whole, stands in restriction.hpp.
//
// 1. The transactions that the proof names, and those that it needs (neighbours.hpp), are
// usually
//    enough to show the violation, whatever the size of the history. If not, the search begins
//    with the whole history.
// 2. Runs of transactions are left out, half of them, then a quarter, down to single ones
//    (Zeller & Hildebrandt, "Simplifying and isolating failure-inducing input", 2002). What
//    still violates the level is taken, and cut down to what its own proof names.
// 3. The same with operations, and again from 2 until nothing can be left out any more.
// 4. If the argument about that has several steps: 2 and 3 once more for these transactions,
//    without leaving out operations when the argument then takes more steps. Among parts with
//    the fewest transactions that gives one with a short argument, if not the fewest
//    operations.
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
#include "isolde/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::minimize {

struct MinimizeOptions {
  unsigned threads = 1;  ///< never changes the result
  /// Do not follow proofs; for tests that want to drive the search.
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
  /// Nothing can be left out: without any one transaction, and the reads that then go with it,
  /// the level is not violated; without any one operation neither, or (with keep_argument) the
  /// argument has more steps.
  bool is_minimal = false;
  std::string reason;  ///< why it may not be minimal, or empty
  std::uint64_t checks = 0;
};

/// The longer form of a short argument, with those who wrote in between (between.hpp); none
/// where nobody did, or the longer form proves nothing. Where the proof allows it, with all
/// operations of its transactions, so that none seems to have done less. The budget as for
/// minimize(). ERRORS: as minimize().
Result<std::optional<Minimized>> with_writers_between(const History& history,
                                                      const Minimized& made,
                                                      const MinimizeOptions& options,
                                                      base::Budget& budget);

/// How many steps somebody has to follow who reads a proof of violation; no number is large
/// enough when all orders were tried. COST: as explain::proof_core().
std::size_t argument_steps(const Certificate& proof);

/// `certificate` says at which level and with which clock error. The budget ends the work; then
/// the result is the smallest part so far. REQUIRES: it proves a violation of the history.
/// ERRORS: kInternal when the verifier does not accept the last proof, which is a bug.
Result<Minimized> minimize(const History& history, const Certificate& certificate,
                           const MinimizeOptions& options, base::Budget& budget);

}  // namespace isolde::minimize
