// What the SQL drivers say when transactions conflict, at each isolation, and when something is
// wrong with the server, the account or the tables.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "db/raw_sql.hpp"
#include "support/private_servers.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::db {
namespace {

using support::PrivateServer;
using Value = std::optional<std::int64_t>;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Opened {
  std::unique_ptr<Database> database;
  std::vector<std::unique_ptr<Session>> sessions;

  Opened() = default;
  Opened(Opened&&) = default;
  Opened& operator=(Opened&&) = default;
  ~Opened() { close(); }

  void close() {
    sessions.clear();
    if (database != nullptr) static_cast<void>(database->destroy());
    database.reset();
  }
};

/// A database with registers 0 to 3 and that many sessions.
Opened opened(const std::string& dsn, const std::string& isolation, std::uint32_t sessions,
              double timeout_seconds = 5) {
  Opened result;
  OpenOptions options;
  options.isolation = isolation;
  options.timeout_seconds = timeout_seconds;
  Result<std::unique_ptr<Database>> database = open_database(dsn, options);
  if (!database) {
    ADD_FAILURE() << database.error().message;
    return result;
  }
  result.database = std::move(*database);
  const std::vector<Key> keys = {0, 1, 2, 3};
  const Status made = result.database->create(keys, keys);
  EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message);
  for (std::uint32_t i = 0; i < sessions; ++i) {
    Result<std::unique_ptr<Session>> session = result.database->connect(i);
    EXPECT_TRUE(session.ok()) << (session ? "" : session.error().message);
    if (session) result.sessions.push_back(std::move(*session));
  }
  return result;
}

// --- Conflicts

enum class Second { kCommits, kAborts };

struct Behaviour {
  std::string name;
  std::string database;  ///< scheme
  std::string parameters;
  std::string isolation;
  Second lost_update;  ///< the second of two that read the same and write it
  Second write_skew;   ///< the second of two that read both keys and write one each
};

void PrintTo(const Behaviour& behaviour, std::ostream* out) { *out << behaviour.name; }

class Conflicts : public testing::TestWithParam<Behaviour> {
 protected:
  void SetUp() override {
    const Behaviour& behaviour = GetParam();
    const bool embedded = (*find_database(behaviour.database))->capabilities.embedded;
    const bool myrocks = behaviour.parameters.find("engine=rocksdb") != std::string::npos;
    dsn_ = embedded  ? behaviour.database + ":"
           : myrocks ? support::private_myrocks()
                     : support::private_dsn(behaviour.database);
    if (dsn_.empty()) GTEST_SKIP() << behaviour.name << ": the server is not installed";
    dsn_ += behaviour.parameters;
    // A short limit: where locks are waited for, it ends the wait.
    opened_ = opened(dsn_, behaviour.isolation, 2, 1);
    ASSERT_EQ(opened_.sessions.size(), 2u);
    // What reports advise depends on it (explain/remedies_myrocks.cpp).
    EXPECT_EQ(opened_.database->version().ends_with(" with MyRocks"), myrocks)
        << opened_.database->version();
  }

  /// The two transactions step by step; how the second ended. Where a step of the first is
  /// refused already, it is the first whose end is told.
  Reply run(Key first_writes, Key second_writes) {
    Session& a = *opened_.sessions[0];
    Session& b = *opened_.sessions[1];
    Value value;
    EXPECT_TRUE(a.begin().ok());
    EXPECT_TRUE(b.begin().ok());
    for (const Key key : {Key{0}, Key{1}}) {
      EXPECT_TRUE(a.read(key, value).ok());
      EXPECT_TRUE(b.read(key, value).ok());
    }
    Reply reply = a.write(first_writes, 11);
    if (!reply.ok()) return reply;
    // Both are in b's way where readers lock (MariaDB serializable).
    reply = a.commit();
    if (!reply.ok()) return reply;
    reply = b.write(second_writes, 22);
    return reply.ok() ? b.commit() : reply;
  }

  static void expect(const Reply& reply, Second end) {
    EXPECT_EQ(reply.outcome, end == Second::kCommits ? Outcome::kOk : Outcome::kAborted)
        << reply.message;
    EXPECT_TRUE(reply.connected);
    EXPECT_EQ(reply.ok(), reply.message.empty());
  }

  std::string dsn_;
  Opened opened_;
};

TEST_P(Conflicts, LostUpdate) { expect(run(0, 0), GetParam().lost_update); }

TEST_P(Conflicts, WriteSkew) { expect(run(0, 1), GetParam().write_skew); }

