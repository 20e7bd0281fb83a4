// Counts that describe a history, for reports and for `isolde stats`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::history {

struct HistoryStats {
  std::size_t sessions = 0;
  std::size_t transactions = 0;
  std::size_t committed = 0;
  std::size_t aborted = 0;
  std::size_t indeterminate = 0;
  std::size_t session_txns_min = 0;  ///< transactions of the shortest session
  std::size_t session_txns_max = 0;

  std::size_t operations = 0;
  std::size_t reads = 0;           ///< of registers, rows of selections among them
  std::size_t empty_reads = 0;     ///< of reads by key: found nothing, where rows are deleted
  std::size_t row_reads = 0;       ///< of reads: of all columns of a row
  std::size_t column_reads = 0;    ///< of reads: of some columns of a row
  std::size_t presence_reads = 0;  ///< of reads: told of a row only that it was there
  std::size_t writes = 0;
  std::size_t row_writes = 0;       ///< of writes: of rows with columns
  std::size_t deletions = 0;        ///< of writes
  std::size_t increments = 0;       ///< each a read and a write
  std::size_t open_increments = 0;  ///< whose sum is not known
  std::size_t appends = 0;
  std::size_t list_reads = 0;
  std::size_t unknown_reads = 0;
  std::size_t refused_inserts = 0;
  std::size_t selections = 0;     ///< that returned rows, as opposed to aggregates
  std::size_t rows_returned = 0;  ///< among the reads
  std::size_t rows_left_out = 0;  ///< that selections could have returned
  std::array<std::size_t, kAggregateKindCount> aggregates{};  ///< by AggregateKind
  std::size_t items = 0;                                      ///< of aggregates
  std::size_t negative_reads = 0;  ///< by key: only values they did not return are known
  std::size_t initial_reads = 0;  ///< of reads and list_reads: those that saw the initial value
  std::size_t txn_operations_max = 0;
  double txn_operations_mean = 0;

  std::size_t registers = 0;  ///< keys that are not lists
  std::size_t lists = 0;
  std::size_t with_contents = 0;  ///< keys that held something at the start

  /// Transactions with both times; what follows is about these.
  std::size_t timed = 0;
  std::int64_t span_ns = 0;         ///< from the first start to the last end
  std::size_t concurrency_max = 0;  ///< most transactions open at once
  double concurrency_mean = 0;      ///< open on average over the span

  struct Events {
    std::string kind;  ///< as a string of JSON
    std::size_t count = 0;
  };
  std::vector<Events> events;  ///< beside the transactions, by kind
  std::string events_text;     ///< the same for people; empty without events
};

/// Operations, a selection counting as one in addition to the rows that it returned, but not
/// those that it left out.
std::size_t operation_count(const History& history);

/// COST: O(m + n log n) for m operations and n transactions.
HistoryStats stats_of(const History& history);

/// A few aligned lines for people.
std::string to_text(const HistoryStats& stats);

/// One JSON object without a newline at the end.
std::string to_json(const HistoryStats& stats);

}  // namespace isolde::history
