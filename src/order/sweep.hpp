// Sweep: in most histories of correct databases, versions follow the order in which clients
// learned of the commits, except for a few concurrent transactions. So a sweep puts each key's
// versions into that order, and sorts the transactions by the dependencies that result, without
// ever storing these: by end time, each transaction after those that it depends on. Most are in
// place already, which is found out beforehand, once for all levels and by all threads. When
// the sort meets a cycle, it exchanges two adjacent versions of some key whose writers overlap
// in time, and goes on. It costs about as much as reading the history. Finding nothing proves
// nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "infer/event_graph.hpp"
#include "order/version_guess.hpp"

namespace isolde::checker {

/// Invariants: W1 order_ has each event that is done once, and no other; W2 the stack's events
/// are open, and each depends on the next; W3 exchanges_ tells how the guess differs from the
/// first one.
class Sweep {
 public:
  /// Both must outlive this object. REQUIRES: the observations have no finding and no
  /// ambiguity. COST: O(n log n), without times that of simulate().
  Sweep(const infer::Observations& seen, base::Budget& budget, unsigned threads = 1);

  /// A witness of serializability (one event a transaction), or of snapshot isolation or prefix
  /// consistency (split, with or without write conflicts), in which session order and real time
  /// bind as the encoding says. None: not found. REQUIRES: an encoding of sweep_encoding().
  /// COST: O(n + m), and a little for each exchange, of which there are few.
  std::optional<Witness> find(const infer::Encoding& encoding);

  /// After a call that found nothing: the transactions on the remaining cycle, or those that
  /// violate real time, and what led there. Empty when the sweep gave up for another reason.
  const std::vector<TxnId>& cycle() const { return cycle_; }
  /// All included transactions, concurrent ones near each other.
  const std::vector<TxnId>& order() const { return guess_.order; }

 private:
  using Event = std::uint32_t;
  static constexpr Event kNone = 0xffffffffU;
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  /// The kinds of dependency, in the order in which an event's are visited.
  enum class Stage : std::uint8_t { kSession, kBegin, kReads, kWrites, kNothing };

  /// An event and how far its dependencies have been visited.
  struct Frame {
    Event event;
    Stage stage = Stage::kSession;
    std::uint32_t item = 0;    // one past the read, or the write visited
    std::uint32_t reader = 0;  // one past the reader of the version before, 0: its writer
  };
  /// Two exchanged versions, and the transactions on the cycle that this broke.
  struct Exchange {
    infer::WriteId after;
    infer::WriteId before;
    std::vector<TxnId> reason;
  };

  void find_settled(unsigned threads);
  bool is_settled(TxnId txn) const;
  bool sort();
  void link_sessions();
  void look_ahead(std::span<const TxnId> order, std::size_t begin) const;
  bool visit(Event root);
  bool may_follow(TxnId txn) const;
  void place(TxnId txn);
  Event next_dependency(Frame& frame) const;
  Event next_of_writes(Frame& frame, TxnId txn) const;
  TxnId first_to_end(TxnId root) const;
  bool starts_behind(Event event, Event root) const;
  bool break_cycle(std::size_t first, Event last);
  std::vector<TxnId> txns_from(std::size_t first, Event last) const;
  void note_cycle(std::vector<TxnId> txns);
  void leave(Event event);
  void unsettle(infer::WriteId version);
  infer::WriteId exchangeable(const Frame& frame) const;
  bool overlap(TxnId before, TxnId after) const;
  std::uint32_t distance(infer::WriteId write) const;
  bool sees_what_it_replaces() const;
  bool keeps_real_time() const;

  Event begin_of(TxnId txn) const {
    return encoding_.role.snapshot ? txn.raw() * 2 : txn.raw();
  }
  Event commit_of(TxnId txn) const {
    return encoding_.role.snapshot ? txn.raw() * 2 + 1 : txn.raw();
  }
  TxnId txn_of(Event event) const { return TxnId(encoding_.role.snapshot ? event / 2 : event); }
  bool is_begin(Event event) const { return !encoding_.role.snapshot || event % 2 == 0; }
  bool is_commit(Event event) const { return !encoding_.role.snapshot || event % 2 == 1; }

  const infer::Observations& seen_;
  base::Budget& budget_;
  VersionGuess guess_;                // with the exchanges of the current call
  std::vector<std::uint32_t> place_;  // by transaction: in the order of the guess
  /// By transaction: comes after all that it depends on, sessions aside. Remains valid when
  /// versions are exchanged.
  std::vector<std::uint8_t> settled_;
  infer::Encoding encoding_;           // of this call, like all below
  std::vector<TxnId> session_before_;  // by transaction, when session order binds
  std::vector<State> states_;          // by event
  std::vector<Frame> stack_;
  std::vector<TxnId> order_;         // events done
  std::vector<Exchange> exchanges_;  // of this call, in turn
  std::vector<bool> stays_;  // by write, once there was an exchange: not exchanged again
  std::vector<TxnId> cycle_;
  std::size_t next_ = 0;  // in the guess: all before it are done
  std::size_t exchanges_left_ = 0;
  std::size_t undo_left_ = 0;  // events that may be undone
};

}  // namespace isolde::checker