/// What is locked stays as it is until the end, also where reads do not lock by themselves, and
/// the read after that is as all others.
TEST_P(Conflicts, ReadsLockWhereAsked) {
  const bool locks = GetParam().database != "sqlite";
  Session& a = *opened_.sessions[0];
  Session& b = *opened_.sessions[1];
  EXPECT_FALSE(opened_.database->locks_reads());
  Value value;
  ASSERT_TRUE(a.begin().ok());
  ASSERT_TRUE(a.write(0, 4).ok());  // where no row was made in advance, there is one now
  ASSERT_TRUE(a.commit().ok());
  ASSERT_TRUE(a.begin().ok());
  EXPECT_EQ(a.lock_next(LockMode::kUpdate), locks);
  ASSERT_TRUE(a.read(0, value).ok());
  EXPECT_EQ(a.lock(), locks ? LockMode::kUpdate : LockMode::kNone);
  ASSERT_TRUE(a.read(1, value).ok());
  EXPECT_EQ(a.lock(), LockMode::kNone);
  if (locks) {
    ASSERT_TRUE(b.begin().ok());
    EXPECT_FALSE(b.write(0, 5).ok());
  }
  std::vector<std::int64_t> elements;
  EXPECT_EQ(a.lock_next(LockMode::kShare), locks);
  EXPECT_FALSE(a.lock_next(LockMode::kNone));
  ASSERT_TRUE(a.read_list(2, elements).ok());
  EXPECT_EQ(a.lock(), locks ? LockMode::kShare : LockMode::kNone);
  ASSERT_TRUE(a.read_list(2, elements).ok());
  EXPECT_EQ(a.lock(), LockMode::kNone);
  EXPECT_TRUE(a.commit().ok());
}

TEST_P(Conflicts, FailedCreateLeavesNothing) {
  opened_.close();
  Result<std::unique_ptr<Database>> database = open_database(dsn_, {});
  ASSERT_TRUE(database.ok());
  const std::vector<Key> once = {1};
  const std::vector<Key> twice = {1, 1};
  // With upsert=1 no row is made in advance, so nothing fails.
  if (GetParam().parameters != "?upsert=1") {
    EXPECT_FALSE((*database)->create(twice, {}).ok());
  }
  const Status again = (*database)->create(once, once);
  EXPECT_TRUE(again.ok()) << (again ? "" : again.error().message);
  EXPECT_TRUE((*database)->destroy().ok());
}

const std::vector<Behaviour> kBehaviours = {
#ifdef ISOLDE_WITH_POSTGRES
    {"postgres_read_committed", "postgres", "", "read-committed", Second::kCommits,
     Second::kCommits},
    {"postgres_repeatable_read", "postgres", "", "repeatable-read", Second::kAborts,
     Second::kCommits},
    {"postgres_serializable", "postgres", "", "serializable", Second::kAborts, Second::kAborts},
    {"postgres_serializable_upsert", "postgres", "?upsert=1", "serializable", Second::kAborts,
     Second::kAborts},
#endif
#ifdef ISOLDE_WITH_MARIADB
    {"mariadb_read_committed", "mariadb", "", "read-committed", Second::kCommits,
     Second::kCommits},
    {"mariadb_repeatable_read", "mariadb", "", "repeatable-read", Second::kCommits,
     Second::kCommits},
    {"mariadb_snapshot", "mariadb", "?snapshot_isolation=on", "repeatable-read",
     Second::kAborts, Second::kCommits},
    {"mariadb_serializable", "mariadb", "", "serializable", Second::kAborts, Second::kAborts},
    {"mariadb_myrocks_read_committed", "mariadb", "?engine=rocksdb", "read-committed",
     Second::kCommits, Second::kCommits},
    {"mariadb_myrocks_repeatable_read", "mariadb", "?engine=rocksdb", "repeatable-read",
     Second::kAborts, Second::kCommits},
#endif
#ifdef ISOLDE_WITH_SQLITE
    {"sqlite_deferred", "sqlite", "", "deferred", Second::kAborts, Second::kAborts},
    {"sqlite_rollback_journal", "sqlite", "?journal=delete", "deferred", Second::kAborts,
     Second::kAborts},
#endif
#ifdef ISOLDE_WITH_FIREBIRD
    {"firebird_read_committed", "firebird", "", "read-committed", Second::kCommits,
     Second::kCommits},
    {"firebird_snapshot", "firebird", "", "snapshot", Second::kAborts, Second::kCommits},
    {"firebird_table_stability", "firebird", "", "snapshot-table-stability", Second::kAborts,
     Second::kAborts},
#endif
};

