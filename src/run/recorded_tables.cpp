#include "run/recorded_tables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/assert.hpp"

namespace isolde::run {

using table::key_of;

// --- What rows tell

RecordedTables::Known RecordedTables::whole(std::size_t table, const table::Row& row) const {
  ISOLDE_CHECK(row.cells.size() == tables_[table].columns.size());
  Known known{key_of(table, row.id), {{kStamp, row.stamp}}};
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    known.columns.emplace_back(i, row.cells[i]);
  return known;
}

/// The version that an UPDATE replaced: its stamp, the columns that the statement left as they
/// were, and those to which it added something. What it set to something else is not known.
RecordedTables::Known RecordedTables::replaced(const table::Request& request,
                                               const table::Change& change) {
  Known known{key_of(request.table, change.after.id), {{kStamp, change.replaced}}};
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

RecordedTables::Known RecordedTables::some(const table::Request& request,
                                           const table::Row& row) {
  Known known{key_of(request.table, row.id), {{kStamp, row.stamp}}};
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    known.columns.emplace_back(request.columns.empty() ? i : request.columns[i], row.cells[i]);
  }
  return known;
}

/// Whether the limit alone keeps it from being whole: then no other row up to the last one met
/// the condition. A select that locks rows may pass some by that have changed meanwhile.
bool RecordedTables::has_first_rows(const table::Request& request,
                                    const table::Selected& selected) {
  return request.limit > 0 && selected.rows.size() == request.limit && !request.skip_locked &&
         request.lock == table::Lock::kNone;
}

void RecordedTables::end_at(table::Condition& where, std::int64_t id) {
  auto test = std::ranges::find(where, table::Test::kId, &table::Test::column);
  if (test == where.end()) test = where.insert(where.end(), table::Test{});
  test->most = id;
}

// --- Operations

db::Reply RecordedTables::insert(db::Session& session, const table::Request& request,
                                 std::int64_t stamp, bool& inserted) {
  inserted = true;
  db::Reply reply = request.may_meet ? session.try_insert_row(request, stamp, inserted)
                                     : session.insert_row(request, stamp);
  if (!reply.ok() || !inserted) return reply;
  put({.kind = Entry::Kind::kReadNone, .row = {key_of(request.table, request.id)}});
  put({.kind = Entry::Kind::kWrite,
       .row = whole(request.table, {request.id, stamp, request.cells})});
  return reply;
}

db::Reply RecordedTables::select(db::Session& session, const table::Request& request,
                                 table::Selected& selected) {
  db::Reply reply = session.select_rows(request, selected);
  if (!reply.ok()) return reply;
  std::vector<Known> rows;
  for (const table::Row& row : selected.rows) rows.push_back(some(request, row));
  table::Condition where = request.where;
  if (!selected.is_whole && has_first_rows(request, selected)) {
    end_at(where, selected.rows.back().id);
  } else if (!selected.is_whole) {
    for (Known& row : rows) put({.kind = Entry::Kind::kRead, .row = std::move(row)});
    return reply;
  }
  put({.kind = Entry::Kind::kSelect,
       .table = request.table,
       .where = std::move(where),
       .rows = std::move(rows)});
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
    put({.kind = Entry::Kind::kWrite, .row = whole(request.table, change.after)});
  }
  return reply;
}

db::Reply RecordedTables::remove(db::Session& session, const table::Request& request,
                                 std::vector<table::Row>& removed) {
  db::Reply reply = session.remove_rows(request, removed);
  if (!reply.ok()) return reply;
  Entry selection{.kind = Entry::Kind::kSelect, .table = request.table, .where = request.where};
  for (const table::Row& row : removed) selection.rows.push_back(whole(request.table, row));
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
    put({.kind = Entry::Kind::kRead, .row = replaced(request, change)});
  } else {
    put({.kind = Entry::Kind::kReadNone, .row = {key_of(request.table, change.after.id)}});
  }
  put({.kind = Entry::Kind::kWrite, .row = whole(request.table, change.after)});
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
  drop_taken_back();
  end();
  holds_ = true;  // it is still there
  return reply;
}

