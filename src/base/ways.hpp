// Thresholds where the program has two ways to the same result, one of them fast for the usual
// case. Tests force each way over everything that they read and check (docs/TESTING.md, "Two
// ways"). Nothing else changes these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isolde::base {

struct Ways {
  /// Files of at least this many bytes are mapped; others are read into memory.
  std::size_t map_from = std::size_t{1} << 20;
  /// Lines of the native format that have the usual shape are parsed without simdjson.
  bool usual_lines = true;
  /// Key names that are integers below this are looked up in place, others by their hash.
  std::uint64_t small_keys = std::uint64_t{1} << 20;
  /// In transactions of up to this many operations all pairs are compared; longer ones use
  /// tables, or sort.
  std::size_t short_txn = 24;
  /// The sources of reads are found by joining them with the writes. Otherwise each is looked
  /// up in the table of all writes, as are reads that the join leaves open.
  bool join_reads = true;
  /// That join partitions operations into piles of about this size.
  std::size_t join_pile = std::size_t{1} << 16;
  /// Clocks, one number for each transaction and session, are used up to this many entries;
  /// beyond that the guess does without.
  std::size_t guess_entries = std::size_t{1} << 27;
  /// The rows that a selection could have returned are found by their keys, or by what was
  /// written to them, whichever is less to look through; or always in one way, where it can.
  enum class RowsBy { kSize, kKeys, kContent } rows_by = RowsBy::kSize;
  /// So many keys are kept of answers to that question, for selections that ask the same.
  std::size_t kept_rows = std::size_t{1} << 21;
  /// What a read of some columns may have returned is found by an index of columns; or else
  /// all writes of its key are compared.
  bool index_columns = true;
  /// Selections that differ in their conditions on keys alone share lists of possible sources.
  bool share_conditions = true;
  /// Rows that selections left out count when an execution that ignores them gets them wrong.
  /// Otherwise all count from the start.
  bool rows_when_needed = true;
  /// What the items of aggregates contribute is summed up as their sources are decided.
  /// Otherwise all items are looked at for each source.
  bool keep_tallies = true;
  /// Reads in part that contradict each other are looked for before levels are decided.
  /// Otherwise only the search meets them.
  bool find_contradictions = true;
  /// From so many operations on, which rows they are is not even listed while executions get
  /// all of them right.
  std::size_t unlisted_from = std::size_t{1} << 16;
  /// Among what a column holds a place is looked for first in a table of every so manyth value.
  std::size_t value_stride = 256;
};

/// REQUIRES: changed only while nothing else runs.
inline Ways& ways() {
  static constinit Ways the;
  return the;
}

}  // namespace isolde::base
