#include "db/sql_tables.hpp"

#include <optional>

#include "base/assert.hpp"

namespace isolde::db::sql {
namespace {

using table::Test;

constexpr std::string_view kPrefix = "isolde_t";

std::string number(std::int64_t value) {
  // Some databases have no literal for the smallest integer; nobody writes it.
  ISOLDE_CHECK(value != INT64_MIN);
  return std::to_string(value);
}

std::string number(const table::Cell& cell) { return cell ? number(*cell) : "NULL"; }

std::string test_text(const std::string& column, const Test& test) {
  if (test.is_null) return column + " IS NULL";
  std::string text;
  const auto add = [&](const std::string& part) {
    text += (text.empty() ? "" : " AND ") + column + part;
  };
  if (test.least && test.most && *test.least == *test.most) {
    add(" = " + number(*test.least));
  } else if (test.least && test.most) {
    add(" BETWEEN " + number(*test.least) + " AND " + number(*test.most));
  } else if (test.least) {
    add(" >= " + number(*test.least));
  } else if (test.most) {
    add(" <= " + number(*test.most));
  }
  if (!test.in.empty()) {
    std::string list;
    for (const std::int64_t each : test.in) list += (list.empty() ? "" : ", ") + number(each);
    add(" IN (" + list + ")");
  }
  if (text.empty()) add(" IS NOT NULL");
  return text;
}

bool locks(const table::Request& request) { return request.lock != table::Lock::kNone; }

}  // namespace

bool is_row_table(std::string_view name) {
  if (!name.starts_with(kPrefix) || name.size() < kPrefix.size() + 3) return false;
  name.remove_prefix(kPrefix.size());
  if (name[0] < '0' || name[0] > '9' || name[1] != '_') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 2) == std::string_view::npos;
}

std::string TableTexts::name(std::size_t table) const {
  ISOLDE_CHECK(table < tables_.size() && tables_.size() <= table::kTablesMost);
  return std::string(kPrefix) + std::to_string(table) + "_" + std::string(tables_[table].name);
}

std::string_view TableTexts::column(std::size_t table, std::size_t index) const {
  if (index == Test::kId) return "id";
  ISOLDE_CHECK(index < tables_[table].columns.size());
  return tables_[table].columns[index].name;
}

std::string TableTexts::create(std::size_t table) const {
  const std::string type(dialect_->key_type);
  std::string text = "CREATE TABLE " + name(table) + " (id " + type +
                     " NOT NULL PRIMARY KEY, stamp " + type + " NOT NULL, was " + type +
                     (tells_versions() ? ", was_version " + type : "");
  std::string rules;
  for (const table::Column& column : tables_[table].columns) {
    const std::string called(column.name);
    text += ", " + called + " " + type;
    if (column.least) rules += ", CHECK (" + called + " >= " + number(*column.least) + ")";
    if (column.refers_to && dialect_->refers) {
      ISOLDE_CHECK(*column.refers_to < table);
      rules += ", FOREIGN KEY (" + called + ") REFERENCES " + name(*column.refers_to) + " (id)";
    }
  }
  return text + rules + ")" + std::string(dialect_->table_options);
}

std::vector<std::string> TableTexts::indexes(std::size_t table) const {
  std::vector<std::string> texts;
  if (dialect_->stamp_index) {
    texts.push_back("CREATE INDEX " + name(table) + "_by_stamp ON " + name(table) + " (stamp)");
  }
  if (!layout_->index) return texts;
  for (const table::Column& column : tables_[table].columns) {
    if (!column.indexed && !column.unique) continue;
    texts.push_back(std::string("CREATE ") + (column.unique ? "UNIQUE " : "") + "INDEX " +
                    name(table) + "_by_" + std::string(column.name) + " ON " + name(table) +
                    " (" + std::string(column.name) + ")");
  }
  return texts;
}

std::string TableTexts::all_columns(std::size_t table) const {
  std::string list = "id, stamp";
  for (const table::Column& each : tables_[table].columns) {
    list += ", " + std::string(each.name);
  }
  return list;
}

bool TableTexts::tells_versions() const { return sql::tells_versions(*dialect_, *layout_); }

std::string TableTexts::changed_columns(std::size_t table) const {
  const std::string list = all_columns(table) + ", was";
  return tells_versions() ? list + ", was_version, " + version_behind_text(*dialect_) : list;
}

std::string TableTexts::returning(std::size_t table) const {
  return dialect_->returns_rows ? " RETURNING " + changed_columns(table) : "";
}

std::string TableTexts::where(const table::Request& request) const {
  std::string text;
  for (const Test& test : request.where) {
    text += (text.empty() ? " WHERE " : " AND ") +
            test_text(std::string(column(request.table, test.column)), test);
  }
  return text;
}

std::string TableTexts::inserting(const table::Request& request, std::int64_t stamp) const {
  ISOLDE_CHECK(request.cells.size() == tables_[request.table].columns.size());
  std::string values = number(request.id) + ", " + number(stamp);
  for (const table::Cell& cell : request.cells) values += ", " + number(cell);
  return "INSERT INTO " + name(request.table) + " (" + all_columns(request.table) +
         ") VALUES (" + values + ")";
}

