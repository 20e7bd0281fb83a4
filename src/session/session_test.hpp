// The session tests of Crooks 2019 (Table 4.1) on one execution, for all sessions at once. A
// read with several possible sources came from the first of them that was not replaced before
// what its session has seen or done. No other choice is better: the tests ask that a version is
// not replaced too early, and where it begins binds later reads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "infer/observations.hpp"
#include "infer/open_index.hpp"
#include "isolde/level.hpp"
#include "level/level_traits.hpp"

namespace isolde::checker {

class SessionTest {
 public:
  /// REQUIRES: explains_sessions_apart(base). The observations must outlive this object.
  SessionTest(const infer::Observations& seen, BaseLevel base);

  /// For each session whether the execution explains what it saw. REQUIRES: `order` has every
  /// included transaction once; it agrees with the order that lists show, and with what the
  /// level requires of all sessions alike: read-from and session order (causal), session order
  /// of updates (monotonic writes), or all of writes-follow-reads, where no read is open. COST:
  /// linear, with the sources of open reads.
  std::vector<bool> served(std::span<const TxnId> order, base::Budget& budget);

  /// A read, by what it is part of: in a selection all reads have one step.
  struct Read {
    TxnId txn;
    std::uint32_t step = 0;  ///< History::step()
    KeyId key;
  };
  /// Reads without which the execution would explain more of these sessions: those that find no
  /// version in it, and those whose version is so late that a later read finds none. Empty
  /// where it explains them; none where reads alone are not what is wrong. REQUIRES: as
  /// served(), but `order` has those transactions that are to have taken effect.
  std::optional<std::vector<Read>> in_the_way(std::span<const TxnId> order,
                                              std::span<const SessionId> sessions,
                                              base::Budget& budget);

 private:
  /// The state that all further reads of a session reach, and the read that it comes from.
  struct Bound {
    std::uint32_t state = 0;
    std::optional<Read> by = {};
  };
  /// What is wrong, while a session is looked through to its end.
  struct Trouble {
    std::vector<Read> reads;
    bool is_of_reads = true;

    void add(const std::optional<Read>& read, const Bound& bound);
  };

  void place(std::span<const TxnId> order, base::Budget& budget);
  /// The states that a read can have seen, its transaction's parent state not considered.
  struct States {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  /// Without `trouble` up to the first read that is wrong.
  bool serves(SessionId session, Trouble* trouble, base::Budget& budget) const;
  bool serves(TxnId txn, Bound& bound, Trouble* trouble, base::Budget& budget) const;
  void add_without_source(TxnId txn, Trouble& trouble, base::Budget& budget) const;
  bool have_sources(TxnId txn, base::Budget& budget) const;
  bool has_source(const infer::OpenRead& read, base::Budget& budget) const;
  States states_of(const infer::ReadFrom& read) const {
    return {first_state(read), last_state(read)};
  }
  std::uint32_t step_of(TxnId txn, std::uint32_t read) const;
  States first_fit(const infer::OpenRead& read, std::uint32_t bound,
                   base::Budget& budget) const;
  std::uint32_t first_state(const infer::ReadFrom& read) const;
  std::uint32_t last_state(const infer::ReadFrom& read) const;

  static constexpr std::uint32_t kNever = 0xffffffffU;

  const infer::Observations& seen_;
  const infer::OpenIndex open_index_;
  SessionRules::Of bound_by_;  // what of a session binds its later reads
  bool all_reads_count_;
  // States are numbered from 0, the initial one; a transaction leaves the state at its place.
  std::vector<std::uint32_t> place_;        // by transaction
  std::vector<std::uint32_t> overwritten_;  // by write: place of the next writer of its key
  std::vector<std::uint32_t> first_write_;  // by key: place of its first writer
};

}  // namespace isolde::checker
