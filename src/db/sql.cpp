#include "db/sql.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <utility>

#include "base/assert.hpp"
#include "db/sql_tables.hpp"

namespace isolde::db::sql {
namespace {

using Upsert = Dialect::Upsert;

constexpr std::string_view kMadeBy = "made by isolde, run ";
constexpr std::string_view kReady = "ready, run ";
constexpr std::string_view kTableNote = "table ";
constexpr std::uint32_t kMostTables = 100;
/// Rows of one INSERT; and INSERTs of one block, of which Firebird takes at most 256.
constexpr std::size_t kRowsAtOnce = 500;
constexpr std::size_t kInsertsAtOnce = 250;

/// Replaces each ? by $1, $2, ...
std::string numbered(const std::string& text) {
  std::string out;
  int count = 0;
  for (const char c : text) {
    if (c == '?') {
      out += '$' + std::to_string(++count);
    } else {
      out += c;
    }
  }
  return out;
}

std::string table_name(std::string_view base, std::uint32_t index, const Layout& layout) {
  std::string name(base);
  if (layout.tables > 1) name += '_' + std::to_string(index);
  return name;
}

std::string upsert_text(Upsert kind, const std::string& table) {
  switch (kind) {
    case Upsert::kOnConflict:
      return "INSERT INTO " + table +
             " (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v";
    case Upsert::kOnDuplicateKey:
      return "INSERT INTO " + table +
             " (k, v) VALUES (?, ?) ON DUPLICATE KEY UPDATE v = VALUES(v)";
    case Upsert::kMerge:
      return "UPDATE OR INSERT INTO " + table + " (k, v) VALUES (?, ?) MATCHING (k)";
  }
  ISOLDE_CHECK(false);
  return {};
}

std::string append_text(Upsert kind, const std::string& table) {
  switch (kind) {
    case Upsert::kOnConflict:
      return "UPDATE " + table + " SET v = v || ',' || ? WHERE k = ?";
    case Upsert::kOnDuplicateKey:
      return "UPDATE " + table + " SET v = CONCAT(v, ',', ?) WHERE k = ?";
    case Upsert::kMerge:
      return "UPDATE " + table + " SET v = v || ',' || CAST(? AS BIGINT) WHERE k = ?";
  }
  ISOLDE_CHECK(false);
  return {};
}

std::string append_upsert_text(Upsert kind, const std::string& table) {
  switch (kind) {
    case Upsert::kOnConflict:
      // The shape with which a possible G2-item was seen in PostgreSQL 18.4.
      return "INSERT INTO " + table +
             " AS t (k, v) VALUES (?, ',' || ?) ON CONFLICT (k) DO UPDATE SET "
             "v = t.v || excluded.v WHERE t.k = excluded.k";
    case Upsert::kOnDuplicateKey:
      return "INSERT INTO " + table +
             " (k, v) VALUES (?, CONCAT(',', ?)) ON DUPLICATE KEY UPDATE "
             "v = CONCAT(v, VALUES(v))";
    case Upsert::kMerge:
      return "MERGE INTO " + table +
             " t USING (SELECT CAST(? AS BIGINT) AS k, ',' || CAST(? AS BIGINT) AS v "
             "FROM RDB$DATABASE) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = t.v || s.v "
             "WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.v)";
  }
  ISOLDE_CHECK(false);
  return {};
}

std::string insert_absent_text(Upsert kind, const std::string& table) {
  switch (kind) {
    case Upsert::kOnConflict:
      return "INSERT INTO " + table + " (k, v) VALUES (?, ?) ON CONFLICT (k) DO NOTHING";
    case Upsert::kOnDuplicateKey:
      return "INSERT IGNORE INTO " + table + " (k, v) VALUES (?, ?)";
    case Upsert::kMerge:
      return "MERGE INTO " + table +
             " t USING (SELECT CAST(? AS BIGINT) AS k, CAST(? AS BIGINT) AS v FROM "
             "RDB$DATABASE) s ON t.k = s.k WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, "
             "s.v)";
  }
  ISOLDE_CHECK(false);
  return {};
}

std::string increment_text(const Dialect& dialect, const std::string& table) {
  const bool is_merge = dialect.upsert == Upsert::kMerge;
  return "UPDATE " + table + " SET v = COALESCE(v, 0) + " +
         (is_merge ? "CAST(? AS BIGINT)" : "?") + " WHERE k = ?" +
         (dialect.returns_rows ? " RETURNING v" : "");
}

std::string increment_upsert_text(const Dialect& dialect, const std::string& table) {
  switch (dialect.upsert) {
    case Upsert::kOnConflict:
      return "INSERT INTO " + table +
             " AS t (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET "
             "v = COALESCE(t.v, 0) + excluded.v" +
             (dialect.returns_rows ? " RETURNING v" : "");
    case Upsert::kOnDuplicateKey:
      return "INSERT INTO " + table +
             " (k, v) VALUES (?, ?) ON DUPLICATE KEY UPDATE v = COALESCE(v, 0) + VALUES(v)";
    case Upsert::kMerge:
      return "MERGE INTO " + table +
             " t USING (SELECT CAST(? AS BIGINT) AS k, CAST(? AS BIGINT) AS v FROM "
             "RDB$DATABASE) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = COALESCE(t.v, 0) + "
             "s.v WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.v)";
  }
  ISOLDE_CHECK(false);
  return {};
}

std::string with_owner(std::string_view text, std::string_view owner) {
  std::string out;
  for (const char c : text) {
    if (c == '@') {
      out += owner;
    } else {
      out += c;
    }
  }
  return out;
}

/// Two columns of all rows that meet the condition; `where` begins with WHERE. A row that
/// nobody has written yet holds NULL.
std::string delete_where_text(const Dialect& dialect, const std::string& table,
                              const std::string& where, std::size_t parameters,
                              const std::string& columns) {
  if (dialect.upsert != Upsert::kMerge) {
    return "DELETE FROM " + table + where + " RETURNING " + columns;
  }
  // RETURNING is for one row there.
  std::string names;
  std::string condition;
  for (std::size_t i = 0; i < parameters; ++i) {
    names += (i == 0 ? "" : ", ") + ("p" + std::to_string(i)) + " BIGINT = ?";
  }
  std::size_t next = 0;
  for (const char c : where) {
    condition += c == '?' ? ":p" + std::to_string(next++) : std::string(1, c);
  }
  return "EXECUTE BLOCK " + (names.empty() ? names : "(" + names + ") ") +
         "RETURNS (k BIGINT, v BIGINT) AS BEGIN FOR SELECT k, v FROM " + table + condition +
         " INTO :k, :v AS CURSOR c DO BEGIN DELETE FROM " + table +
         " WHERE CURRENT OF c; SUSPEND; END END";
}

/// The texts of the statements from kDelete on. `read`, `deleted`: what those return of a row
/// besides its key and value.
void add_row_texts(const Dialect& dialect, const std::string& table, const std::string& locking,
                   const std::string& read, const std::string& deleted,
                   std::vector<std::string>& texts) {
  struct Where {
    const char* text;
    std::size_t parameters;
  };
  constexpr std::array<Where, 4> kWheres = {{
      {" WHERE v IS NOT NULL", 0},
      {" WHERE k BETWEEN ? AND ? AND v IS NOT NULL", 2},
      {" WHERE v BETWEEN ? AND ?", 2},
      {" WHERE k BETWEEN ? AND ? AND v BETWEEN ? AND ?", 4},
  }};
  texts.push_back("DELETE FROM " + table + " WHERE k = ? AND v IS NOT NULL");
  for (const Where& where : kWheres) {
    texts.push_back("SELECT k, v" + read + " FROM " + table + where.text + locking);
  }
  for (const Where& where : kWheres) {
    texts.push_back(
        delete_where_text(dialect, table, where.text, where.parameters, "k, v" + deleted));
  }
}

std::vector<std::string> texts_of_table(const Dialect& dialect, const Layout& layout,
                                        std::uint32_t index) {
  const std::string registers = table_name("isolde_register", index, layout);
  const std::string lists = table_name("isolde_list", index, layout);
  const std::string locking(layout.for_update ? dialect.locking : "");
  const bool tells = tells_versions(dialect, layout);
  const std::string version = tells ? ", " + version_text(dialect) : "";
  const std::string behind = tells ? version_behind_text(dialect) : "";
  const std::string returning = tells ? " RETURNING " + behind : "";
  std::vector<std::string> texts = {
      "SELECT v" + version + " FROM " + registers + " WHERE k = ?" + locking,
      "UPDATE " + registers + " SET v = ? WHERE k = ?" + returning,
      upsert_text(dialect.upsert, registers) + returning,
      "SELECT v FROM " + lists + " WHERE k = ?" + locking,
      append_text(dialect.upsert, lists),
      append_upsert_text(dialect.upsert, lists),
      "UPDATE " + registers + " SET v = ? WHERE k = ? AND v = ?",
      "UPDATE " + registers + " SET v = ? WHERE k = ? AND v IS NULL",
      insert_absent_text(dialect.upsert, registers),
      increment_text(dialect, registers),
      increment_upsert_text(dialect, registers),
  };
  add_row_texts(dialect, registers, locking, version, tells ? ", " + behind : "", texts);
  return texts;
}

/// One statement that inserts rows with these keys and the same value.
std::string insert_rows(const Dialect& dialect, const std::string& table,
                        std::span<const Key> keys, std::string_view value) {
  const std::string insert = "INSERT INTO " + table + " (k, v) VALUES ";
  const bool one_by_one = dialect.upsert == Upsert::kMerge;  // has no list of rows
  std::string text = one_by_one ? "EXECUTE BLOCK AS BEGIN " : insert;
  for (const Key& key : keys) {
    if (one_by_one) {
      text += insert;
    } else if (&key != keys.data()) {
      text += ", ";
    }
    text += '(' + std::to_string(key) + ", " + std::string(value) + ')';
    if (one_by_one) text += "; ";
  }
  if (one_by_one) text += "END";
  return text;
}

void add_rows(const Dialect& dialect, const Layout& layout, std::string_view base,
              std::span<const Key> keys, std::string_view value,
              std::vector<std::string>& texts) {
  const std::size_t most = dialect.upsert == Upsert::kMerge ? kInsertsAtOnce : kRowsAtOnce;
  std::vector<std::vector<Key>> of_table(layout.tables);
  for (const Key key : keys) {
    of_table[static_cast<std::uint64_t>(key) % layout.tables].push_back(key);
  }
  for (std::uint32_t i = 0; i < layout.tables; ++i) {
    const std::string table = table_name(base, i, layout);
    const std::span<const Key> all = of_table[i];
    for (std::size_t first = 0; first < all.size(); first += most) {
      const std::size_t count = std::min(most, all.size() - first);
      texts.push_back(insert_rows(dialect, table, all.subspan(first, count), value));
    }
  }
}

bool contains(const std::vector<std::string>& list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

/// Whether create() can make a table of that name, for any layout.
bool can_be_ours(std::string_view name) {
  if (is_row_table(name)) return true;
  for (const std::string_view base : {"isolde_register", "isolde_list"}) {
    if (!name.starts_with(base)) continue;
    std::string_view rest = name.substr(base.size());
    if (rest.empty()) return true;
    if (rest[0] != '_' || rest.size() < 2) return false;
    rest.remove_prefix(1);
    return rest.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return false;
}

/// Tables that the notes call ours and that exist; the owner's last. Empty without its note.
std::vector<std::string> owned(const Found& found, std::string_view made_by) {
  std::vector<std::string> result;
  bool signed_by_us = false;
  for (const std::string& note : found.notes) {
    signed_by_us = signed_by_us || note.starts_with(made_by);
    if (!note.starts_with(kTableNote)) continue;
    const std::string table = note.substr(kTableNote.size());
    if (can_be_ours(table) && contains(found.relations, table)) result.push_back(table);
  }
  if (!signed_by_us) return {};
  // A table goes before those that it refers to, which have smaller numbers.
  const auto rows = std::stable_partition(result.begin(), result.end(), is_row_table);
  std::sort(result.begin(), rows, std::greater<>());
  result.emplace_back(kOwnerTable);
  return result;
}

}  // namespace

std::string version_text(const Dialect& dialect, std::string_view owner) {
  return with_owner(dialect.version, owner);
}

std::string version_behind_text(const Dialect& dialect) {
  const bool is_other = !dialect.version_behind.empty();
  return with_owner(is_other ? dialect.version_behind : dialect.version, {});
}

Result<Layout> layout_of(const Dsn& dsn) {
  const Result<std::uint32_t> tables = number_in(dsn, "tables", 1, kMostTables, 1);
  if (!tables) return tables.error();
  const Result<bool> upsert = flag_in(dsn, "upsert", false);
  if (!upsert) return upsert.error();
  const Result<bool> for_update = flag_in(dsn, "for_update", false);
  if (!for_update) return for_update.error();
  const Result<bool> index = flag_in(dsn, "index", false);
  if (!index) return index.error();
  return Layout{*tables, *upsert, *for_update, *index};
}

Statement statement_for(Statement kind, const Condition& condition) {
  const std::size_t which =
      (condition.keys.has_value() ? 1 : 0) + (condition.values.has_value() ? 2 : 0);
  return static_cast<Statement>(static_cast<std::size_t>(kind) + which);
}

std::vector<std::int64_t> parameters_of(const Condition& condition) {
  std::vector<std::int64_t> values;
  for (const auto& bounds : {condition.keys, condition.values}) {
    if (bounds) values.insert(values.end(), {bounds->min, bounds->max});
  }
  return values;
}

/// Some databases give sums a wider type than their columns have.
std::string aggregate_text(const Dialect& dialect, AggregateKind kind, std::string_view column,
                           const std::string& from) {
  const auto of_column = [&](const std::string& function) {
    return "SELECT CAST(" + function + "(" + std::string(column) + ") AS " +
           std::string(dialect.cast_type) + ")" + from;
  };
  switch (kind) {
    case AggregateKind::kCount:
      return "SELECT COUNT(*)" + from;
    case AggregateKind::kExists:
      return "SELECT CASE WHEN EXISTS (SELECT 1" + from + ") THEN 1 ELSE 0 END" +
             std::string(dialect.from_nothing);
    case AggregateKind::kSum:
      return of_column("SUM");
    case AggregateKind::kMin:
      return of_column("MIN");
    case AggregateKind::kMax:
      break;
  }
  return of_column("MAX");
}

std::string aggregate_text(const Dialect& dialect, const Layout& layout,
                           const Condition& condition, AggregateKind kind) {
  ISOLDE_CHECK(layout.tables == 1);
  const auto between = [](const char* column, const Predicate::Bounds& bounds) {
    return std::string(column) + " BETWEEN " + std::to_string(bounds.min) + " AND " +
           std::to_string(bounds.max);
  };
  std::string from = " FROM " + table_name("isolde_register", 0, layout) + " WHERE ";
  if (condition.keys) from += between("k", *condition.keys) + " AND ";
  from += condition.values ? between("v", *condition.values) : "v IS NOT NULL";
  return aggregate_text(dialect, kind, "v", from);
}

std::vector<std::string> statement_texts(const Dialect& dialect, const Layout& layout) {
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < layout.tables; ++i) {
    for (std::string& text : texts_of_table(dialect, layout, i)) {
      all.push_back(dialect.numbered ? numbered(text) : std::move(text));
    }
  }
  ISOLDE_CHECK(all.size() == kStatements * layout.tables);
  return all;
}

namespace {

/// Puts the values in place of ?, ?, ... or of $1, $2, ...
std::string filled(const std::string& text, std::span<const std::int64_t> values) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_numbered = text[i] == '$';
    if (!is_numbered && text[i] != '?') {
      out += text[i];
      continue;
    }
    const std::size_t which = is_numbered ? static_cast<std::size_t>(text[++i] - '1') : next++;
    ISOLDE_CHECK(which < values.size());
    out += std::to_string(values[which]);
  }
  return out;
}

/// Those of create_texts() and table_names() that are for registers, or for lists.
bool is_wanted(const std::string& table, bool registers, bool lists) {
  return table.starts_with("isolde_list") ? lists : registers;
}

}  // namespace

