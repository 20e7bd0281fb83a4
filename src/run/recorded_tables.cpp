#include "run/recorded_tables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "run/recorded_ops.hpp"

namespace isolde::run {

using table::key_of;

// --- What rows tell

/// The version that an UPDATE replaced: its stamp, the columns that the statement left as they
/// were, and those to which it added something. What it set to something else is not known.
RecordedTables::Known RecordedTables::replaced(const table::Request& request,
                                               const table::Change& change) {
  Known known{key_of(request.table, change.after.id),
              {{table::kStamp, change.replaced}},
              change.replaced_version};
  for (std::size_t i = 0; i < change.after.cells.size(); ++i) {
    const auto set = std::ranges::find(request.set, i, &table::Assignment::column);
    table::Cell cell = change.after.cells[i];
    if (set != request.set.end()) {
      if (!set->adds) continue;
      if (cell) cell = *cell - *set->value;
    }
    known.columns.emplace_back(i, cell);
  }
  return known;
}

/// No other row met the condition. Where a limit was reached nobody knows, whatever the driver
/// says.
bool RecordedTables::is_whole(const table::Request& request, const table::Selected& selected) {
  return selected.is_whole && (request.limit == 0 || selected.rows.size() < request.limit);
}

/// Whether the limit alone keeps it from being whole: then no other row up to the last one met
/// the condition. A select that locks rows may pass some by that have changed meanwhile, also
/// where the data source makes all of them lock.
bool RecordedTables::has_first_rows(const table::Request& request,
                                    const table::Selected& selected) {
  return request.limit > 0 && selected.rows.size() == request.limit && !request.skip_locked &&
         request.lock == table::Lock::kNone && selected.lock == table::Lock::kNone;
}

// --- Operations

db::Reply RecordedTables::insert(db::Session& session, const table::Request& request,
                                 std::int64_t stamp, bool& inserted) {
  auto became = db::Inserted::kDone;
  db::Reply reply = request.may_meet ? session.try_insert_row(request, stamp, became)
                                     : session.insert_row(request, stamp);
  inserted = reply.ok() && became == db::Inserted::kDone;
  if (!reply.ok()) return reply;
  if (became == db::Inserted::kMetKey) {
    put({.kind = Entry::Kind::kRefused,
         .row = {key_of(request.table, request.id)},
         .by_insert = true});
  }
  if (!inserted) return reply;
  put({.kind = Entry::Kind::kReadNone,
       .row = {key_of(request.table, request.id)},
       .by_insert = true});
  put({.kind = Entry::Kind::kWrite,
       .row = table::whole(tables_, request.table,
                           {request.id, stamp, request.cells, session.version()})});
  return reply;
}

db::Reply RecordedTables::select(db::Session& session, const table::Request& request,
                                 table::Selected& selected) {
  db::Reply reply = session.select_rows(request, selected);
  if (!reply.ok()) return reply;
  std::vector<Known> rows;
  for (const table::Row& row : selected.rows) rows.push_back(table::told(request, row));
  table::Condition where = request.where;
  const bool is_whole = RecordedTables::is_whole(request, selected);
  if (!is_whole && has_first_rows(request, selected)) {
    table::end_at(where, selected.rows.back().id);
  } else if (!is_whole) {
    for (Known& row : rows) {
      put({.kind = Entry::Kind::kRead, .row = std::move(row), .lock = selected.lock});
    }
    return reply;
  }
  put({.kind = Entry::Kind::kSelect,
       .table = request.table,
       .where = std::move(where),
       .rows = std::move(rows),
       .lock = selected.lock});
  return reply;
}

db::Reply RecordedTables::aggregate(db::Session& session, const table::Request& request,
                                    table::Cell& result) {
  db::Reply reply = session.aggregate_rows(request, result);
  if (!reply.ok()) return reply;
  put({.kind = Entry::Kind::kAggregate,
       .table = request.table,
       .where = request.where,
       .computed = request.computed,
       .result = result});
  return reply;
}

db::Reply RecordedTables::update(db::Session& session, const table::Request& request,
                                 std::int64_t stamp, std::vector<table::Change>& changes) {
  db::Reply reply = session.update_rows(request, stamp, changes);
  if (!reply.ok()) return reply;
  Entry selection{.kind = Entry::Kind::kSelect, .table = request.table, .where = request.where};
  for (const table::Change& change : changes) {
    selection.rows.push_back(replaced(request, change));
  }
  put(std::move(selection));
  for (const table::Change& change : changes) {
    put({.kind = Entry::Kind::kWrite,
         .row = table::whole(tables_, request.table, change.after)});
  }
  return reply;
}

db::Reply RecordedTables::remove(db::Session& session, const table::Request& request,
                                 std::vector<table::Row>& removed) {
  db::Reply reply = session.remove_rows(request, removed);
  if (!reply.ok()) return reply;
  Entry selection{.kind = Entry::Kind::kSelect, .table = request.table, .where = request.where};
  for (const table::Row& row : removed)
    selection.rows.push_back(table::whole(tables_, request.table, row));
  put(std::move(selection));
  for (std::size_t i = 0; i < removed.size(); ++i) {
    // A row that was found in two places is gone but once.
    if (i > 0 && removed[i].id == removed[i - 1].id) continue;
    put({.kind = Entry::Kind::kRemove, .row = {key_of(request.table, removed[i].id)}});
  }
  return reply;
}

db::Reply RecordedTables::upsert(db::Session& session, const table::Request& request,
                                 std::int64_t stamp, table::Change& change) {
  db::Reply reply = session.upsert_row(request, stamp, change);
  if (!reply.ok()) return reply;
  if (change.replaced) {
    put({.kind = Entry::Kind::kRead, .row = replaced(request, change), .by_insert = true});
  } else {
    put({.kind = Entry::Kind::kReadNone,
         .row = {key_of(request.table, change.after.id)},
         .by_insert = true});
  }
  put({.kind = Entry::Kind::kWrite, .row = table::whole(tables_, request.table, change.after)});
  return reply;
}

db::Reply RecordedTables::savepoint(db::Session& session) {
  db::Reply reply = session.savepoint();
  if (!reply.ok()) return reply;
  end();
  holds_ = true;
  return reply;
}

db::Reply RecordedTables::roll_back_to_savepoint(db::Session& session) {
  ISOLDE_CHECK(holds_);
  db::Reply reply = session.roll_back_to_savepoint();
  if (!reply.ok()) return reply;
  table::drop_taken_back(held_, 0);
  end();
  holds_ = true;  // it is still there
  return reply;
}

void RecordedTables::end() {
  for (const Entry& entry : held_) emit(entry);
  held_.clear();
  holds_ = false;
}

// --- On record

void RecordedTables::put(Entry entry) {
  if (holds_) {
    held_.push_back(std::move(entry));
  } else {
    emit(entry);
  }
}

std::vector<RecordedColumn> RecordedTables::columns_of(const Known& row,
                                                       std::size_t table) const {
  std::vector<RecordedColumn> columns;
  for (const auto& [number, cell] : row.columns) {
    columns.push_back({table::column_name(tables_[table], number),
                       cell ? RecordedValue(*cell) : RecordedValue::null()});
  }
  return columns;
}

void RecordedTables::emit(const Entry& entry) {
  const std::int64_t key = entry.row.key;
  switch (entry.kind) {
    case Entry::Kind::kReadNone:
      return recorded_.read(key, RecordedValue::null());
    case Entry::Kind::kRefused:
      return recorded_.insert_refused(key);
    case Entry::Kind::kRead:
      recorded_.read_row(key, columns_of(entry.row, table::table_of(key)));
      emit_version(entry.row);
      return emit_lock(entry);
    case Entry::Kind::kWrite:
      recorded_.write_row(key, columns_of(entry.row, table::table_of(key)));
      return emit_version(entry.row);
    case Entry::Kind::kRemove:
      return recorded_.remove(key);
    case Entry::Kind::kSelect:
    case Entry::Kind::kAggregate:
      return emit_condition(entry);
  }
}

void RecordedTables::emit_version(const Known& row) {
  if (row.version) recorded_.version(*row.version);
}

void RecordedTables::emit_lock(const Entry& entry) {
  if (entry.lock == table::Lock::kNone) return;
  recorded_.locked(entry.lock == table::Lock::kShare ? RecordedLock::kShare
                                                     : RecordedLock::kUpdate);
}

void RecordedTables::emit_condition(const Entry& entry) {
  const table::OnKeys asked = table::on_keys(entry.table, entry.where);
  std::vector<std::vector<RecordedValue>> lists;
  lists.reserve(asked.tests.size());
  std::vector<RecordedTest> tests;
  for (const table::Test& test : asked.tests) {
    RecordedTest& recorded = tests.emplace_back();
    if (test.column != table::Test::kId) {
      recorded.column = table::column_name(tables_[entry.table], test.column);
    }
    recorded.is_null = test.is_null;
    if (test.least || test.most) {
      recorded.bounds = {test.least.value_or(RecordedBounds::kLeast),
                         test.most.value_or(RecordedBounds::kMost)};
    }
    if (test.in.empty()) continue;
    recorded.in = lists.emplace_back(test.in.begin(), test.in.end());
  }
  RecordedCondition condition{.tests = tests};
  if (asked.keys) condition.keys = {asked.keys->min, asked.keys->max};
  entry.kind == Entry::Kind::kSelect ? emit_rows(entry, condition)
                                     : emit_result(entry, condition);
}

void RecordedTables::emit_result(const Entry& entry, const RecordedCondition& condition) {
  RecordedAggregate computed{.kind = recorded_kind(entry.computed.kind),
                             .result = entry.result};
  if (entry.computed.kind >= AggregateKind::kSum) {
    computed.column = table::column_name(tables_[entry.table], entry.computed.column);
  }
  recorded_.aggregate(condition, computed);
}

void RecordedTables::emit_rows(const Entry& entry, const RecordedCondition& condition) {
  std::vector<std::vector<RecordedColumn>> columns;
  columns.reserve(entry.rows.size());
  std::vector<RecordedRow> rows;
  for (const Known& row : entry.rows) {
    columns.push_back(columns_of(row, entry.table));
    rows.push_back({.key = row.key, .columns = columns.back()});
    if (row.version) rows.back().version = *row.version;
  }
  recorded_.select(condition, rows);
  emit_lock(entry);
}

}  // namespace isolde::run
