// PostgreSQL through libpq: rows of tables, prepared statements.
//
// libpq itself and not libpqxx, for two things that version 6.4 of the latter keeps to itself.
// COMMIT of a transaction that has already failed succeeds with the command tag ROLLBACK, and
// only the tag tells. And a server that stops answering must not hang a session, so requests
// are sent without blocking and waited for with a time limit.
//
// The server has the same limit for each statement (statement_timeout) and usually tells first;
// then the session lives on. The limit of this side is a little longer.
#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/assert.hpp"
#include "db/driver.hpp"
#include "db/postgres_versions.hpp"
#include "db/postgres_words.hpp"
#include "db/sql_database.hpp"
#include "db/tls.hpp"

namespace isolde::db {

const DatabaseInfo& postgres_info();  // at the end of the file

namespace {

using sql::Answer;
using sql::Said;
using Kind = sql::Said::Kind;
using Clock = std::chrono::steady_clock;

constexpr Oid kInt8 = 20;  // pg_type.oid, fixed in all versions
constexpr double kGraceSeconds = 1;

constexpr sql::Dialect kDialect = {
    .upsert = sql::Dialect::Upsert::kOnConflict,
    .numbered = true,
    .note_type = "TEXT",
    .locking = " FOR UPDATE",
    .share_locking = " FOR SHARE",
    .skipping = " SKIP LOCKED",
    .returns_rows = true,
    .fails_alone = false,
    // Whatever has such a name where CREATE TABLE would put it: tables, views, sequences.
    .relations =
        "SELECT relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace n ON "
        "n.oid = relnamespace WHERE nspname = current_schema() AND relkind <> 'i' AND "
        "relname LIKE 'isolde\\_%'",
};

constexpr std::array<IsolationInfo, 3> kIsolations = {{
    {"read-committed", Level::kReadCommitted,
     "READ COMMITTED: each statement sees what was committed before it"},
    {"repeatable-read", Level::kSnapshotIsolation,
     "REPEATABLE READ: snapshot isolation, as the manual says"},
    {"serializable", Level::kSerializable,
     "SERIALIZABLE: snapshot isolation that aborts dangerous structures (SSI)"},
}};

// With standbys among the endpoints. Of what is serializable the manual excepts them (section
// "Caveats" of its chapter on concurrency), of what it says of REPEATABLE READ it does not.
constexpr std::array<IsolationInfo, 3> kIsolationsWithStandbys = {{
    {"read-committed", Level::kReadCommitted,
     "READ COMMITTED: each statement sees what was committed, or replayed, before it"},
    {"repeatable-read", Level::kSnapshotIsolation,
     "REPEATABLE READ: snapshot isolation, as the manual says, on standbys an older one"},
    {"serializable", Level::kSnapshotIsolation,
     "SERIALIZABLE; on standbys REPEATABLE READ, the strictest that they have"},
}};

constexpr std::array<std::string_view, 6> kSslModes = {"disable", "allow",     "prefer",
                                                       "require", "verify-ca", "verify-full"};

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Handle = std::unique_ptr<PGconn, CloseConnection>;
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// False when the time is up, or when it is cancelled before.
bool wait_for(int socket, short events, Clock::time_point deadline,
              const Cancelled& cancelled = {}) {
  while (true) {
    const Clock::time_point now = Clock::now();
    if (deadline <= now || asks(cancelled)) return false;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(next_look(cancelled, deadline) - now);
    pollfd entry{socket, events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the next request to libpq says what it is
  }
}

/// Classes of SQLSTATE after which the same transaction would fail again.
bool hopeless(std::string_view state) {
  for (const std::string_view kind : {"0A", "22", "25", "28", "3D", "3F", "42", "XX"}) {
    if (state.starts_with(kind)) return true;
  }
  return false;
}

class PostgresConnection final : public sql::Connection {
 public:
  /// `versions`: statements return Dialect::version.
  PostgresConnection(Handle handle, std::string begin, double timeout_seconds,
                     const std::vector<std::string>& texts, bool versions)
      : handle_(std::move(handle)),
        begin_(std::move(begin)),
        limit_seconds_(timeout_seconds + kGraceSeconds),
        texts_(texts),
        versions_(versions),
        prepared_(texts.size(), false) {}

  int socket() const override { return PQsocket(handle_.get()); }
  std::string server() const override {
    const std::string host = PQhost(handle_.get());
    const std::string port = PQport(handle_.get());
    const std::string where = host.starts_with('/') ? host + "/.s.PGSQL." + port
                                                    : address_text({host, 0}) + ":" + port;
    return where + " backend " + std::to_string(PQbackendPID(handle_.get()));
  }
  Said begin() override { return simple(begin_.c_str()); }

  Said commit() override {
    ResultHandle result;
    const int sent =
        PQsendQueryParams(handle_.get(), "COMMIT", 0, nullptr, nullptr, nullptr, nullptr, 0);
    Said said = receive(sent, result);
    if (said.done() && std::string_view(PQcmdStatus(result.get())) != "COMMIT") {
      return {Kind::kRefused,
              "the server answered COMMIT with " + std::string(PQcmdStatus(result.get()))};
    }
    return said;
  }

  Said rollback() override { return simple("ROLLBACK"); }

  Said run(std::size_t statement, std::span<const std::int64_t> values,
           Answer& answer) override {
    const std::string name = "s" + std::to_string(statement);
    if (!prepared_[statement]) {
      Said said = prepare(name, texts_[statement], values.size());
      if (!said.done()) return said;
      prepared_[statement] = true;
    }
    ISOLDE_CHECK(values.size() <= sql::kMostParameters);
    std::array<std::uint64_t, sql::kMostParameters> binary{};
    std::array<const char*, sql::kMostParameters> data{};
    std::array<int, sql::kMostParameters> lengths{};
    std::array<int, sql::kMostParameters> formats{};
    lengths.fill(8);
    formats.fill(1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      binary[i] = __builtin_bswap64(static_cast<std::uint64_t>(values[i]));
      data[i] = reinterpret_cast<const char*>(&binary[i]);
    }
    ResultHandle result;
    Said said = receive(
        PQsendQueryPrepared(handle_.get(), name.c_str(), static_cast<int>(values.size()),
                            data.data(), lengths.data(), formats.data(), 0),
        result);
    if (!said.done()) return said;
    const auto kind = static_cast<sql::Statement>(statement % sql::kStatements);
    const bool is_read = kind == sql::Statement::kRead;
    const bool is_write = kind == sql::Statement::kWrite || kind == sql::Statement::kUpsert;
    const bool tells = versions_ && (is_read || is_write) && PQntuples(result.get()) > 0;
    take(result.get(), answer);
    if (kind >= sql::Statement::kSelect) take_rows(result.get(), answer.rows);
    answer.version.reset();
    if (tells) answer.version = integer_at(result.get(), 0, is_read ? 1 : 0);
    return said;
  }

  Said query(const std::string& text, sql::Sheet& sheet) override {
    ResultHandle result;
    Said said = receive(PQsendQuery(handle_.get(), text.c_str()), result);
    if (!said.done()) return said;
    const int columns = PQnfields(result.get());
    sheet = {.changed = std::strtoull(PQcmdTuples(result.get()), nullptr, 10),
             .columns = static_cast<std::size_t>(columns)};
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      for (int i = 0; i < columns; ++i) {
        const bool null = PQgetisnull(result.get(), row, i) != 0;
        const char* const cell = PQgetvalue(result.get(), row, i);
        sheet.cells.push_back(null ? table::Cell()
                                   : table::Cell(std::strtoll(cell, nullptr, 10)));
      }
    }
    return {};
  }

  Said execute(const std::string& text, std::vector<std::string>& column) override {
    ResultHandle result;
    Said said = receive(PQsendQuery(handle_.get(), text.c_str()), result);
    if (!said.done()) return said;
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      column.emplace_back(PQgetvalue(result.get(), row, 0));
    }
    return said;
  }