LockMode usual_lock(const Dialect& dialect, const Layout& layout) {
  const bool locks = layout.for_update && !dialect.locking.empty();
  return locks ? LockMode::kUpdate : LockMode::kNone;
}

Locking locking(const Dialect& dialect, const Layout& layout, LockMode mode) {
  Locking made{dialect, layout};
  const std::string_view text =
      mode == LockMode::kShare ? dialect.share_locking : dialect.locking;
  if (mode == LockMode::kNone || text.empty()) return made;
  made.dialect.locking = text;
  made.layout.for_update = true;
  made.mode = mode;
  return made;
}

std::string request_text(const Dialect& dialect, const Layout& layout, Request request, Key key,
                         std::int64_t value) {
  const std::vector<std::string> texts = statement_texts(dialect, layout);
  const auto text = [&](Statement statement, std::initializer_list<std::int64_t> values) {
    return filled(texts[statement_index(statement, key, layout)],
                  {values.begin(), values.size()});
  };
  switch (request) {
    case Request::kRead:
      return text(Statement::kRead, {key});
    case Request::kReadList:
      return text(Statement::kReadList, {key});
    case Request::kDelete:
      return text(Statement::kDelete, {key});
    case Request::kWrite:
      return layout.upsert ? text(Statement::kUpsert, {key, value})
                           : text(Statement::kWrite, {value, key});
    case Request::kAppend:
      return layout.upsert ? text(Statement::kAppendUpsert, {key, value})
                           : text(Statement::kAppend, {value, key});
  }
  ISOLDE_CHECK(false);
  return {};
}

