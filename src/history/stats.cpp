#include "history/stats.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "history/aggregate_names.hpp"
#include "history/event_spans.hpp"
#include "history/initial.hpp"

namespace isolde::history {
namespace {

void count_sessions(const History& history, HistoryStats& stats) {
  stats.sessions = history.session_count();
  if (stats.sessions == 0) return;
  stats.session_txns_min = std::numeric_limits<std::size_t>::max();
  for (std::size_t session = 0; session < stats.sessions; ++session) {
    const std::size_t txns = history.session_txns(SessionId::at(session)).size();
    stats.session_txns_min = std::min(stats.session_txns_min, txns);
    stats.session_txns_max = std::max(stats.session_txns_max, txns);
  }
}

/// A read that does not tell its version as a whole, or may be of either of two.
void count_match(const History& history, const Op& op, HistoryStats& stats) {
  ++stats.reads;
  const Value whole = history.read_value(op);
  if (!whole.is_null()) {
    stats.row_reads += history.is_row(whole) ? 1 : 0;
  } else {
    ++(history.read_columns(op).empty() ? stats.presence_reads : stats.column_reads);
  }
}

/// Of reads that tell their version, and of writes. Most histories have neither.
void count_rows_and_deletions(const History& history, HistoryStats& stats) {
  if (!history.has_rows() && !history.origin().rows_are_deleted) return;
  for (const Op& op : history.all_ops()) {
    if (op.kind == OpKind::kWrite) {
      stats.row_writes += history.is_row(op.value) ? 1 : 0;
      stats.deletions += op.is_delete() ? 1 : 0;
    } else if (op.kind == OpKind::kRead) {
      stats.row_reads += history.is_row(history.seen(op)) ? 1 : 0;
    }
  }
}

void count_op(const History& history, const Op& op, HistoryStats& stats) {
  switch (op.kind) {
    case OpKind::kReadMatch:
      count_match(history, op, stats);
      break;
    case OpKind::kRead:
      ++stats.reads;
      stats.initial_reads += op.value.is_null() ? 1 : 0;
      break;
    case OpKind::kWrite:
      ++stats.writes;
      break;
    case OpKind::kAppend:
      ++stats.appends;
      break;
    case OpKind::kReadList:
      ++stats.list_reads;
      stats.initial_reads += history.list(op).empty() ? 1 : 0;
      break;
    case OpKind::kReadUnknown:
      ++(history.is_refused_insert(op) ? stats.refused_inserts : stats.unknown_reads);
      break;
    case OpKind::kReadAbsent:  // nothing that the client did
      break;
    case OpKind::kReadExcept:
      if (history.is_of_any_number(op)) {
        ++stats.reads;
      } else if (history.found_nothing(op)) {
        ++stats.reads;
        ++stats.empty_reads;
      } else {
        ++stats.negative_reads;
      }
      break;
  }
}

void count_selection(const History& history, const Selection& selection, HistoryStats& stats) {
  const Aggregate* const aggregate = history.aggregate(selection);
  if (aggregate != nullptr) {
    ++stats.aggregates[static_cast<std::size_t>(aggregate->kind)];
    stats.items += selection.absents;
    return;
  }
  ++stats.selections;
  stats.rows_returned += selection.rows;
  stats.rows_left_out += selection.absents;
}

std::size_t count_ops(const History& history, TxnId txn) {
  std::size_t count = history.ops(txn).size();
  for (const Selection& selection : history.selections(txn)) {
    count += 1;
    count -= selection.absents;
  }
  return count;
}

void count_txns(const History& history, HistoryStats& stats) {
  stats.transactions = history.txn_count();
  stats.operations = operation_count(history);
  for (std::size_t i = 0; i < stats.transactions; ++i) {
    const TxnId txn = TxnId::at(i);
    stats.committed += history.status(txn) == TxnStatus::kCommitted ? 1 : 0;
    stats.aborted += history.status(txn) == TxnStatus::kAborted ? 1 : 0;
    stats.indeterminate += history.status(txn) == TxnStatus::kIndeterminate ? 1 : 0;
    stats.txn_operations_max = std::max(stats.txn_operations_max, count_ops(history, txn));
    for (const Selection& each : history.selections(txn)) count_selection(history, each, stats);
    for (const Op& op : history.ops(txn)) count_op(history, op, stats);
  }
  count_rows_and_deletions(history, stats);
  if (stats.transactions == 0) return;
  stats.txn_operations_mean =
      static_cast<double>(stats.operations) / static_cast<double>(stats.transactions);
}

/// Sweeps over starts and ends. A transaction that ends when another starts does not overlap
/// it.
void measure_times(const History& history, HistoryStats& stats) {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  double open = 0;
  for (std::size_t txn = 0; txn < history.txn_count(); ++txn) {
    const TxnTimes times = history.times(TxnId::at(txn));
    if (times.start == kNoTime || times.end == kNoTime) continue;
    starts.push_back(times.start);
    ends.push_back(times.end);
    open += static_cast<double>(times.end) - static_cast<double>(times.start);
  }
  stats.timed = starts.size();
  if (stats.timed == 0) return;
  std::sort(starts.begin(), starts.end());
  std::sort(ends.begin(), ends.end());
  std::size_t ended = 0;
  for (std::size_t started = 0; started < starts.size(); ++started) {
    while (ended < started && ends[ended] <= starts[started]) ++ended;
    stats.concurrency_max = std::max(stats.concurrency_max, started + 1 - ended);
  }
  // Times are arbitrary, so their difference may not fit 63 bits.
  const double span = static_cast<double>(ends.back()) - static_cast<double>(starts.front());
  constexpr double kMost = 9.2e18;
  stats.span_ns =
      span < kMost ? ends.back() - starts.front() : static_cast<std::int64_t>(kMost);
  if (span > 0) stats.concurrency_mean = open / span;
}

std::string number(std::size_t value) { return std::to_string(value); }

/// "ms", "s" or "min", whichever reads best.
std::string duration(std::int64_t nanoseconds) {
  const auto value = static_cast<double>(nanoseconds);
  if (value < 1e9) return base::fixed(value / 1e6, 3) + " ms";
  if (value < 600e9) return base::fixed(value / 1e9, 3) + " s";
  return base::fixed(value / 60e9, 1) + " min";
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return base::grouped(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

constexpr std::string_view kIndent = "              ";

/// Lines about reads that say something of rows that they did not return; only what occurs.
std::string selections_text(const HistoryStats& stats) {
  std::string text;
  const auto add = [&text](const std::string& line) {
    text += kIndent;
    text += line + "\n";
  };
  if (stats.selections > 0) {
    add(counted(stats.selections, "selection") + " returned " +
        counted(stats.rows_returned, "row") + " (among the reads) and left out " +
        base::grouped(stats.rows_left_out));
  }
  std::string kinds;
  for (std::size_t kind = 0; kind < kAggregateKindCount; ++kind) {
    if (stats.aggregates[kind] == 0) continue;
    kinds += (kinds.empty() ? "" : ", ") + std::string(kAggregateNames[kind]) + " " +
             base::grouped(stats.aggregates[kind]);
  }
  if (!kinds.empty()) {
    const std::size_t count = std::reduce(stats.aggregates.begin(), stats.aggregates.end());
    add(counted(count, "aggregate") + " of " + counted(stats.items, "item") + ": " + kinds);
  }
  if (stats.refused_inserts > 0) {
    add(counted(stats.refused_inserts, "insert") + " refused, for the key was there");
  }
  if (stats.negative_reads > 0) {
    add(counted(stats.negative_reads, "negative read") +
        " by key (only values they did not return are known)");
  }
  return text;
}

/// A line about increments, if there are any.
std::string increments_text(const HistoryStats& stats) {
  if (stats.increments == 0) return "";
  std::string text = std::string(kIndent) + counted(stats.increments, "increment") +
                     ", each a read and a write";
  if (stats.open_increments > 0) {
    text += "; of " + base::grouped(stats.open_increments) + " the sum is not known";
  }
  return text + "\n";
}

/// Lines about rows that have columns or go away; only what occurs.
std::string rows_text(const HistoryStats& stats) {
  std::string text;
  const auto add = [&text](std::string_view of, const std::vector<std::string>& parts) {
    std::string line;
    for (const std::string& part : parts) {
      if (!part.empty()) line += (line.empty() ? "" : ", ") + part;
    }
    if (!line.empty()) text += std::string(kIndent) + std::string(of) + line + "\n";
  };
  const auto part = [](std::size_t count, const std::string& what) {
    return count == 0 ? std::string() : base::grouped(count) + " " + what;
  };
  add("of the reads: ", {part(stats.row_reads, "of all columns of a row"),
                         part(stats.column_reads, "of some columns of a row"),
                         part(stats.presence_reads, "only that there was a row"),
                         part(stats.empty_reads, "found nothing, perhaps a deletion")});
  add("of the writes: ",
      {part(stats.row_writes, "of a row with columns"),
       stats.deletions == 0 ? std::string() : counted(stats.deletions, "deletion")});
  return text;
}

/// An object; empty without any.
std::string aggregates_json(const HistoryStats& stats) {
  std::string json;
  for (std::size_t kind = 0; kind < kAggregateKindCount; ++kind) {
    if (stats.aggregates[kind] == 0) continue;
    json += (json.empty() ? "{\"" : ",\"") + std::string(kAggregateNames[kind]) +
            "\":" + number(stats.aggregates[kind]);
  }
  return json.empty() ? json : json + "}";
}

}  // namespace

std::size_t operation_count(const History& history) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    count += count_ops(history, TxnId::at(i));
  }
  return count;
}

HistoryStats stats_of(const History& history) {
  HistoryStats stats;
  count_sessions(history, stats);
  count_txns(history, stats);
  stats.increments = history.increments().size();
  stats.open_increments = history.open_increments();
  for (std::size_t key = 0; key < history.key_count(); ++key) {
    ++(history.is_list(KeyId::at(key)) ? stats.lists : stats.registers);
  }
  stats.with_contents = keys_with_contents(history).size();
  measure_times(history, stats);
  for (const EventKind& each : event_kinds(history)) {
    stats.events.push_back({history.json(each.kind), each.count});
  }
  stats.events_text = events_text(history);
  return stats;
}

std::string to_text(const HistoryStats& stats) {
  std::string text;
  text += "sessions      " + base::grouped(stats.sessions) + ", " +
          base::grouped(stats.session_txns_min) + " to " +
          base::grouped(stats.session_txns_max) + " transactions each\n";
  text += "transactions  " + base::grouped(stats.transactions) + ": " +
          base::grouped(stats.committed) + " committed, " + base::grouped(stats.aborted) +
          " aborted, " + base::grouped(stats.indeterminate) + " indeterminate\n";
  text += "operations    " + base::grouped(stats.operations) + ": " +
          counted(stats.reads, "read") + ", " + counted(stats.writes, "write") + ", " +
          counted(stats.list_reads, "list read") + ", " + counted(stats.appends, "append") +
          ", " + counted(stats.unknown_reads, "read") + " without a result\n";
  text += increments_text(stats);
  text += rows_text(stats);
  text += selections_text(stats);
  text += std::string(kIndent) + base::fixed(stats.txn_operations_mean, 1) +
          " per transaction, at most " + base::grouped(stats.txn_operations_max) + "; " +
          counted(stats.initial_reads, "read") + " saw the initial value\n";
  text += "keys          " + counted(stats.registers, "register") + ", " +
          counted(stats.lists, "list");
  if (stats.with_contents > 0) {
    text += "; " + base::grouped(stats.with_contents) + " with initial contents";
  }
  text += "\n";
  if (!stats.events_text.empty()) text += "events        " + stats.events_text + "\n";
  if (stats.timed == 0) return text + "times         not recorded\n";
  text += "times         " + counted(stats.timed, "transaction") + " over " +
          duration(stats.span_ns) + ", " + base::fixed(stats.concurrency_mean, 1) +
          " at once, at most " + base::grouped(stats.concurrency_max) + "\n";
  return text;
}

std::string to_json(const HistoryStats& stats) {
  std::string json = "{";
  const auto add = [&json](const char* name, const std::string& value) {
    if (json.size() > 1) json += ',';
    json += '"';
    json += name;
    json += "\":";
    json += value;
  };
  add("sessions", number(stats.sessions));
  add("transactions", number(stats.transactions));
  add("committed", number(stats.committed));
  add("aborted", number(stats.aborted));
  add("indeterminate", number(stats.indeterminate));
  add("session_transactions_min", number(stats.session_txns_min));
  add("session_transactions_max", number(stats.session_txns_max));
  add("operations", number(stats.operations));
  add("reads", number(stats.reads));
  add("writes", number(stats.writes));
  add("appends", number(stats.appends));
  add("list_reads", number(stats.list_reads));
  add("unknown_reads", number(stats.unknown_reads));
  const auto add_some = [&add](const char* name, std::size_t count) {
    if (count > 0) add(name, number(count));
  };
  add_some("increments", stats.increments);
  add_some("open_increments", stats.open_increments);
  add_some("row_reads", stats.row_reads);
  add_some("column_reads", stats.column_reads);
  add_some("presence_reads", stats.presence_reads);
  add_some("empty_reads", stats.empty_reads);
  add_some("row_writes", stats.row_writes);
  add_some("deletions", stats.deletions);
  if (stats.selections > 0) {
    add("selections", number(stats.selections));
    add("rows_returned", number(stats.rows_returned));
    add("rows_left_out", number(stats.rows_left_out));
  }
  const std::string aggregates = aggregates_json(stats);
  if (!aggregates.empty()) {
    add("aggregates", aggregates);
    add("items", number(stats.items));
  }
  add_some("refused_inserts", stats.refused_inserts);
  add_some("negative_reads", stats.negative_reads);
  add("initial_reads", number(stats.initial_reads));
  add("transaction_operations_max", number(stats.txn_operations_max));
  add("transaction_operations_mean", base::fixed(stats.txn_operations_mean, 3));
  add("registers", number(stats.registers));
  add("lists", number(stats.lists));
  add_some("keys_with_initial_contents", stats.with_contents);
  add("timed", number(stats.timed));
  add("span_ns", std::to_string(stats.span_ns));
  add("concurrency_max", number(stats.concurrency_max));
  add("concurrency_mean", base::fixed(stats.concurrency_mean, 3));
  std::string events;
  for (const auto& [kind, count] : stats.events) {
    events += (events.empty() ? "{" : ",") + kind + ":" + number(count);
  }
  if (!events.empty()) add("events", events + "}");
  return json + "}";
}

}  // namespace isolde::history