/// Of what is held back.
void RecordedTables::drop_taken_back() {
  std::set<std::int64_t> written;
  std::vector<Entry> kept;
  const auto is_written = [&](const Known& row) { return written.contains(row.key); };
  for (Entry& entry : held_) {
    switch (entry.kind) {
      case Entry::Kind::kWrite:
      case Entry::Kind::kRemove:
        written.insert(entry.row.key);
        break;
      case Entry::Kind::kReadNone:
      case Entry::Kind::kRead:
        if (!is_written(entry.row)) kept.push_back(std::move(entry));
        break;
      case Entry::Kind::kSelect: {
        const bool may_differ = std::ranges::any_of(
            written, [&](std::int64_t key) { return table::table_of(key) == entry.table; });
        if (!may_differ) {
          kept.push_back(std::move(entry));
          break;
        }
        // What it did not return may be missing because of a write that never was.
        for (Known& row : entry.rows) {
          if (is_written(row)) continue;
          kept.push_back({.kind = Entry::Kind::kRead, .row = std::move(row)});
        }
        break;
      }
    }
  }
  held_ = std::move(kept);
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
    const std::string_view name =
        number == kStamp ? "stamp" : tables_[table].columns[number].name;
    columns.push_back({name, cell ? RecordedValue(*cell) : RecordedValue::null()});
  }
  return columns;
}

void RecordedTables::emit(const Entry& entry) {
  const std::int64_t key = entry.row.key;
  switch (entry.kind) {
    case Entry::Kind::kReadNone:
      return recorded_.read(key, RecordedValue::null());
    case Entry::Kind::kRead:
      return recorded_.read_row(key, columns_of(entry.row, table::table_of(key)));
    case Entry::Kind::kWrite:
      return recorded_.write_row(key, columns_of(entry.row, table::table_of(key)));
    case Entry::Kind::kRemove:
      return recorded_.remove(key);
    case Entry::Kind::kSelect:
      return emit_selection(entry);
  }
}

/// The test of the id is one of keys: bounds, where it is no list.
void RecordedTables::emit_selection(const Entry& entry) {
  const Predicate::Bounds all = table::keys_of(entry.table);
  RecordedBounds keys{all.min, all.max};
  std::vector<std::vector<RecordedValue>> lists;
  lists.reserve(entry.where.size());
  std::vector<RecordedTest> tests;
  bool lists_keys = false;
  for (const table::Test& test : entry.where) {
    const bool of_id = test.column == table::Test::kId;
    ISOLDE_CHECK(!of_id || !test.is_null);
    RecordedBounds bounds;
    if (test.least) bounds.min = of_id ? key_of(entry.table, *test.least) : *test.least;
    if (test.most) bounds.max = of_id ? key_of(entry.table, *test.most) : *test.most;
    if (of_id && test.in.empty()) {
      keys = {std::max(keys.min, bounds.min), std::min(keys.max, bounds.max)};
      continue;
    }
    RecordedTest recorded;
    if (!of_id) recorded.column = tables_[entry.table].columns[test.column].name;
    recorded.is_null = test.is_null;
    if (test.least || test.most) recorded.bounds = bounds;
    if (!test.in.empty()) {
      lists.emplace_back();
      for (const std::int64_t each : test.in) {
        lists.back().emplace_back(of_id ? key_of(entry.table, each) : each);
      }
      recorded.in = lists.back();
    }
    lists_keys = lists_keys || of_id;
    tests.push_back(recorded);
  }
  std::vector<std::vector<RecordedColumn>> columns;
  columns.reserve(entry.rows.size());
  std::vector<RecordedRow> rows;
  for (const Known& row : entry.rows) {
    columns.push_back(columns_of(row, entry.table));
    rows.push_back({.key = row.key, .columns = columns.back()});
  }
  RecordedCondition condition{.tests = tests};
  if (!lists_keys) condition.keys = keys;
  recorded_.select(condition, rows);
}

}  // namespace isolde::run
