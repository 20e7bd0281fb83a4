// Rounds: strict serializability, or the strong form of snapshot isolation or prefix
// consistency, of transactions as they come, in memory that does not grow with them.
// docs/ALGORITHMS.md, "Rounds", has the proof; in short:
//
// A round is a check of a small history: what earlier rounds left open, then what has come
// since, and as initial contents what the settled transactions have left in each register, and
// of each list that was read what stands behind them. Its
// witness is an order of these transactions. The beginning of it, whose transactions all ended
// before anything that is yet to come begins, becomes part of the order of the whole: what
// comes later can only stand behind it. The rest is left open for the next round.
//
// So the orders of the rounds, one behind the other, are a witness of the whole, and a history
// for which the rounds find one is strict serializable. The reverse is not true: where the
// clients' times leave two writers of a register in either order, a round settles on one of
// both, and what is read later may ask for the other. Then the level is unknown from there,
// until a part of the history without anything settled (stream/suspects.hpp) shows a violation.
//
// With snapshots, the order has two events for each transaction, and the cut may go between
// them. A transaction that has begun and not committed goes on as what it still has to do: its
// writes, and, where no two that overlap may write one key, that its keys hold until then what
// they hold at the cut.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/budget.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"
#include "isolde/status.hpp"
#include "isolde/verdict.hpp"
#include "stream/aftermath.hpp"
#include "stream/boundary.hpp"
#include "stream/deadlines.hpp"
#include "stream/fences.hpp"
#include "stream/initial_contents.hpp"
#include "stream/joiner.hpp"
#include "stream/possible_writers.hpp"
#include "stream/rounds_options.hpp"
#include "stream/session_times.hpp"
#include "stream/settled_lists.hpp"
#include "stream/suspects.hpp"

namespace isolde::stream {

/// A key that somebody writes who is not recorded.
struct IncompleteKey {
  std::uint32_t place = 0;  ///< Boundary::place()
  std::string name;         ///< for people
  std::uint64_t reads = 0;  ///< that count for nothing
};

/// What rounds know between two parts.
struct RoundsState {
  TxnNumber txn_count = 0;
  TxnNumber settled = 0;
  std::size_t rounds = 0;
  std::size_t failures = 0;  ///< of the last rounds
  std::int64_t open_since = kNoTime;
  std::int64_t first_start = kNoTime;
  std::int64_t latest_start = kNoTime;  ///< of those that are settled
  History boundary;  ///< Boundary::contents(), with the origin of the first part
  std::vector<std::uint32_t> known_empty;    ///< Boundary::known_empty()
  std::vector<std::uint64_t> start_lengths;  ///< Boundary::start_lengths()
  std::vector<IncompleteKey> incomplete;     ///< in the order in which they were found
  std::uint64_t reread = 0;                  ///< transactions
  History open;                              ///< labels are numbers, from 1
  std::vector<std::size_t> apart;   ///< heaps of possible writers that `open` begins with
  std::uint64_t forgotten = 0;      ///< of these
  std::vector<std::int64_t> uses;   ///< Deadlines::uses()
  std::vector<TxnNumber> begun;     ///< which of them have begun, ascending
  std::int64_t clock_error_ns = 0;  ///< Rounds::clock_error_ns()
  SessionTimes::Ends sessions;      ///< where their order counts
  std::uint64_t least_gap = 0;      ///< SessionTimes::least_gap()
  std::vector<NumberedPart> parts;  ///< that came last
  std::int64_t latest = kNoTime;    ///< of the times of all that came
  TxnNumber begun_behind = 0;       ///< where rounds began anew
  std::optional<Aftermath::State> aftermath;
};

class Rounds {
 public:
  /// `budget` outlives this object.
  Rounds(const RoundsOptions& options, base::Budget& budget);

  /// Before what comes next, whose times may be wrong by so much: from now on real time counts
  /// only for gaps larger than this. It does not shrink. What was settled before stays settled:
  /// clocks that were right enough then told its place.
  void raise_clock_error(std::int64_t clock_error_ns);
  std::int64_t clock_error_ns() const {
    return info(order_level_).real_time ? options_.clock_error_ns : 0;
  }

