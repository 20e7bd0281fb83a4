// SQLite in this process: a file, one connection for each session.
//
// A conflict shows in three ways. A writer waits for another one, for as long as the time limit
// (busy timeout). A transaction that has read cannot become a writer once somebody else has
// written (SQLITE_BUSY at once, in WAL mode with the extended code SQLITE_BUSY_SNAPSHOT). And
// with a shared cache, tables are locked inside this process (SQLITE_LOCKED at once). In
// all three nothing was committed, and the transaction, which SQLite leaves open, is rolled
// back.
#include <sqlite3.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/assert.hpp"
#include "db/driver.hpp"
#include "db/sql_database.hpp"

namespace isolde::db {
namespace {

using sql::Answer;
using sql::Said;
using Kind = sql::Said::Kind;

constexpr sql::Dialect kDialect = {
    .upsert = sql::Dialect::Upsert::kOnConflict,
    .key_type = "INTEGER",
    .note_type = "TEXT",
    .returns_rows = true,
    .before_tables = "PRAGMA foreign_keys=ON",
    .relations =
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND "
        "name LIKE 'isolde\\_%' ESCAPE '\\'",
};

constexpr std::array<IsolationInfo, 3> kIsolations = {{
    {"deferred", Level::kSerializable,
     "BEGIN DEFERRED: a snapshot from the first read on; becoming a writer later may fail"},
    {"serializable", Level::kSerializable,
     "BEGIN IMMEDIATE: one transaction after the other, reads too"},
    {"read-uncommitted", Level::kReadUncommitted,
     "shared cache with PRAGMA read_uncommitted: reads uncommitted changes"},
}};

const char* begin_text(bool immediate) {
  return immediate ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED";
}

/// How connections are opened.
struct Opening {
  std::string path;
  std::string journal;      ///< "wal" or "delete"; empty: as the file has it
  std::string synchronous;  ///< "off", "normal", "full"
  bool immediate = false;
  bool read_uncommitted = false;
  int busy_ms = 0;
};

struct CloseConnection {
  // Also waits for statements that are still open, which our members close before.
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, CloseConnection>;
using StatementHandle = std::unique_ptr<sqlite3_stmt, FinishStatement>;

class SqliteConnection final : public sql::Connection {
 public:
  SqliteConnection(Handle handle, bool immediate, const std::vector<std::string>& texts)
      : handle_(std::move(handle)), texts_(texts), statements_(texts.size()) {
    begin_ = prepare(begin_text(immediate));
    commit_ = prepare("COMMIT");
    rollback_ = prepare("ROLLBACK");
  }

  Said begin() override { return step_over(begin_.get()); }
  Said commit() override { return step_over(commit_.get()); }

  Said rollback() override {
    // Some errors (disk full, out of memory) have ended the transaction already.
    if (sqlite3_get_autocommit(handle_.get()) != 0) return {};
    return step_over(rollback_.get());
  }

  Said run(std::size_t statement, std::span<const std::int64_t> values,
           Answer& answer) override {
    StatementHandle& prepared = statements_[statement];
    if (prepared == nullptr) prepared = prepare(texts_[statement]);
    if (prepared == nullptr) return failed();
    sqlite3_stmt* const at = prepared.get();
    for (std::size_t i = 0; i < values.size(); ++i) {
      sqlite3_bind_int64(at, static_cast<int>(i) + 1, values[i]);
    }
    answer.found = false;
    int result = sqlite3_step(at);
    if (result == SQLITE_ROW) {
      answer.found = true;
      take(at, answer);
    }
    while (result == SQLITE_ROW) {
      if (sqlite3_column_count(at) == 2) {
        answer.rows.push_back({sqlite3_column_int64(at, 0), sqlite3_column_int64(at, 1)});
      }
      result = sqlite3_step(at);
    }
    Said said = result == SQLITE_DONE ? Said{} : failed();
    if (said.done())
      answer.changed = static_cast<std::uint64_t>(sqlite3_changes(handle_.get()));
    sqlite3_reset(at);
    return said;
  }