 private:
  static std::int64_t integer_at(const PGresult* result, int row, int column) {
    return std::strtoll(PQgetvalue(result, row, column), nullptr, 10);
  }

  static void take(PGresult* result, Answer& answer) {
    answer.found = PQntuples(result) > 0;
    answer.null = answer.found && PQgetisnull(result, 0, 0) != 0;
    if (answer.found) {
      answer.text.assign(PQgetvalue(result, 0, 0),
                         static_cast<std::size_t>(PQgetlength(result, 0, 0)));
    }
    answer.changed = std::strtoull(PQcmdTuples(result), nullptr, 10);
  }

  /// Keys, values, and where they are told versions.
  void take_rows(PGresult* result, std::vector<Row>& rows) const {
    for (int row = 0; row < PQntuples(result); ++row) {
      rows.push_back({integer_at(result, row, 0), integer_at(result, row, 1)});
      if (versions_) rows.back().version = integer_at(result, row, 2);
    }
  }

  Said simple(const char* text) {
    ResultHandle result;
    return receive(PQsendQuery(handle_.get(), text), result);
  }

  Said prepare(const std::string& name, const std::string& text, std::size_t parameters) {
    std::array<Oid, sql::kMostParameters> types{};
    types.fill(kInt8);
    ResultHandle result;
    return receive(PQsendPrepare(handle_.get(), name.c_str(), text.c_str(),
                                 static_cast<int>(parameters), types.data()),
                   result);
  }

