// Databases as a run sees them: keys that hold a register or a list, sessions, transactions.
// One file in this folder for each database, which ends with its row (CONTRIBUTING.md).
//
// A driver maps registers and lists to something natural for its database (rows of a table,
// keys of a store), uses the database's own client library and its own isolation names, and
// tells outcomes truthfully: `kAborted` only when the database has certainly not committed,
// `kUnknown` whenever that is not sure. It never repeats a request by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/cancelled.hpp"
#include "db/capabilities.hpp"
#include "db/dsn.hpp"
#include "history/tables.hpp"
#include "isolde/level.hpp"
#include "isolde/operation.hpp"
#include "isolde/status.hpp"

namespace isolde::db {

using Key = std::int64_t;

enum class Outcome : std::uint8_t {
  kOk,
  kAborted,  ///< the transaction is over and has certainly not committed
  kUnknown,  ///< the transaction is over and may have committed (only from commit() and from
             ///< operations of a session without transactions)
  kFailed,   ///< as kAborted, and trying again will not help: no privilege, table gone, bug
};

struct Reply {
  Outcome outcome = Outcome::kOk;
  /// Whether the session can go on; else it must be replaced by a new connection.
  bool connected = true;
  /// What the database said, one line; empty for kOk.
  std::string message;
  /// What answers is not a database that works: it breaks the rules of its protocol. Trying
  /// again will not help, whatever the outcome.
  bool is_broken = false;

  bool ok() const { return outcome == Outcome::kOk; }
};

/// Result of a conditional write.
struct CasResult {
  bool applied = false;
  /// When not applied: the value found, null when the key has none. Absent when the database
  /// does not tell.
  std::optional<std::optional<std::int64_t>> seen;
};

/// What became of an insert of a row with columns.
enum class Inserted : std::uint8_t {
  kDone,
  kMetKey,     ///< a row of that id is there
  kMetColumn,  ///< a row is there with what a unique column was to hold
};

/// A condition on rows, the registers that hold a value: of their keys and their values, both
/// ends included. Without any, all rows.
struct Condition {
  std::optional<Predicate::Bounds> keys = {};
  std::optional<Predicate::Bounds> values = {};
};

struct Row {
  Key key = 0;
  std::int64_t value = 0;
  std::optional<std::int64_t> version = {};  ///< as Session::version()
  friend bool operator==(const Row&, const Row&) = default;
};

namespace sql {
struct Shell;
}

/// One connection, used by one thread at a time. Order of calls: begin(), operations, then
/// commit() or rollback(); after a reply other than kOk the transaction is over and neither is
/// called. Operations with a capability that the database lacks are never called.
class Session {
 public:
  virtual ~Session() = default;