  Said query(const std::string& text, sql::Sheet& sheet) override {
    const StatementHandle statement = prepare(text);
    if (statement == nullptr) return failed();
    sqlite3_stmt* const at = statement.get();
    sheet = {.columns = static_cast<std::size_t>(sqlite3_column_count(at))};
    int result = SQLITE_ROW;
    while ((result = sqlite3_step(at)) == SQLITE_ROW) {
      for (int i = 0; i < static_cast<int>(sheet.columns); ++i) {
        const bool null = sqlite3_column_type(at, i) == SQLITE_NULL;
        sheet.cells.push_back(null ? table::Cell() : table::Cell(sqlite3_column_int64(at, i)));
      }
    }
    if (result != SQLITE_DONE) return failed();
    sheet.changed = static_cast<std::uint64_t>(sqlite3_changes(handle_.get()));
    return {};
  }

  Said execute(const std::string& text, std::vector<std::string>& column) override {
    const StatementHandle statement = prepare(text);
    if (statement == nullptr) return failed();
    int result = SQLITE_ROW;
    while ((result = sqlite3_step(statement.get())) == SQLITE_ROW) {
      Answer answer;
      take(statement.get(), answer);
      column.push_back(std::move(answer.text));
    }
    return result == SQLITE_DONE ? Said{} : failed();
  }

 private:
  static void take(sqlite3_stmt* row, Answer& answer) {
    answer.null = sqlite3_column_type(row, 0) == SQLITE_NULL;
    const unsigned char* const text = sqlite3_column_text(row, 0);
    const int size = sqlite3_column_bytes(row, 0);
    answer.text.assign(text == nullptr ? "" : reinterpret_cast<const char*>(text),
                       static_cast<std::size_t>(size));
  }

  StatementHandle prepare(const std::string& text) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v3(handle_.get(), text.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement,
                       nullptr);
    return StatementHandle(statement);
  }

  Said step_over(sqlite3_stmt* statement) {
    ISOLDE_CHECK(statement != nullptr);
    const int result = sqlite3_step(statement);
    Said said = result == SQLITE_DONE ? Said{} : failed();
    sqlite3_reset(statement);
    return said;
  }

  Said failed() {
    const int code = sqlite3_extended_errcode(handle_.get());
    Said said{Kind::kHopeless, sql::one_line(sqlite3_errmsg(handle_.get()))};
    said.message += " (" + std::to_string(code) + ")";
    switch (code & 0xff) {
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
      case SQLITE_FULL:
      case SQLITE_NOMEM:
      case SQLITE_INTERRUPT:
      case SQLITE_SCHEMA:
      case SQLITE_ABORT:
      case SQLITE_CONSTRAINT:
        said.kind = Kind::kRefused;
        if (code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_ROWID) {
          said.met = Said::Met::kKey;
        } else if (code == SQLITE_CONSTRAINT_UNIQUE) {
          said.met = Said::Met::kColumn;
        }
        break;
      case SQLITE_IOERR:
        // Whether a commit got through shows only when the file is opened again.
        said.kind = Kind::kInDoubt;
        break;
      default:
        break;
    }
    return said;
  }

