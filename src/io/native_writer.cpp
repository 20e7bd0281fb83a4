// Writes the native JSON Lines format (docs/formats/native.md) so that reading it gives the
// same history back, with the same digest. Sessions are numbered by first appearance when they
// are read; where that would differ from this history, the header lists them.
#include <simdjson.h>

#include <charconv>

#include "base/moment.hpp"
#include "history/aggregate_names.hpp"
#include "history/key_columns.hpp"
#include "history/notation.hpp"
#include "history/texts.hpp"
#include "io/native.hpp"
#include "io/native_initial.hpp"
#include "io/native_rows.hpp"
#include "io/scalar_text.hpp"

namespace isolde::io {
namespace {

bool has_notation(const History& history) {
  const Notation& notation = history.origin().notation;
  return !notation.tables.empty() || !notation.values.empty();
}

class NativeWriter {
 public:
  NativeWriter(const History& history, Sink& sink, Remarks remarks)
      : history_(history),
        sink_(sink),
        has_words_(remarks == Remarks::kWords && has_notation(history)),
        key_columns_(history, history.all_ops()),
        increments_(history.increments()) {}

  Status write();

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;

  void put(std::int64_t number);
  void put(Value value);
  void put_result(const Op& op);
  void put_extras(const Op& op);
  void put_extras(Value version, LockMode lock);
  void put_result(const Aggregate& computed);
  void put(const Op& op);
  void put_list(std::span<const Value> values);
  void put_ops(TxnId txn);
  void put(const Increment& increment);
  void put_selection(const Selection& selection, std::span<const Op> rows);
  void put_bounds(std::string_view name, const Predicate::Bounds& bounds);
  void put_text(std::string_view name, const std::string& text);
  void put_texts(std::string_view name, const std::vector<std::string>& texts);
  void put_clock();
  void put_header();
  void put_time(std::string_view name, std::int64_t time);
  void put_txn(TxnId txn);
  void put_event(const RecordedEvent& event);
  bool sessions_appear_in_order() const;
  Status flush();

  const History& history_;
  Sink& sink_;
  const bool has_words_;
  const history::KeyColumns key_columns_;
  std::span<const Increment> increments_;  // that are still to be written
  std::string out_;
};

void NativeWriter::put(std::int64_t number) {
  char digits[24];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, number);
  out_.append(digits, end.ptr);
}

void NativeWriter::put(Value value) { append_value(out_, history_, value); }

/// What a read returned: of a row that it told as a whole all columns that the key has ever
/// had, so that it is read as a whole again.
void NativeWriter::put_result(const Op& op) {
  const bool is_match = op.kind == OpKind::kReadMatch;
  const Value whole = is_match ? history_.read_value(op) : history_.seen(op);
  if (is_match && whole.is_null()) {
    append_row(out_, history_, history_.read_columns(op));
  } else if (history_.is_row(whole)) {
    append_row(out_, history_, key_columns_.with_nulls(op.key, whole));
  } else {
    put(whole);
  }
}

void NativeWriter::put_extras(const Op& op) {
  put_extras(history_.version(op), history_.lock(op));
}

void NativeWriter::put_extras(Value version, LockMode lock) {
  if (version.is_null() && lock == LockMode::kNone) return;
  out_ += ",{";
  if (!version.is_null()) {
    out_ += R"("version":)";
    put(version);
    if (lock != LockMode::kNone) out_ += ',';
  }
  if (lock != LockMode::kNone) {
    out_ += lock == LockMode::kShare ? R"("lock":"share")" : R"("lock":"update")";
  }
  out_ += '}';
}

void NativeWriter::put_list(std::span<const Value> values) {
  out_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out_ += ',';
    put(values[i]);
  }
  out_ += ']';
}

void NativeWriter::put(const Op& op) {
  out_ += op.is_delete()                   ? R"(["delete",)"
          : op.kind == OpKind::kWrite      ? R"(["w",)"
          : op.kind == OpKind::kAppend     ? R"(["append",)"
          : history_.is_refused_insert(op) ? R"(["refused",)"
                                           : R"(["r",)";
  put(history_.key_name(op.key));
  if (op.kind == OpKind::kReadList) {
    out_ += ',';
    put_list(history_.seen_list(op));
  } else if (history_.found_nothing(op)) {
    out_ += ",null";
  } else if (op.kind == OpKind::kReadExcept) {
    out_ += R"(,{"not":)";
    put(history_.predicate(op).equal);
    out_ += '}';
  } else if (op.is_write() && !op.is_delete()) {
    out_ += ',';
    put(op.value);
  } else if (op.kind != OpKind::kReadUnknown && !op.is_delete()) {
    out_ += ',';
    put_result(op);
  }
  put_extras(op);
  out_ += ']';
}

void NativeWriter::put(const Increment& increment) {
  const Op& write = history_.all_ops()[increment.op + std::size_t{1}];
  out_ += R"(["inc",)";
  put(history_.key_name(write.key));
  out_ += ',';
  put(increment.by);
  if (increment.is_known) {
    out_ += ',';
    put(write.value);
  }
  out_ += ']';
}

