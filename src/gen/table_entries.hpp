// What statements on tables tell of a transaction, as entries of its record: those of a
// database that runs and those of the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "history/tables.hpp"
#include "isolde/operation.hpp"

namespace isolde::table {

/// What is known of a row: the key, columns, each with its number (the stamp is kStamp), and as
/// Row has it the version.
struct Known {
  std::int64_t key = 0;
  std::vector<std::pair<std::size_t, Cell>> columns = {};
  Cell version = {};
};
inline constexpr std::size_t kStamp = ~std::size_t{0};

struct Entry {
  enum class Kind : std::uint8_t {
    kReadNone,
    kRead,
    kRefused,  ///< an insert, by the row of that key
    kWrite,
    kRemove,
    kSelect,
    kAggregate
  };
  Kind kind = Kind::kRead;
  Known row = {};
  bool by_insert = false;  ///< kReadNone, kRead, kRefused: what an insert or upsert has met
  std::size_t table = 0;   ///< kSelect and kAggregate, as the condition
  Condition where = {};
  std::vector<Known> rows = {};  ///< kSelect
  Lock lock = Lock::kNone;       ///< kSelect, and kRead of what a select returned
  Computed computed = {};        ///< kAggregate, as its result
  Cell result = {};
};

/// All columns of the row.
Known whole(std::span<const Table> tables, std::size_t table, const Row& row);
/// Those that the select asks for.
Known told(const Request& request, const Row& row);

std::string_view column_name(const Table& table, std::size_t number);

/// Leaves out rows with higher ids.
void end_at(Condition& where, std::int64_t id);

/// What was done since a savepoint, from that entry on, is no part of the transaction: drops
/// its writes, and of its reads what may have seen them. Neither is what an insert or upsert
/// has met: a database guards that by the row that is there afterwards, and no longer.
void drop_taken_back(std::vector<Entry>& entries, std::size_t from);

/// A condition about the keys of rows in place of their ids.
struct OnKeys {
  std::optional<Predicate::Bounds> keys;  ///< none: a test lists keys
  std::vector<Test> tests;                ///< kId: of the key
};
OnKeys on_keys(std::size_t table, const Condition& where);

}  // namespace isolde::table