  // Statements are members after the connection, so that they go first.
  Handle handle_;
  const std::vector<std::string>& texts_;
  std::vector<StatementHandle> statements_;
  StatementHandle begin_;
  StatementHandle commit_;
  StatementHandle rollback_;
};

Error open_error(const std::string& path, sqlite3* connection) {
  const int code = sqlite3_errcode(connection);
  const ErrorCode kind = code == SQLITE_NOTADB ? ErrorCode::kUsage : ErrorCode::kEnvironment;
  std::string message = "sqlite:" + path + ": " + sql::one_line(sqlite3_errmsg(connection));
  const int reason = sqlite3_system_errno(connection);
  if (code == SQLITE_CANTOPEN && reason != 0) {
    message += std::string(": ") + std::strerror(reason);
  }
  return {kind, std::move(message)};
}

/// What a connection sends first; the last one tells the journal mode that it got.
std::vector<std::string> setup_texts(const Opening& how) {
  std::vector<std::string> texts = {"PRAGMA busy_timeout=" + std::to_string(how.busy_ms),
                                    "PRAGMA synchronous=" + how.synchronous};
  if (how.read_uncommitted) texts.emplace_back("PRAGMA read_uncommitted=1");
  texts.push_back("PRAGMA journal_mode" + (how.journal.empty() ? "" : "=" + how.journal));
  return texts;
}

Result<Handle> open_file(const Opening& how) {
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                    (how.read_uncommitted ? SQLITE_OPEN_SHAREDCACHE : SQLITE_OPEN_PRIVATECACHE);
  const int result = sqlite3_open_v2(how.path.c_str(), &connection, flags, nullptr);
  Handle handle(connection);
  if (result != SQLITE_OK) return open_error(how.path, connection);
  sqlite3_extended_result_codes(connection, 1);
  std::string setup;
  for (const std::string& text : setup_texts(how)) setup += text + ";";
  std::string mode;  // as it is then: a mode that is not possible here is no error to SQLite
  const auto take_mode = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) = values[0];
    return 0;
  };
  if (sqlite3_exec(connection, setup.c_str(), take_mode, &mode, nullptr) != SQLITE_OK) {
    return open_error(how.path, connection);
  }
  if (!how.journal.empty() && mode != how.journal) {
    return Error{ErrorCode::kEnvironment, "sqlite:" + how.path + ": journal mode " +
                                              how.journal + " is not available; it remains " +
                                              mode};
  }
  return handle;
}

/// Whether the file has no table at all.
bool holds_nothing(const Opening& how) {
  Result<Handle> handle = open_file(how);
  if (!handle) return false;
  bool any = false;
  const auto note = [](void* to, int, char**, char**) {
    *static_cast<bool*>(to) = true;
    return 0;
  };
  const int result =
      sqlite3_exec(handle->get(), "SELECT name FROM sqlite_master", note, &any, nullptr);
  return result == SQLITE_OK && !any;
}

class Sqlite final : public sql::SqlDatabase {
 public:
  /// `folder`: a temporary one that is ours; empty: none.
  Sqlite(Opening how, const OpenOptions& options, const sql::Layout& layout,
         std::filesystem::path folder, bool new_file)
      : SqlDatabase(kDialect, layout, options.timeout_seconds, options.force_reset, {false}),
        how_(std::move(how)),
        folder_(std::move(folder)),
        new_file_(new_file) {}

  ~Sqlite() override {
    if (!created_) remove_files();
    sql::remove_folder(folder_);
  }

  std::string version() const override { return std::string("SQLite ") + sqlite3_libversion(); }

  Status create(std::span<const Key> registers, std::span<const Key> lists) override {
    Status done = SqlDatabase::create(registers, lists);
    created_ = done.ok();
    return done;
  }

  Status destroy() override {
    Status done = SqlDatabase::destroy();
    if (!done) return done;
    if (created_) remove_files();
    created_ = false;
    return done;
  }

  Result<std::unique_ptr<sql::Connection>> open_connection(std::size_t) override {
    Result<Handle> handle = open_file(how_);
    if (!handle) return handle.error();
    return std::unique_ptr<sql::Connection>(
        std::make_unique<SqliteConnection>(std::move(*handle), how_.immediate, texts()));
  }

 private:
  /// The file, when there was none before and only our tables were in it.
  void remove_files() const {
    std::error_code ignored;
    if (new_file_ && std::filesystem::exists(how_.path, ignored) && holds_nothing(how_)) {
      for (const char* end : {"", "-wal", "-shm", "-journal"}) {
        std::filesystem::remove(how_.path + end, ignored);
      }
    }
  }

  const Opening how_;
  const std::filesystem::path folder_;
  const bool new_file_;
  bool created_ = false;
};

