// Goal: scripts have the drivers' own statements, and say where the recorded values are not
// those of one transaction after the other. Method: parts of texts for each dialect; whole
// scripts are golden files (test/cli/replay.t), and test/e2e/paste_script.py executes some.
#include "replay/script.hpp"

#include <gtest/gtest.h>

#include "isolde/history_builder.hpp"
#include "replay/serial_run.hpp"
#include "support/history_dsl.hpp"

namespace isolde::replay {
namespace {

constexpr const char* kHistory =
    "A: r(x=_) w(x=foo) ; B: r(x=_) w(x=-2) ; C: r(x=foo) r(x=?) r(x=<>3) ; C: a(l=5) | "
    "r(l=[5]) ; D: a(l=6) !";

/// Empty when this build lacks the driver.
std::string script_of(const History& history, const char* database,
                      const std::string& isolation, const char* dsn) {
  const Result<const db::DatabaseInfo*> row = db::find_database(database);
  if (!row) return "";
  const Numbering numbering(history);
  db::OpenOptions open;
  open.isolation = isolation;
  const Result<db::Dsn> name = db::parse_dsn(dsn);
  EXPECT_TRUE(name.ok());
  ScriptOptions options{"h.jsonl", database, isolation, nullptr};
  std::optional<db::sql::Shell> shell;
  if ((*row)->shell != nullptr) {
    Result<db::sql::Shell> made = (*row)->shell(*name, open);
    EXPECT_TRUE(made.ok());
    shell = std::move(made).value();
    options.shell = &*shell;
  }
  return script(numbering, Interleaving(history).steps(), options);
}

std::string script_of(const char* text, const char* database, const std::string& isolation,
                      const char* dsn) {
  return script_of(support::parse(text), database, isolation, dsn);
}

void expect_lines(const std::string& script, const std::vector<std::string>& lines) {
  if (script.empty()) GTEST_SKIP() << "this build lacks the driver";
  for (const std::string& line : lines) {
    EXPECT_NE(("\n" + script).find("\n" + line + "\n"), std::string::npos)
        << line << "\nis not in\n"
        << script;
  }
}

TEST(Script, Postgres) {
  expect_lines(script_of(kHistory, "postgres", "repeatable-read", "postgres:"),
               {"BEGIN ISOLATION LEVEL repeatable read;", "COMMIT;", "ROLLBACK;",
                "SELECT v FROM isolde_register WHERE k = 0;",
                "UPDATE isolde_register SET v = -2 WHERE k = 0;",
                "UPDATE isolde_list SET v = v || ',' || 5 WHERE k = 1;",
                "CREATE TABLE isolde_list (k BIGINT NOT NULL PRIMARY KEY, v TEXT);",
                "INSERT INTO isolde_register (k, v) VALUES (0, NULL);",
                "INSERT INTO isolde_list (k, v) VALUES (1, '');", "DROP TABLE isolde_list;",
                "-- key 0       x", "-- value 1     foo", "--    recorded and expected: NULL",
                "--    recorded and expected: ',5'"});
  expect_lines(script_of(kHistory, "postgres", "serializable",
                         "postgres:?upsert=1&tables=2&for_update=1"),
               {"INSERT INTO isolde_register_0 (k, v) VALUES (0, 1) ON CONFLICT (k) DO UPDATE "
                "SET v = excluded.v;",
                "SELECT v FROM isolde_list_1 WHERE k = 1 FOR UPDATE;"});
}

// Goal: what locked locks again, each database in its own words.
TEST(Script, Locks) {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  const KeyId y = builder.key(builder.string("y"));
  const KeyId list = builder.key(builder.string("l"));
  builder.begin_txn(builder.session("a"));
  builder.read(x, Value::null());
  builder.set_lock(LockMode::kShare);
  builder.read(y, Value::null());
  builder.write(x, builder.integer(1));
  Predicate some;
  some.keys = Predicate::Bounds{1, 9};
  builder.select(some, {});
  builder.set_lock(LockMode::kUpdate);
  builder.begin_txn(builder.session("b"));
  builder.append(list, builder.integer(5));
  const Value element = builder.integer(5);
  builder.read_list(list, std::span(&element, 1));
  builder.set_lock(LockMode::kUpdate);
  const Result<History> built = builder.finish();
  ASSERT_TRUE(built.ok()) << built.error().message;
  const History& history = *built;
  expect_lines(
      script_of(history, "postgres", "repeatable-read", "postgres:"),
      {"SELECT v FROM isolde_register WHERE k = 0 FOR SHARE;",
       "SELECT v FROM isolde_register WHERE k = 10;",
       "SELECT k, v FROM isolde_register WHERE k BETWEEN 1 AND 9 AND v IS NOT NULL FOR UPDATE;",
       "SELECT v FROM isolde_list WHERE k = 11 FOR UPDATE;"});
  expect_lines(script_of(history, "mariadb", "repeatable-read", "mariadb:"),
               {"SELECT v FROM isolde_register WHERE k = 0 LOCK IN SHARE MODE;"});
  expect_lines(script_of(history, "sqlite", "serializable", "sqlite:"),
               {"SELECT v FROM isolde_register WHERE k = 0;",
                "SELECT k, v FROM isolde_register WHERE k BETWEEN 1 AND 9 AND v IS NOT NULL;"});
}

TEST(Script, Mariadb) {
  expect_lines(
      script_of(kHistory, "mariadb", "repeatable-read", "mariadb:?snapshot_isolation=on"),
      {"SET SESSION TRANSACTION ISOLATION LEVEL repeatable read;",
       "SET SESSION innodb_snapshot_isolation = ON;", "START TRANSACTION;",
       "UPDATE isolde_list SET v = CONCAT(v, ',', 5) WHERE k = 1;"});
}

TEST(Script, Sqlite) {
  expect_lines(script_of(kHistory, "sqlite", "serializable", "sqlite:"),
               {"PRAGMA journal_mode=wal;", "BEGIN IMMEDIATE;",
                "UPDATE isolde_register SET v = 1 WHERE k = 0;"});
}

TEST(Script, Firebird) {
  expect_lines(
      script_of(kHistory, "firebird", "snapshot", "firebird:"),
      {"SET TRANSACTION READ WRITE NO WAIT ISOLATION LEVEL SNAPSHOT;", "SET TERM ^ ;",
       "EXECUTE BLOCK AS BEGIN INSERT INTO isolde_register (k, v) VALUES (0, NULL); END^",
       "SET TERM ; ^",
       "UPDATE isolde_list SET v = v || ',' || CAST(5 AS BIGINT) WHERE k = 1;"});
}

TEST(Script, WordsForOthers) {
  expect_lines(script_of(kHistory, "lmdb", "serializable", "lmdb:"),
               {"1. session A: begins transaction 1", "2. session A: r(x)",
                "   recorded and expected: null"});
}

TEST(Script, SelectsAndDeletesByConditions) {
  constexpr const char* kRows =
      "A: w(3=5) w(4=50) ; B: s(keys=1..9 values=0..9: 3=5) s(keys=1..9:) s(keys=3..3: 3=5) "
      "d(3)";
  expect_lines(
      script_of(kRows, "postgres", "read-committed", "postgres:"),
      {"-- 6. session B: select(keys 1 to 9 with values 0 to 9)",
       "SELECT k, v FROM isolde_register WHERE k BETWEEN 1 AND 9 AND v BETWEEN 0 AND 9;",
       "--    recorded and expected: [3=5]", "--    recorded: [], expected: [3=5 4=50]  <--",
       "-- 8. session B: delete(key 3)",
       "DELETE FROM isolde_register WHERE k BETWEEN 3 AND 3 AND v IS NOT NULL RETURNING k, "
       "v;"});
  expect_lines(
      script_of(kRows, "postgres", "read-committed", "postgres:?tables=2"),
      {"SELECT k, v FROM isolde_register_0 WHERE k BETWEEN 1 AND 9 AND v BETWEEN 0 AND 9;",
       "SELECT k, v FROM isolde_register_1 WHERE k BETWEEN 1 AND 9 AND v BETWEEN 0 AND 9;"});
}

// Rows of selections: all that the others have left, and nothing that is deleted.
TEST(SerialRun, SelectsRows) {
  const History history = support::parse(
      "start(1=3) A: w(2=5) w(3=50) ; B: s(values=0..9: 1=3 2=5) d(2) s(values=0..9: 1=3) "
      "s(values=0..9:) s(values=0..99: 1=4 3=50) s(values=0..99: 1=3 3=50 2=5) ; C: w(1=4)");
  const SerialRun serial(history, std::vector<Step>{{Step::Kind::kCommit, TxnId(0), 0},
                                                    {Step::Kind::kCommit, TxnId(1), 0},
                                                    {Step::Kind::kCommit, TxnId(2), 0}});
  const TxnId reader(1);
  const std::span<const Selection> selections = history.selections(reader);
  ASSERT_EQ(selections.size(), 5U);
  EXPECT_TRUE(serial.agrees(reader, selections[0]));
  EXPECT_TRUE(serial.agrees(reader, selections[1]));
  EXPECT_FALSE(serial.agrees(reader, selections[2]));
  EXPECT_FALSE(serial.agrees(reader, selections[3]));
  EXPECT_FALSE(serial.agrees(reader, selections[4]));
  EXPECT_EQ(serial.rows(reader, selections[2]).size(), 1U);
}

TEST(SerialRun, Computes) {
  const History history = support::parse(
      "A: w(1=5) w(2=7) w(3=50) ; B: s(values=0..9 get=count: 2) s(values=0..9 get=exists: 1) "
      "s(values=0..9 get=sum: 12) s(values=0..9 get=min: 5) s(values=0..9 get=max: 7) "
      "s(keys=8..9 get=sum: _) s(keys=8..9 get=exists: 0) s(values=0..9 get=count: 3)");
  const SerialRun serial(history, std::vector<Step>{{Step::Kind::kCommit, TxnId(0), 0},
                                                    {Step::Kind::kCommit, TxnId(1), 0}});
  const std::span<const Selection> selections = history.selections(TxnId(1));
  ASSERT_EQ(selections.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(serial.agrees(TxnId(1), selections[i]), i != 7) << i;
  }
  EXPECT_EQ(serial.computed(TxnId(1), selections[7]), 2);
}

TEST(Script, Aggregates) {
  expect_lines(
      script_of("A: s(keys=1..9 get=count: 0) w(1=5) ; B: s(keys=1..9 get=sum: _) w(2=6)",
                "postgres", "read-committed", "postgres:"),
      {"-- 2. session A: count(keys 1 to 9)",
       "SELECT COUNT(*) FROM isolde_register WHERE k BETWEEN 1 AND 9 AND v IS NOT NULL;",
       "--    recorded: 0, expected: 1  <--", "--    recorded and expected: NULL"});
}

// What reads return when transactions run one after the other, and which reads differ from it.
TEST(SerialRun, FollowsTheOrderOfCommits) {
  const History history = support::parse(
      "A: r(x=_) w(x=1) r(x=1) ; B: r(x=_) w(x=2) ; C: w(x=9) ! ; D: r(x=2) r(l=[]) a(l=1) "
      "r(l=[1]) r(x=?) r(x=<>2)");
  const std::vector<Step> steps = {{Step::Kind::kCommit, TxnId(0), 0},
                                   {Step::Kind::kCommit, TxnId(1), 0},
                                   {Step::Kind::kRollback, TxnId(2), 0},
                                   {Step::Kind::kCommit, TxnId(3), 0}};
  const SerialRun serial(history, steps);
  EXPECT_TRUE(serial.agrees(TxnId(0), 0));
  EXPECT_TRUE(serial.agrees(TxnId(0), 2));
  EXPECT_EQ(serial.value(TxnId(1), 0), Value::integer(1));
  EXPECT_FALSE(serial.agrees(TxnId(1), 0));
  EXPECT_TRUE(serial.agrees(TxnId(3), 0));
  EXPECT_TRUE(serial.agrees(TxnId(3), 1));
  EXPECT_EQ(serial.list(TxnId(3), 3), (std::vector<Value>{Value::integer(1)}));
  EXPECT_TRUE(serial.agrees(TxnId(3), 4));
  EXPECT_FALSE(serial.agrees(TxnId(3), 5));
}

TEST(Script, AnArrowWhereTheHistoryDiffers) {
  const std::string text =
      script_of("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)", "lmdb", "serializable", "lmdb:");
  expect_lines(text, {"   recorded: null, expected: 1  <--"});
}

}  // namespace
}  // namespace isolde::replay
