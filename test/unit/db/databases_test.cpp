#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "db/driver.hpp"
#include "explain/harm.hpp"

namespace isolde::db {
namespace {

/// The row's isolations, each with a promise, or the reason why there is none.
void expect_isolations(const DatabaseInfo& row) {
  std::set<std::string_view> isolations;
  for (const IsolationInfo& isolation : row.isolations) {
    EXPECT_TRUE(isolations.insert(isolation.name).second) << isolation.name;
    EXPECT_EQ(isolation.name.find(' '), std::string_view::npos) << isolation.name;
    EXPECT_FALSE(isolation.note.empty()) << isolation.name;
    EXPECT_NE(isolation.claims.has_value(), !isolation.no_claim.empty()) << isolation.name;
  }
}

/// The row for a data source name without a server.
const DatabaseInfo& described(const std::string& dsn) {
  const Result<const DatabaseInfo*> row = find_database_of(parse_dsn(dsn).value(), 1);
  return **row;
}

TEST(Databases, AreDescribedInFull) {
  std::set<std::string_view> names;
  for (const DatabaseInfo* row : all_databases()) {
    EXPECT_TRUE(names.insert(row->name).second) << row->name;
    EXPECT_FALSE(row->summary.empty()) << row->name;
    EXPECT_TRUE(row->dsn.starts_with(std::string(row->name) + ":")) << row->dsn;
    EXPECT_NE(row->open, nullptr) << row->name;
    // Where only the database itself knows them, it is asked; so are those that have standbys.
    EXPECT_TRUE(!row->isolations.empty() || row->describe != nullptr) << row->name;
    expect_isolations(*row);
    const Result<const DatabaseInfo*> found = find_database(row->name);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(*found, row);
  }
}

// Goal: what depends on a parameter is said of the data source with it, and of no other one.
TEST(Databases, TellWhatDependsOnAParameter) {
  for (const DatabaseInfo* row : all_databases()) {
    EXPECT_TRUE(row->chosen.empty()) << row->name;
    EXPECT_EQ(called(*row), row->name);
    for (const std::string_view choice : row->choices) {
      const DatabaseInfo& chosen =
          described(std::string(row->name) + ":?" + std::string(choice));
      EXPECT_EQ(chosen.name, row->name);
      EXPECT_EQ(chosen.chosen, choice);
      EXPECT_EQ(called(chosen), std::string(row->name) + " with " + std::string(choice));
      EXPECT_FALSE(chosen.isolations.empty()) << choice;
      expect_isolations(chosen);
    }
  }
}

TEST(Databases, MyRocksLacksWhatInnoDbHas) {
  if (!find_database("mariadb").ok()) GTEST_SKIP() << "not built in";
  const DatabaseInfo& innodb = described("mariadb://u@h/d?engine=innodb");
  const DatabaseInfo& myrocks = described("mariadb://u@h/d?engine=rocksdb&index=1");
  EXPECT_EQ(&innodb, *find_database("mariadb"));
  EXPECT_TRUE(innodb.capabilities.savepoints);
  EXPECT_TRUE(innodb.capabilities.skips_locked);
  EXPECT_FALSE(myrocks.capabilities.savepoints);
  EXPECT_FALSE(myrocks.capabilities.skips_locked);
  EXPECT_TRUE(myrocks.capabilities.tables);
  // It says error 1213 of conflicts, too.
  EXPECT_FALSE(innodb.deadlock.words.empty());
  EXPECT_TRUE(myrocks.deadlock.words.empty());
  EXPECT_TRUE(with_isolation(myrocks, {.isolation = "read-committed"}).ok());
  for (const char* const refused : {"serializable", "read-uncommitted"}) {
    EXPECT_TRUE(with_isolation(innodb, {.isolation = refused}).ok()) << refused;
    const Result<OpenOptions> chosen = with_isolation(myrocks, {.isolation = refused});
    ASSERT_FALSE(chosen.ok()) << refused;
    EXPECT_TRUE(
        chosen.error().message.ends_with("expected one of repeatable-read, read-committed"))
        << chosen.error().message;
    EXPECT_NE(chosen.error().message.find(" of mariadb with engine=rocksdb"),
              std::string::npos);
  }
}

// What a report says to do about an anomaly is looked up by the names that drivers give.
TEST(Databases, HaveTheIsolationsThatRemediesName) {
  for (const explain::DatabaseRemedies* known : explain::all_remedies()) {
    const bool is_of_engine = known->engine == "myrocks";
    ASSERT_TRUE(is_of_engine || known->engine.empty()) << known->engine;
    Result<const DatabaseInfo*> found = find_database(known->database);
    ASSERT_TRUE(found.ok()) << known->database;
    if (is_of_engine) found = &described("mariadb://u@h/d?engine=rocksdb");
    EXPECT_FALSE(known->remedies.empty()) << known->database;
    for (const explain::Remedy& remedy : known->remedies) {
      const bool is_there =
          remedy.isolation.empty() ||
          std::ranges::find((*found)->isolations, remedy.isolation, &IsolationInfo::name) !=
              (*found)->isolations.end();
      EXPECT_TRUE(is_there) << known->database << " " << remedy.isolation;
    }
  }
}

// What a survey calls a deadlock. Firebird says the word of a conflict, too.
TEST(Databases, HaveWordsForDeadlocksWhereTheyMeanNothingElse) {
  const auto words_of = [](std::string_view name) {
    return (*find_database(name))->deadlock.words;
  };
  const std::string of_postgres = "deadlock detected (SQLSTATE 40P01)";
  const std::string of_mariadb = "Deadlock found when trying to get lock (error 1213)";
  EXPECT_NE(of_postgres.find(words_of("postgres")), std::string::npos);
  EXPECT_NE(of_mariadb.find(words_of("mariadb")), std::string::npos);
  EXPECT_TRUE((*find_database("mariadb"))->deadlock.only_alone);
  for (const char* name : {"rocksdb", "berkeleydb"}) EXPECT_FALSE(words_of(name).empty());
  for (const char* name : {"firebird", "exec"}) EXPECT_TRUE(words_of(name).empty());
}

TEST(Databases, ListsNamesWhenOneIsUnknown) {
  const Result<const DatabaseInfo*> found = find_database("oracle");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kUsage);
  EXPECT_NE(found.error().message.find("'oracle'"), std::string::npos);
  for (const DatabaseInfo* row : all_databases()) {
    EXPECT_NE(found.error().message.find(row->name), std::string::npos);
  }
}

// Goal: Firebird's own way to name a server is refused, and never taken for a file; in brackets
// and behind the // it is a server, which is not there.
TEST(Databases, TakeNoServerInAPathForAFileOfFirebird) {
  if (!find_database("firebird").ok()) GTEST_SKIP() << "not built in";
  for (const char* name : {"::1:/x.fdb", "::1/x.fdb", "[::1]:x.fdb", "localhost:/x.fdb",
                           "localhost/3050:x.fdb", "inet6://::1/x.fdb", "/tmp/a:b.fdb"}) {
    const auto opened = open_database(std::string("firebird:") + name, {});
    ASSERT_FALSE(opened.ok()) << name;
    EXPECT_EQ(opened.error().code, ErrorCode::kUsage) << name;
    EXPECT_NE(opened.error().message.find("an IPv6 address in brackets"), std::string::npos)
        << opened.error().message;
  }
  const auto server = open_database("firebird://u:p@[::1]:1/x.fdb", {});
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.error().code, ErrorCode::kEnvironment);
}

