// Goal: the name of a version is the same for its writer and all its readers, also where the 32
// bits that rows have of it begin anew, and asking for it gives no number to who only reads.
#include "db/postgres_versions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "db/raw_sql.hpp"
#include "support/private_servers.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::db {
namespace {

using support::PrivateServer;
using Value = std::optional<std::int64_t>;

constexpr std::int64_t kEpoch = std::int64_t{1} << 32;
constexpr std::int64_t kHalf = kEpoch / 2;

// --- The nearest number

TEST(Versions_postgres, NearestWholeNumberIsAtMostHalfAnEpochAway) {
  const std::string dsn = support::private_dsn("postgres");
  if (dsn.empty()) GTEST_SKIP() << "PostgreSQL is not installed";
  std::vector<std::array<std::int64_t, 2>> cases;
  std::string values;
  for (const std::int64_t epoch : {1, 2, 5, 1 << 20}) {
    for (const std::int64_t near : {std::int64_t{0}, std::int64_t{3}, kHalf - 1, kHalf,
                                    kHalf + 1, kEpoch - 2, kEpoch - 1}) {
      for (const std::int64_t in_row : {std::int64_t{3}, std::int64_t{4}, kHalf - 1, kHalf,
                                        kHalf + 1, kHalf + 3, kEpoch - 1}) {
        cases.push_back({in_row, epoch * kEpoch + near});
        values += (values.empty() ? "(" : ", (") + std::to_string(in_row) + "::bigint, " +
                  std::to_string(cases.back()[1]) + "::bigint)";
      }
    }
  }
  const std::vector<std::string> told =
      raw_sql(dsn, "SELECT " + nearest_whole("c.low", "c.near") + " FROM (VALUES " + values +
                       ") AS c(low, near)");
  ASSERT_EQ(told.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [in_row, near] = cases[i];
    const std::int64_t whole = std::stoll(told[i]);
    EXPECT_EQ(whole & (kEpoch - 1), in_row) << near;
    EXPECT_LE(std::max(whole, near) - std::min(whole, near), kHalf) << in_row;
  }
}

// --- A server whose numbers are about to begin anew

/// The newest one with all programs, in Debian's folders; empty when there is none.
std::string folder_of_programs() {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    const std::filesystem::path bin = entry.path() / "bin";
    if (exists(bin / "pg_resetwal") && exists(bin / "initdb")) found.push_back(bin.string());
  }
  return found.empty() ? std::string() : *std::ranges::max_element(found);
}

/// Programs that make a cluster with 296 numbers left of its epoch. Nothing but frozen rows may
/// be there then, for all others are of the future; and the segment of pg_xact, which has the
/// ends of a million transactions, is not made by itself.
void put_programs(const io::TemporaryFolder& folder, const std::string& bin) {
  folder.put("postgres", "#!/bin/sh\nexec " + bin + "/postgres \"$@\"\n");
  folder.put("initdb",
             "#!/bin/sh\nset -e\n" + bin + "/initdb \"$@\"\ndata=$2\necho 'VACUUM FREEZE' | " +
                 bin + "/postgres --single -D $data postgres\nreset='" + bin +
                 "/pg_resetwal -e 1 -x 4294967000'\n"
                 "$reset -u 4294966000 $data || $reset $data\n"  // -u: since 14
                 "dd if=/dev/zero of=$data/pg_xact/0FFF bs=8192 count=32\n");
  using std::filesystem::perms;
  constexpr perms kForAll = perms::owner_all | perms::group_read | perms::group_exec |
                            perms::others_read |
                            perms::others_exec;  // the server may have a user of its own
  for (const char* name : {"", "postgres", "initdb"}) {
    std::filesystem::permissions(folder.path(name), kForAll);
  }
}

/// Each turn writes in a subtransaction, which takes a number.
constexpr const char* kPassTheWrap =
    "DO $$ BEGIN FOR i IN 1..400 LOOP BEGIN INSERT INTO burnt DEFAULT VALUES; EXCEPTION WHEN "
    "others THEN RAISE; END; END LOOP; END $$";

constexpr std::array kColumns = {table::Column{.name = "qty"}};
constexpr std::array kTables = {table::Table{"item", kColumns}};

class AboutToWrap_postgres : public testing::Test {
 protected:
  void SetUp() override {
    const std::string bin = folder_of_programs();
    if (bin.empty()) GTEST_SKIP() << "PostgreSQL is not installed";
    put_programs(programs_, bin);
    server_ =
        PrivateServer::start("postgres", {{"bin", programs_.path()}, {"autovacuum", "off"}});
    OpenOptions options;
    options.isolation = "repeatable-read";
    options.versions = true;
    Result<std::unique_ptr<Database>> database = open_database(server_->dsn(), options);
    ASSERT_TRUE(database.ok()) << database.error().message;
    database_ = std::move(*database);
    database_->use_tables(kTables);
    const std::vector<Key> keys = {0, 1, 2, 3};
    const Status made = database_->create(keys, {});
    ASSERT_TRUE(made.ok()) << made.error().message;
    raw_sql(*database_, "CREATE TABLE burnt ()");
    for (std::uint32_t i = 0; i < 4; ++i) sessions_.push_back(connect(i));
  }
  void TearDown() override {
    sessions_.clear();
    if (database_ != nullptr) static_cast<void>(database_->destroy());
  }