void NativeWriter::put_text(std::string_view name, const std::string& text) {
  if (text.empty()) return;
  ((out_ += ",\"") += name) += "\":";
  append_json_string(out_, text);
}

void NativeWriter::put_texts(std::string_view name, const std::vector<std::string>& texts) {
  out_ += ",\"";
  out_ += name;
  out_ += "\":[";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out_ += ',';
    append_json_string(out_, texts[i]);
  }
  out_ += ']';
}

bool NativeWriter::sessions_appear_in_order() const {
  std::size_t seen = 0;
  for (std::size_t txn = 0; txn < history_.txn_count(); ++txn) {
    const std::size_t session = history_.session_of(TxnId::at(txn)).raw();
    if (session > seen) return false;
    if (session == seen) ++seen;
  }
  return seen == history_.session_count();
}

void NativeWriter::put_clock() {
  const HistoryOrigin& origin = history_.origin();
  std::string fields;
  if (origin.clock_origin != kNoTime) {
    fields += R"(,"origin":")" + base::moment_text(origin.clock_origin) + '"';
  }
  if (!origin.clock_host.empty()) {
    append_json_string(fields += R"(,"host":)", origin.clock_host);
  }
  if (origin.clock_monotonic_ns != kNoTime) {
    fields += R"(,"monotonic_ns":)" + std::to_string(origin.clock_monotonic_ns);
  }
  if (origin.clock_error_ns != kNoTime) {
    fields += R"(,"error_ns":)" + std::to_string(origin.clock_error_ns);
  }
  if (!fields.empty()) ((out_ += R"(,"clock":{)") += fields.substr(1)) += '}';
}

void NativeWriter::put_header() {
  out_ += needs_version_2(history_) ? R"({"isolde":2,"kind":"history")"
                                    : R"({"isolde":1,"kind":"history")";
  if (history_.origin().truncated) out_ += R"(,"truncated":true)";
  put_clock();
  put_text("database", history_.origin().database);
  put_text("isolation", history_.origin().isolation);
  put_text("product", history_.origin().product);
  const std::optional<Level> promise = history_.origin().promise;
  put_text("promise", promise ? std::string(info(*promise).name) : "");
  if (promise && history_.origin().promised_by_user) put_text("promised_by", "user");
  if (!promise) put_text("no_promise", history_.origin().no_promise);
  put_text("tables", history::tables_text(history_.origin().notation.tables));
  put_text("values", history::values_text(history_.origin().notation.values));
  if (history_.origin().times_are_order) out_ += R"(,"times":"order")";
  if (history_.origin().versions_are_ordered) out_ += R"(,"versions":"order")";
  if (!history_.origin().notes.empty()) put_texts("notes", history_.origin().notes);
  append_initial(out_, history_);
  if (!sessions_appear_in_order()) {
    std::vector<std::string> names;
    for (std::size_t session = 0; session < history_.session_count(); ++session) {
      names.push_back(history_.session_name(SessionId::at(session)));
    }
    put_texts("sessions", names);
  }
  out_ += "}\n";
}