std::string name_of(const testing::TestParamInfo<Behaviour>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Sql, Conflicts, testing::ValuesIn(kBehaviours), name_of);

// --- Trouble

class Trouble : public testing::Test {
 protected:
  /// The error of opening, after a look at what must be in every one.
  static Error error_of(const std::string& dsn, double timeout_seconds = 2) {
    OpenOptions options;
    options.timeout_seconds = timeout_seconds;
    const Result<std::unique_ptr<Database>> database = open_database(dsn, options);
    EXPECT_FALSE(database.ok());
    if (database) return {};
    const Error& error = database.error();
    EXPECT_EQ(error.message.find("geheim"), std::string::npos) << error.message;
    EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
    return error;
  }

  static void expect(const Error& error, ErrorCode code, const std::string& part) {
    EXPECT_EQ(error.code, code) << error.message;
    EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
  }

  static std::string replaced(std::string text, const std::string& from,
                              const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, from.size(), to);
  }
};

/// Two sessions in a transaction that has written; then the server is killed or stopped. None
/// may hang or claim a commit, and what was asked last decides what is known.
void loses_the_server(const std::string& kind, bool dies) {
  const std::unique_ptr<PrivateServer> server = PrivateServer::start(kind);
  if (server == nullptr) GTEST_SKIP() << kind << " is not installed";
  const Opened opened = db::opened(server->dsn(), "serializable", 2, 1);
  ASSERT_EQ(opened.sessions.size(), 2u);
  for (const Key key : {Key{0}, Key{1}}) {
    Session& session = *opened.sessions[static_cast<std::size_t>(key)];
    ASSERT_TRUE(session.begin().ok());
    ASSERT_TRUE(session.write(key, 1).ok());
  }
  dies ? server->kill() : server->pause(true);
  for (const bool at_commit : {false, true}) {
    const auto begin = Clock::now();
    Value value;
    const Reply reply =
        at_commit ? opened.sessions[1]->commit() : opened.sessions[0]->read(0, value);
    EXPECT_EQ(reply.outcome, at_commit ? Outcome::kUnknown : Outcome::kAborted);
    EXPECT_FALSE(reply.connected);
    EXPECT_FALSE(reply.message.empty());
    EXPECT_LT(seconds_since(begin), 4);
  }
  const auto begin = Clock::now();
  const Result<std::unique_ptr<Session>> again = opened.database->connect(0);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kEnvironment) << again.error().message;
  EXPECT_LT(seconds_since(begin), 4);
  if (!dies) server->pause(false);
}

#ifdef ISOLDE_WITH_POSTGRES
class Trouble_postgres : public Trouble {
 protected:
  void SetUp() override {
    dsn_ = support::private_dsn("postgres");
    if (dsn_.empty()) GTEST_SKIP() << "PostgreSQL is not installed";
  }
  std::string dsn_;
};

TEST_F(Trouble_postgres, ServerDies) { loses_the_server("postgres", true); }
TEST_F(Trouble_postgres, ServerStopsAnswering) { loses_the_server("postgres", false); }

TEST_F(Trouble_postgres, WrongPassword) {
  raw_sql(dsn_, "CREATE ROLE locked LOGIN PASSWORD 'right'");
  const std::string wrong = replaced(dsn_, "postgres@", "locked:geheim@");
  expect(error_of(wrong), ErrorCode::kUsage, "password authentication failed");
  const std::string none = replaced(dsn_, "postgres@", "locked@");
  expect(error_of(none), ErrorCode::kUsage, "no password supplied");
  const std::string right = replaced(dsn_, "postgres@", "locked:right@");
  EXPECT_TRUE(open_database(right, {}).ok());
  raw_sql(dsn_, "DROP ROLE locked");
}

TEST_F(Trouble_postgres, MissingPrivilege) {
  raw_sql(dsn_, "CREATE ROLE poor LOGIN");
  Result<std::unique_ptr<Database>> database =
      open_database(replaced(dsn_, "postgres@", "poor@"), {});
  ASSERT_TRUE(database.ok());
  const Status made = (*database)->create({}, {});
  ASSERT_FALSE(made.ok());
  expect(made.error(), ErrorCode::kUsage, "permission denied");
  raw_sql(dsn_, "DROP ROLE poor");
}