  std::unique_ptr<Session> connect(std::uint32_t number) const {
    Result<std::unique_ptr<Session>> session = database_->connect(number);
    EXPECT_TRUE(session.ok()) << (session ? "" : session.error().message);
    return session ? std::move(*session) : nullptr;
  }
  /// The number that comes next.
  std::int64_t next() const {
    return std::stoll(
        raw_sql(*database_, "SELECT pg_snapshot_xmax(pg_current_snapshot())").at(0));
  }
  static void ok(const Reply& reply) { EXPECT_TRUE(reply.ok()) << reply.message; }
  /// The version that a read finds, in the transaction that is open.
  static Value seen(Session& session, Key key) {
    Value value;
    ok(session.read(key, value));
    EXPECT_EQ(value, key);
    return session.version();
  }
  static Value written(Session& session, Key key) {
    ok(session.write(key, key));
    EXPECT_TRUE(session.version().has_value());
    return session.version();
  }
  /// As seen(), by a transaction of its own.
  static Value seen_alone(Session& session, Key key) {
    ok(session.begin());
    const Value version = seen(session, key);
    ok(session.commit());
    return version;
  }

  io::TemporaryFolder programs_;
  std::unique_ptr<PrivateServer> server_;
  std::unique_ptr<Database> database_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

TEST_F(AboutToWrap_postgres, VersionsKeepTheirNames) {
  Session& writer = *sessions_.at(0);
  Session& straddler = *sessions_.at(1);
  Session& early = *sessions_.at(2);
  Session& reader = *sessions_.at(3);
  const std::int64_t border = (next() / kEpoch + 1) * kEpoch;
  ok(writer.begin());
  const Value before = written(writer, 0);
  ok(writer.insert_row({.id = 1, .cells = {5}}, 7));
  EXPECT_EQ(writer.version(), before);
  ok(writer.commit());
  ok(early.begin());  // takes its snapshot
  EXPECT_EQ(seen(early, 0), before);
  ok(straddler.begin());
  const Value here = written(straddler, 1);
  raw_sql(*database_, kPassTheWrap);
  EXPECT_LT(border, next());
  ok(straddler.savepoint());
  const Value beyond = written(straddler, 2);
  EXPECT_EQ(seen(straddler, 2), beyond);
  EXPECT_EQ(seen(straddler, 0), before);
  ok(straddler.commit());
  EXPECT_LT(before, here);
  EXPECT_LT(here, border);
  EXPECT_GT(beyond, border);

  EXPECT_EQ(seen(early, 0), before);
  const Value last = written(early, 3);  // its snapshot is of before
  EXPECT_GT(last, border);
  EXPECT_EQ(seen(early, 3), last);
  ok(early.commit());

  std::vector<table::Change> changes;
  ok(writer.begin());
  ok(writer.update_rows({.where = {{.least = 1, .most = 1}}, .set = {{.value = 6}}}, 8,
                        changes));
  ok(writer.commit());
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].replaced_version, before);
  EXPECT_GT(changes[0].after.version, last);

  const auto all_find_them = [&](Session& session) {
    EXPECT_EQ(seen_alone(session, 0), before);
    EXPECT_EQ(seen_alone(session, 1), here);
    EXPECT_EQ(seen_alone(session, 2), beyond);
    EXPECT_EQ(seen_alone(session, 3), last);
    table::Selected selected;
    ok(session.begin());
    ok(session.select_rows({}, selected));
    ok(session.commit());
    ASSERT_EQ(selected.rows.size(), 1u);
    EXPECT_EQ(selected.rows[0].version, changes[0].after.version);
  };
  const std::int64_t unchanged = next();
  all_find_them(reader);
  all_find_them(*connect(4));
  EXPECT_EQ(next(), unchanged) << "reading took numbers";
  raw_sql(*database_, "VACUUM FREEZE isolde_register, isolde_t0_item");
  all_find_them(reader);
}

TEST_F(AboutToWrap_postgres, OldServersAreAskedInTheirOwnWords) {
  raw_sql(*database_, kPassTheWrap);
  const auto told = [&](const std::string& text, const std::string& around) {
    const sql::Dialect dialect{.version = text};
    std::string statement = around;
    statement.replace(statement.find('*'), 1, sql::version_text(dialect));
    return raw_sql(*database_, statement).at(0);
  };
  const std::int64_t border = next() / kEpoch * kEpoch;
  for (const bool xid8 : {false, true}) {
    const VersionTexts& texts = version_texts(xid8);
    EXPECT_EQ(texts.read.find("txid_") == std::string::npos, xid8);
    EXPECT_EQ(texts.behind.find("txid_") == std::string::npos, xid8);
    const std::string behind =
        told(texts.behind, "UPDATE isolde_register SET v = 1 WHERE k = 1 RETURNING *");
    EXPECT_LT(border, std::stoll(behind));
    EXPECT_EQ(told(texts.read, "SELECT * FROM isolde_register WHERE k = 1"), behind);
  }
}

}  // namespace
}  // namespace isolde::db
