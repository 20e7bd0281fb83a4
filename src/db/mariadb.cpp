// MariaDB (and Galera clusters) through MariaDB Connector/C: rows of InnoDB tables.
//
// Statements are prepared: a transaction of one read and one write takes half the time that it
// takes as text. UPDATE tells matched rows and not changed ones (CLIENT_FOUND_ROWS), because a
// write of the value that is there already must not look like a missing row.
//
// After a lock timeout (1205) InnoDB has rolled back only the statement; sql_database.cpp rolls
// back the transaction after every refused statement.
#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/assert.hpp"
#include "db/driver.hpp"
#include "db/option_files.hpp"
#include "db/sql_database.hpp"
#include "db/tls.hpp"

namespace isolde::db {
namespace {

using sql::Answer;
using sql::Said;
using Kind = sql::Said::Kind;

constexpr std::uint32_t kUsualPort = 3306;

constexpr sql::Dialect kDialect = {
    .upsert = sql::Dialect::Upsert::kOnDuplicateKey,
    .cast_type = "SIGNED",
    .list_type = "LONGTEXT CHARACTER SET ascii",
    .table_options = " ENGINE=InnoDB",
    .locking = " FOR UPDATE",
    .share_locking = " LOCK IN SHARE MODE",
    .skipping = " SKIP LOCKED",
    .stamp_index = true,  // or else SERIALIZABLE would lock all rows
    .relations =
        "SELECT table_name FROM information_schema.tables WHERE table_schema = "
        "DATABASE() AND table_name LIKE 'isolde\\_%'",
};

constexpr sql::Dialect of_rocksdb(sql::Dialect dialect) {
  dialect.table_options = " ENGINE=RocksDB";
  dialect.skipping = {};  // it takes the words, and waits
  // A row whose indexed column the transaction has made less is found twice by "=" through the
  // index; and SERIALIZABLE, for which it is there, MyRocks does not have.
  dialect.stamp_index = false;
  dialect.refers = false;
  return dialect;
}

constexpr std::string_view kBegin = "START TRANSACTION";

constexpr std::array<IsolationInfo, 4> kIsolations = {{
    {"repeatable-read", std::nullopt,
     "REPEATABLE READ: reads from a snapshot, writes see newer rows; with the parameter "
     "snapshot_isolation=on conflicting writes are refused",
     "by its manual, reads see a snapshot and writes see newer rows, which matches no level"},
    {"read-uncommitted", Level::kReadUncommitted,
     "READ UNCOMMITTED: reads uncommitted changes"},
    {"read-committed", Level::kReadCommitted,
     "READ COMMITTED: each statement sees what was committed before it"},
    {"serializable", Level::kSerializable, "SERIALIZABLE: every read locks its row"},
}};

constexpr std::string_view kAsynchronous =
    "its manual calls replication asynchronous, and what a replica shows older; it promises "
    "this level of one server";

// With replicas among the endpoints.
constexpr std::array<IsolationInfo, 4> kIsolationsWithReplicas = {{
    kIsolations[0],
    kIsolations[1],
    kIsolations[2],
    {"serializable", std::nullopt, kIsolations[3].note, kAsynchronous},
}};

// MyRocks refuses all others.
constexpr std::array<IsolationInfo, 2> kMyRocksIsolations = {{
    {"repeatable-read", Level::kSnapshotIsolation,
     "REPEATABLE READ: reads from a snapshot, conflicting writes are refused"},
    kIsolations[2],
}};
constexpr std::array<IsolationInfo, 2> kMyRocksIsolationsWithReplicas = {{
    {"repeatable-read", std::nullopt, kMyRocksIsolations[0].note, kAsynchronous},
    kIsolations[2],
}};

/// What the server can do and promises depends on the storage engine of the tables.
struct Engine {
  std::string_view name;    ///< as the parameter "engine" says it
  std::string_view chosen;  ///< DatabaseInfo::chosen
  /// Behind the server's version: what helps against anomalies depends on it
  /// (explain/harm.hpp).
  std::string_view told;
  sql::Dialect dialect;
  /// Goes back to a savepoint behind which rows were changed.
  bool savepoints;
  DeadlockWords deadlock;
  std::span<const IsolationInfo> isolations;
  std::span<const IsolationInfo> isolations_with_replicas;
};

constexpr std::array<std::string_view, 1> kChoices = {"engine=rocksdb"};

constexpr std::array<Engine, 2> kEngines = {{
    {.name = "innodb",
     .chosen = {},
     .told = {},
     .dialect = kDialect,
     .savepoints = true,
     // Galera says the same when a transaction fails its certification.
     .deadlock = {.words = "error 1213", .only_alone = true},
     .isolations = kIsolations,
     .isolations_with_replicas = kIsolationsWithReplicas},
    {.name = "rocksdb",
     .chosen = kChoices[0],
     .told = " with MyRocks",
     .dialect = of_rocksdb(kDialect),
     .savepoints = false,
     .deadlock = {},  // it says the same of a conflict with a newer row
     .isolations = kMyRocksIsolations,
     .isolations_with_replicas = kMyRocksIsolationsWithReplicas},
}};

/// What the parameters of the data source name set for a session.
struct SessionSettings {
  const Engine* engine = &kEngines.front();
  std::string isolation;           ///< in the words of SQL
  std::string snapshot_isolation;  ///< ON, OFF; empty: as the server has it
  std::string sync_wait;           ///< number; empty: as the server has it
  Tls tls;
};

struct CloseConnection {
  void operator()(MYSQL* connection) const { mysql_close(connection); }
};
struct CloseStatement {
  void operator()(MYSQL_STMT* statement) const { mysql_stmt_close(statement); }
};
struct FreeRows {
  void operator()(MYSQL_RES* rows) const { mysql_free_result(rows); }
};
using Handle = std::unique_ptr<MYSQL, CloseConnection>;
using StatementHandle = std::unique_ptr<MYSQL_STMT, CloseStatement>;
using Rows = std::unique_ptr<MYSQL_RES, FreeRows>;

/// The client library wants to know each thread that uses it.
void know_this_thread() {
  static const bool started = mysql_library_init(0, nullptr, nullptr) == 0;
  ISOLDE_CHECK(started);
  struct Thread {
    Thread() { mysql_thread_init(); }
    ~Thread() { mysql_thread_end(); }
    bool known = true;
  };
  thread_local const Thread thread;
  ISOLDE_CHECK(thread.known);
}

bool connection_lost(unsigned code) {
  return (code >= CR_MIN_ERROR && code <= CR_MAX_ERROR) ||
         (code >= CER_MIN_ERROR && code <= CER_MAX_ERROR) || code == ER_SERVER_SHUTDOWN ||
         code == ER_CONNECTION_KILLED || code == ER_NET_READ_INTERRUPTED ||
         code == ER_NET_READ_ERROR || code == ER_NET_ERROR_ON_WRITE ||
         code == ER_NET_WRITE_INTERRUPTED;
}

/// Errors with which the server rolls back, or has not begun what was asked: deadlock (Galera's
/// certification too), lock timeout, conflict with a newer row, Galera node outside the
/// cluster.
bool conflict(unsigned code) {
  return code == ER_LOCK_DEADLOCK || code == ER_LOCK_WAIT_TIMEOUT || code == ER_CHECKREAD ||
         code == ER_UNKNOWN_COM_ERROR;
}

/// Other errors that have nothing to do with the statement itself.
bool trouble(unsigned code) {
  constexpr std::array kCodes = {
      unsigned{ER_QUERY_INTERRUPTED},   unsigned{ER_STATEMENT_TIMEOUT},
      unsigned{ER_XA_RBDEADLOCK},       unsigned{ER_LOCK_TABLE_FULL},
      unsigned{ER_TABLE_DEF_CHANGED},   unsigned{ER_OUT_OF_RESOURCES},
      unsigned{ER_DISK_FULL},           unsigned{ER_DUP_ENTRY},
      unsigned{ER_CONSTRAINT_FAILED},   unsigned{ER_NO_REFERENCED_ROW_2},
      unsigned{ER_ROW_IS_REFERENCED_2},
  };
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

/// Wrong password, no privilege, unknown database.
bool by_user(unsigned code) {
  constexpr std::array kCodes = {
      unsigned{ER_ACCESS_DENIED_ERROR},
      unsigned{ER_ACCESS_DENIED_NO_PASSWORD_ERROR},
      unsigned{ER_DBACCESS_DENIED_ERROR},
      unsigned{ER_TABLEACCESS_DENIED_ERROR},
      unsigned{ER_BAD_DB_ERROR},
      unsigned{ER_SPECIFIC_ACCESS_DENIED_ERROR},
      unsigned{ER_ACCOUNT_HAS_BEEN_LOCKED},
      unsigned{ER_MUST_CHANGE_PASSWORD},
  };
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

class MariadbConnection final : public sql::Connection {
 public:
  MariadbConnection(Handle handle, std::string address, const std::vector<std::string>& texts)
      : handle_(std::move(handle)),
        address_(std::move(address)),
        texts_(texts),
        statements_(texts.size()) {}

  int socket() const override { return static_cast<int>(mysql_get_socket(handle_.get())); }
  std::string server() const override {
    return address_ + " connection " + std::to_string(mysql_thread_id(handle_.get()));
  }
  Said begin() override {
    know_this_thread();
    return query(kBegin);
  }

  Said commit() override {
    Said said = query("COMMIT");
    // Of other errors at COMMIT it is not known whether they come before or after the point of
    // no return (1180 for instance: "got error during COMMIT").
    const bool clear = said.done() || said.kind == Kind::kLost;
    if (!clear && !conflict(mysql_errno(handle_.get()))) said.kind = Kind::kInDoubt;
    return said;
  }

  Said rollback() override { return query("ROLLBACK"); }

  Said run(std::size_t statement, std::span<const std::int64_t> values,
           Answer& answer) override {
    StatementHandle& prepared = statements_[statement];
    if (prepared == nullptr) {
      prepared.reset(mysql_stmt_init(handle_.get()));
      ISOLDE_CHECK(prepared != nullptr);
      const std::string& text = texts_[statement];
      if (mysql_stmt_prepare(prepared.get(), text.data(), text.size()) != 0) {
        Said said = failed(prepared.get());
        prepared.reset();
        return said;
      }
    }
    MYSQL_STMT* const at = prepared.get();
    constexpr std::size_t kMost = sql::kMostParameters;
    ISOLDE_CHECK(values.size() <= kMost && mysql_stmt_param_count(at) == values.size());
    std::array<std::int64_t, kMost> copies{};
    std::array<MYSQL_BIND, kMost> binds{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      copies[i] = values[i];
      binds[i].buffer_type = MYSQL_TYPE_LONGLONG;
      binds[i].buffer = &copies[i];
    }
    if (mysql_stmt_bind_param(at, binds.data()) != 0 || mysql_stmt_execute(at) != 0) {
      return failed(at);
    }
    if (mysql_stmt_field_count(at) == 2) return take_rows(at, answer.rows);
    if (mysql_stmt_field_count(at) != 0) return take(at, answer);
    answer.changed = mysql_stmt_affected_rows(at);
    return {};
  }

  Said query(const std::string& text, sql::Sheet& sheet) override {
    Said said = query(text);
    if (!said.done()) return said;
    const Rows rows(mysql_store_result(handle_.get()));
    sheet = {.columns = mysql_field_count(handle_.get())};
    if (rows == nullptr) {
      if (sheet.columns != 0) return failed();
      sheet.changed = mysql_affected_rows(handle_.get());
      return {};
    }
    while (MYSQL_ROW values = mysql_fetch_row(rows.get())) {
      for (std::size_t i = 0; i < sheet.columns; ++i) {
        sheet.cells.push_back(values[i] == nullptr
                                  ? table::Cell()
                                  : table::Cell(std::strtoll(values[i], nullptr, 10)));
      }
    }
    return {};
  }

  Said execute(const std::string& text, std::vector<std::string>& column) override {
    Said said = query(text);
    if (!said.done()) return said;
    const Rows rows(mysql_store_result(handle_.get()));
    if (rows == nullptr) return mysql_field_count(handle_.get()) == 0 ? Said{} : failed();
    while (MYSQL_ROW values = mysql_fetch_row(rows.get())) {
      column.emplace_back(values[0] == nullptr ? "" : values[0]);
    }
    return {};
  }

 private:
  Said query(std::string_view text) {
    if (mysql_real_query(handle_.get(), text.data(), text.size()) != 0) return failed();
    return {};
  }

  /// The first column of the first row; all rows are taken from the connection.
  Said take(MYSQL_STMT* statement, Answer& answer) {
    answer.found = false;
    std::array<char, 256> buffer;
    unsigned long length = 0;
    my_bool null = 0;
    MYSQL_BIND bind{};
    bind.buffer_type = MYSQL_TYPE_STRING;
    bind.buffer = buffer.data();
    bind.buffer_length = buffer.size();
    bind.length = &length;
    bind.is_null = &null;
    if (mysql_stmt_bind_result(statement, &bind) != 0) return failed(statement);
    int status = 0;
    while ((status = mysql_stmt_fetch(statement)) == 0 || status == MYSQL_DATA_TRUNCATED) {
      answer.found = true;
      answer.null = null != 0;
      if (answer.null) continue;
      answer.text.assign(buffer.data(), std::min<std::size_t>(length, buffer.size()));
      if (length <= buffer.size()) continue;
      answer.text.resize(length);
      bind.buffer = answer.text.data();
      bind.buffer_length = length;
      if (mysql_stmt_fetch_column(statement, &bind, 0, 0) != 0) return failed(statement);
    }
    if (status != MYSQL_NO_DATA) return failed(statement);
    mysql_stmt_free_result(statement);
    return {};
  }

  Said take_rows(MYSQL_STMT* statement, std::vector<Row>& rows) {
    Row row;
    std::array<MYSQL_BIND, 2> binds{};
    for (MYSQL_BIND& bind : binds) bind.buffer_type = MYSQL_TYPE_LONGLONG;
    binds[0].buffer = &row.key;
    binds[1].buffer = &row.value;
    if (mysql_stmt_bind_result(statement, binds.data()) != 0) return failed(statement);
    int status = 0;
    while ((status = mysql_stmt_fetch(statement)) == 0) rows.push_back(row);
    if (status != MYSQL_NO_DATA) return failed(statement);
    mysql_stmt_free_result(statement);
    return {};
  }

  Said failed() { return failed(mysql_errno(handle_.get()), mysql_error(handle_.get())); }

  /// An error in the middle of the rows is kept with the connection, not with the statement.
  Said failed(MYSQL_STMT* statement) {
    if (mysql_stmt_errno(statement) == 0) return failed();
    return failed(mysql_stmt_errno(statement), mysql_stmt_error(statement));
  }

  static Said failed(unsigned code, const char* text) {
    Said said{Kind::kHopeless, sql::one_line(text) + " (error " + std::to_string(code) + ")"};
    if (connection_lost(code)) {
      said.kind = Kind::kLost;
    } else if (conflict(code) || trouble(code)) {
      said.kind = Kind::kRefused;
      if (code == unsigned{ER_DUP_ENTRY}) {
        // "Duplicate entry '7' for key 'PRIMARY'", in MySQL for key 'table.PRIMARY'.
        const bool is_key = std::string_view(text).ends_with("PRIMARY'");
        said.met = is_key ? Said::Met::kKey : Said::Met::kColumn;
      }
    }
    return said;
  }

  // Statements after the connection, so that they go first.
  Handle handle_;
  const std::string address_;
  const std::vector<std::string>& texts_;
  std::vector<StatementHandle> statements_;
};

void set_limits(MYSQL* handle, double timeout_seconds) {
  // The server's own limit (innodb_lock_wait_timeout, set below) comes first; this one is for a
  // server that does not answer at all.
  const unsigned connect = static_cast<unsigned>(std::ceil(timeout_seconds));
  const unsigned answer = connect + 1;
  mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &connect);
  mysql_options(handle, MYSQL_OPT_READ_TIMEOUT, &answer);
  mysql_options(handle, MYSQL_OPT_WRITE_TIMEOUT, &answer);
  const my_bool off = 0;
  mysql_options(handle, MYSQL_OPT_RECONNECT, &off);
  mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
}

/// Encryption. The library compares names only together with the authority: verify-ca, without
/// the names, it does not have.
void encrypt(MYSQL* handle, const Tls& tls) {
  if (!tls.is_on()) return;
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
  };
  const my_bool on = 1;
  const my_bool verifies = tls.mode == Tls::Mode::kVerifyFull ? 1 : 0;
  mysql_options(handle, MYSQL_OPT_SSL_ENFORCE, &on);
  mysql_options(handle, MYSQL_OPT_SSL_CA, text_or_null(tls.authorities));
  mysql_options(handle, MYSQL_OPT_SSL_CERT, text_or_null(tls.certificate));
  mysql_options(handle, MYSQL_OPT_SSL_KEY, text_or_null(tls.key));
  mysql_options(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verifies);
}

/// What the isolation of a session depends on.
std::vector<std::string> isolation_statements(const SessionSettings& settings) {
  std::vector<std::string> texts = {"SET SESSION TRANSACTION ISOLATION LEVEL " +
                                    settings.isolation};
  if (!settings.snapshot_isolation.empty()) {
    texts.push_back("SET SESSION innodb_snapshot_isolation = " + settings.snapshot_isolation);
  }
  if (!settings.sync_wait.empty()) {
    texts.push_back("SET SESSION wsrep_sync_wait = " + settings.sync_wait);
  }
  return texts;
}

std::vector<std::string> set_statements(const SessionSettings& settings,
                                        double timeout_seconds) {
  const long seconds = std::max(1L, std::lround(std::ceil(timeout_seconds)));
  std::vector<std::string> texts = isolation_statements(settings);
  texts.push_back("SET SESSION innodb_lock_wait_timeout = " + std::to_string(seconds));
  texts.push_back("SET SESSION lock_wait_timeout = " + std::to_string(seconds));
  return texts;
}

/// The arguments of mysql_real_connect().
struct Target {
  const char* host;
  const char* user;
  const char* password;
  const char* database;
  unsigned port;
  const char* socket;
};

/// What mysql_real_connect() does, asking meanwhile whether to give up. The library waits
/// without end for who asks it to wait, so this one lets it tell for what it waits.
/// ERRORS: kLimit when it is cancelled. Whether it connected, the handle tells.
Status connect_unless_cancelled(MYSQL* handle, const Target& to, const Cancelled& cancelled) {
  using Clock = std::chrono::steady_clock;
  // It connects on a stack of its own, as large as we say, where names are looked up and
  // certificates verified.
  constexpr std::size_t kStackBytes = std::size_t{1} << 20;
  mysql_options(handle, MYSQL_OPT_NONBLOCK, &kStackBytes);
  MYSQL* connected = nullptr;
  int awaited = mysql_real_connect_start(&connected, handle, to.host, to.user, to.password,
                                         to.database, to.port, to.socket, CLIENT_FOUND_ROWS);
  while (awaited != 0) {
    const bool has_limit = (awaited & MYSQL_WAIT_TIMEOUT) != 0;
    const auto limit = has_limit ? std::chrono::milliseconds(mysql_get_timeout_value_ms(handle))
                                 : std::chrono::hours(1);
    const Clock::time_point deadline = Clock::now() + limit;
    int happened = 0;
    while (happened == 0) {
      if (asks(cancelled)) return waited_no_longer();
      const Clock::time_point now = Clock::now();
      if (now >= deadline) happened = MYSQL_WAIT_TIMEOUT;
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(next_look(cancelled, deadline) - now);
      const bool reads = (awaited & MYSQL_WAIT_READ) != 0;
      const bool writes = (awaited & MYSQL_WAIT_WRITE) != 0;
      pollfd entry{static_cast<int>(mysql_get_socket(handle)), 0, 0};
      entry.events = static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
      if (happened != 0 || poll(&entry, 1, static_cast<int>(left.count())) <= 0) continue;
      happened = awaited & (MYSQL_WAIT_READ | MYSQL_WAIT_WRITE);
    }
    awaited = mysql_real_connect_cont(&connected, handle, happened);
  }
  return ok_status();
}

/// Sessions are waited for as long as their limit says: `cancelled` is of use while a database
/// is opened.
Result<Handle> dial(const Dsn& dsn, std::size_t endpoint, const SessionSettings& settings,
                    double timeout_seconds, const Cancelled& cancelled = {}) {
  know_this_thread();
  Handle handle(mysql_init(nullptr));
  ISOLDE_CHECK(handle != nullptr);
  set_limits(handle.get(), timeout_seconds);
  encrypt(handle.get(), settings.tls);
  const Endpoint at = dsn.endpoints.empty() ? Endpoint{} : dsn.endpoints[endpoint];
  const bool socket = at.host.starts_with('/');
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
  };
  // By name "localhost" the library would choose a socket, whatever the port.
  const unsigned tcp = MYSQL_PROTOCOL_TCP;
  if (!socket && at.port != 0) mysql_options(handle.get(), MYSQL_OPT_PROTOCOL, &tcp);
  const std::string where = sql::connecting_to(dsn, endpoint);
  // Without one the library takes that of MYSQL_PWD.
  const bool no_password = dsn.password.empty() && !dsn.names_password;
  const Target to{.host = socket ? nullptr : text_or_null(at.host),
                  .user = text_or_null(dsn.user),
                  .password = no_password ? nullptr : dsn.password.c_str(),
                  .database = text_or_null(dsn.path),
                  .port = at.port == 0 ? kUsualPort : at.port,
                  .socket = socket ? at.host.c_str() : nullptr};
  if (cancelled) {
    const Status waited = connect_unless_cancelled(handle.get(), to, cancelled);
    if (!waited) return waited.error();
  } else {
    mysql_real_connect(handle.get(), to.host, to.user, to.password, to.database, to.port,
                       to.socket, CLIENT_FOUND_ROWS);
  }
  if (const unsigned code = mysql_errno(handle.get()); code != 0) {
    return Error{by_user(code) ? ErrorCode::kUsage : ErrorCode::kEnvironment,
                 where + sql::one_line(mysql_error(handle.get())) + " (error " +
                     std::to_string(code) + ")"};
  }
  if (settings.tls.is_on() && mysql_get_ssl_cipher(handle.get()) == nullptr) {
    return Error{ErrorCode::kEnvironment, where + "the connection is not encrypted"};
  }
  for (const std::string& text : set_statements(settings, timeout_seconds)) {
    if (mysql_real_query(handle.get(), text.data(), text.size()) == 0) continue;
    const bool lost = connection_lost(mysql_errno(handle.get()));
    return Error{lost ? ErrorCode::kEnvironment : ErrorCode::kUsage,
                 where + text + ": " + sql::one_line(mysql_error(handle.get()))};
  }
  return handle;
}

/// Whether the server takes no writes.
bool is_replica(MYSQL* handle) {
  if (mysql_query(handle, "SELECT @@global.read_only") != 0) return false;
  const Rows rows(mysql_store_result(handle));
  const MYSQL_ROW values = rows == nullptr ? nullptr : mysql_fetch_row(rows.get());
  return values != nullptr && values[0] != nullptr && std::string_view(values[0]) == "1";
}

class Mariadb final : public sql::SqlDatabase {
 public:
  Mariadb(Dsn dsn, const OpenOptions& options, const sql::Layout& layout,
          SessionSettings settings, std::string version, std::vector<bool> replicas)
      : SqlDatabase(settings.engine->dialect, layout, options.timeout_seconds,
                    options.force_reset, std::move(replicas)),
        dsn_(std::move(dsn)),
        settings_(std::move(settings)),
        timeout_seconds_(options.timeout_seconds),
        version_(std::move(version)) {}