TEST_F(Trouble_postgres, UnknownDatabaseUserAndParameter) {
  expect(error_of(dsn_ + "x"), ErrorCode::kUsage, "database \"postgresx\" does not exist");
  expect(error_of(replaced(dsn_, "postgres@", "nobody@")), ErrorCode::kUsage,
         "role \"nobody\" does not exist");
  expect(error_of(dsn_ + "?tables=0"), ErrorCode::kUsage, "tables=0");
  expect(error_of(dsn_ + "?upsert=maybe"), ErrorCode::kUsage, "upsert=maybe");
  expect(error_of(dsn_ + "?sslmode=maybe"), ErrorCode::kUsage, "sslmode");
}

TEST_F(Trouble_postgres, NoServer) {
  expect(error_of("postgres://u:geheim@127.0.0.1:1/d"), ErrorCode::kEnvironment,
         "Connection refused");
  expect(error_of("postgres://u:geheim@nosuchhost.invalid/d"), ErrorCode::kEnvironment,
         "nosuchhost.invalid");
}

TEST_F(Trouble_postgres, TableGone) {
  const Opened opened = db::opened(dsn_, "read-committed", 1);
  raw_sql(dsn_, "DROP TABLE isolde_register");
  ASSERT_TRUE(opened.sessions[0]->begin().ok());
  Value value;
  const Reply reply = opened.sessions[0]->read(0, value);
  EXPECT_EQ(reply.outcome, Outcome::kFailed);
  EXPECT_TRUE(reply.connected);
  EXPECT_TRUE(opened.sessions[0]->begin().ok());
}

// COMMIT of a failed transaction succeeds with the tag ROLLBACK; that is no commit.
TEST_F(Trouble_postgres, CommitThatRollsBack) {
  const Opened opened = db::opened(dsn_, "serializable", 0);
  const std::unique_ptr<sql::Connection> raw = raw_connection(*opened.database);
  std::vector<std::string> unused;
  ASSERT_TRUE(raw->begin().done());
  ASSERT_FALSE(raw->execute("SELECT 1/0", unused).done());
  EXPECT_EQ(raw->commit().kind, sql::Said::Kind::kRefused);
}

TEST_F(Trouble_postgres, WaitsNoLongerThanTheLimit) {
  const Opened opened = db::opened(dsn_, "read-committed", 2, 1);
  Session& a = *opened.sessions[0];
  Session& b = *opened.sessions[1];
  ASSERT_TRUE(a.begin().ok());
  ASSERT_TRUE(a.write(0, 1).ok());
  ASSERT_TRUE(b.begin().ok());
  const Reply reply = b.write(0, 2);
  EXPECT_EQ(reply.outcome, Outcome::kAborted) << reply.message;
  EXPECT_TRUE(reply.connected);
  EXPECT_TRUE(a.commit().ok());
}

TEST_F(Trouble_postgres, SessionEndedByTheServer) {
  const Opened opened = db::opened(dsn_, "read-committed", 1);
  Session& session = *opened.sessions[0];
  ASSERT_TRUE(session.begin().ok());
  ASSERT_TRUE(session.write(0, 1).ok());
  raw_sql(dsn_,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
          "application_name = 'isolde' AND pid <> pg_backend_pid()");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const Reply reply = session.commit();
  EXPECT_EQ(reply.outcome, Outcome::kUnknown);
  EXPECT_FALSE(reply.connected);
}
#endif

#ifdef ISOLDE_WITH_MARIADB
std::string endpoint_of(const std::string& dsn) {
  const std::size_t begin = dsn.find('@') + 1;
  return dsn.substr(begin, dsn.find("/isolde") - begin);
}

class Trouble_mariadb : public Trouble {
 protected:
  void SetUp() override {
    dsn_ = support::private_dsn("mariadb");
    if (dsn_.empty()) GTEST_SKIP() << "MariaDB is not installed";
  }
  std::string dsn_;
};

TEST_F(Trouble_mariadb, ServerDies) { loses_the_server("mariadb", true); }
TEST_F(Trouble_mariadb, ServerStopsAnswering) { loses_the_server("mariadb", false); }

TEST_F(Trouble_mariadb, WrongPasswordAndMissingPrivilege) {
  raw_sql(dsn_, "CREATE USER 'poor'@'localhost' IDENTIFIED BY 'right'");
  expect(error_of(replaced(dsn_, "root:@", "poor:geheim@")), ErrorCode::kUsage,
         "Access denied");
  expect(error_of(replaced(dsn_, "root:@", "poor:right@")), ErrorCode::kUsage, "Access denied");
  raw_sql(dsn_, "GRANT SELECT ON isolde.* TO 'poor'@'localhost'");
  Result<std::unique_ptr<Database>> database =
      open_database(replaced(dsn_, "root:@", "poor:right@"), {});
  ASSERT_TRUE(database.ok());
  const Status made = (*database)->create({}, {});
  ASSERT_FALSE(made.ok());
  expect(made.error(), ErrorCode::kUsage, "CREATE command denied");
  raw_sql(dsn_, "DROP USER 'poor'@'localhost'");
}