std::string TableTexts::insert(const table::Request& request, std::int64_t stamp) const {
  const std::string text = inserting(request, stamp);
  return tells_versions() ? text + " RETURNING " + version_behind_text(*dialect_) : text;
}

std::string TableTexts::select(const table::Request& request) const {
  std::string columns = "id, stamp";
  for (const std::size_t each : request.columns) {
    columns += ", " + std::string(column(request.table, each));
  }
  if (request.columns.empty()) columns = all_columns(request.table);
  if (tells_versions()) columns += ", " + version_text(*dialect_);
  const bool limit_first = dialect_->upsert == Dialect::Upsert::kMerge;
  std::string text = "SELECT ";
  if (request.limit > 0 && limit_first) text += "FIRST " + number(request.limit) + " ";
  text += columns + " FROM " + name(request.table) + where(request);
  if (request.limit > 0) {
    text += " ORDER BY id";
    if (!limit_first) text += " LIMIT " + number(request.limit);
  }
  if (lock(request) == table::Lock::kUpdate) text += dialect_->locking;
  if (lock(request) == table::Lock::kShare) text += dialect_->share_locking;
  if (skips(request)) text += dialect_->skipping;
  return text;
}

std::string TableTexts::aggregate(const table::Request& request) const {
  const bool has_column = request.computed.kind >= AggregateKind::kSum;
  return aggregate_text(*dialect_, request.computed.kind,
                        has_column ? column(request.table, request.computed.column) : "",
                        " FROM " + name(request.table) + where(request));
}

table::Lock TableTexts::lock(const table::Request& request) const {
  const bool is_shared = request.lock == table::Lock::kShare;
  if (is_shared && !dialect_->share_locking.empty()) return table::Lock::kShare;
  const bool is_asked =
      request.lock == table::Lock::kUpdate || (!locks(request) && layout_->for_update);
  return is_asked && !dialect_->locking.empty() ? table::Lock::kUpdate : table::Lock::kNone;
}

bool TableTexts::skips(const table::Request& request) const {
  return request.skip_locked && locks(request) && !dialect_->skipping.empty();
}

/// MariaDB carries out assignments from left to right, so `was` comes first there.
std::string TableTexts::assignments(const table::Request& request, const std::string& stamp,
                                    const std::string& owner) const {
  std::string text = "was = " + owner + "stamp";
  if (tells_versions()) text += ", was_version = " + version_text(*dialect_, owner);
  text += ", stamp = " + stamp;
  for (const table::Assignment& each : request.set) {
    const std::string called(column(request.table, each.column));
    text += ", " + called + " = ";
    if (each.adds) {
      ISOLDE_CHECK(each.value.has_value());
      text += owner + called + (*each.value < 0 ? " - " : " + ") +
              number(*each.value < 0 ? -*each.value : *each.value);
    } else {
      text += number(each.value);
    }
  }
  return text;
}

std::string TableTexts::update(const table::Request& request, std::int64_t stamp) const {
  return "UPDATE " + name(request.table) + " SET " + assignments(request, number(stamp), "") +
         where(request) + returning(request.table);
}

std::string TableTexts::upsert(const table::Request& request, std::int64_t stamp) const {
  const std::string table = name(request.table);
  const std::string mine = assignments(request, number(stamp), table + ".");
  switch (dialect_->upsert) {
    case Dialect::Upsert::kOnConflict:
      return inserting(request, stamp) + " ON CONFLICT (id) DO UPDATE SET " + mine +
             returning(request.table);
    case Dialect::Upsert::kOnDuplicateKey:
      return inserting(request, stamp) + " ON DUPLICATE KEY UPDATE " +
             assignments(request, number(stamp), "");
    case Dialect::Upsert::kMerge:
      break;
  }
  std::string values = number(request.id) + ", " + number(stamp);
  for (const table::Cell& cell : request.cells) values += ", " + number(cell);
  return "MERGE INTO " + table + " USING RDB$DATABASE ON " + table +
         ".id = " + number(request.id) + " WHEN MATCHED THEN UPDATE SET " + mine +
         " WHEN NOT MATCHED THEN INSERT (" + all_columns(request.table) + ") VALUES (" +
         values + ")";
}

std::string TableTexts::remove(const table::Request& request) const {
  const std::string table = name(request.table);
  const std::string columns = changed_columns(request.table);
  if (dialect_->upsert != Dialect::Upsert::kMerge) {
    return "DELETE FROM " + table + where(request) + " RETURNING " + columns;
  }
  // RETURNING is for one row there.
  std::string declared;
  std::string into;
  const std::size_t count = tables_[request.table].columns.size() + 3;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string called = "c" + std::to_string(i);
    declared += (i == 0 ? "" : ", ") + called + " BIGINT";
    into += (i == 0 ? ":" : ", :") + called;
  }
  return "EXECUTE BLOCK RETURNS (" + declared + ") AS BEGIN FOR SELECT " + columns + " FROM " +
         table + where(request) + " INTO " + into + " AS CURSOR c DO BEGIN DELETE FROM " +
         table + " WHERE CURRENT OF c; SUSPEND; END END";
}

std::string TableTexts::changed(std::size_t table, std::int64_t stamp) const {
  return "SELECT " + changed_columns(table) + " FROM " + name(table) +
         " WHERE stamp = " + number(stamp);
}

}  // namespace isolde::db::sql