  std::string version() const override { return version_; }

  Result<std::unique_ptr<sql::Connection>> open_connection(std::size_t endpoint) override {
    Result<Handle> handle = dial(dsn_, endpoint, settings_, timeout_seconds_);
    if (!handle) return handle.error();
    Endpoint at = dsn_.endpoints.empty() ? Endpoint{"localhost", 0} : dsn_.endpoints[endpoint];
    if (at.port == 0) at.port = static_cast<std::uint16_t>(kUsualPort);
    return std::unique_ptr<sql::Connection>(
        std::make_unique<MariadbConnection>(std::move(*handle), address_text(at), texts()));
  }

 private:
  const Dsn dsn_;
  const SessionSettings settings_;
  const double timeout_seconds_;
  const std::string version_;
};

/// "5.5.5-10.11.19-MariaDB-1:..." -> "MariaDB 10.11.19"
std::string version_of(std::string_view text) {
  if (text.starts_with("5.5.5-")) text.remove_prefix(6);
  const bool mariadb = text.find("MariaDB") != std::string_view::npos;
  return (mariadb ? "MariaDB " : "MySQL ") + std::string(text.substr(0, text.find('-')));
}

Result<SessionSettings> settings_of(const Dsn& dsn, const std::string& isolation) {
  SessionSettings settings;
  settings.isolation = isolation;
  for (char& c : settings.isolation) c = c == '-' ? ' ' : c;
  if (dsn.parameters.contains("snapshot_isolation")) {
    const Result<bool> on = flag_in(dsn, "snapshot_isolation", false);
    if (!on) return on.error();
    settings.snapshot_isolation = *on ? "ON" : "OFF";
  }
  if (dsn.parameters.contains("sync_wait")) {
    const Result<std::uint32_t> wait = number_in(dsn, "sync_wait", 0, 15, 0);
    if (!wait) return wait.error();
    settings.sync_wait = std::to_string(*wait);
  }
  std::array<std::string_view, kEngines.size()> names;
  std::ranges::transform(kEngines, names.begin(), &Engine::name);
  const Result<std::string> engine = word_in(dsn, "engine", names, names.front());
  if (!engine) return engine.error();
  settings.engine = &*std::ranges::find(kEngines, *engine, &Engine::name);
  Result<Tls> tls = tls_of(dsn);
  if (!tls) return tls.error();
  if (tls->mode == Tls::Mode::kVerifyCa) {
    return usage_error("mariadb: MariaDB's library has no sslmode verify-ca; use verify-full");
  }
  settings.tls = std::move(tls).value();
  return settings;
}

Result<sql::Layout> layout_of(const Dsn& dsn) {
  Status known = check_parameters(
      dsn, with_tls_parameters({"upsert", "tables", "for_update", "index", "snapshot_isolation",
                                "sync_wait", "engine", "defaults_file"}));
  if (!known) return known.error();
  return sql::layout_of(dsn);
}

Result<sql::Shell> shell(const Dsn& dsn, const OpenOptions& options) {
  const Result<sql::Layout> layout = layout_of(dsn);
  if (!layout) return layout.error();
  const Result<SessionSettings> settings = settings_of(dsn, options.isolation);
  if (!settings) return settings.error();
  return sql::Shell{.database = "MariaDB",
                    .program = "mariadb",
                    .connect = isolation_statements(*settings),
                    .begin = std::string(kBegin),
                    .dialect = &settings->engine->dialect,
                    .layout = *layout};
}

/// With what the option files of MariaDB's clients say: those that are usual, or one that the
/// parameter defaults_file names.
Result<Dsn> with_files(const Dsn& dsn) {
  const auto named = dsn.parameters.find("defaults_file");
  const Result<ClientOptions> options = read_option_files(
      named == dsn.parameters.end() ? usual_option_files() : std::vector{named->second});
  if (!options) return Error{options.error().code, "mariadb: " + options.error().message};
  return with_client_options(dsn, *options);
}

Result<std::unique_ptr<Database>> open(const Dsn& given, const OpenOptions& options,
                                       const Cancelled& cancelled) {
  const Result<sql::Layout> layout = layout_of(given);
  if (!layout) return layout.error();
  const Result<Dsn> completed = with_files(given);
  if (!completed) return completed.error();
  const Dsn& dsn = *completed;
  if (dsn.path.empty()) {
    return Error{ErrorCode::kUsage,
                 "mariadb: no database in the DSN; expected mariadb://USER@HOST:PORT/DATABASE"};
  }
  const Result<SessionSettings> settings = settings_of(dsn, options.isolation);
  if (!settings) return settings.error();
  std::string version;
  std::vector<bool> replicas;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, dsn.endpoints.size()); ++i) {
    Result<Handle> handle = dial(dsn, i, *settings, options.timeout_seconds, cancelled);
    if (!handle) return handle.error();
    replicas.push_back(is_replica(handle->get()));
    if (i == 0) version = version_of(mysql_get_server_info(handle->get()));
  }
  version += settings->engine->told;
  return std::unique_ptr<Database>(std::make_unique<Mariadb>(
      dsn, options, *layout, *settings, std::move(version), std::move(replicas)));
}