std::vector<std::string> condition_texts(const Dialect& dialect, const Layout& layout,
                                         Statement kind, const Condition& condition) {
  const std::vector<std::string> texts = statement_texts(dialect, layout);
  const Statement statement = statement_for(kind, condition);
  const std::vector<std::int64_t> values = parameters_of(condition);
  std::vector<std::string> filled_in;
  for (std::uint32_t table = 0; table < layout.tables; ++table) {
    filled_in.push_back(filled(texts[statement_index(statement, table, layout)], values));
  }
  return filled_in;
}

std::vector<std::string> set_up_texts(const Shell& shell, std::span<const Key> registers,
                                      std::span<const Key> lists) {
  const std::vector<std::string> all = create_texts(*shell.dialect, shell.layout);
  const std::vector<std::string> names = table_names(shell.layout);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_wanted(names[i], !registers.empty(), !lists.empty())) texts.push_back(all[i + 1]);
  }
  if (!registers.empty()) {
    for (std::string& text : index_texts(shell.layout)) texts.push_back(std::move(text));
  }
  for (std::string& text : row_texts(*shell.dialect, shell.layout, registers, lists)) {
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> clean_up_texts(const Shell& shell, bool registers, bool lists) {
  std::vector<std::string> texts;
  for (const std::string& name : table_names(shell.layout)) {
    if (is_wanted(name, registers, lists)) texts.push_back("DROP TABLE " + name);
  }
  return texts;
}

bool parse_list(std::string_view text, std::vector<std::int64_t>& elements) {
  elements.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at != ',') return false;
    std::int64_t element = 0;
    const auto [last, error] = std::from_chars(at + 1, end, element);
    if (error != std::errc()) return false;
    elements.push_back(element);
    at = last;
  }
  return true;
}