  virtual Reply begin() = 0;
  /// The register's value; null when it was never written.
  virtual Reply read(Key key, std::optional<std::int64_t>& value) = 0;
  virtual Reply write(Key key, std::int64_t value) = 0;
  /// Where OpenOptions::versions: the database's own name of the version that the last read()
  /// returned or the last write() or insert of a row made, as far as it is known by then.
  virtual std::optional<std::int64_t> version() const { return {}; }
  /// Likewise, after commit(): of all writes of the transaction for which version() did not
  /// tell.
  virtual std::optional<std::int64_t> version_of_writes() const { return {}; }
  /// Lists: empty when nothing was appended. By default a bug to call.
  virtual Reply read_list(Key key, std::vector<std::int64_t>& elements);
  virtual Reply append(Key key, std::int64_t element);
  /// Sets the register when it holds `expected` (null: was never written), in one atomic
  /// request, outside of begin() and commit(); or inside, where the database can.
  virtual Reply compare_and_set(Key key, std::optional<std::int64_t> expected,
                                std::int64_t value, CasResult& result);
  /// Adds to the number in the register, where one that was never written counts as 0, by one
  /// statement of the database's own (Capabilities::increments). `sum`: what became of it,
  /// where the answer tells. By default a bug to call.
  virtual Reply increment(Key key, std::int64_t by, std::optional<std::int64_t>& sum);
  /// After commit(): the sums of all increments of the transaction, in their order, where it is
  /// the reply to the commit that tells them.
  virtual std::vector<std::int64_t> sums() const { return {}; }
  /// Makes the next read(), read_list() or select() lock what it reads. False: the database
  /// cannot, and nothing has changed.
  virtual bool lock_next(LockMode) { return false; }
  /// How the last read(), read_list() or select() asked for a lock on what it read.
  virtual LockMode lock() const { return LockMode::kNone; }
  // Registers as rows, to be found by a condition. By default a bug to call.
  /// All rows that meet the condition, in any order, by one statement.
  virtual Reply select(const Condition& condition, std::vector<Row>& rows);
  /// What the database computed of how many rows meet the condition, or of their values, by one
  /// statement (Capabilities::computes). kExists: 1 or 0.
  virtual Reply aggregate(const Condition& condition, AggregateKind kind, table::Cell& result);
  /// Deletes the register's row, after which it reads as never written. `removed`: whether
  /// there was one.
  virtual Reply remove(Key key, bool& removed);
  /// Deletes all rows that meet the condition, by one statement, and tells what they were.
  virtual Reply remove(const Condition& condition, std::vector<Row>& removed);
  // Rows with columns (Capabilities::tables), only between begin() and commit(). Each is one
  // statement, of which the database itself makes all that it needs. By default a bug to call.
  /// Refused where there is a row of that id, or a row that breaks a rule of the table.
  virtual Reply insert_row(const table::Request& request, std::int64_t stamp);
  /// As insert_row(), but where a row is in the way nothing is inserted, and the transaction
  /// goes on (Capabilities::tries_inserts), from a savepoint where it would not by itself. By
  /// default it does not.
  virtual Reply try_insert_row(const table::Request& request, std::int64_t stamp,
                               Inserted& inserted);
  /// In the order of ids. Locks as far as the database can; what it cannot, `selected` tells.
  virtual Reply select_rows(const table::Request& request, table::Selected& selected);
  /// What the database computed, by one statement (Capabilities::aggregates). kExists: 1 or 0.
  virtual Reply aggregate_rows(const table::Request& request, table::Cell& result);
  /// All rows that met the condition, as they are now, in the order of ids.
  virtual Reply update_rows(const table::Request& request, std::int64_t stamp,
                            std::vector<table::Change>& changes);
  /// All rows that met the condition, as they were, in the order of ids.
  virtual Reply remove_rows(const table::Request& request, std::vector<table::Row>& removed);
  /// An insert; where there is a row of that id, an update of it.
  virtual Reply upsert_row(const table::Request& request, std::int64_t stamp,
                           table::Change& change);
  // Capabilities::savepoints.
  virtual Reply savepoint();
  /// Takes back what was done since the last savepoint().
  virtual Reply roll_back_to_savepoint();
  /// Runs any statement of the database's language, in a transaction or outside of one, and
  /// drops what it returns. By default a bug to call; databases with SQL have it.
  virtual Reply statement(const std::string& text);
  virtual Reply commit() = 0;
  virtual Reply rollback() = 0;
  /// The connection's socket, so that a test can cut it; -1 when there is none.
  virtual int socket() const { return -1; }
  /// Where the connection leads and what the server calls it, in the words of the server's
  /// logs: "127.0.0.1:5432 backend 4711". Empty: there is no server.
  virtual std::string server() const { return {}; }
};

struct OpenOptions {
  std::string isolation;  ///< a name of the table; empty: the first
  /// A connection attempt or a request that takes longer than this has failed.
  double timeout_seconds = 10;
  bool force_reset = false;
  /// Sessions tell versions.
  bool versions = false;
};

/// The place where the keys live. Thread-safe: connect() may be called from any thread.
class Database {
 public:
  virtual ~Database() = default;

  /// "PostgreSQL 15.20"
  virtual std::string version() const = 0;

  /// Makes the tables (or what stands for them) and puts `registers` and `lists` there with
  /// their initial values. ERRORS: kUsage when something of that name exists and was not made
  /// by Isolde, or was and force_reset is off; kEnvironment for all else. Nothing that Isolde
  /// did not make is ever changed.
  virtual Status create(std::span<const Key> registers, std::span<const Key> lists) = 0;

  /// Before create(): tables of rows with columns that it makes besides, without rows.
  /// REQUIRES: Capabilities::tables. `tables` must outlive the database. By default a bug to
  /// call.
  virtual void use_tables(std::span<const table::Table> tables);

  /// A new connection for the session of that number. ERRORS: kEnvironment, naming the endpoint
  /// and what the database said; kUsage for a wrong password or missing privilege.
  virtual Result<std::unique_ptr<Session>> connect(std::uint32_t session) = 0;