  /// The transactions that come next; of each session in its order. No later one starts before
  /// `open_since`, if that is known. One round. Once the level is unknown, parts are counted
  /// and no more.
  void take(History part, std::int64_t open_since);
  /// No more will come: the last round.
  void finish();

  /// Behind a violation, or where no order was found: what comes next may show another one.
  bool can_begin_anew() const;
  /// Nothing is settled any more, nor open, and the verdict is about what comes next, whatever
  /// keys hold by now (stream/aftermath.hpp). ERRORS: kLimit.
  Status begin_anew();

  /// For restore() of another object with the same options. REQUIRES: verdict() is kHolds.
  /// ERRORS: kLimit. COST: a copy of what is kept.
  Result<RoundsState> state() const;
  /// REQUIRES: nothing was taken. ERRORS: as take() has reasons.
  Status restore(RoundsState state);

  /// kHolds: of all that was settled, which after finish() is all. kViolated: violation().
  /// kUnknown: of what was not settled, for reason().
  Verdict verdict() const {
    if (violation_) return Verdict::kViolated;
    return reason_.empty() ? Verdict::kHolds : Verdict::kUnknown;
  }
  const std::string& reason() const { return reason_; }
  const std::optional<Violation>& violation() const { return violation_; }
  /// What is asked.
  Level level() const { return options_.level; }
  /// Of the orders that are settled, level_of_rounds().
  Level order_level() const { return order_level_; }
  /// The transactions before that one hold.
  TxnNumber settled() const { return settled_; }
  /// The earliest start of the first part; kNoTime: none is known.
  std::int64_t first_start() const { return first_start_.value_or(kNoTime); }
  /// The latest start of those that are settled; kNoTime: none is known.
  std::int64_t latest_start() const { return latest_start_; }
  /// What ended before that is settled, or will never be; kNoTime: nothing is.
  std::int64_t settled_until() const { return settled_until_; }
  std::size_t rounds() const { return rounds_; }
  /// So many rounds, one behind the other, have found no order: with verdict() kHolds it is
  /// suspected that there is none.
  std::size_t failures() const { return failures_; }
  TxnNumber txn_count() const { return txn_count_; }
  std::size_t open_count() const { return open_.txn_count(); }
  /// Besides those, nobody knows whether so many took effect, and nobody has read from them.
  std::size_t apart_count() const { return apart_.size(); }
  /// Besides these, so many took effect by their deadline, if ever, and were forgotten.
  std::uint64_t forgotten_count() const { return forgotten_; }
  std::size_t key_count() const { return boundary_.key_count(); }
  /// In the order in which they were found.
  const std::vector<IncompleteKey>& incomplete_keys() const { return incomplete_; }
  /// Two fences have read the same, so that nothing behind them is settled.
  bool has_forked_fences() const { return fences_ && fences_->is_forked(); }

  /// Reads again what was given to take(). May be empty.
  Reread reread;
  /// Is told when a round finds no order, before a violation is looked for, which may take as
  /// long as to read all again. May be empty.
  std::function<void(const Suspicion&)> on_suspected;
  /// Is told the order of those that were settled, as they are, and a checksum of what the
  /// registers hold behind them. With snapshots, each is told twice: as it begins and as it
  /// commits. May be empty.
  std::function<void(std::span<const TxnNumber>, std::uint64_t sum)> on_settled;

 private:
  struct Round {
    NumberedPart part;                ///< with what was there before as initial contents
    std::vector<Boundary::Key> keys;  ///< by its keys
    /// By its keys: the list that the round goes on behind, where a read tells what it began
    /// with. Empty: there is none.
    std::vector<std::optional<ListPrefix>> fronts = {};
    std::vector<bool> may_settle = {};  ///< by its transactions, where fences tell
  };
  /// What keys held where that is not known, as the round shows.
  struct Shown {
    std::vector<Value> contents;
    std::vector<ListFront> fronts;
  };

  struct Times {
    std::int64_t settled_before = kNoTime;
    std::int64_t late_from = kNoTime;
  };