TEST_F(Trouble_mariadb, UnknownDatabaseAndParameter) {
  expect(error_of(dsn_ + "x"), ErrorCode::kUsage, "Unknown database");
  expect(error_of(replaced(dsn_, "/isolde", "/")), ErrorCode::kUsage, "no database");
  expect(error_of(dsn_ + "?sync_wait=99"), ErrorCode::kUsage, "sync_wait=99");
  expect(error_of(dsn_ + "?snapshot_isolation=x"), ErrorCode::kUsage, "snapshot_isolation=x");
}

TEST_F(Trouble_mariadb, NoServer) {
  expect(error_of("mariadb://u:geheim@127.0.0.1:1/d"), ErrorCode::kEnvironment, "127.0.0.1");
  expect(error_of("mariadb://u:geheim@nosuchhost.invalid/d"), ErrorCode::kEnvironment,
         "nosuchhost.invalid");
}

// A lock timeout rolls back one statement by default; to us the whole transaction is over.
TEST_F(Trouble_mariadb, LockTimeoutEndsTheTransaction) {
  const Opened opened = db::opened(dsn_, "repeatable-read", 2, 1);
  Session& a = *opened.sessions[0];
  Session& b = *opened.sessions[1];
  ASSERT_TRUE(a.begin().ok());
  ASSERT_TRUE(a.write(0, 1).ok());
  ASSERT_TRUE(b.begin().ok());
  ASSERT_TRUE(b.write(1, 2).ok());
  const Reply reply = b.write(0, 2);
  EXPECT_EQ(reply.outcome, Outcome::kAborted) << reply.message;
  EXPECT_TRUE(reply.connected);
  EXPECT_TRUE(a.write(1, 3).ok()) << "b still holds its lock";
  EXPECT_TRUE(a.commit().ok());
  ASSERT_TRUE(b.begin().ok());
  Value value;
  EXPECT_TRUE(b.read(1, value).ok());
  EXPECT_EQ(value, Value(3));
  EXPECT_TRUE(b.commit().ok());
}

TEST_F(Trouble_mariadb, SpreadsSessionsOverEndpoints) {
  const std::unique_ptr<PrivateServer> other = PrivateServer::start("mariadb");
  ASSERT_NE(other, nullptr);
  const std::string both =
      replaced(dsn_, "/isolde", "," + endpoint_of(other->dsn()) + "/isolde");
  OpenOptions options;
  options.timeout_seconds = 1;
  Result<std::unique_ptr<Database>> database = open_database(both, options);
  ASSERT_TRUE(database.ok());
  // The tables never arrive at the second, which is no replica of the first.
  const Status made = (*database)->create({}, {});
  ASSERT_FALSE(made.ok());
  expect(made.error(), ErrorCode::kEnvironment, "do they belong to one cluster?");
  other->kill();
  EXPECT_TRUE((*database)->connect(0).ok());
  EXPECT_FALSE((*database)->connect(1).ok());
  EXPECT_TRUE((*database)->connect(2).ok());
}

TEST_F(Trouble_mariadb, TakesOneServerForTwoEndpoints) {
  const Opened opened = db::opened(
      replaced(dsn_, "/isolde", "," + endpoint_of(dsn_) + "/isolde"), "serializable", 3);
  EXPECT_EQ(opened.sessions.size(), 3u);
}
#endif

#ifdef ISOLDE_WITH_SQLITE
using Trouble_sqlite = Trouble;