void NativeWriter::put_time(std::string_view name, std::int64_t time) {
  if (time == kNoTime) return;
  ((out_ += R"(,")") += name) += R"(":)";
  put(time);
}

void NativeWriter::put_txn(TxnId txn) {
  out_ += R"({"session":)";
  append_json_string(out_, history_.session_name(history_.session_of(txn)));
  if (history_.status(txn) == TxnStatus::kAborted) out_ += R"(,"status":"aborted")";
  if (history_.status(txn) == TxnStatus::kIndeterminate) out_ += R"(,"status":"indeterminate")";
  const TxnTimes times = history_.times(txn);
  put_time("start", times.start);
  put_time("end", times.end);
  const DatabaseTimes database = history_.database_times(txn);
  put_time("db_start", database.start);
  put_time("db_commit", database.commit);
  if (const auto level = history_.stated_level(txn)) {
    ((out_ += R"(,"level":")") += info(*level).name) += '"';
  }
  const Value label = history_.label(txn);
  if (!label.is_null()) {
    out_ += R"(,"id":)";
    put(label);
  }
  if (const Value server = history_.server(txn); !server.is_null()) {
    out_ += R"(,"server":)";
    put(server);
  }
  out_ += R"(,"ops":[)";
  put_ops(txn);
  out_ += ']';
  if (has_words_) put_texts("words", history::op_texts(history_, txn));
  out_ += "}\n";
}

void NativeWriter::put_event(const RecordedEvent& event) {
  out_ += R"({"event":)";
  put(event.kind);
  if (!event.what.is_null()) {
    out_ += R"(,"what":)";
    put(event.what);
  }
  if (event.part != RecordedEvent::Part::kMoment) {
    out_ += event.part == RecordedEvent::Part::kBegins ? R"(,"begins":)" : R"(,"ends":)";
    put(event.name);
  }
  put_time("at", event.at);
  out_ += "}\n";
}

/// Selections as such, not the operations that they consist of.
void NativeWriter::put_ops(TxnId txn) {
  const std::span<const Op> ops = history_.ops(txn);
  const std::span<const Selection> selections = history_.selections(txn);
  std::size_t next = 0;
  const std::size_t first = history_.first_op(txn);
  for (std::size_t at = 0; at < ops.size() || next < selections.size();) {
    if (out_.back() == ']') out_ += ',';
    // One without operations comes before what has its place.
    if (next < selections.size() && selections[next].first == at) {
      const Selection& selection = selections[next++];
      put_selection(selection, ops.subspan(at, selection.rows));
      at = selection.end();
    } else if (!increments_.empty() && increments_.front().op == first + at) {
      put(increments_.front());
      increments_ = increments_.subspan(1);
      at += 2;
    } else {
      put(ops[at++]);
    }
  }
}

void NativeWriter::put_bounds(std::string_view name, const Predicate::Bounds& bounds) {
  if (out_.back() != '{') out_ += ',';
  ((out_ += '"') += name) += R"(":[)";
  put(bounds.min);
  out_ += ',';
  put(bounds.max);
  out_ += ']';
}

void NativeWriter::put_selection(const Selection& selection, std::span<const Op> rows) {
  const PredicateView predicate = history_.predicates()[selection.predicate];
  const Aggregate* const computed = history_.aggregate(selection);
  out_ += "[\"";
  out_ += computed == nullptr ? "select" : history::name_of(computed->kind);
  out_ += "\",{";
  if (predicate.keys) put_bounds("keys", *predicate.keys);
  if (predicate.values) put_bounds("values", *predicate.values);
  if (!predicate.equal.is_null()) {
    out_ += out_.back() == '{' ? R"("equal":)" : R"(,"equal":)";
    put(predicate.equal);
  }
  for (const PredicateView::Test& test : predicate.tests) {
    if (!test.column.is_null()) continue;
    out_ += out_.back() == '{' ? R"("keys":)" : R"(,"keys":)";
    append_test(out_, history_, test);
  }
  if (predicate.asks_for_columns() && out_.back() != '{') out_ += ',';
  append_column_tests(out_, history_, predicate);
  if (computed != nullptr) return put_result(*computed);
  out_ += "},[";
  for (const Op& row : rows) {
    if (out_.back() == ']') out_ += ',';
    out_ += '[';
    put(history_.key_name(row.key));
    const bool is_key_alone = row.kind == OpKind::kReadMatch &&
                              history_.read_columns(row).empty() &&
                              history_.read_value(row).is_null();
    if (!is_key_alone || !history_.version(row).is_null()) {
      out_ += ',';
      put_result(row);
    }
    put_extras(row);
    out_ += ']';
  }
  out_ += ']';
  put_extras(Value(), selection.lock);
  out_ += ']';
}

/// Ends the operation of an aggregate behind its tests.
void NativeWriter::put_result(const Aggregate& computed) {
  out_ += "},";
  if (!computed.column.is_null()) {
    put(computed.column);
    out_ += ',';
  }
  if (!computed.result) {
    out_ += "null";
  } else if (computed.kind == AggregateKind::kExists) {
    out_ += *computed.result == 1 ? "true" : "false";
  } else {
    put(*computed.result);
  }
  out_ += ']';
}

/// Hands over what is buffered, which is whole lines. UTF-8 is checked here in one go.
Status NativeWriter::flush() {
  if (!simdjson::validate_utf8(out_)) {
    std::string_view rest = out_;
    std::string_view line;
    do {
      line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(line.size() + 1);
    } while (simdjson::validate_utf8(line));
    return Error{ErrorCode::kBadInput,
                 "a name or value is not valid UTF-8, which JSON cannot carry, in the line '" +
                     printable_excerpt(line) + "'; rename it in the source of the history"};
  }
  Status status = sink_.write(out_);
  out_.clear();
  return status;
}

Status NativeWriter::write() {
  put_header();
  const auto flush_pieces = [this] { return out_.size() < kPiece ? ok_status() : flush(); };
  std::span<const RecordedEvent> events = history_.events();
  for (std::size_t txn = 0; txn < history_.txn_count(); ++txn) {
    // As a recorder does, which writes each transaction when it ends.
    const std::int64_t end = history_.times(TxnId::at(txn)).end;
    for (; !events.empty() && events.front().at <= end; events = events.subspan(1)) {
      put_event(events.front());
      if (Status status = flush_pieces(); !status) return status;
    }
    put_txn(TxnId::at(txn));
    if (Status status = flush_pieces(); !status) return status;
  }
  for (const RecordedEvent& event : events) {
    put_event(event);
    if (Status status = flush_pieces(); !status) return status;
  }
  return flush();
}

}  // namespace

Status write_native(const History& history, Sink& sink, Remarks remarks) {
  return NativeWriter(history, sink, remarks).write();
}

}  // namespace isolde::io
