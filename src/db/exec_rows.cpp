#include "db/exec_rows.hpp"

#include <string>

#include "history/aggregate_names.hpp"

namespace isolde::db {
namespace {

using Json = nlohmann::ordered_json;

Json cell_json(const table::Cell& cell) { return cell ? Json(*cell) : Json(nullptr); }

/// False: it is neither an integer nor null.
bool take_cell(const Json& value, table::Cell& cell) {
  cell.reset();
  if (value.is_null()) return true;
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return false;
  cell = value.get<std::int64_t>();
  return true;
}

std::string name_of(const table::Table& table, std::size_t column) {
  return std::string(column == table::Test::kId ? "key" : table.columns[column].name);
}

Json test_json(const table::Test& test) {
  if (test.is_null) return nullptr;
  Json json = Json::object();
  if (test.least) json["min"] = *test.least;
  if (test.most) json["max"] = *test.most;
  if (!test.in.empty()) json["in"] = test.in;
  return json;
}

void add_where(const table::Request& request, const table::Table& table, Json& json) {
  json["where"] = Json::object();
  for (const table::Test& test : request.where) {
    json["where"][name_of(table, test.column)] = test_json(test);
  }
}

void add_assignments(const table::Request& request, const table::Table& table, Json& json) {
  json["set"] = Json::object();
  json["add"] = Json::object();
  for (const table::Assignment& each : request.set) {
    json[each.adds ? "add" : "set"][name_of(table, each.column)] = cell_json(each.value);
  }
}

void add_row(const table::Request& request, const table::Table& table, Json& json) {
  json["key"] = request.id;
  json["columns"] = Json::object();
  for (std::size_t i = 0; i < request.cells.size(); ++i) {
    json["columns"][name_of(table, i)] = cell_json(request.cells[i]);
  }
}

void add_selection(const table::Request& request, const table::Table& table, Json& json) {
  json["columns"] = Json::array();
  const std::vector<std::size_t> columns =
      request.columns.empty() ? all_columns(table) : request.columns;
  for (const std::size_t column : columns) json["columns"].push_back(name_of(table, column));
  if (request.limit > 0) json["limit"] = request.limit;
  if (request.lock == table::Lock::kNone) return;
  json["lock"] = request.lock == table::Lock::kShare ? "share" : "update";
  json["skip_locked"] = request.skip_locked;
}

void add_computed(const table::Request& request, const table::Table& table, Json& json) {
  json["compute"] = history::name_of(request.computed.kind);
  if (request.computed.kind >= AggregateKind::kSum) {
    json["column"] = name_of(table, request.computed.column);
  }
}

}  // namespace

Json tables_json(std::span<const table::Table> tables) {
  Json all = Json::array();
  for (const table::Table& table : tables) {
    Json columns = Json::array();
    for (const table::Column& column : table.columns) {
      Json json = {{"name", column.name}};
      if (column.least) json["least"] = *column.least;
      if (column.indexed) json["indexed"] = true;
      if (column.unique) json["unique"] = true;
      if (column.refers_to) json["refers_to"] = *column.refers_to;
      columns.push_back(std::move(json));
    }
    all.push_back({{"name", table.name}, {"columns", std::move(columns)}});
  }
  return all;
}

Json request_json(RowStatement statement, const table::Request& request,
                  const table::Table& table) {
  Json json = {{"table", request.table}};
  const bool has_row = statement == RowStatement::kInsert || statement == RowStatement::kUpsert;
  if (has_row) {
    add_row(request, table, json);
  } else {
    add_where(request, table, json);
  }
  if (statement == RowStatement::kUpdate || statement == RowStatement::kUpsert) {
    add_assignments(request, table, json);
  }
  if (statement == RowStatement::kSelect) add_selection(request, table, json);
  if (statement == RowStatement::kAggregate) add_computed(request, table, json);
  return json;
}

std::optional<table::Row> row_of(const Json& row, const table::Table& table,
                                 std::span<const std::size_t> columns, table::Cell* was) {
  const bool has_fields = row.is_object() && row.contains("key") && row.contains("stamp") &&
                          row.contains("columns") && row["columns"].is_object() &&
                          row["columns"].size() == columns.size();
  if (!has_fields) return std::nullopt;
  table::Cell id;
  table::Cell stamp;
  const bool is_row =
      take_cell(row["key"], id) && take_cell(row["stamp"], stamp) && id && stamp;
  if (!is_row || *id < 0 || *id >> table::kIdBits != 0) return std::nullopt;
  table::Row taken{*id, *stamp, {}};
  for (const std::size_t column : columns) {
    const std::string name = name_of(table, column);
    table::Cell cell;
    if (!row["columns"].contains(name) || !take_cell(row["columns"][name], cell)) {
      return std::nullopt;
    }
    taken.cells.push_back(cell);
  }
  if (was != nullptr && (!row.contains("was") || !take_cell(row["was"], *was))) {
    return std::nullopt;
  }
  return taken;
}

std::vector<std::size_t> all_columns(const table::Table& table) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < table.columns.size(); ++i) all.push_back(i);
  return all;
}

}  // namespace isolde::db