const DatabaseInfo& row_of(const Engine& engine, bool has_replicas);

/// Replicas among the endpoints make promises smaller. What is wrong with the data source name,
/// or an endpoint, is for open() to tell.
Result<const DatabaseInfo*> describe(const Dsn& given, double timeout_seconds,
                                     const Cancelled& cancelled) {
  const Result<Dsn> completed = with_files(given);
  const Dsn& dsn = completed ? *completed : given;
  const Result<SessionSettings> settings =
      settings_of(dsn, std::string(kIsolations.front().name));
  if (!settings) return &row_of(kEngines.front(), false);
  bool has_replicas = false;
  for (std::size_t i = 1; !has_replicas && i < dsn.endpoints.size(); ++i) {
    const Result<Handle> handle = dial(dsn, i, *settings, timeout_seconds, cancelled);
    if (!handle) break;
    has_replicas = is_replica(handle->get());
  }
  return &row_of(*settings->engine, has_replicas);
}

DatabaseInfo made_row(const Engine& engine, bool has_replicas) {
  static constexpr std::array<std::string_view, 1> kAliases = {"mysql"};
  return {
      .name = "mariadb",
      .summary =
          "MariaDB, single, with replicas or a Galera cluster, through MariaDB Connector/C",
      .dsn =
          "mariadb://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?upsert=0&tables=1"
          "&for_update=0&index=0&snapshot_isolation=off&sync_wait=0&engine=innodb&sslmode="
          "disable&defaults_file=PATH",
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
                       .savepoints = engine.savepoints,
                       .tries_inserts = true,
                       .skips_locked = !engine.dialect.skipping.empty(),
                       .endpoints = true,
                       .sockets = true},
      .isolations = has_replicas ? engine.isolations_with_replicas : engine.isolations,
      .open = open,
      .shell = shell,
      .describe = describe,
      .aliases = kAliases,
      .deadlock = engine.deadlock,
      .choices = kChoices,
      .chosen = engine.chosen,
      .isolations_with_replicas = engine.isolations_with_replicas,
  };
}

const DatabaseInfo& row_of(const Engine& engine, bool has_replicas) {
  using Infos = std::array<std::array<DatabaseInfo, 2>, kEngines.size()>;
  static const Infos kRows = [] {
    Infos rows;
    for (std::size_t i = 0; i < kEngines.size(); ++i) {
      rows[i] = {made_row(kEngines[i], false), made_row(kEngines[i], true)};
    }
    return rows;
  }();
  return kRows[static_cast<std::size_t>(&engine - kEngines.data())][has_replicas ? 1 : 0];
}

}  // namespace

const DatabaseInfo& mariadb_info() { return row_of(kEngines.front(), false); }

}  // namespace isolde::db