  /// Waits for the answer to what was just sent.
  Said receive(int sent, ResultHandle& result) {
    if (sent == 0) return lost();
    const Clock::time_point deadline = after(limit_seconds_);
    const int socket = PQsocket(handle_.get());
    for (int left = PQflush(handle_.get()); left != 0; left = PQflush(handle_.get())) {
      if (left < 0) return lost();
      if (!wait_for(socket, POLLIN | POLLOUT, deadline)) return silent();
      if (PQconsumeInput(handle_.get()) == 0) return lost();
    }
    while (true) {
      while (PQisBusy(handle_.get()) != 0) {
        if (!wait_for(socket, POLLIN, deadline)) return silent();
        if (PQconsumeInput(handle_.get()) == 0) return lost();
      }
      ResultHandle next(PQgetResult(handle_.get()));
      if (next == nullptr) break;
      result = std::move(next);
    }
    return result == nullptr ? lost() : classify(result.get());
  }

  Said lost() { return {Kind::kLost, libpq_line(PQerrorMessage(handle_.get()))}; }

  Said silent() const {
    return {Kind::kLost, "no answer in " + std::to_string(std::lround(limit_seconds_)) + " s"};
  }

  Said classify(const PGresult* result) {
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return {};
    const auto field = [result](int code) {
      const char* text = PQresultErrorField(result, code);
      return std::string_view(text == nullptr ? "" : text);
    };
    const std::string_view severity = field(PG_DIAG_SEVERITY_NONLOCALIZED);
    const std::string_view state = field(PG_DIAG_SQLSTATE);
    Said said{Kind::kRefused, sql::one_line(field(PG_DIAG_MESSAGE_PRIMARY))};
    if (said.message.empty()) said.message = sql::one_line(PQresultErrorMessage(result));
    if (!state.empty()) said.message += " (SQLSTATE " + std::string(state) + ")";
    // A session that ends tells why, before or after what it was doing.
    const bool ended = severity == "FATAL" || severity == "PANIC" || state.empty();
    if (ended || PQstatus(handle_.get()) != CONNECTION_OK) {
      said.kind = Kind::kLost;
    } else if (state == "40003" || state.starts_with("08")) {
      said.kind = Kind::kInDoubt;
    } else if (hopeless(state)) {
      said.kind = Kind::kHopeless;
    }
    if (said.kind == Kind::kRefused && state == "23505") {
      // As the server itself calls the primary key of a table.
      const bool is_key = field(PG_DIAG_CONSTRAINT_NAME).ends_with("_pkey");
      said.met = is_key ? Said::Met::kKey : Said::Met::kColumn;
    }
    return said;
  }