std::string one_line(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  std::string line;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ') || line.ends_with('.')) line.pop_back();
  return line.size() > kLongest ? line.substr(0, kLongest) + "..." : line;
}

std::string connecting_to(const Dsn& dsn, std::size_t endpoint) {
  Dsn one = dsn;
  one.parameters.clear();
  if (endpoint < dsn.endpoints.size()) one.endpoints = {dsn.endpoints[endpoint]};
  return one.display() + ": ";
}

std::vector<std::string> table_names(const Layout& layout) {
  std::vector<std::string> names;
  for (const std::string_view base : {"isolde_register", "isolde_list"}) {
    for (std::uint32_t i = 0; i < layout.tables; ++i) {
      names.push_back(table_name(base, i, layout));
    }
  }
  return names;
}

std::vector<std::string> create_texts(const Dialect& dialect, const Layout& layout) {
  const std::string key = "k " + std::string(dialect.key_type) + " NOT NULL PRIMARY KEY";
  const std::string end = ")" + std::string(dialect.table_options);
  std::vector<std::string> texts = {"CREATE TABLE " + std::string(kOwnerTable) + " (note " +
                                    std::string(dialect.note_type) + end};
  for (const std::string& name : table_names(layout)) {
    const bool list = name.starts_with("isolde_list");
    texts.push_back("CREATE TABLE " + name + " (" + key + ", v " +
                    std::string(list ? dialect.list_type : "BIGINT") + end);
  }
  return texts;
}

