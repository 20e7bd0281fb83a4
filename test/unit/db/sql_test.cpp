#include "db/sql.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "db/sql_database.hpp"

namespace isolde::db::sql {
namespace {

using Texts = std::vector<std::string>;
using Upsert = Dialect::Upsert;
using Kind = Said::Kind;

Dsn dsn_with(const std::string& name, const std::string& value) {
  Dsn dsn;
  dsn.scheme = "x";
  dsn.parameters[name] = value;
  return dsn;
}

// --- Parameters

TEST(SqlParameters, MakeALayout) {
  const Result<Layout> usual = layout_of({});
  ASSERT_TRUE(usual.ok());
  EXPECT_EQ(usual->tables, 1u);
  EXPECT_FALSE(usual->upsert);
  EXPECT_FALSE(usual->for_update);
  EXPECT_EQ(layout_of(dsn_with("tables", "7"))->tables, 7u);
  EXPECT_TRUE(layout_of(dsn_with("upsert", "1"))->upsert);
  EXPECT_TRUE(layout_of(dsn_with("for_update", "on"))->for_update);
  EXPECT_FALSE(layout_of(dsn_with("for_update", "off"))->for_update);
}

TEST(SqlParameters, RefuseOtherValues) {
  for (const std::string value : {"", "0", "-1", "1x", "101", "99999999999"}) {
    const Result<Layout> bad = layout_of(dsn_with("tables", value));
    ASSERT_FALSE(bad.ok()) << value;
    EXPECT_EQ(bad.error().code, ErrorCode::kUsage);
  }
  EXPECT_FALSE(layout_of(dsn_with("upsert", "true")).ok());
  const std::vector<std::string_view> values = {"a", "b"};
  EXPECT_EQ(*word_in({}, "p", values, "b"), "b");
  EXPECT_EQ(*word_in(dsn_with("p", "a"), "p", values, "b"), "a");
  EXPECT_EQ(word_in(dsn_with("p", "c"), "p", values, "b").error().message,
            "parameter p=c is not one of a, b");
}

// --- Lists and messages

TEST(SqlList, ParsesWhatAppendWrites) {
  std::vector<std::int64_t> elements = {9};
  EXPECT_TRUE(parse_list("", elements));
  EXPECT_TRUE(elements.empty());
  EXPECT_TRUE(parse_list(",1,-2,9223372036854775807", elements));
  EXPECT_EQ(elements,
            (std::vector<std::int64_t>{1, -2, std::numeric_limits<std::int64_t>::max()}));
}

TEST(SqlList, RefusesAllElse) {
  std::vector<std::int64_t> elements;
  for (const std::string_view text :
       {"1", ",", ",1,", ",1,,2", ",x", ",1 ", " ,1", ",1x", ",9223372036854775808", "NULL"}) {
    EXPECT_FALSE(parse_list(text, elements)) << text;
  }
}

TEST(SqlMessage, BecomesOneLine) {
  EXPECT_EQ(one_line("  a\n\tb  c\r\n"), "a b c");
  EXPECT_EQ(one_line("The end."), "The end");
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line(std::string(1000, 'x')), std::string(300, 'x') + "...");
}

TEST(SqlMessage, NamesTheEndpointAndNotThePassword) {
  const Dsn dsn = *parse_dsn("mariadb://me:secret@one:1,two:2/base?upsert=1");
  EXPECT_EQ(connecting_to(dsn, 0), "mariadb://me@one:1/base: ");
  EXPECT_EQ(connecting_to(dsn, 1), "mariadb://me@two:2/base: ");
}

// --- Statements

TEST(SqlStatements, NumberParametersWhereWanted) {
  Dialect dialect;
  EXPECT_EQ(statement_texts(dialect, {})[1], "UPDATE isolde_register SET v = ? WHERE k = ?");
  dialect.numbered = true;
  EXPECT_EQ(statement_texts(dialect, {})[1], "UPDATE isolde_register SET v = $1 WHERE k = $2");
}

TEST(SqlStatements, HaveTheirParametersInAllDialects) {
  const std::vector<std::size_t> parameters = {1, 2, 2, 1, 2, 2, 3, 2, 2, 2,
                                               2, 1, 0, 2, 2, 4, 0, 2, 2, 4};
  for (const Upsert upsert : {Upsert::kOnConflict, Upsert::kOnDuplicateKey, Upsert::kMerge}) {
    Dialect dialect;
    dialect.upsert = upsert;
    const Texts texts = statement_texts(dialect, {});
    ASSERT_EQ(texts.size(), kStatements);
    for (std::size_t i = 0; i < kStatements; ++i) {
      const auto count = std::count(texts[i].begin(), texts[i].end(), '?');
      EXPECT_EQ(static_cast<std::size_t>(count), parameters[i]) << texts[i];
    }
  }
}

TEST(SqlStatements, LockOnlyWhereWanted) {
  Dialect dialect;
  dialect.locking = " FOR UPDATE";
  EXPECT_EQ(statement_texts(dialect, {})[0], "SELECT v FROM isolde_register WHERE k = ?");
  const Layout layout{.for_update = true};
  EXPECT_EQ(statement_texts(dialect, layout)[0],
            "SELECT v FROM isolde_register WHERE k = ? FOR UPDATE");
}

TEST(SqlStatements, SpreadKeysOverTables) {
  const Layout layout{.tables = 3};
  const Texts texts = statement_texts({}, layout);
  ASSERT_EQ(texts.size(), 3 * kStatements);
  EXPECT_EQ(texts[statement_index(Statement::kRead, 4, layout)],
            "SELECT v FROM isolde_register_1 WHERE k = ?");
  EXPECT_EQ(texts[statement_index(Statement::kReadList, 5, layout)],
            "SELECT v FROM isolde_list_2 WHERE k = ?");
  EXPECT_LT(statement_index(Statement::kCasInsert, -1, layout), texts.size());
}

// --- Tables

TEST(SqlTables, AreMadeOwnerFirst) {
  const Layout layout{.tables = 2};
  EXPECT_EQ(table_names(layout), (Texts{"isolde_register_0", "isolde_register_1",
                                        "isolde_list_0", "isolde_list_1"}));
  Dialect dialect;
  dialect.table_options = " ENGINE=InnoDB";
  EXPECT_EQ(create_texts(dialect, {}),
            (Texts{"CREATE TABLE isolde_owner (note VARCHAR(200)) ENGINE=InnoDB",
                   "CREATE TABLE isolde_register (k BIGINT NOT NULL PRIMARY KEY, v BIGINT) "
                   "ENGINE=InnoDB",
                   "CREATE TABLE isolde_list (k BIGINT NOT NULL PRIMARY KEY, v TEXT) "
                   "ENGINE=InnoDB"}));
}

TEST(SqlTables, GetTheirRowsInBulk) {
  const std::vector<Key> registers = {1, 2, -3};
  const std::vector<Key> lists = {7};
  EXPECT_EQ(row_texts({}, {}, registers, lists),
            (Texts{"INSERT INTO isolde_register (k, v) VALUES (1, NULL), (2, NULL), (-3, NULL)",
                   "INSERT INTO isolde_list (k, v) VALUES (7, '')"}));
  EXPECT_TRUE(row_texts({}, {.upsert = true}, registers, lists).empty());
  Dialect merge;
  merge.upsert = Upsert::kMerge;
  EXPECT_EQ(
      row_texts(merge, {}, {}, registers)[0],
      "EXECUTE BLOCK AS BEGIN INSERT INTO isolde_list (k, v) VALUES (1, ''); INSERT INTO "
      "isolde_list (k, v) VALUES (2, ''); INSERT INTO isolde_list (k, v) VALUES (-3, ''); "
      "END");
}

TEST(SqlTables, GetTheirRowsInChunks) {
  std::vector<Key> keys;
  for (Key key = 0; key < 1201; ++key) keys.push_back(key);
  EXPECT_EQ(row_texts({}, {}, keys, {}).size(), 3u);
  EXPECT_EQ(row_texts({}, {.tables = 2}, keys, {}).size(), 4u);
  Dialect merge;
  merge.upsert = Upsert::kMerge;
  EXPECT_EQ(row_texts(merge, {}, keys, {}).size(), 5u);
}

// --- Whose tables

Found made_by(const std::string& token, const Layout& layout) {
  Found found{table_names(layout), {made_by_note(token)}};
  for (const std::string& name : table_names(layout)) found.notes.push_back(table_note(name));
  found.notes.push_back(ready_note(token));
  found.relations.emplace_back(kOwnerTable);
  return found;
}

TEST(SqlOwner, NothingIsInTheWayOfAnEmptyDatabase) {
  for (const bool force : {false, true}) {
    const Result<Texts> tables = tables_in_the_way({}, {}, force);
    ASSERT_TRUE(tables.ok());
    EXPECT_TRUE(tables->empty());
  }
}

TEST(SqlOwner, DropsOwnTablesOnlyWhenForced) {
  const Found found = made_by("7", {});
  const Result<Texts> kept = tables_in_the_way(found, {}, false);
  ASSERT_FALSE(kept.ok());
  EXPECT_EQ(kept.error().code, ErrorCode::kUsage);
  EXPECT_NE(kept.error().message.find("--force-reset"), std::string::npos);
  const Result<Texts> dropped = tables_in_the_way(found, {}, true);
  ASSERT_TRUE(dropped.ok());
  EXPECT_EQ(*dropped, (Texts{"isolde_register", "isolde_list", "isolde_owner"}));
}

TEST(SqlOwner, DropsTablesOfAnotherLayoutToo) {
  const Result<Texts> dropped = tables_in_the_way(made_by("7", {.tables = 2}), {}, true);
  ASSERT_TRUE(dropped.ok());
  EXPECT_EQ(dropped->size(), 5u);
  EXPECT_EQ(dropped->back(), kOwnerTable);
}

TEST(SqlOwner, NeverTouchesForeignTables) {
  const auto refused = [](const Found& found) {
    const Result<Texts> tables = tables_in_the_way(found, {}, true);
    return !tables.ok() && tables.error().code == ErrorCode::kUsage &&
           tables.error().message.find("not created by Isolde") != std::string::npos;
  };
  EXPECT_TRUE(refused({{"isolde_register"}, {}}));
  EXPECT_TRUE(refused({{"isolde_list"}, {}}));
  EXPECT_TRUE(refused({{"isolde_owner"}, {}}));
  EXPECT_TRUE(refused({{"isolde_owner"}, {"somebody else's note"}}));
  // The owner's table without a note of who made it proves nothing.
  EXPECT_TRUE(refused({{"isolde_owner", "isolde_list"}, {table_note("isolde_list")}}));
  // Ours, but with a table between that no note names.
  Found mixed = made_by("7", {});
  mixed.notes.erase(
      std::find(mixed.notes.begin(), mixed.notes.end(), table_note("isolde_register")));
  EXPECT_TRUE(refused(mixed));
}

TEST(SqlOwner, LeavesTablesThatAreNotInTheWay) {
  const Result<Texts> tables =
      tables_in_the_way({{"isolde_register_3", "isolde_notes"}, {}}, {}, false);
  ASSERT_TRUE(tables.ok());
  EXPECT_TRUE(tables->empty());
}

TEST(SqlOwner, NotesCannotNameOtherTables) {
  Found found = made_by("7", {});
  for (const std::string name : {"customers", "isolde_registers", "isolde_list_",
                                 "isolde_list_x", "isolde_list_1; DROP TABLE customers"}) {
    found.relations.push_back(name);
    found.notes.push_back(table_note(name));
  }
  EXPECT_EQ(tables_in_the_way(found, {}, true)->size(), 3u);
}

TEST(SqlOwner, DropsATableBeforeThoseThatItRefersTo) {
  Found found = made_by("7", {});
  for (const std::string name : {"isolde_t0_item", "isolde_t1_orders"}) {
    found.relations.push_back(name);
    found.notes.push_back(table_note(name));
  }
  const Result<Texts> dropped = tables_in_the_way(found, {}, true);
  ASSERT_TRUE(dropped.ok());
  EXPECT_EQ(*dropped, (Texts{"isolde_t1_orders", "isolde_t0_item", "isolde_register",
                             "isolde_list", "isolde_owner"}));
  // One that is wanted and of which no note tells is somebody else's.
  const Texts wanted = {"isolde_t0_other"};
  found.relations.push_back(wanted[0]);
  EXPECT_FALSE(tables_in_the_way(found, {}, true, wanted).ok());
}

TEST(SqlOwner, KnowsTheRun) {
  EXPECT_EQ(tables_of_run(made_by("7", {}), "7").size(), 3u);
  EXPECT_TRUE(tables_of_run(made_by("7", {}), "8").empty());
  EXPECT_TRUE(tables_of_run(made_by("71", {}), "7").empty());
  EXPECT_TRUE(tables_of_run({}, "7").empty());
}

// --- Sessions, on a connection that says what it is told to

class Scripted final : public Connection {
 public:
  explicit Scripted(std::vector<Said>* script, Texts* log) : script_(script), log_(log) {}

