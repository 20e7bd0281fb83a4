// Rows with columns. A row is one interned value, the JSON text of its columns in the order of
// their names, so that whatever compares values compares rows, and a history without them pays
// nothing. Its columns lie beside the pool, for conditions.
//
// A read tells the columns that it returned. Where these are all columns of all versions of the
// key, it tells the version as a whole, and becomes a plain read of that value. Otherwise
// several versions may fit, and it is a *partial read* (OpKind::kReadMatch). Where records are
// missing, they may hold versions with more columns, so no read tells a whole row there.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>

#include "history/builder_state.hpp"
#include "history/key_columns.hpp"
#include "history/quoted.hpp"

namespace isolde {

bool History::selects_columns(const PredicateView& predicate, Value value) const {
  if (!predicate.selects_value(value)) return false;
  for (const PredicateView::Test& test : predicate.tests) {
    if (test.column.is_null()) continue;
    if (!is_row(value) || !test.passes(column(value, test.column))) return false;
  }
  return true;
}

bool History::fits(KeyId key, const Partial& read, Value value) const {
  if (value.is_null()) value = initial(key);
  // Not one of a version that is trusted: it would be a kRead of that.
  if (read.what >> 32 == kNoRow) {
    const Value number = predicate_of(read).equal;
    return value == number || may_be_sum(key, value, number);
  }
  const bool selected = selects(predicate_of(read), value);
  if (read.is_negative) return !selected;
  if (!selected) return false;
  const std::span<const ColumnValue> told = columns_read(read);
  if (told.empty()) return true;
  return is_row(value) && std::all_of(told.begin(), told.end(), [&](const ColumnValue& each) {
           return column(value, each.name) == each.value;
         });
}

namespace history {

KeyColumns::KeyColumns(const History& history, std::span<const Op> ops) : history_(history) {
  if (!history.has_rows()) return;
  for (std::size_t k = 0; history.has_initial_contents() && k < history.key_count(); ++k) {
    if (!history.initial(KeyId::at(k)).is_null())
      add(KeyId::at(k), history.initial(KeyId::at(k)));
  }
  for (const Op& op : ops) {
    if (op.kind == OpKind::kWrite && !op.value.is_dead()) add(op.key, op.value);
  }
}

void KeyColumns::add(KeyId of, Value value) {
  Written& key = written_[of.raw()];
  if (!history_.is_row(value)) {
    key.has_scalars = true;
    return;
  }
  if (key.last == value) return;
  key.last = value;
  for (const ColumnValue& column : history_.columns(value)) {
    const std::size_t at = place_of(key.columns, column.name);
    if (at < key.columns.size() && key.columns[at] == column.name) continue;
    key.columns.insert(key.columns.begin() + static_cast<std::ptrdiff_t>(at), column.name);
  }
}

std::size_t KeyColumns::place_of(const std::vector<Value>& columns, Value name) {
  const auto at = std::lower_bound(columns.begin(), columns.end(), name,
                                   [](Value a, Value b) { return a.slot() < b.slot(); });
  return static_cast<std::size_t>(at - columns.begin());
}

bool KeyColumns::tells_all(KeyId key, Value read) const {
  const auto known = written_.find(key.raw());
  if (known == written_.end()) return true;
  if (known->second.has_scalars) return false;
  const std::span<const ColumnValue> told = history_.columns(read);
  return std::all_of(
      known->second.columns.begin(), known->second.columns.end(), [&](Value name) {
        return std::any_of(told.begin(), told.end(),
                           [&](const ColumnValue& each) { return each.name == name; });
      });
}

std::vector<ColumnValue> KeyColumns::with_nulls(KeyId key, Value row) const {
  const std::span<const ColumnValue> held = history_.columns(row);
  std::vector<ColumnValue> columns(held.begin(), held.end());
  const auto known = written_.find(key.raw());
  if (known == written_.end()) return columns;
  for (const Value name : known->second.columns) {
    if (history_.column(row, name).is_null()) columns.push_back({name, Value::null()});
  }
  std::sort(columns.begin(), columns.end(), [&](const ColumnValue& a, const ColumnValue& b) {
    return history_.pooled_text(a.name) < history_.pooled_text(b.name);
  });
  return columns;
}

}  // namespace history

Value HistoryBuilder::row(std::span<const ColumnValue> columns) {
  return state_->has_usual_columns(columns) ? state_->row(columns)
                                            : state_->row_of_any(columns);
}

/// Most rows of a history have the same columns, in the same order.
bool HistoryBuilder::State::has_usual_columns(std::span<const ColumnValue> columns) const {
  const auto is_usual = [&](const ColumnValue& column, Value name) {
    const Value::Kind kind = column.value.kind();
    const bool is_scalar = kind == Value::Kind::kInteger || kind == Value::Kind::kString;
    return column.name == name && is_scalar;
  };
  return !usual_columns.empty() && std::ranges::equal(columns, usual_columns, is_usual);
}

Value HistoryBuilder::State::row_of_any(std::span<const ColumnValue> columns) {
  std::vector<ColumnValue> sorted(columns.begin(), columns.end());
  for (const ColumnValue& column : sorted) {
    if (column.name.kind() != Value::Kind::kString) {
      fail("the name of a column is not a string");
      return Value::integer(0);
    }
    if (column.value.is_dead() || history.is_row(column.value)) {
      fail("column " + history.json(column.name) +
           " holds a row; expected a string, number, true, false or null");
      return Value::integer(0);
    }
    if (history.pooled_text(column.name) == "not") {
      fail("a column cannot be called \"not\", which says what a read did not return");
    }
  }
  const auto name = [&](const ColumnValue& column) { return history.pooled_text(column.name); };
  std::sort(sorted.begin(), sorted.end(),
            [&](const ColumnValue& a, const ColumnValue& b) { return name(a) < name(b); });
  const auto twice = std::adjacent_find(
      sorted.begin(), sorted.end(),
      [](const ColumnValue& a, const ColumnValue& b) { return a.name == b.name; });
  if (twice != sorted.end()) {
    fail("a row has column " + history.json(twice->name) + " twice");
  } else if (std::ranges::equal(columns, sorted)) {
    usual_columns.clear();
    for (const ColumnValue& column : sorted) usual_columns.push_back(column.name);
  }
  return row(sorted);
}

Value HistoryBuilder::State::row(std::span<const ColumnValue> columns) {
  std::uint32_t& known = rows.slot(history::hash_of(columns), [&](std::uint32_t slot) {
    return std::ranges::equal(history.columns(Value::pooled(Value::Kind::kLiteral, slot)),
                              columns);
  });
  if (known == history::SlotTable::kEmpty) known = add_row(columns, row_text(columns)).slot();
  return Value::pooled(Value::Kind::kLiteral, known);
}

std::string HistoryBuilder::State::row_text(std::span<const ColumnValue> columns) const {
  std::string text = "{";
  for (const ColumnValue& column : columns) {
    if (text.size() > 1) text += ',';
    history::append_quoted(text, history.pooled_text(column.name));
    text += ':';
    if (column.value.kind() == Value::Kind::kString) {
      history::append_quoted(text, history.pooled_text(column.value));
    } else if (column.value.kind() == Value::Kind::kInteger) {
      char digits[24];
      const std::to_chars_result end =
          std::to_chars(digits, digits + sizeof digits, column.value.as_integer());
      text.append(digits, end.ptr);
    } else {
      text += history.json(column.value);
    }
  }
  return text += '}';
}

/// Rows are equal exactly when their texts are; the table of `rows` spares writing these.
Value HistoryBuilder::State::add_row(std::span<const ColumnValue> columns, Value row) {
  if (history.is_row(row)) return row;
  history.origin_.rows_are_deleted = true;
  std::vector<ColumnValue>& held = history.columns_.edit();
  std::vector<std::uint32_t>& column_begin = history.column_begin_.edit();
  std::vector<std::uint32_t>& row_of_slot = history.row_of_slot_.edit();
  row_of_slot.resize(row.slot() + std::size_t{1}, 0);
  if (column_begin.empty()) column_begin.push_back(0);
  held.insert(held.end(), columns.begin(), columns.end());
  if (held.size() >= 0xfffffffeU) fail("more than 2^32 - 2 columns; split the history");
  row_of_slot[row.slot()] = static_cast<std::uint32_t>(column_begin.size());
  column_begin.push_back(static_cast<std::uint32_t>(held.size()));
  return row;
}

Value HistoryBuilder::State::without_nulls(Value whole) {
  const std::span<const ColumnValue> columns = history.columns(whole);
  const auto is_null = [](const ColumnValue& column) { return column.value.is_null(); };
  if (std::ranges::none_of(columns, is_null)) return whole;
  std::vector<ColumnValue> held;
  std::ranges::remove_copy_if(columns, std::back_inserter(held), is_null);
  return row(held);
}

/// Decides of each read of a row whether it tells the version as a whole.
void HistoryBuilder::State::settle_rows() {
  if (!history.has_rows()) return;
  const history::KeyColumns key_columns(history, history.ops_);
  std::uint32_t plain = 0;  // the predicate of a read by key, from 1
  auto selection = asked.begin();
  for (std::size_t i = 0; i < history.ops_.size(); ++i) {
    while (selection != asked.end() && selection->op + selection->rows <= i) ++selection;
    Op& op = history.ops_[i];
    if (op.kind != OpKind::kRead || !history.is_row(op.value)) continue;
    if (history.find_versioned(op.value) != nullptr) continue;  // a whole one
    if (!history.origin_.truncated && key_columns.tells_all(op.key, op.value)) {
      op.value = without_nulls(op.value);
      continue;
    }
    const bool is_selected = selection != asked.end() && selection->op <= i;
    if (!is_selected && plain == 0) plain = slot_of(Predicate{}) + 1;
    const std::uint32_t predicate = is_selected ? selection->predicate : plain - 1;
    op.kind = OpKind::kReadMatch;
    op.value = Value::from_bits((std::uint64_t{op.value.slot()} << 32) | predicate);
  }
}

/// A history of version 2 need not have deletions; one that is cut off may have lost some.
void HistoryBuilder::State::settle_deletions() {
  if (!history.origin_.rows_are_deleted || history.origin_.truncated) return;
  history.origin_.rows_are_deleted = std::any_of(history.ops_.begin(), history.ops_.end(),
                                                 [](const Op& op) { return op.is_delete(); });
}

}  // namespace isolde