TEST_F(Trouble_sqlite, MakesAndRemovesATemporaryFolder) {
  std::string path;
  {
    const Opened opened = db::opened("sqlite:", "serializable", 1);
    path = raw_sql(*opened.database, "SELECT file FROM pragma_database_list")[0];
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

class Trouble_sqlite_file : public Trouble {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_ = testing::TempDir() + "isolde-sqlite-test-XXXXXX";
};

TEST_F(Trouble_sqlite_file, RemovesAFileOnlyWhenItMadeItAndItIsEmpty) {
  const std::string path = folder_ + "/f.db";
  { const Opened opened = db::opened("sqlite:" + path, "serializable", 1); }
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    const Opened opened = db::opened("sqlite:" + path, "serializable", 1);
    raw_sql(*opened.database, "CREATE TABLE mine (a)");
  }
  EXPECT_EQ(raw_sql("sqlite:" + path, "SELECT name FROM sqlite_master"),
            std::vector<std::string>{"mine"});
  { const Opened opened = db::opened("sqlite:" + path, "serializable", 1); }
  EXPECT_EQ(raw_sql("sqlite:" + path, "SELECT name FROM sqlite_master"),
            std::vector<std::string>{"mine"});
}

TEST_F(Trouble_sqlite_file, KeepsTheJournalModeOfAFileThatIsThere) {
  const std::string dsn = "sqlite:" + folder_ + "/f.db";
  {
    const Opened opened = db::opened(dsn + "?journal=delete", "serializable", 1);
    raw_sql(*opened.database, "CREATE TABLE mine (a)");
  }
  const Opened opened = db::opened(dsn, "serializable", 1);
  EXPECT_EQ(raw_sql(*opened.database, "PRAGMA journal_mode"),
            std::vector<std::string>{"delete"});
}

TEST_F(Trouble_sqlite_file, TellsWhatIsWrongWithTheFile) {
  expect(error_of("sqlite:" + folder_ + "/no/f.db"), ErrorCode::kEnvironment,
         "No such file or directory");
  std::FILE* const file = std::fopen((folder_ + "/text").c_str(), "w");
  for (int i = 0; i < 100; ++i) std::fputs("this is no database\n", file);
  std::fclose(file);
  expect(error_of("sqlite:" + folder_ + "/text"), ErrorCode::kUsage, "not a database");
  expect(error_of("sqlite://host/x"), ErrorCode::kUsage, "sqlite:PATH");
  expect(error_of("sqlite:?journal=x"), ErrorCode::kUsage, "wal, delete");
  expect(error_of("sqlite:?for_update=1"), ErrorCode::kUsage, "for_update");
}

TEST_F(Trouble_sqlite, ReadsUncommittedOnlyWhereAsked) {
  for (const std::string isolation : {"read-uncommitted", "deferred"}) {
    const Opened opened = db::opened("sqlite:", isolation, 2);
    ASSERT_TRUE(opened.sessions[0]->begin().ok());
    ASSERT_TRUE(opened.sessions[0]->write(0, 5).ok());
    ASSERT_TRUE(opened.sessions[1]->begin().ok());
    Value value;
    ASSERT_TRUE(opened.sessions[1]->read(0, value).ok());
    EXPECT_EQ(value, isolation == "deferred" ? Value() : Value(5));
    EXPECT_TRUE(opened.sessions[0]->rollback().ok());
    EXPECT_TRUE(opened.sessions[1]->rollback().ok());
  }
}

TEST_F(Trouble_sqlite, WaitsNoLongerThanTheLimit) {
  const Opened opened = db::opened("sqlite:", "serializable", 2, 0.2);
  ASSERT_TRUE(opened.sessions[0]->begin().ok());
  const auto begin = Clock::now();
  const Reply reply = opened.sessions[1]->begin();
  EXPECT_EQ(reply.outcome, Outcome::kAborted);
  EXPECT_TRUE(reply.connected);
  EXPECT_LT(seconds_since(begin), 2);
  EXPECT_TRUE(opened.sessions[0]->rollback().ok());
  EXPECT_TRUE(opened.sessions[1]->begin().ok());
}
#endif

#ifdef ISOLDE_WITH_FIREBIRD
using Trouble_firebird = Trouble;

TEST_F(Trouble_firebird, MakesAndRemovesATemporaryFolder) {
  std::string path;
  {
    const Opened opened = db::opened("firebird:", "snapshot", 1);
    path = raw_sql(*opened.database, "SELECT MON$DATABASE_NAME FROM MON$DATABASE")[0];
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

// The engine would shut all sessions down by itself; what Ctrl-C does is not its business.
TEST_F(Trouble_firebird, LeavesSignalsAlone) {
  const Opened opened = db::opened("firebird:", "snapshot", 1);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    EXPECT_EQ(action.sa_handler, SIG_DFL) << signal;
  }
}

TEST_F(Trouble_firebird, TellsWhatIsWrong) {
  const io::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "this is no database\n";
  const std::string path = folder.put("text", text);
  expect(error_of("firebird:" + path), ErrorCode::kUsage, "not a valid database");
  expect(error_of("firebird:/nosuch/folder/f.fdb"), ErrorCode::kEnvironment, "No such file");
  expect(error_of("firebird://u:geheim@127.0.0.1:1/x"), ErrorCode::kEnvironment, "127.0.0.1");
  // An address of IPv6 is no name of a file.
  expect(error_of("firebird://u:geheim@[::1]:1/x"), ErrorCode::kEnvironment,
         "network request to host \"::1\"");
  expect(error_of("firebird://u:geheim@127.0.0.1:1/"), ErrorCode::kUsage, "no database");
  expect(error_of("firebird:?wait=x"), ErrorCode::kUsage, "wait=x");
  expect(error_of("firebird:?auto_undo=x"), ErrorCode::kUsage, "auto_undo=x");
}

// At READ COMMITTED a statement may find a row that is gone when it comes to change it. Here
// the statement's own condition has another transaction delete the row and commit.
TEST_F(Trouble_firebird, IsOnlyRefusedWhereARowGoesMeanwhile) {
  Opened opened = db::opened("firebird:", "read-committed", 1);
  raw_sql(*opened.database,
          "CREATE FUNCTION gone RETURNS INTEGER AS BEGIN IN AUTONOMOUS TRANSACTION DO DELETE "
          "FROM isolde_register WHERE k = 0; RETURN 1; END");
  Session& session = *opened.sessions[0];
  ASSERT_TRUE(session.begin().ok());
  const Reply reply =
      session.statement("UPDATE isolde_register SET v = 1 WHERE k = 0 AND gone() = 1");
  EXPECT_NE(reply.message.find("cannot update erased record"), std::string::npos)
      << reply.message;
  EXPECT_EQ(reply.outcome, Outcome::kAborted);
  EXPECT_TRUE(reply.connected);
  EXPECT_TRUE(session.begin().ok());
  EXPECT_TRUE(session.write(0, 1).ok());
  EXPECT_TRUE(session.commit().ok());
  opened.sessions.clear();
  raw_sql(*opened.database, "DROP FUNCTION gone");
}

TEST_F(Trouble_firebird, UndoesByItselfUnlessAskedNotTo) {
  for (const bool undoes : {true, false}) {
    const Opened opened =
        db::opened(undoes ? "firebird:" : "firebird:?auto_undo=0", "snapshot", 1);
    const std::unique_ptr<sql::Connection> raw = raw_connection(*opened.database);
    std::vector<std::string> column;
    ASSERT_TRUE(raw->begin().done());
    ASSERT_TRUE(raw->execute("SELECT CAST(MON$AUTO_UNDO AS VARCHAR(9)) FROM MON$TRANSACTIONS "
                             "WHERE MON$TRANSACTION_ID = CURRENT_TRANSACTION",
                             column)
                    .done());
    EXPECT_EQ(column, std::vector<std::string>{undoes ? "1" : "0"});
    EXPECT_TRUE(raw->rollback().done());
    Value value;
    ASSERT_TRUE(opened.sessions[0]->begin().ok());
    ASSERT_TRUE(opened.sessions[0]->write(0, 5).ok());
    ASSERT_TRUE(opened.sessions[0]->rollback().ok());
    ASSERT_TRUE(opened.sessions[0]->begin().ok());
    ASSERT_TRUE(opened.sessions[0]->read(0, value).ok());
    EXPECT_EQ(value, Value());
    EXPECT_TRUE(opened.sessions[0]->rollback().ok());
  }
}

TEST_F(Trouble_firebird, WaitsForALockOnlyWhereAsked) {
  for (const bool wait : {false, true}) {
    const Opened opened = db::opened(wait ? "firebird:?wait=2" : "firebird:", "snapshot", 2);
    ASSERT_TRUE(opened.sessions[0]->begin().ok());
    ASSERT_TRUE(opened.sessions[0]->write(0, 1).ok());
    ASSERT_TRUE(opened.sessions[1]->begin().ok());
    const auto begin = Clock::now();
    const Reply reply = opened.sessions[1]->write(0, 2);
    EXPECT_EQ(reply.outcome, Outcome::kAborted) << reply.message;
    EXPECT_TRUE(reply.connected);
    EXPECT_EQ(seconds_since(begin) > 0.5, wait);
    EXPECT_TRUE(opened.sessions[0]->commit().ok());
  }
}
#endif

// --- Replicas

#ifdef ISOLDE_WITH_POSTGRES

/// "postgres://postgres@A,B/postgres" -> "postgres://postgres@B,A/postgres"
std::string swapped(const std::string& dsn) {
  const std::size_t at = dsn.find('@') + 1;
  const std::size_t comma = dsn.find(',');
  const std::size_t end = dsn.find('/', comma);
  return dsn.substr(0, at) + dsn.substr(comma + 1, end - comma - 1) + "," +
         dsn.substr(at, comma - at) + dsn.substr(end);
}

TEST(Standbys_postgres, OnlyReadWhatThePrimaryCommits) {
  const std::string dsn = support::private_dsn("postgres-replica");
  if (dsn.empty()) GTEST_SKIP() << "postgres is not installed";
  for (const char* isolation : {"read-committed", "repeatable-read", "serializable"}) {
    Opened opened_there = opened(dsn, isolation, 4);
    ASSERT_EQ(opened_there.sessions.size(), 4u);
    Database& database = *opened_there.database;
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(database.only_reads(i), i % 2 == 1);
    Session& primary = *opened_there.sessions[0];
    Session& standby = *opened_there.sessions[1];
    EXPECT_NE(primary.server().find("/n1/"), std::string::npos) << primary.server();
    EXPECT_NE(standby.server().find("/n2/"), std::string::npos) << standby.server();
    ASSERT_TRUE(primary.begin().ok());
    ASSERT_TRUE(primary.write(1, 42).ok());
    ASSERT_TRUE(primary.commit().ok());
    Value seen;
    const Clock::time_point begin = Clock::now();
    while (seen != 42 && seconds_since(begin) < 10) {
      ASSERT_TRUE(standby.begin().ok());
      const Reply read = standby.read(1, seen);
      ASSERT_TRUE(read.ok()) << isolation << ": " << read.message;
      ASSERT_TRUE(standby.commit().ok());
    }
    EXPECT_EQ(seen, 42) << isolation;
    // Outside of a transaction, too.
    EXPECT_TRUE(standby.statement("SELECT 1").ok()) << isolation;
    ASSERT_TRUE(standby.begin().ok());
    const Reply write = standby.write(1, 43);
    EXPECT_EQ(write.outcome, Outcome::kFailed);
    EXPECT_NE(write.message.find("read-only transaction"), std::string::npos) << write.message;
  }
}

TEST(Standbys_postgres, PromiseWhatHoldsThere) {
  const std::string dsn = support::private_dsn("postgres-replica");
  if (dsn.empty()) GTEST_SKIP() << "postgres is not installed";
  const auto promised = [](const std::string& text) {
    const Result<const DatabaseInfo*> row = find_database_of(parse_dsn(text).value(), 5);
    EXPECT_TRUE(row.ok());
    return (*row)->isolations.back().claims;
  };
  EXPECT_EQ(promised(dsn), Level::kSnapshotIsolation);
  const std::string primary = dsn.substr(0, dsn.find(',')) + dsn.substr(dsn.rfind('/'));
  EXPECT_EQ(promised(primary), Level::kSerializable);
  const std::string twice =
      dsn.substr(0, dsn.find(',') + 1) + primary.substr(primary.find('@') + 1);
  EXPECT_EQ(promised(twice), Level::kSerializable);
}

TEST(Standbys_postgres, AreNotThePlaceForTables) {
  const std::string dsn = support::private_dsn("postgres-replica");
  if (dsn.empty()) GTEST_SKIP() << "postgres is not installed";
  Result<std::unique_ptr<Database>> database = open_database(swapped(dsn), {});
  ASSERT_TRUE(database.ok()) << database.error().message;
  const Status made = (*database)->create({}, {});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kUsage);
  EXPECT_EQ(made.error().message,
            "the first endpoint of the DSN is a replica, which takes no writes; name the "
            "primary first");
}

#endif

#ifdef ISOLDE_WITH_MARIADB

TEST(Replicas_mariadb, OnlyRead) {
  const std::string dsn = support::private_dsn("mariadb-replica");
  if (dsn.empty()) GTEST_SKIP() << "mariadb is not installed";
  Opened there = opened(dsn, "serializable", 2);
  ASSERT_EQ(there.sessions.size(), 2u);
  EXPECT_FALSE(there.database->only_reads(0));
  EXPECT_TRUE(there.database->only_reads(1));
  EXPECT_TRUE(there.database->only_reads(3));
  const Result<const DatabaseInfo*> row = find_database_of(parse_dsn(dsn).value(), 5);
  ASSERT_TRUE(row.ok());
  for (const IsolationInfo& isolation : (*row)->isolations) {
    EXPECT_EQ(isolation.claims.has_value(), isolation.no_claim.empty());
    if (isolation.name == "serializable") {
      EXPECT_FALSE(isolation.claims.has_value());
    }
  }
}

#endif

}  // namespace
}  // namespace isolde::db
