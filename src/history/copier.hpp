// Copies parts of one history into the builder of another: values, keys and conditions by
// content, not by their place in a pool.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "history/key_columns.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::history {

class Copier {
 public:
  /// Both must outlive this object.
  Copier(const History& from, HistoryBuilder& into) : from_(from), into_(into) {}

  Value value(Value value) {
    if (const Value version = from_.trusted_version(value); !version.is_null()) {
      return into_.versioned(this->value(from_.plain(value)), this->value(version));
    }
    switch (value.kind()) {
      case Value::Kind::kString:
        return into_.string(from_.pooled_text(value));
      case Value::Kind::kLiteral:
        return from_.is_row(value) ? row(from_.columns(value))
                                   : into_.literal(from_.pooled_text(value));
      default:
        return value;
    }
  }

  KeyId key(KeyId key) { return into_.key(value(from_.key_name(key))); }

  Value row(std::span<const ColumnValue> columns) {
    std::vector<ColumnValue> copies;
    for (const ColumnValue& each : columns)
      copies.push_back({value(each.name), value(each.value)});
    return into_.row(copies);
  }

  Predicate predicate(const PredicateView& asked) {
    Predicate predicate = asked.owned();
    predicate.equal = value(predicate.equal);
    for (Predicate::Test& test : predicate.tests) {
      test.column = value(test.column);
      if (test.in) {
        for (Value& each : *test.in) each = value(each);
      }
      for (Value& each : test.not_in) each = value(each);
    }
    return predicate;
  }

  Aggregate aggregate(Aggregate aggregate) {
    aggregate.column = value(aggregate.column);
    return aggregate;
  }

  /// What a kRead or kReadMatch returned. A row that was told as a whole stays one, whichever
  /// of its versions are copied.
  Value result(const Op& op) {
    const Value whole = op.kind == OpKind::kReadMatch ? from_.read_value(op) : from_.seen(op);
    if (op.kind == OpKind::kReadMatch && whole.is_null()) return row(from_.read_columns(op));
    if (!from_.is_row(whole) || !from_.trusted_version(whole).is_null()) return value(whole);
    if (!key_columns_) key_columns_.emplace(from_, from_.all_ops());
    return row(key_columns_->with_nulls(op.key, whole));
  }

  /// What the key held at the start, on a key of the other history.
  void initial(KeyId key, KeyId into) {
    into_.set_initial(into, value(from_.initial(key)));
    elements_.clear();
    for (const Value element : from_.initial_list(key)) elements_.push_back(value(element));
    into_.set_initial_list(into, elements_);
  }

  /// Begins a transaction with all that is known of it except its operations.
  void begin_txn(TxnId txn) {
    into_.begin_txn(into_.session(from_.session_name(from_.session_of(txn))),
                    from_.position_in_input(txn));
    into_.set_status(from_.status(txn));
    into_.set_times(from_.times(txn));
    into_.set_database_times(from_.database_times(txn));
    if (const auto level = from_.stated_level(txn)) into_.set_stated_level(*level);
    into_.set_label(value(from_.label(txn)));
    if (from_.has_servers()) into_.set_server(value(from_.server(txn)));
    into_.set_completion_in_input(from_.completion_in_input(txn));
  }

  void event(RecordedEvent event) {
    for (Value* const text : {&event.kind, &event.what, &event.name}) *text = value(*text);
    into_.add_event(event);
  }

  /// What the database named it. REQUIRES: as History::version().
  Value version(const Op& op) { return value(from_.version(op)); }

  /// The operation, on a key of the other history, and one of its all_ops(). A row that a
  /// selection did not return becomes a read with unknown result, and of one that it returned
  /// in part the condition is lost.
  void op(const Op& op, KeyId key) {
    copy(op, key);
    if (!from_.version(op).is_null()) into_.set_version(version(op));
    into_.set_lock(from_.lock(op));
  }

  /// The same of a row that a selection returned. With its version: of rows of one key and
  /// value a selection keeps those whose versions differ, so without it operations would be
  /// missing in the copy, and what names them by number would name others.
  Row selected(const Op& op, KeyId key) { return {key, result(op), version(op)}; }

  /// A list read that returned these elements.
  void read_list(KeyId key, std::span<const Value> elements) {
    elements_.clear();
    for (const Value element : elements) elements_.push_back(value(element));
    into_.read_list(key, elements_);
  }

 private:
  void copy(const Op& op, KeyId key) {
    switch (op.kind) {
      case OpKind::kRead:
      case OpKind::kReadMatch:
        return into_.read(key, result(op));
      case OpKind::kWrite:
        return op.is_delete() ? into_.remove(key) : into_.write(key, value(op.value));
      case OpKind::kAppend:
        return into_.append(key, value(op.value));
      case OpKind::kReadList:
        return read_list(key, from_.seen_list(op));
      case OpKind::kReadExcept:
        if (from_.found_nothing(op)) return into_.read(key, Value::null());
        return into_.read_except(key, predicate(from_.predicate(op)));
      case OpKind::kReadUnknown:
        if (from_.is_refused_insert(op)) return into_.insert_refused(key);
        return into_.read_unknown(key);
      case OpKind::kReadAbsent:
        return into_.read_unknown(key);
    }
  }

  const History& from_;
  HistoryBuilder& into_;
  std::vector<Value> elements_;
  std::optional<KeyColumns> key_columns_;  // once needed
};

}  // namespace isolde::history
