// A part of a history that is a history in its own right: some of its transactions with some of
// their operations, chosen so that a violation in the part is a violation in the whole.
//
// Why: take an execution that shows that the whole satisfies a level, and strike out what is
// not in the part. Every level constrains each transaction by its reads, the transactions
// before it and their writes, session order and time; fewer of these mean fewer constraints.
// Only a read whose source is struck out could break: its value would come from nowhere, or
// from another writer of the same value. So restrict() leaves out, besides what is not chosen,
// each read that may have lost its source:
//
// - A read of a register goes when any write of its value to its key is left out: where several
//   transactions wrote the value, each may be the source. Aborted ones are no sources, so they
//   may go as long as one writer is left. So may writers that started only after the reader had
//   ended, at levels where a reader comes after its source and real time binds.
// - A read of the transaction's own write goes with the last write before it.
// - An element of a list goes when all appends of it do, from each read that shows it: in every
//   execution of the part the lists are those of the whole without it. When only some of its
//   appends go, the reads that show it go too. So do those of which it is the last element,
//   their own appends aside: where a level depends on a list read's source, that is the writer
//   of this element.
// - A negative read (only values it did not return are known) goes when a write that it may
//   have returned is left out, unless nothing is left that it did not return.
// - A refused insert, at some levels a read of some row, goes when a write is left out that may
//   have been that row.
// - A row goes from a selection as a read of a register does, if nothing is left in the history
//   that the selection would then have missed; else the selection goes.
//
// Reads of the initial version stay: nobody had written the key, and nobody has now. Initial
// contents stay, of the keys that the part is about. A write
// that is not the transaction's last one of a key may become the last; then the former last one
// is left out with its reads, and nobody sees a difference. An indeterminate transaction that
// nobody reads from any more is no longer included, and requires nothing. The property test of
// minimisation tries all this on random histories and all levels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::minimize {

/// What to keep of a history.
struct Choice {
  /// All transactions and operations.
  explicit Choice(const History& history)
      : txns(history.txn_count(), 1), ops(history.op_count(), 1) {}

  std::vector<std::uint8_t> txns;  ///< by transaction
  std::vector<std::uint8_t> ops;   ///< by History::first_op(); those of a selection are alike
  /// Reads in part that stay as they are, although some of what they may have returned goes:
  /// see contradiction.hpp.
  std::vector<std::size_t> fixed = {};
};

/// Where real time rules out a source of a read.
struct RealTime {
  /// For a level. At read uncommitted, also in mixed levels, readers need not come after their
  /// sources.
  static RealTime of(Level level, std::int64_t clock_error_ns);

  bool binds = false;
  std::int64_t clock_error_ns = 0;
};

struct Part {
  History history;
  std::vector<TxnId> txns;         ///< by transaction of the part: its number in the whole
  bool lists_are_shorter = false;  ///< reads of lists lack elements whose appends are left out
  bool rows_are_missing = false;   ///< likewise the rows of selections
};

/// The chosen part without the reads whose meaning would change in it. Transactions keep their
/// session, order, outcome, times, stated level and place in the input; one without a label
/// gets its name in the whole as label. Sessions without transactions are left out. The part
/// has the whole's origin, with `notes` appended, and the events of what happened between its
/// first and its last time: of what began before or ended later, both. Selections that say
/// nothing are left out. A violation of the part at a level is one of the whole if `time` is
/// that of the level, or none. COST: linear in the whole.
Part restrict(const History& whole, const Choice& choice, RealTime time = {},
              const std::vector<std::string>& notes = {});

}  // namespace isolde::minimize