  Said begin() override { return next("begin"); }
  Said commit() override { return next("commit"); }
  Said rollback() override { return next("rollback"); }
  Said run(std::size_t statement, std::span<const std::int64_t>, Answer& answer) override {
    answer = {};
    return next("run " + std::to_string(statement));
  }
  Said execute(const std::string&, std::vector<std::string>&) override {
    return next("execute");
  }
  Said query(const std::string& text, Sheet&) override { return next("query " + text); }

 private:
  Said next(const std::string& call) {
    log_->push_back(call);
    if (script_->empty()) return {};
    Said said = script_->front();
    script_->erase(script_->begin());
    return said;
  }

  std::vector<Said>* script_;
  Texts* log_;
};

class SqlSessions : public testing::Test {
 protected:
  std::vector<Said> script_;
  Texts log_;
  const Dialect dialect_ = {};
  const Layout layout_ = {};
  const TableTexts tables_{dialect_, layout_, {}};
  SqlSession session_{std::make_unique<Scripted>(&script_, &log_), layout_, dialect_, tables_};
};

TEST_F(SqlSessions, RollBackAfterARefusedStatement) {
  ASSERT_TRUE(session_.begin().ok());
  script_ = {{Kind::kRefused, "deadlock"}};
  const Reply reply = session_.write(1, 2);
  EXPECT_EQ(reply.outcome, Outcome::kAborted);
  EXPECT_TRUE(reply.connected);
  EXPECT_EQ(reply.message, "deadlock");
  EXPECT_EQ(log_, (Texts{"begin", "run 1", "rollback"}));
  EXPECT_TRUE(session_.begin().ok());
}

TEST_F(SqlSessions, RollBackAfterARefusedCommit) {
  ASSERT_TRUE(session_.begin().ok());
  script_ = {{Kind::kRefused, "conflict"}};
  EXPECT_EQ(session_.commit().outcome, Outcome::kAborted);
  EXPECT_EQ(log_, (Texts{"begin", "commit", "rollback"}));
}

TEST_F(SqlSessions, AreReplacedWhenTheyCannotRollBack) {
  ASSERT_TRUE(session_.begin().ok());
  script_ = {{Kind::kHopeless, "no privilege"}, {Kind::kLost, "gone"}};
  const Reply reply = session_.write(1, 2);
  EXPECT_EQ(reply.outcome, Outcome::kFailed);
  EXPECT_FALSE(reply.connected);
}

TEST_F(SqlSessions, KnowThatALostTransactionIsNotCommitted) {
  ASSERT_TRUE(session_.begin().ok());
  script_ = {{Kind::kLost, "gone"}};
  const Reply reply = session_.write(1, 2);
  EXPECT_EQ(reply.outcome, Outcome::kAborted);
  EXPECT_FALSE(reply.connected);
  EXPECT_EQ(log_, (Texts{"begin", "run 1"}));
}

TEST_F(SqlSessions, DoNotKnowHowALostCommitEnded) {
  for (const Kind kind : {Kind::kLost, Kind::kInDoubt}) {
    ASSERT_TRUE(session_.begin().ok());
    script_ = {{kind, "gone"}};
    const Reply reply = session_.commit();
    EXPECT_EQ(reply.outcome, Outcome::kUnknown);
    EXPECT_FALSE(reply.connected);
  }
}

TEST_F(SqlSessions, DoNotKnowHowALostCompareAndSetEnded) {
  script_ = {{Kind::kLost, "gone"}};
  CasResult result;
  EXPECT_EQ(session_.compare_and_set(1, 2, 3, result).outcome, Outcome::kUnknown);
  EXPECT_FALSE(result.applied);
}

TEST_F(SqlSessions, UpsertWhereNoRowMatched) {
  ASSERT_TRUE(session_.begin().ok());
  EXPECT_TRUE(session_.write(1, 2).ok());
  EXPECT_TRUE(session_.append(1, 2).ok());
  EXPECT_EQ(log_, (Texts{"begin", "run 1", "run 2", "run 4", "run 5"}));
}

}  // namespace
}  // namespace isolde::db::sql
