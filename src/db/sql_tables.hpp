// Rows with columns in SQL: the texts of tables and statements.
//
//   isolde_t0_item (id, stamp, was, ...)   the first table of a workload, if it is called item
//
// `was` is the stamp of the version before, NULL after an insert. So whoever learns what an
// UPDATE has made learns what it was made from. Where versions are told (tells_versions()),
// `was_version` is Dialect::version of the version before.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/sql.hpp"
#include "history/tables.hpp"

namespace isolde::db::sql {

/// Whether it has the form of the name of such a table.
bool is_row_table(std::string_view name);

/// Texts about the tables of one run. Keeps references.
class TableTexts {
 public:
  TableTexts(const Dialect& dialect, const Layout& layout, std::span<const table::Table> tables)
      : dialect_(&dialect), layout_(&layout), tables_(tables) {}

  std::string name(std::size_t table) const;
  std::string create(std::size_t table) const;
  /// Of the columns with Layout::index only.
  std::vector<std::string> indexes(std::size_t table) const;

  /// Whether statements return Dialect::version, too, in a last column.
  bool tells_versions() const;

  /// Returns the version alone, where it is told.
  std::string insert(const table::Request& request, std::int64_t stamp) const;
  /// Returns id and stamp, then the columns asked for.
  std::string select(const table::Request& request) const;
  /// Returns one integer or NULL; nothing that a locking clause fits.
  std::string aggregate(const table::Request& request) const;
  /// Whether select() says it such that rows locked by others are left out.
  bool skips(const table::Request& request) const;
  /// How a select locks the rows, where the database can.
  table::Lock lock(const table::Request& request) const;
  // The following return id, stamp, all columns, and was (and was_version, where versions are
  // told), where the dialect returns rows. The version of a row that is deleted is its last.
  std::string update(const table::Request& request, std::int64_t stamp) const;
  std::string upsert(const table::Request& request, std::int64_t stamp) const;
  /// Always returns the rows.
  std::string remove(const table::Request& request) const;
  /// Where the dialect returns no rows: what is now of that stamp.
  std::string changed(std::size_t table, std::int64_t stamp) const;

 private:
  std::string_view column(std::size_t table, std::size_t index) const;
  std::string all_columns(std::size_t table) const;
  std::string changed_columns(std::size_t table) const;
  std::string inserting(const table::Request& request, std::int64_t stamp) const;
  std::string where(const table::Request& request) const;
  std::string assignments(const table::Request& request, const std::string& stamp,
                          const std::string& owner) const;
  std::string returning(std::size_t table) const;

  const Dialect* dialect_;
  const Layout* layout_;
  std::span<const table::Table> tables_;
};

}  // namespace isolde::db::sql