  void take_initial(const History& part);
  void keep(History part, TxnNumber first);
  bool is_waiting() const { return aftermath_ && !aftermath_->is_settled(); }
  void end_wait();
  bool is_new(const History& violation) const;
  Result<Round> join(std::span<const NumberedPart* const> parts, const std::vector<bool>& held);
  void round(const NumberedPart* part, std::int64_t open_since);
  void round_by_fences(const NumberedPart* part, bool is_last);
  SettledFirst settled_of(const Round& round, const Witness& witness, const Times& times) const;
  std::int64_t settled_before(const History& open, std::int64_t open_since) const;
  std::int64_t late_from(std::int64_t open_since) const;
  bool is_verified(const Round& round, const Witness& witness) const;
  std::optional<Witness> witness_of(const Round& round, std::int64_t late_from);
  /// What became of an open transaction.
  enum class Fate : std::uint8_t { kOpen, kBegun, kDone };
  std::vector<bool> open_keys(const Round& round) const;
  Shown shown_by(const Round& round);
  Result<Round> with_initial(const Round& round, const Shown& shown);
  Reread reread_checked() const;
  bool is_incomplete(Boundary::Key key) const;
  void add_incomplete(IncompleteKey key);
  void count_reads(const History& part);
  bool find_incomplete(const Round& round, const Shown& shown);
  void decide(const Round& round, const Times& times, const std::vector<bool>& held,
              std::vector<Fate>& fates);
  void learn_initial(const Round& round, std::span<const TxnId> order, int mentions);
  void learn_list(const Round& round, KeyId key);
  void settle(const Round& round, const Times& times, const std::vector<bool>& held,
              std::vector<Fate>& fates);
  bool commits_settled(const Round& round, std::span<const TxnId> order);
  bool may_have_read_a_list(const History& open, TxnId txn);
  void leave_open(const History& open, std::int64_t before, const std::vector<Fate>& fates);
  bool is_over(const History& open, std::size_t i, std::int64_t before) const;
  std::vector<bool> set_apart(const History& open, const std::vector<bool>& left_open);
  std::vector<bool> begun_among(const History& open) const;
  void give_up(std::string reason);
  CheckOptions check_options(Level level) const;
  void limit_search(std::optional<base::Budget::Allowance>& limit, const History& round) const;
  bool tells_violations(Level level, std::int64_t late_from) const;
  bool awaits_fences(const Round& round, const Proof& proof, std::int64_t late_from) const;
  void look_for_violation(const Round& round, const Proof& proof, std::int64_t late_from);

  RoundsOptions options_;
  Level order_level_;
  base::Budget& budget_;
  std::optional<SessionTimes> sessions_;  // where their order counts
  std::optional<Fences> fences_;          // where they tell what is settled
  std::unordered_set<TxnNumber>
      may_read_later_;  // of this round, then: from who is yet to come
  std::string reason_;
  std::optional<Violation> violation_;
  HistoryOrigin origin_;  // of the first part
  std::int64_t open_since_ = kNoTime;
  std::optional<std::int64_t> first_start_;
  History open_;  // in the order in which they came; positions in the input are 1 + TxnNumber
  std::unordered_set<TxnNumber> begun_;  // of those: their snapshots are settled
  std::deque<NumberedPart> last_;        // parts as they came
  std::size_t last_size_ = 0;
  Boundary boundary_;
  PossibleWriters apart_;
  Deadlines deadlines_;
  std::uint64_t forgotten_ = 0;
  bool has_unknown_outcomes_ = false;  // so far; else none is to be kept apart
  ListsBefore lists_before_;           // of those of which this round has settled more
  std::vector<IncompleteKey> incomplete_;
  std::vector<std::uint32_t> incomplete_at_;  // by place: 1 + where it is in incomplete_
  std::uint64_t reread_ = 0;                  // transactions
  bool awaits_unrecorded_ = false;  // who writes past the recorders is looked for on no order
  TxnNumber txn_count_ = 0;
  TxnNumber settled_ = 0;
  std::int64_t settled_until_ = kNoTime;
  std::int64_t latest_start_ = kNoTime;
  std::size_t rounds_ = 0;
  std::size_t failures_ = 0;     // of the last rounds
  bool finds_no_order_ = false;  // which is the reason
  std::int64_t latest_ = kNoTime;
  TxnNumber begun_behind_ = 0;
  std::optional<Aftermath> aftermath_;  // once begun anew
};

}  // namespace isolde::stream