TEST(Databases, ChecksBeforeItOpens) {
  EXPECT_FALSE(open_database("nothing", {}).ok());
  EXPECT_FALSE(open_database("oracle://host/x", {}).ok());
  EXPECT_FALSE(open_database("exec: ", {}).ok());
  for (const DatabaseInfo* row : all_databases()) {
    if (row->isolations.empty()) continue;  // described by its data source name
    const std::string name(row->name);
    OpenOptions options;
    options.isolation = "perfect";
    const Result<std::unique_ptr<Database>> bad = open_database(name + ":", options);
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().code, ErrorCode::kUsage);
    EXPECT_NE(bad.error().message.find(row->isolations[0].name), std::string::npos);
    if (row->capabilities.endpoints) continue;
    const Result<std::unique_ptr<Database>> two = open_database(name + "://a,b/c", {});
    ASSERT_FALSE(two.ok());
    EXPECT_EQ(two.error().code, ErrorCode::kUsage);
    EXPECT_NE(two.error().message.find("one endpoint"), std::string::npos);
  }
}

// Goal: who forgets the // before a user and a password is not shown the password.
TEST(Databases, ShowNoPasswordOfAServerThatTheyCannotFind) {
  for (const DatabaseInfo* row : all_databases()) {
    if (row->isolations.empty()) continue;
    for (const char* const rest :
         {":bob:s3cr3t@host/d", ":/bob:s3cr3t@host/d", ":bob:s3cr3t"}) {
      const bool is_path = std::string_view(rest).find('@') == std::string_view::npos;
      if (row->capabilities.embedded && is_path) continue;
      const Result<std::unique_ptr<Database>> opened =
          open_database(std::string(row->name) + rest, {});
      ASSERT_FALSE(opened.ok()) << row->name << rest;
      EXPECT_EQ(opened.error().code, ErrorCode::kUsage);
      EXPECT_EQ(opened.error().message.find("s3cr3t"), std::string::npos)
          << opened.error().message;
      const std::string_view form = is_path ? row->dsn : "SCHEME://USER:PASSWORD@HOST:PORT";
      EXPECT_NE(opened.error().message.find(form), std::string::npos) << opened.error().message;
    }
  }
}

