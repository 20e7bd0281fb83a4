#include "sim/tables.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "base/assert.hpp"

namespace isolde::sim {
namespace {

using table::Entry;
using table::key_of;
using table::Row;
using Kind = Entry::Kind;

bool passes(const Row& row, const table::Test& test) {
  const table::Cell held =
      test.column == table::Test::kId ? table::Cell(row.id) : row.cells[test.column];
  if (test.is_null || !held) return test.is_null && !held;
  return *held >= test.least.value_or(*held) && *held <= test.most.value_or(*held) &&
         (test.in.empty() || std::ranges::find(test.in, *held) != test.in.end());
}

bool meets(const Row& row, const table::Condition& where) {
  return std::ranges::all_of(where, [&](const auto& test) { return passes(row, test); });
}

const table::Test* test_of_id(const table::Condition& where) {
  const auto test = std::ranges::find(where, table::Test::kId, &table::Test::column);
  return test == where.end() ? nullptr : &*test;
}

Row changed(Row row, const table::Request& request, std::int64_t stamp) {
  row.stamp = stamp;
  for (const table::Assignment& each : request.set) {
    table::Cell& cell = row.cells[each.column];
    if (!each.adds) {
      cell = each.value;
    } else if (cell) {
      cell = *cell + *each.value;
    }
  }
  return row;
}

Entry selection_by(const table::Request& request, table::Condition where) {
  Entry entry;
  entry.kind = Kind::kSelect;
  entry.table = request.table;
  entry.where = std::move(where);
  return entry;
}

}  // namespace

Tables::Tables(Store& store, std::span<const table::Table> tables)
    : store_(store),
      tables_(tables),
      numbers_(tables.size()),
      created_(tables.size()),
      looked_(tables.size()) {}

// --- Rows, their numbers and versions

std::uint32_t Tables::number_of(std::size_t table, std::int64_t id) {
  const auto [at, is_new] = numbers_[table].try_emplace(id, next_number_);
  if (!is_new) return at->second;
  ++next_number_;
  created_[table].push_back(id);
  std::deque<Looked>& looked = looked_[table];
  while (!looked.empty() && looked.front().seq <= store_.horizon()) looked.pop_front();
  for (const Looked& each : looked) {
    if (each.first <= id && id <= each.last) store_.had_found_nothing(each.seq, at->second);
  }
  return at->second;
}

std::int64_t Tables::keep(Row row) {
  versions_.push_back(std::move(row));
  return static_cast<std::int64_t>(versions_.size());
}

/// A number that nobody gave out, which the fault thin-air-read shows, is that of a row of
/// nulls.
Row Tables::version(std::size_t table, std::int64_t id, std::int64_t number) const {
  ISOLDE_ASSERT(number > 0);
  const auto at = static_cast<std::size_t>(number - 1);
  if (at < versions_.size()) return versions_[at];
  return {id, number, std::vector<table::Cell>(tables_[table].columns.size())};
}

bool Tables::is_locked(const StoreTxn& txn, std::uint32_t number) const {
  const auto lock = locks_.find(number);
  return lock != locks_.end() && lock->second != txn.session;
}

/// Locks keep out those alone who lock rows, too: other conflicts are decided at the commit.
void Tables::lock(const StoreTxn& txn, TableTxn& done, std::uint32_t number) {
  if (locks_.try_emplace(number, txn.session).second) done.locked.push_back(number);
}

bool Tables::fits(std::size_t table, const Row& row) const {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const std::optional<std::int64_t> least = tables_[table].columns[i].least;
    if (least && row.cells[i] && *row.cells[i] < *least) return false;
  }
  return true;
}

void Tables::write(StoreTxn& txn, TableTxn& done, std::size_t table, const Found& after) {
  lock(txn, done, after.number);
  store_.pin(txn, after.number);
  store_.write(txn, after.number, keep(after.row));
  done.entries.push_back(
      {.kind = Kind::kWrite, .row = table::whole(tables_, table, after.row)});
}

// --- Transactions

void Tables::begin(TableTxn& done) const {
  ISOLDE_ASSERT(done.locked.empty());
  done.entries.clear();
  done.ranges.clear();
  done.holds = false;
}

