// Rows with columns in the lines that adapters get and give (docs/adapters.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "history/tables.hpp"

namespace isolde::db {

/// What `create` is told of the tables.
nlohmann::ordered_json tables_json(std::span<const table::Table> tables);

/// The fields of a request that describe it: those that this kind of statement has.
enum class RowStatement : std::uint8_t {
  kInsert,
  kSelect,
  kAggregate,
  kUpdate,
  kDelete,
  kUpsert
};
nlohmann::ordered_json request_json(RowStatement statement, const table::Request& request,
                                    const table::Table& table);

/// The row {"key":3,"stamp":9,"columns":{"qty":5}} with exactly the columns of these numbers;
/// nothing when it is no such row. `was`: the row's field of that name is taken, too.
std::optional<table::Row> row_of(const nlohmann::ordered_json& row, const table::Table& table,
                                 std::span<const std::size_t> columns,
                                 table::Cell* was = nullptr);

/// The numbers of all columns.
std::vector<std::size_t> all_columns(const table::Table& table);

}  // namespace isolde::db