  Handle handle_;
  const std::string begin_;
  const double limit_seconds_;
  const std::vector<std::string>& texts_;
  const bool versions_;
  std::vector<bool> prepared_;
};

std::string level_in_sql(std::string isolation) {
  for (char& c : isolation) c = c == '-' ? ' ' : c;
  return isolation;
}

std::string begin_text(const std::string& isolation) {
  return "BEGIN ISOLATION LEVEL " + level_in_sql(isolation);
}

/// Parameters of a connection by their names in libpq.
std::vector<std::pair<const char*, std::string>> settings(const Dsn& dsn, std::size_t endpoint,
                                                          const OpenOptions& options) {
  std::vector<std::pair<const char*, std::string>> list;
  const auto add = [&list](const char* name, const std::string& value) {
    if (!value.empty()) list.emplace_back(name, value);
  };
  if (!dsn.endpoints.empty()) {
    const Endpoint& at = dsn.endpoints[endpoint];
    add("host", at.host);
    if (at.port != 0) add("port", std::to_string(at.port));
  }
  add("user", dsn.user);
  add("password", dsn.password);
  add("dbname", dsn.path);
  // libpq's own names; its own modes allow and prefer, too.
  for (const char* name : {"sslmode", "sslrootcert", "sslcert", "sslkey"}) {
    const auto found = dsn.parameters.find(name);
    if (found != dsn.parameters.end()) add(name, found->second);
  }
  add("application_name", "isolde");
  const long limit_ms = std::lround(std::ceil(options.timeout_seconds * 1000));
  std::string level = level_in_sql(options.isolation);
  const std::size_t blank = level.find(' ');
  if (blank != std::string::npos) level.insert(blank, "\\");
  add("options", "-c statement_timeout=" + std::to_string(limit_ms) +
                     " -c client_min_messages=error -c default_transaction_isolation=" + level);
  return list;
}

Result<Handle> dial(const Dsn& dsn, std::size_t endpoint, const OpenOptions& options,
                    const Cancelled& cancelled = {}) {
  const std::vector<std::pair<const char*, std::string>> list =
      settings(dsn, endpoint, options);
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : list) {
    names.push_back(name);
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  const std::string where = sql::connecting_to(dsn, endpoint);
  Handle handle(PQconnectStartParams(names.data(), values.data(), 0));
  ISOLDE_CHECK(handle != nullptr);
  PQsetNoticeProcessor(
      handle.get(), [](void*, const char*) {}, nullptr);
  PQsetErrorVerbosity(handle.get(), PQERRORS_VERBOSE);  // with SQLSTATE, for connect_failure()
  const Clock::time_point deadline = after(options.timeout_seconds);
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (PQstatus(handle.get()) != CONNECTION_BAD && next != PGRES_POLLING_OK &&
         next != PGRES_POLLING_FAILED) {
    const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!wait_for(PQsocket(handle.get()), events, deadline, cancelled)) {
      if (Clock::now() < deadline) return waited_no_longer();
      return Error{ErrorCode::kEnvironment,
                   where + "no connection in " +
                       std::to_string(std::lround(options.timeout_seconds)) + " s"};
    }
    next = PQconnectPoll(handle.get());
  }
  if (PQstatus(handle.get()) != CONNECTION_OK) {
    const ConnectFailure failure =
        connect_failure(PQerrorMessage(handle.get()), dsn.parameters.contains("sslcert"));
    const bool by_user = failure.by_user || PQconnectionNeedsPassword(handle.get()) != 0;
    return Error{by_user ? ErrorCode::kUsage : ErrorCode::kEnvironment,
                 where + failure.message};
  }
  PQsetnonblocking(handle.get(), 1);
  return handle;
}

/// Whether the server only replays what another one commits. It says so by itself since
/// version 14; before, it says that it takes no writes.
bool is_standby(PGconn* connection) {
  const char* const told = PQparameterStatus(connection, "in_hot_standby");
  if (told != nullptr) return std::string_view(told) == "on";
  const ResultHandle shown(PQexec(connection, "SHOW transaction_read_only"));
  return PQntuples(shown.get()) == 1 && std::string_view(PQgetvalue(shown.get(), 0, 0)) == "on";
}

/// The isolation that the server has: SERIALIZABLE is refused on a standby.
std::string isolation_on(PGconn* connection, const std::string& isolation) {
  return isolation == "serializable" && is_standby(connection) ? "repeatable-read" : isolation;
}

sql::Dialect with_versions(const VersionTexts& texts) {
  sql::Dialect dialect = kDialect;
  dialect.version = texts.read;
  dialect.version_behind = texts.behind;
  return dialect;
}

/// `server_version`: as PQserverVersion().
const sql::Dialect& dialect_of(int server_version) {
  static const sql::Dialect kNow = with_versions(version_texts(true));
  static const sql::Dialect kOld = with_versions(version_texts(false));
  return server_version < kFirstWithXid8 ? kOld : kNow;
}

class Postgres final : public sql::SqlDatabase {
 public:
  /// `dialect` must outlive it.
  Postgres(Dsn dsn, OpenOptions options, const sql::Dialect& dialect, const sql::Layout& layout,
           std::string version, std::vector<bool> standbys)
      : SqlDatabase(dialect, layout, options.timeout_seconds, options.force_reset,
                    std::move(standbys)),
        dsn_(std::move(dsn)),
        options_(std::move(options)),
        version_(std::move(version)) {}

  std::string version() const override { return version_; }

  Result<std::unique_ptr<sql::Connection>> open_connection(std::size_t endpoint) override {
    Result<Handle> handle = dial(dsn_, endpoint, options_);
    if (!handle) return handle.error();
    const std::string isolation = isolation_on(handle->get(), options_.isolation);
    std::unique_ptr<sql::Connection> connection = std::make_unique<PostgresConnection>(
        std::move(*handle), begin_text(isolation), options_.timeout_seconds, texts(),
        options_.versions);
    if (isolation == options_.isolation) return connection;
    // Of statements without a transaction.
    std::vector<std::string> ignored;
    const sql::Said said = connection->execute(
        "SET default_transaction_isolation = '" + level_in_sql(isolation) + "'", ignored);
    if (said.done()) return connection;
    return Error{ErrorCode::kEnvironment, sql::connecting_to(dsn_, endpoint) + said.message};
  }

