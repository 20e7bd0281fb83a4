// From a small history to one order of all its steps in which a database can show again what
// the history has.
//
// A history says what each session did and saw, and not in which order the database did it. The
// order is looked for by adding what must and what should come before what; a wish that
// contradicts what is there already is dropped, so more important ones come first:
//
//  1. Each transaction's steps are in program order and each session's transactions in session
//     order; a transaction that ended before another one started, by the clients' clocks, does
//     all its steps first. (Where times contradict sessions, sessions win. A transaction of
//     unknown outcome may take effect late, so nothing comes after it by time.)
//  2. A read comes after the commit of the transaction that it read from; where that cannot be,
//     or that transaction aborted, or wrote the key again, after the write and before what
//     ended the value: so dirty and intermediate reads are tried, too.
//  3. A read comes before the commit of a transaction that replaced what it saw, as far as the
//     reads show who replaced whom (sources.hpp); where that cannot be, the first step of its
//     transaction does, so that the transaction has its snapshot by then.
//     A row that a selection did not return is a read, too, of a version that its condition
//     does not select. A version that it selects is committed later where it is newer than all
//     of these, or seen by the same transaction later on; the first one of these is committed
//     before, where there was none from the beginning.
//     Of an aggregate, this is so for rows that it certainly did not count.
//  4. A write comes after the commit of the transaction that wrote the version before:
//     databases that lock or look for conflicts would let it wait or refuse it.
//  5. A transaction begins after the commits of all that it read from, for its snapshot may be
//     taken there, and then of those whose versions it replaces: what is newer than its
//     snapshot it may not replace.
//  6. Where the reads do not show which of two writers was first, the one that ended first was.
//     Where a row that was not returned may have been missing at several times, it is one that
//     nothing else contradicts, by the clients' clocks the last one before the reader ended.
//  7. A read comes before the write itself that replaces what it saw: it would wait for the
//     lock, where reads lock.
//
// These are wishes of the right kind: every execution in which reads see what is committed and
// writes lock keeps 1 to 4 (if it shows the order of all versions), and every execution on
// snapshots in which the first of two writers wins can be moved, without a change of what it
// reads, to one that keeps 1 to 5. So nothing that matters is dropped for these, and a database
// of that kind goes the same way. test/prop/interleaving_prop.cpp tries both.
//
// Among the orders that are left, the one is taken in which each transaction goes on for as
// long as it can, the next is the one that started first, and none begins before its first
// operation can follow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"
#include "replay/precedence.hpp"
#include "replay/sources.hpp"
#include "replay/statements.hpp"
#include "replay/step.hpp"

namespace isolde::replay {

inline constexpr std::size_t kMostTxns = 200;
inline constexpr std::size_t kMostOperations = 2000;

/// ERRORS: kUsage for histories that are too large, that have rows with columns or conditions
/// on them, or no transaction, telling what to do.
Status can_be_replayed(const History& history);

/// Keeps a reference to the history. The same history gives the same order, on every machine.
class Interleaving {
 public:
  /// REQUIRES: can_be_replayed(history).
  explicit Interleaving(const History& history, Deletions deletions = Deletions::kSelected);

  const Statements& statements() const { return statements_; }

  /// Each step of each transaction once: begin, statements, and at the end commit, or rollback
  /// for those that aborted. Transactions of unknown outcome commit.
  std::vector<Step> steps() const;

  /// A random order that keeps 1 to 3 as far as steps() does.
  std::vector<Step> shuffled(base::Rng& rng) const;

 private:
  class Scheduler;
  /// A time at which a row was not one that a condition selects: from the commit of one writer
  /// on, null: from the beginning, until that of another one, null: for ever.
  struct Gap {
    const Writer* from = nullptr;
    const Writer* until = nullptr;
  };

  std::size_t begin_of(TxnId txn) const { return first_node_[txn.raw()]; }
  std::size_t end_of(TxnId txn) const { return first_node_[txn.raw() + 1] - 1; }
  std::size_t node_of(Place place) const {
    return begin_of(place.txn) + 1 + statements_.position(history_, place);
  }
  std::size_t first_write(const Writer& writer) const {
    return node_of({writer.txn, writer.ops.front()});
  }
  Step step_of(std::size_t node) const;

  void add_program_and_sessions();
  void add_times();
  template <typename Do>
  void for_reads(Do act) const;
  bool follow(const ExternalRead& read, Place source);
  void add_reads_from(const ExternalRead& read);
  bool miss(Place reader, const Writer& writer);
  void add_missed(const ExternalRead& read);
  template <typename Do>
  void for_exclusions(Do act) const;
  const Writer* first_that_fits(const Exclusion& read) const;
  void add_exclusion_source(const Exclusion& read);
  bool sees_later(const Exclusion& read, TxnId writer) const;
  void add_excluded(const Exclusion& read);
  void add_versions();
  template <typename Do>
  void for_versions(Do act) const;
  void add_snapshots(const ExternalRead& read);
  void add_versions_to_snapshots();
  void guess_missed(const ExternalRead& read);
  void guess_versions();
  std::vector<std::size_t> in_order(KeyId key) const;
  std::vector<Gap> gaps(const Exclusion& read, std::span<const std::size_t> order) const;
  bool is_possible(const Exclusion& read, const Gap& gap) const;
  const Gap& likeliest(const Exclusion& read, std::span<const Gap> gaps) const;
  void settle(const Exclusion& read, const Gap& gap);
  void guess_exclusions();
  void add_before_locks(const ExternalRead& read);
  void add_excluded_before_locks(const Exclusion& read);
  bool ended_first(TxnId a, TxnId b) const;
  bool saw(const ExternalRead& read, TxnId txn) const;

  const History& history_;
  Statements statements_;
  Sources sources_;
  std::vector<std::size_t> first_node_;  ///< by transaction, and one more
  std::vector<TxnId> txn_of_;            ///< by node
  Precedence all_;
  Precedence loose_;  ///< 1 to 3 alone
};

}  // namespace isolde::replay