void Tables::load(std::span<const gen::InitialRow> rows, TableTxn& done) {
  begin(done);
  store_.let_faults_strike(false);
  StoreTxn txn;
  store_.begin(txn, 0, false, StoreTxn::kNoKey);
  for (const gen::InitialRow& each : rows) {
    const std::uint32_t number = number_of(each.table, each.row.id);
    done.entries.push_back({.kind = Kind::kReadNone, .row = {key_of(each.table, each.row.id)}});
    write(txn, done, each.table, {number, each.row});
  }
  const Seq seq = store_.commit(txn);
  ISOLDE_CHECK(seq == 1);
  // From here on no stale snapshot is that old.
  for (Seq i = 0; i < Store::kLagMax; ++i) {
    store_.begin(txn, 0, false, StoreTxn::kNoKey);
    store_.commit(txn);
  }
  end(done, seq);
  store_.let_faults_strike(true);
}

void Tables::guard(StoreTxn& txn, TableTxn& done) {
  for (TableTxn::Range& range : done.ranges) {
    const std::vector<std::int64_t>& created = created_[range.table];
    for (; range.created < created.size(); ++range.created) {
      const std::int64_t id = created[range.created];
      if (id < range.first || id > range.last) continue;
      store_.found_nothing(txn, number_of(range.table, id));
    }
  }
}

void Tables::end(TableTxn& done, Seq seq) {
  for (const TableTxn::Range& range : done.ranges) {
    if (seq != 0) looked_[range.table].push_back({range.first, range.last, seq});
  }
  for (const std::uint32_t number : done.locked) locks_.erase(number);
  done.locked.clear();
}

// --- Statements

bool Tables::perform(StoreTxn& txn, TableTxn& done, const gen::PlannedOp& op, gen::Plan& plan,
                     gen::Seen& seen) {
  guard(txn, done);
  if (op.kind == gen::Action::kSavepoint) {
    done.holds = true;
    done.saved_entries = done.entries.size();
    done.saved_writes = txn.writes;
    return true;
  }
  if (op.kind == gen::Action::kRollBackToSavepoint) {
    ISOLDE_CHECK(done.holds);
    store_.take_back(txn, done.saved_writes);
    table::drop_taken_back(done.entries, done.saved_entries);
    done.saved_entries = done.entries.size();
    return true;
  }
  const table::Request& request = plan.requests[static_cast<std::size_t>(op.expected)];
  std::vector<Row> rows;
  bool goes_on = true;
  if (op.kind == gen::Action::kInsertRow) {
    goes_on = insert(txn, done, request, op.value, rows);
    seen.applied = !rows.empty();
  } else if (op.kind == gen::Action::kUpdateRows) {
    goes_on = update(txn, done, request, op.value, rows);
  } else if (op.kind == gen::Action::kUpsertRow) {
    const std::size_t before = done.entries.size();
    goes_on = upsert(txn, done, request, op.value, rows);
    seen.applied = goes_on && done.entries[before].kind == Kind::kReadNone;
  } else if (op.kind == gen::Action::kAggregateRows) {
    aggregate(txn, done, request, seen);
  } else if (op.kind == gen::Action::kDeleteRows) {
    goes_on = remove(txn, done, request, rows);
  } else {
    goes_on = select(txn, done, request, rows);
  }
  seen.first_row = static_cast<std::uint32_t>(plan.found.size());
  seen.rows = static_cast<std::uint32_t>(rows.size());
  std::ranges::move(rows, std::back_inserter(plan.found));
  return goes_on;
}

/// Returns whether to look further.
bool Tables::look_at(StoreTxn& txn, const table::Request& request, std::int64_t id,
                     std::uint32_t number, Scan& scan) {
  const std::int64_t held = store_.read(txn, number);
  if (held == 0) return true;
  // Most rows of a table do not meet a condition, so that a copy of each costs more than it
  // all.
  const auto kept = static_cast<std::size_t>(held - 1);
  if (kept < versions_.size() && !meets(versions_[kept], request.where)) return true;
  Row row = version(request.table, id, held);
  if (kept >= versions_.size() && !meets(row, request.where)) return true;
  if (request.lock != table::Lock::kNone && is_locked(txn, number)) {
    scan.refused = !request.skip_locked;
    scan.skipped = scan.skipped || request.skip_locked;
    return !scan.refused;
  }
  scan.found.push_back({number, std::move(row)});
  const bool is_full = request.limit > 0 && scan.found.size() == request.limit;
  if (is_full) scan.is_whole = false;
  return !is_full;
}