Result<Opening> opening_of(const Dsn& dsn, const OpenOptions& options) {
  constexpr std::array<std::string_view, 2> kJournals = {"wal", "delete"};
  constexpr std::array<std::string_view, 3> kSynchronous = {"off", "normal", "full"};
  Opening how;
  Result<std::string> journal = word_in(dsn, "journal", kJournals, "");
  if (!journal) return journal.error();
  // Nobody needs a temporary database after a loss of power.
  Result<std::string> synchronous =
      word_in(dsn, "synchronous", kSynchronous, dsn.path.empty() ? "off" : "full");
  if (!synchronous) return synchronous.error();
  how.path = dsn.path;
  how.journal = *std::move(journal);
  how.synchronous = *std::move(synchronous);
  how.immediate = options.isolation == "serializable";
  how.read_uncommitted = options.isolation == "read-uncommitted";
  how.busy_ms = static_cast<int>(std::lround(options.timeout_seconds * 1000));
  return how;
}

Status known_parameters(const Dsn& dsn) {
  return check_parameters(dsn, {"upsert", "tables", "index", "journal", "synchronous"});
}

Result<sql::Shell> shell(const Dsn& dsn, const OpenOptions& options) {
  Status known = known_parameters(dsn);
  if (!known) return known.error();
  const Result<sql::Layout> layout = sql::layout_of(dsn);
  if (!layout) return layout.error();
  Result<Opening> how = opening_of(dsn, options);
  if (!how) return how.error();
  if (how->journal.empty()) how->journal = "wal";  // as for a new file
  sql::Shell shell{.database = "SQLite",
                   .program = "sqlite3",
                   .connect = setup_texts(*how),
                   .begin = begin_text(how->immediate),
                   .dialect = &kDialect,
                   .layout = *layout};
  if (how->read_uncommitted) {
    shell.note =
        "only sessions of one process share a cache: in separate windows they see no "
        "uncommitted changes";
  }
  return shell;
}

Result<std::unique_ptr<Database>> open(const Dsn& dsn, const OpenOptions& options,
                                       const Cancelled&) {
  Status known = known_parameters(dsn);
  if (!known) return known.error();
  if (!dsn.endpoints.empty() || !dsn.user.empty()) {
    return Error{ErrorCode::kUsage, "sqlite has no server; expected sqlite:PATH"};
  }
  const Result<sql::Layout> layout = sql::layout_of(dsn);
  if (!layout) return layout.error();
  Result<Opening> how = opening_of(dsn, options);
  if (!how) return how.error();
  std::filesystem::path folder;
  if (how->path.empty()) {
    Result<std::string> made = sql::temporary_folder("sqlite");
    if (!made) return made.error();
    folder = *made;
    how->path = (folder / "isolde.db").string();
  }
  std::error_code ignored;
  const bool new_file = !std::filesystem::exists(how->path, ignored);
  if (new_file && how->journal.empty()) how->journal = "wal";
  // From here on the destructor removes what was made and not used.
  auto database = std::make_unique<Sqlite>(*how, options, *layout, std::move(folder), new_file);
  const Result<std::unique_ptr<sql::Connection>> connection = database->open_connection(0);
  if (!connection) return connection.error();
  return std::unique_ptr<Database>(std::move(database));
}

}  // namespace

const DatabaseInfo& sqlite_info() {
  static const DatabaseInfo kInfo = {
      .name = "sqlite",
      .summary = "SQLite, embedded",
      .dsn =
          "sqlite:PATH?journal=wal&synchronous=full&upsert=0&tables=1&index=0; without PATH in "
          "a "
          "temporary folder",
      .capabilities = {.sql = true,
                       .lists = true,
                       .compare_and_set = true,
                       .increments = true,
                       .rows = true,
                       .deletes_selected = true,
                       .indexes = true,
                       .computes = true,
                       .tables = true,
                       .aggregates = true,
                       .savepoints = true,
                       .tries_inserts = true,
                       .embedded = true},
      .isolations = kIsolations,
      .open = open,
      .shell = shell,
  };
  return kInfo;
}

}  // namespace isolde::db
