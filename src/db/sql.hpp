// What the SQL drivers share without a connection: the texts of their statements, the lists
// that are kept as text, and whose tables these are.
//
//   isolde_register (k, v)   a register in each row; v is NULL until the first write
//   isolde_list (k, v)       a list in each row, as text: a comma before each element
//   isolde_owner (note)      says that Isolde made the tables, which, and in which run
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/driver.hpp"

namespace isolde::db::sql {

/// Where databases differ in their SQL. One constant in each driver.
struct Dialect {
  enum class Upsert : std::uint8_t {
    kOnConflict,      ///< INSERT ... ON CONFLICT (PostgreSQL, SQLite)
    kOnDuplicateKey,  ///< INSERT ... ON DUPLICATE KEY UPDATE (MariaDB)
    kMerge,           ///< UPDATE OR INSERT, MERGE (Firebird)
  };

  Upsert upsert = Upsert::kOnConflict;
  bool numbered = false;  ///< parameters are $1, $2, ... instead of ?
  std::string_view key_type = "BIGINT";
  std::string_view cast_type = "BIGINT";  ///< of the same integers, in CAST
  std::string_view from_nothing = {};     ///< after a SELECT of no table
  std::string_view list_type = "TEXT";
  std::string_view note_type = "VARCHAR(200)";
  std::string_view table_options = {};  ///< after the closing bracket of CREATE TABLE
  std::string_view locking = {};        ///< added to a SELECT that locks; empty: there is none
  std::string_view share_locking = {};  ///< likewise, for a lock that others can share
  std::string_view skipping = {};       ///< after `locking`: pass by what others have locked
  /// INSERT, UPDATE and DELETE of any number of rows can tell what these are (RETURNING).
  bool returns_rows = false;
  /// Without that, rows are looked up by their stamps, for which there is an index then.
  bool stamp_index = false;
  bool refers = true;  ///< has foreign keys
  /// A statement that failed has had no effect, and the transaction goes on.
  bool fails_alone = true;
  /// What a connection sends before it uses tables with foreign keys; empty: nothing.
  std::string_view before_tables = {};
  /// Tells who made a row, as an integer that no other writer ever has, where the row is read
  /// or about to be changed; @ stands for the table and a dot. Empty: nothing does.
  std::string_view version = {};
  /// The same where a row was just written or deleted; empty: `version` does there, too.
  std::string_view version_behind = {};
  /// Query for the names of tables and views that begin with isolde_, in any case.
  std::string_view relations = {};
};

/// Parameters of the data source name that all SQL drivers have.
struct Layout {
  std::uint32_t tables = 1;  ///< keys are spread over that many tables, by k modulo tables
  bool upsert = false;       ///< all writes are upserts, and no rows are made in advance
  bool for_update = false;   ///< reads lock what they read
  bool index = false;        ///< the values of registers have an index
  bool versions = false;     ///< reads and writes return Dialect::version, too
};

inline bool tells_versions(const Dialect& dialect, const Layout& layout) {
  return layout.versions && !dialect.version.empty();
}

/// Dialect::version, of the columns of `owner`, such as "t.".
std::string version_text(const Dialect& dialect, std::string_view owner = {});
/// Dialect::version_behind.
std::string version_behind_text(const Dialect& dialect);

/// ERRORS: kUsage for a value that is no number or no 0 or 1.
Result<Layout> layout_of(const Dsn& dsn);

/// With these the texts of reads and selections lock so. Where the database has no such lock,
/// they are those that were given.
struct Locking {
  Dialect dialect;
  Layout layout;
  LockMode mode = LockMode::kNone;
};
/// Of reads and selections that are not told how.
LockMode usual_lock(const Dialect& dialect, const Layout& layout);
Locking locking(const Dialect& dialect, const Layout& layout, LockMode mode);

/// Statements of a session. All parameters are integers, in the order given here.
enum class Statement : std::uint8_t {
  kRead,             ///< key
  kWrite,            ///< value, key
  kUpsert,           ///< key, value
  kReadList,         ///< key
  kAppend,           ///< element, key
  kAppendUpsert,     ///< key, element
  kCas,              ///< value, key, expected
  kCasNull,          ///< value, key; the row is there and NULL
  kCasInsert,        ///< key, value; there is no row
  kIncrement,        ///< what to add, key; returns the sum where the dialect returns rows
  kIncrementUpsert,  ///< key, what to add; likewise
  kDelete,           ///< key
  // All rows that meet a condition, key and value of each. Those behind it have the same
  // with a condition on keys (first, last), on values (first, last), and on both.
  kSelect,
  kSelectByKeys,
  kSelectByValues,
  kSelectByBoth,
  // Likewise, and they are deleted.
  kDeleteAll,
  kDeleteByKeys,
  kDeleteByValues,
  kDeleteByBoth,
};
inline constexpr std::size_t kStatements = 20;
inline constexpr std::size_t kMostParameters = 4;

/// The statement of that kind, kSelect or kDeleteAll, for the condition.
Statement statement_for(Statement kind, const Condition& condition);
/// Its parameters.
std::vector<std::int64_t> parameters_of(const Condition& condition);

/// Returns one integer or NULL. `from`: a table and a condition, each with its word.
std::string aggregate_text(const Dialect& dialect, AggregateKind kind, std::string_view column,
                           const std::string& from);
/// Of registers. REQUIRES: they are in one table.
std::string aggregate_text(const Dialect& dialect, const Layout& layout,
                           const Condition& condition, AggregateKind kind);

/// The texts of all statements: kStatements for each table, in the order of the enumeration.
std::vector<std::string> statement_texts(const Dialect& dialect, const Layout& layout);

/// Index into statement_texts().
inline std::size_t statement_index(Statement statement, Key key, const Layout& layout) {
  const std::uint64_t table = static_cast<std::uint64_t>(key) % layout.tables;
  return static_cast<std::size_t>(table) * kStatements + static_cast<std::size_t>(statement);
}

/// A statement with its parameters filled in, as the driver sends it for a read or a write.
enum class Request : std::uint8_t { kRead, kWrite, kReadList, kAppend, kDelete };
/// `value`: of writes and appends.
std::string request_text(const Dialect& dialect, const Layout& layout, Request request, Key key,
                         std::int64_t value);

/// The same of kSelect or kDeleteAll with a condition: a text for each table.
std::vector<std::string> condition_texts(const Dialect& dialect, const Layout& layout,
                                         Statement kind, const Condition& condition);

/// What a person types in the database's own shell to do what a driver's session does. The
/// driver takes its own texts from the same place.
struct Shell {
  std::string_view database = {};         ///< "PostgreSQL"
  std::string_view program = {};          ///< "psql"
  std::vector<std::string> connect = {};  ///< statements at the beginning of each session
  std::string begin = {};
  std::string commit = "COMMIT";
  std::string rollback = "ROLLBACK";
  bool commits_alone = true;  ///< outside of begin and commit, each statement by itself
  const Dialect* dialect = nullptr;
  Layout layout = {};
  std::string note = {};  ///< what to see to beside the statements, one line; mostly empty
};

/// The set-up without the owner's table: only those tables that are needed, with their rows.
std::vector<std::string> set_up_texts(const Shell& shell, std::span<const Key> registers,
                                      std::span<const Key> lists);
/// Drops what set_up_texts() makes.
std::vector<std::string> clean_up_texts(const Shell& shell, bool registers, bool lists);

/// ",1,2,3" -> {1, 2, 3}. False when the text is no such list.
bool parse_list(std::string_view text, std::vector<std::int64_t>& elements);

/// What a database said as one line of bounded length: for messages.
std::string one_line(std::string_view text);

/// "postgres://USER@HOST:PORT/DATABASE: " and so on, to begin a message about a connection.
std::string connecting_to(const Dsn& dsn, std::size_t endpoint);

/// Names of the tables, registers first, without the table of the owner.
std::vector<std::string> table_names(const Layout& layout);

inline constexpr std::string_view kOwnerTable = "isolde_owner";

/// Statements that make the tables, without their rows: the owner's, then table_names().
std::vector<std::string> create_texts(const Dialect& dialect, const Layout& layout);

/// Statements that make the indexes, none without Layout::index.
std::vector<std::string> index_texts(const Layout& layout);

/// INSERT statements for the initial rows, a bounded number of keys in each.
std::vector<std::string> row_texts(const Dialect& dialect, const Layout& layout,
                                   std::span<const Key> registers, std::span<const Key> lists);

/// Rows of the table of the owner: first who made it, in the run of that token (which no other
/// run has); then each table, once it is made; at last that all rows are there.
std::string made_by_note(std::string_view token);
std::string table_note(std::string_view table);
std::string ready_note(std::string_view token);

/// What was found in a database before create() or destroy().
struct Found {
  std::vector<std::string> relations;  ///< names that begin with isolde_, in lower case
  std::vector<std::string> notes;      ///< of the table of the owner; empty when unreadable
};

/// Which tables may be dropped to make place for those of `layout` and `more`, the owner's
/// last. ERRORS: kUsage when one of them was not made by Isolde, or was and `force_reset` is
/// off.
Result<std::vector<std::string>> tables_in_the_way(const Found& found, const Layout& layout,
                                                   bool force_reset,
                                                   std::span<const std::string> more = {});

/// Which tables the run of that token made and nobody else since, the owner's last.
std::vector<std::string> tables_of_run(const Found& found, std::string_view token);

}  // namespace isolde::db::sql
