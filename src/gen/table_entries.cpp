#include "gen/table_entries.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/assert.hpp"

namespace isolde::table {

Known whole(std::span<const Table> tables, std::size_t table, const Row& row) {
  ISOLDE_CHECK(row.cells.size() == tables[table].columns.size());
  return told({.table = table}, row);
}

Known told(const Request& request, const Row& row) {
  Known known{key_of(request.table, row.id), {{kStamp, row.stamp}}, row.version};
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    known.columns.emplace_back(request.columns.empty() ? i : request.columns[i], row.cells[i]);
  }
  return known;
}

std::string_view column_name(const Table& table, std::size_t number) {
  return number == kStamp ? "stamp" : table.columns[number].name;
}

void end_at(Condition& where, std::int64_t id) {
  auto test = std::ranges::find(where, Test::kId, &Test::column);
  if (test == where.end()) test = where.insert(where.end(), Test{});
  test->most = id;
}

void drop_taken_back(std::vector<Entry>& entries, std::size_t from) {
  std::vector<Entry> taken(
      std::make_move_iterator(entries.begin() + static_cast<std::ptrdiff_t>(from)),
      std::make_move_iterator(entries.end()));
  entries.resize(from);
  std::set<std::int64_t> written;
  for (Entry& entry : taken) {
    if (entry.kind == Entry::Kind::kWrite || entry.kind == Entry::Kind::kRemove) {
      written.insert(entry.row.key);
    } else if (entry.kind < Entry::Kind::kSelect) {
      if (entry.by_insert || written.contains(entry.row.key)) continue;
      entries.push_back(std::move(entry));
    } else if (std::ranges::none_of(
                   written, [&](std::int64_t key) { return table_of(key) == entry.table; })) {
      entries.push_back(std::move(entry));
    } else {
      // What it did not return may be missing because of a write that never was.
      for (Known& row : entry.rows) {
        if (written.contains(row.key)) continue;
        entries.push_back({.kind = Entry::Kind::kRead, .row = std::move(row)});
      }
    }
  }
}

/// The test of the id is one of keys: bounds, where it is no list.
OnKeys on_keys(std::size_t table, const Condition& where) {
  const Predicate::Bounds all = keys_of(table);
  OnKeys out{all, where};
  const auto test = std::ranges::find(out.tests, Test::kId, &Test::column);
  if (test == out.tests.end()) return out;
  ISOLDE_CHECK(!test->is_null);
  if (test->least) test->least = key_of(table, *test->least);
  if (test->most) test->most = key_of(table, *test->most);
  for (std::int64_t& each : test->in) each = key_of(table, each);
  if (!test->in.empty()) {
    out.keys.reset();
  } else {
    out.keys = Predicate::Bounds{std::max(all.min, test->least.value_or(all.min)),
                                 std::min(all.max, test->most.value_or(all.max))};
    out.tests.erase(test);
  }
  return out;
}

}  // namespace isolde::table