  /// Whether the session of that number leads to a replica that takes no writes: it may only
  /// read.
  virtual bool only_reads(std::uint32_t /*session*/) const { return false; }

  /// Whether Session::lock() tells of locks that nobody asked for by lock_next(): the data
  /// source makes all reads lock.
  virtual bool locks_reads() const { return false; }

  /// Removes what create() made, and nothing else.
  virtual Status destroy() = 0;

  /// Ends what the driver has started, after which nothing else is called. REQUIRES: no session
  /// is left. ERRORS: it had something to say that breaks the rules, which no reply told of.
  virtual Status end() { return ok_status(); }
};

/// How a database says that it resolved a deadlock.
struct DeadlockWords {
  std::string_view words = {};  ///< of its message, which says it of nothing else; empty: none
  bool only_alone = false;      ///< a cluster says the same of something else
};

struct DatabaseInfo {
  std::string_view name;     ///< scheme of the DSN: "postgres"
  std::string_view summary;  ///< "PostgreSQL through libpq"
  std::string_view dsn;      ///< syntax: "postgres://USER:PASSWORD@HOST:PORT/DATABASE"
  Capabilities capabilities;
  std::span<const IsolationInfo> isolations;  ///< first: the database's default
  /// Checks the DSN and options and connects once to see that the server is there. ERRORS:
  /// kUsage for a bad DSN, kEnvironment as connect(). `cancelled` is asked where the client
  /// library lets us, and not after open().
  Result<std::unique_ptr<Database>> (*open)(const Dsn& dsn, const OpenOptions& options,
                                            const Cancelled& cancelled);
  /// SQL databases (db/sql.hpp): what a person types to do what the driver does. Connects to
  /// nothing. ERRORS: kUsage as open().
  Result<sql::Shell> (*shell)(const Dsn& dsn, const OpenOptions& options) = nullptr;
  /// Where only the database itself, or a parameter of its data source name, tells what it can
  /// do and promises: its own row, which remains, in place of this one, whose list of
  /// isolations may be empty. ERRORS: as open().
  Result<const DatabaseInfo*> (*describe)(const Dsn& dsn, double timeout_seconds,
                                          const Cancelled& cancelled) = nullptr;
  /// Other schemes for it, of what speaks its protocol. What isolations promise is still what
  /// the makers of the database of this row say.
  std::span<const std::string_view> aliases = {};
  DeadlockWords deadlock = {};
  /// Parameters with which it can do or promises something else; describe() tells what, and
  /// asks no server for it.
  std::span<const std::string_view> choices = {};
  /// Of a row that describe() returns: which of the choices it is for; empty: none.
  std::string_view chosen = {};
  /// What the same isolations are, and promise, where replicas are among the endpoints: those
  /// of the row that describe() returns there. Empty: there is no such row.
  std::span<const IsolationInfo> isolations_with_replicas = {};
};

/// All databases that this build knows, by name.
std::span<const DatabaseInfo* const> all_databases();
/// A driver whose client library was not there at build time.
struct AbsentDriver {
  std::string_view name;
  std::string_view packages;  ///< of Debian, that bring the library
};
/// In the order of the table.
std::span<const AbsentDriver> absent_drivers();

/// ERRORS: kUsage, listing the names.
Result<const DatabaseInfo*> find_database(std::string_view name);
/// The row for this data source; asks the database where that is necessary. ERRORS: as
/// find_database() and describe().
Result<const DatabaseInfo*> find_database_of(const Dsn& dsn, double timeout_seconds,
                                             const Cancelled& cancelled = {});
/// Fills in the first isolation name where there is none. ERRORS: kUsage when the database has
/// no isolation of that name.
Result<OpenOptions> with_isolation(const DatabaseInfo& row, const OpenOptions& options);
/// What messages call it: its name, and what was chosen.
std::string called(const DatabaseInfo& row);
/// Empty: it has lists at this isolation. Otherwise to follow "lists, which ".
std::string why_no_lists(const DatabaseInfo& row, std::string_view isolation);
/// Parses the DSN, finds the row, checks the isolation name, opens.
Result<std::unique_ptr<Database>> open_database(std::string_view dsn,
                                                const OpenOptions& options,
                                                const Cancelled& cancelled = {});

}  // namespace isolde::db