/// The rows that meet a condition, the lowest ids first. A list of ids says where to look; ids
/// that no row has had yet are looked at, too.
Tables::Scan Tables::scan(StoreTxn& txn, TableTxn& done, const table::Request& request) {
  Scan scan;
  const table::Test* const of_id = test_of_id(request.where);
  std::vector<std::int64_t> ids;
  if (of_id != nullptr) ids = of_id->in;
  const bool is_one = of_id != nullptr && of_id->least && of_id->least == of_id->most;
  if (ids.empty() && is_one) ids.push_back(*of_id->least);
  if (!ids.empty()) {
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const std::int64_t id : ids) {
      if (!look_at(txn, request, id, number_of(request.table, id), scan)) break;
    }
  } else {
    constexpr std::int64_t kLast = (std::int64_t{1} << table::kIdBits) - 1;
    TableTxn::Range range{request.table, 0, kLast, created_[request.table].size()};
    if (of_id != nullptr) range.first = of_id->least.value_or(range.first);
    if (of_id != nullptr) range.last = of_id->most.value_or(range.last);
    const std::map<std::int64_t, std::uint32_t>& all = numbers_[request.table];
    for (auto at = all.lower_bound(range.first); at != all.end() && at->first <= range.last;
         ++at) {
      if (look_at(txn, request, at->first, at->second, scan)) continue;
      range.last = at->first;
      break;
    }
    done.ranges.push_back(range);
  }
  scan.is_whole = scan.is_whole && !scan.skipped;
  return scan;
}

bool Tables::insert(StoreTxn& txn, TableTxn& done, const table::Request& request,
                    std::int64_t stamp, std::vector<Row>& rows) {
  const std::uint32_t number = number_of(request.table, request.id);
  if (store_.read(txn, number) != 0) {
    if (!request.may_meet) return false;
    done.entries.push_back({.kind = Kind::kRefused,
                            .row = {key_of(request.table, request.id)},
                            .by_insert = true});
    return true;
  }
  const Row row{request.id, stamp, request.cells};
  if (!fits(request.table, row)) return false;
  done.entries.push_back(
      {.kind = Kind::kReadNone, .row = {key_of(request.table, row.id)}, .by_insert = true});
  write(txn, done, request.table, {number, row});
  rows.push_back(row);
  return true;
}

bool Tables::select(StoreTxn& txn, TableTxn& done, const table::Request& request,
                    std::vector<Row>& rows) {
  const Scan found = scan(txn, done, request);
  if (found.refused) return false;
  std::vector<table::Known> known;
  for (const Found& each : found.found) {
    if (request.lock != table::Lock::kNone) lock(txn, done, each.number);
    Row row = each.row;
    if (!request.columns.empty()) row.cells.clear();
    for (const std::size_t column : request.columns) {
      row.cells.push_back(each.row.cells[column]);
    }
    known.push_back(table::told(request, row));
    rows.push_back(std::move(row));
  }
  table::Condition where = request.where;
  if (found.skipped) {
    for (table::Known& row : known) {
      done.entries.push_back(
          {.kind = Kind::kRead, .row = std::move(row), .lock = request.lock});
    }
    return true;
  }
  if (!found.is_whole) table::end_at(where, rows.back().id);
  done.entries.push_back(selection_by(request, std::move(where)));
  done.entries.back().rows = std::move(known);
  done.entries.back().lock = request.lock;
  return true;
}

void Tables::aggregate(StoreTxn& txn, TableTxn& done, const table::Request& request,
                       gen::Seen& seen) {
  const Scan found = scan(txn, done, request);
  const auto count = static_cast<std::int64_t>(found.found.size());
  const AggregateKind kind = request.computed.kind;
  table::Cell result;
  if (kind == AggregateKind::kCount) result = count;
  if (kind == AggregateKind::kExists) result = count > 0 ? 1 : 0;
  for (const Found& each : found.found) {
    if (kind < AggregateKind::kSum) break;
    const table::Cell& held = each.row.cells[request.computed.column];
    if (!held) continue;
    if (!result) {
      result = held;
    } else if (kind == AggregateKind::kSum) {
      *result += *held;
    } else {
      result =
          kind == AggregateKind::kMin ? std::min(*result, *held) : std::max(*result, *held);
    }
  }
  seen.value = result.value_or(0);
  seen.known = result.has_value();
  done.entries.push_back(selection_by(request, request.where));
  done.entries.back().kind = Kind::kAggregate;
  done.entries.back().computed = request.computed;
  done.entries.back().result = result;
}

bool Tables::update(StoreTxn& txn, TableTxn& done, const table::Request& request,
                    std::int64_t stamp, std::vector<Row>& rows) {
  const Scan found = scan(txn, done, request);
  Entry selection = selection_by(request, request.where);
  for (const Found& each : found.found) {
    selection.rows.push_back(table::whole(tables_, request.table, each.row));
    rows.push_back(changed(each.row, request, stamp));
    if (!fits(request.table, rows.back())) return false;
  }
  done.entries.push_back(std::move(selection));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    write(txn, done, request.table, {found.found[i].number, rows[i]});
  }
  return true;
}

