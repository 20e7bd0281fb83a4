// Suspects: where a round finds no order, a violation that stands by itself.
//
// A round takes for granted what was settled before, and that may be more than the history says
// (stream/rounds.hpp). So its failure proves nothing. Here the last transactions are taken as
// they came, with nothing settled: a history of its own, from which all others are left out,
// and with them the results of reads that are from others. What is wrong with it is wrong with
// the whole (infer/part.hpp tells why), and its certificate is about it alone.
//
// A read of something that was overwritten long ago, or that nobody ever wrote, needs more than
// the last transactions: who has written what it saw, and what it should have seen, is looked
// for in all that came. So is whether somebody else has written the same value once more, for
// then the read may be from that one. Both take reading it again, mostly once: which reads the
// violation will have is a good guess, by the proof that the round has no order.
//
// A list that does not begin with what is settled of it, which is known by a hash alone, needs
// all who appended to it. What those have appended who are left out is left out of lists, too.
//
// Who was still open when others were that have not come yet may have read from these. What
// such a transaction read is left out; the next round looks again.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "level/check_options.hpp"
#include "stream/boundary.hpp"
#include "stream/joiner.hpp"

namespace isolde::stream {

/// A history that violates the level, and the proof. Its positions in the input are 1 + the
/// numbers of its transactions, and these are their labels, from 1.
struct Violation {
  History history;
  Certificate certificate;
  /// Initial contents of some key are what was first read of it, which nobody told.
  bool rests_on_first_reads = false;
};

struct NumberedPart {
  History history;
  TxnNumber first = 0;
};

/// A round found no order. That is no verdict, but mostly comes before one.
struct Suspicion {
  TxnNumber first = 0;           ///< of the round's transactions
  TxnNumber last = 0;            ///< of these
  std::int64_t begin = kNoTime;  ///< the earliest start of them
  std::int64_t end = kNoTime;    ///< the latest end
  std::vector<TxnNumber> named;  ///< by the proof that there is no order, ascending
};

using Visit = std::function<void(const History& part, TxnNumber first)>;
/// All that came so far, once more, part by part. ERRORS: those of the source.
using Reread = std::function<Status(const Visit& visit)>;

/// A round that found no order.
struct FailedRound {
  const History& history;
  std::span<const Boundary::Key> keys;  ///< by the history's keys
  /// Who ended then or later, or whose end is not known, may have read from those that have not
  /// come yet.
  std::int64_t late_from;
  const std::deque<NumberedPart>& parts;  ///< what came last, up to the round's
  const HistoryOrigin& origin;            ///< of all that came
  /// A violation must be one whatever the keys held at the start.
  bool initial_is_unknown = false;
  const Proof* proof = nullptr;  ///< that the history has no order
  /// Whether the first reading looks for all who wrote what the violation may have read. The
  /// result is the same without.
  bool guesses = true;
  /// What is read of such keys says nothing, nor does what nobody recorded has written. Empty:
  /// everybody is recorded.
  std::function<bool(Boundary::Key)> is_incomplete = {};
  /// In place of `late_from` where no time tells. Empty: it does.
  std::function<bool(TxnNumber)> is_late = {};
};

/// Transactions that a proof names.
std::set<TxnId> named_by(const Proof& proof);

/// Of a round whose positions in the input are 1 + the numbers.
Suspicion suspicion_of(const History& round, const Proof& proof);

/// Nothing: there is no violation among the parts, or the budget did not last. COST: a check of
/// the parts, and reading all up to three times, mostly once.
std::optional<Violation> find_violation(const FailedRound& failed, Boundary& boundary,
                                        const Reread& reread, const CheckOptions& options,
                                        base::Budget& budget);

}  // namespace isolde::stream