TEST(Databases, TakeShortNamesOfLevels) {
  const auto named = [](std::string_view database, const std::string& isolation) {
    const Result<const DatabaseInfo*> row = find_database(database);
    if (!row) return std::string("not built in");
    OpenOptions options;
    options.isolation = isolation;
    const Result<OpenOptions> chosen = with_isolation(**row, options);
    return chosen ? chosen->isolation : chosen.error().message;
  };
  if (!find_database("sqlite").ok()) GTEST_SKIP() << "not built in";
  EXPECT_EQ(named("sqlite", "SER"), "serializable");
  EXPECT_EQ(named("sqlite", "ru"), "read-uncommitted");
  // A level that the database has no isolation of.
  const std::string rest = "); expected one of deferred, serializable, read-uncommitted";
  EXPECT_EQ(named("sqlite", "rc"),
            "unknown isolation 'rc' of sqlite (the level read-committed is promised, and more, "
            "at deferred and serializable" +
                rest);
  EXPECT_EQ(
      named("sqlite", "Read Committed"),
      "unknown isolation 'Read Committed' of sqlite (the level read-committed is promised, "
      "and more, at deferred and serializable" +
          rest);
}

// Goal: at each driver, each way to write a name is the isolation, and each level's name tells
// of the level where it is none.
TEST(Databases, TakeNamesOfIsolationsAndLevelsAsPeopleWriteThem) {
  std::size_t rows = 0;
  for (const DatabaseInfo* row : all_databases()) {
    if (row->isolations.empty()) continue;
    const auto named = [&](const std::string& isolation) {
      OpenOptions options;
      options.isolation = isolation;
      const Result<OpenOptions> chosen = with_isolation(*row, options);
      return chosen ? chosen->isolation : chosen.error().message;
    };
    std::set<std::string> names;
    for (const IsolationInfo& isolation : row->isolations) {
      std::string loud(isolation.name);
      for (char& c : loud)
        c = c == '-' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      EXPECT_EQ(named(loud), isolation.name) << row->name;
      names.emplace(isolation.name);
    }
    for (const LevelInfo& level : all_levels()) {
      const std::string name(level.name);
      for (const std::string& each : {name, std::string(level.alias)}) {
        if (each.empty()) continue;
        const std::string said = named(each);
        if (names.contains(name)) {
          EXPECT_EQ(said, name) << row->name << " " << each;
          continue;
        }
        if (names.contains(each)) continue;  // a word of the database's own
        EXPECT_NE(said.find("(the level " + name + " is promised"), std::string::npos) << said;
        ++rows;
      }
    }
  }
  EXPECT_GT(rows, 20U);
}

}  // namespace
}  // namespace isolde::db