bool Tables::remove(StoreTxn& txn, TableTxn& done, const table::Request& request,
                    std::vector<Row>& rows) {
  const Scan found = scan(txn, done, request);
  Entry selection = selection_by(request, request.where);
  for (const Found& each : found.found) {
    selection.rows.push_back(table::whole(tables_, request.table, each.row));
    rows.push_back(each.row);
  }
  done.entries.push_back(std::move(selection));
  for (const Found& each : found.found) {
    lock(txn, done, each.number);
    store_.pin(txn, each.number);
    store_.write(txn, each.number, 0);
    done.entries.push_back(
        {.kind = Kind::kRemove, .row = {key_of(request.table, each.row.id)}});
  }
  return true;
}

bool Tables::upsert(StoreTxn& txn, TableTxn& done, const table::Request& request,
                    std::int64_t stamp, std::vector<Row>& rows) {
  const std::uint32_t number = number_of(request.table, request.id);
  const std::int64_t held = store_.read(txn, number);
  Entry read{
      .kind = Kind::kReadNone, .row = {key_of(request.table, request.id)}, .by_insert = true};
  Row row{request.id, stamp, request.cells};
  if (held != 0) {
    const Row before = version(request.table, request.id, held);
    read.kind = Kind::kRead;
    read.row = table::whole(tables_, request.table, before);
    row = changed(before, request, stamp);
  }
  if (!fits(request.table, row)) return false;
  done.entries.push_back(std::move(read));
  write(txn, done, request.table, {number, row});
  rows.push_back(std::move(row));
  return true;
}

// --- On record

Value Tables::value_of(HistoryBuilder& builder, const table::Known& row) const {
  const table::Table& columns_of = tables_[table::table_of(row.key)];
  std::vector<ColumnValue> columns;
  for (const auto& [number, cell] : row.columns) {
    columns.push_back({builder.string(table::column_name(columns_of, number)),
                       cell ? builder.integer(*cell) : Value()});
  }
  return builder.row(columns);
}

Predicate Tables::predicate_of(HistoryBuilder& builder, const Entry& entry) const {
  const table::OnKeys asked = table::on_keys(entry.table, entry.where);
  Predicate predicate;
  predicate.keys = asked.keys;
  for (const table::Test& test : asked.tests) {
    Predicate::Test& recorded = predicate.tests.emplace_back();
    if (test.column != table::Test::kId) {
      recorded.column = builder.string(table::column_name(tables_[entry.table], test.column));
    }
    recorded.is_null = test.is_null;
    if (test.least || test.most) {
      recorded.bounds = {test.least.value_or(Value::kIntegerMin),
                         test.most.value_or(Value::kIntegerMax)};
    }
    if (test.in.empty()) continue;
    recorded.in.emplace();
    for (const std::int64_t each : test.in) recorded.in->push_back(builder.integer(each));
  }
  return predicate;
}

void Tables::record(HistoryBuilder& builder, const TableTxn& done) const {
  std::vector<isolde::Row> rows;
  for (const Entry& entry : done.entries) {
    if (entry.kind == Kind::kSelect) {
      rows.clear();
      for (const table::Known& row : entry.rows) {
        rows.push_back({builder.key(builder.integer(row.key)), value_of(builder, row)});
      }
      builder.select(predicate_of(builder, entry), rows);
      builder.set_lock(entry.lock);
      continue;
    }
    if (entry.kind == Kind::kAggregate) {
      Aggregate computed{entry.computed.kind, {}, entry.result};
      if (computed.looks_at_values()) {
        computed.column =
            builder.string(table::column_name(tables_[entry.table], entry.computed.column));
      }
      builder.aggregate(predicate_of(builder, entry), computed);
      continue;
    }
    const KeyId key = builder.key(builder.integer(entry.row.key));
    if (entry.kind == Kind::kReadNone) {
      builder.read(key, Value());
    } else if (entry.kind == Kind::kRefused) {
      builder.insert_refused(key);
    } else if (entry.kind == Kind::kRead) {
      builder.read(key, value_of(builder, entry.row));
      builder.set_lock(entry.lock);
    } else if (entry.kind == Kind::kWrite) {
      builder.write(key, value_of(builder, entry.row));
    } else {
      builder.remove(key);
    }
  }
}

}  // namespace isolde::sim