 private:
  const Dsn dsn_;
  const OpenOptions options_;
  const std::string version_;
};

Result<sql::Layout> layout_of(const Dsn& dsn) {
  Status known =
      check_parameters(dsn, with_tls_parameters({"upsert", "tables", "for_update", "index"}));
  if (!known) return known.error();
  return sql::layout_of(dsn);
}

Result<sql::Shell> shell(const Dsn& dsn, const OpenOptions& options) {
  const Result<sql::Layout> layout = layout_of(dsn);
  if (!layout) return layout.error();
  return sql::Shell{.database = "PostgreSQL",
                    .program = "psql",
                    .begin = begin_text(options.isolation),
                    .dialect = &kDialect,
                    .layout = *layout};
}

/// The data source name with all that it says of encryption checked, and its mode written down
/// where only files name it.
Result<Dsn> with_encryption(Dsn dsn) {
  const Result<std::string> sslmode = word_in(dsn, "sslmode", kSslModes, "");
  if (!sslmode) return sslmode.error();
  Dsn files = dsn;
  files.parameters.erase("sslmode");
  const Result<Tls> tls = tls_of(files);
  if (!tls) return tls.error();
  if (tls->is_on() && sslmode->empty()) dsn.parameters["sslmode"] = "verify-full";
  return dsn;
}

Result<std::unique_ptr<Database>> open(const Dsn& given, const OpenOptions& options,
                                       const Cancelled& cancelled) {
  const Result<sql::Layout> layout = layout_of(given);
  if (!layout) return layout.error();
  const Result<Dsn> checked = with_encryption(given);
  if (!checked) return checked.error();
  const Dsn& dsn = *checked;
  std::string version;
  int number = 0;
  std::vector<bool> standbys;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, dsn.endpoints.size()); ++i) {
    Result<Handle> handle = dial(dsn, i, options, cancelled);
    if (!handle) return handle.error();
    standbys.push_back(is_standby(handle->get()));
    if (i > 0) continue;
    version = PQparameterStatus(handle->get(), "server_version");
    number = PQserverVersion(handle->get());
  }
  version = "PostgreSQL " + version.substr(0, version.find(' '));
  sql::Layout asked = *layout;
  asked.versions = options.versions;
  return std::unique_ptr<Database>(std::make_unique<Postgres>(
      dsn, options, dialect_of(number), asked, std::move(version), std::move(standbys)));
}

const DatabaseInfo& with_standbys() {
  static const DatabaseInfo kInfo = [] {
    DatabaseInfo info = postgres_info();
    info.isolations = info.isolations_with_replicas;
    return info;
  }();
  return kInfo;
}

/// Standbys among the endpoints make promises smaller. What is wrong with the data source name,
/// or an endpoint, is for open() to tell.
Result<const DatabaseInfo*> describe(const Dsn& given, double timeout_seconds,
                                     const Cancelled& cancelled) {
  const Result<Dsn> dsn = with_encryption(given);
  OpenOptions options;
  options.isolation = kIsolations.front().name;
  options.timeout_seconds = timeout_seconds;
  for (std::size_t i = 1; dsn && i < dsn->endpoints.size(); ++i) {
    const Result<Handle> handle = dial(*dsn, i, options, cancelled);
    if (!handle) break;
    if (is_standby(handle->get())) return &with_standbys();
  }
  return &postgres_info();
}

}  // namespace

const DatabaseInfo& postgres_info() {
  static constexpr std::array<std::string_view, 1> kAliases = {"postgresql"};
  static const DatabaseInfo kInfo = {
      .name = "postgres",
      .summary = "PostgreSQL through libpq",
      .dsn =
          "postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?upsert=0&tables=1&for_update=0"
          "&index=0&sslmode=prefer",
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
                       .skips_locked = !kDialect.skipping.empty(),
                       .endpoints = true,
                       .sockets = true,
                       .versions = Capabilities::Versions::kIdentity},
      .isolations = kIsolations,
      .open = open,
      .shell = shell,
      .describe = describe,
      .aliases = kAliases,
      .deadlock = {.words = "SQLSTATE 40P01"},
      .isolations_with_replicas = kIsolationsWithStandbys,
  };
  return kInfo;
}

}  // namespace isolde::db