std::vector<std::string> index_texts(const Layout& layout) {
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; layout.index && i < layout.tables; ++i) {
    const std::string table = table_name("isolde_register", i, layout);
    texts.push_back("CREATE INDEX " + table + "_by_v ON " + table + " (v)");
  }
  return texts;
}

std::vector<std::string> row_texts(const Dialect& dialect, const Layout& layout,
                                   std::span<const Key> registers, std::span<const Key> lists) {
  std::vector<std::string> texts;
  if (layout.upsert) return texts;
  add_rows(dialect, layout, "isolde_register", registers, "NULL", texts);
  add_rows(dialect, layout, "isolde_list", lists, "''", texts);
  return texts;
}

std::string made_by_note(std::string_view token) {
  return std::string(kMadeBy) + std::string(token);
}

std::string table_note(std::string_view table) {
  return std::string(kTableNote) + std::string(table);
}

std::string ready_note(std::string_view token) {
  return std::string(kReady) + std::string(token);
}

Result<std::vector<std::string>> tables_in_the_way(const Found& found, const Layout& layout,
                                                   bool force_reset,
                                                   std::span<const std::string> more) {
  std::vector<std::string> ours = owned(found, kMadeBy);
  std::vector<std::string> wanted = table_names(layout);
  wanted.insert(wanted.end(), more.begin(), more.end());
  wanted.emplace_back(kOwnerTable);
  for (const std::string& name : wanted) {
    if (contains(found.relations, name) && !contains(ours, name)) {
      return usage_error(
          "table " + name +
          " exists and was not created by Isolde; use another database, or rename the table");
    }
  }
  if (!ours.empty() && !force_reset) {
    return usage_error("tables of an earlier run exist (" + ours.front() +
                       "); --force-reset drops them");
  }
  return ours;
}

std::vector<std::string> tables_of_run(const Found& found, std::string_view token) {
  for (const std::string& note : found.notes) {
    if (note == made_by_note(token)) return owned(found, note);
  }
  return {};
}

}  // namespace isolde::db::sql
