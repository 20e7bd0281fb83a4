// Goal: rows with columns are what src/db/driver.hpp says, on each database that has them, with
// and without indexes, and what a statement tells of rows is what is there.
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <map>

#include "db/driver.hpp"
#include "db/fixtures.hpp"

namespace isolde::db {
namespace {

using table::Cell;
using table::Change;
using table::Request;
using table::Row;

constexpr std::array kItem = {table::Column{.name = "qty", .least = 0, .indexed = true},
                              table::Column{.name = "code", .unique = true}};
constexpr std::array kOrders = {table::Column{.name = "item", .indexed = true, .refers_to = 0}};
constexpr std::array kTables = {table::Table{"item", kItem}, table::Table{"orders", kOrders}};

enum ItemColumn : std::size_t { kQty, kCode };

class Tables : public testing::TestWithParam<std::tuple<Fixture, bool>> {
 protected:
  void SetUp() override {
    const auto& [fixture, indexed] = GetParam();
    dsn_ = fixture.dsn();
    if (dsn_.empty()) GTEST_SKIP() << fixture.name << ": the server is not installed";
    capabilities_ = info_of(dsn_).capabilities;
    if (indexed)
      dsn_ += (dsn_.find('?') == std::string::npos ? "?" : "&") + std::string("index=1");
    create(false);
    connect();
  }

  void TearDown() override {
    sessions_.clear();
    if (database_ == nullptr) return;
    const Status done = database_->destroy();
    EXPECT_TRUE(done.ok()) << (done ? "" : done.error().message);
  }

  void connect() {
    sessions_.clear();
    for (std::uint32_t i = 0; i < 2 && database_ != nullptr; ++i) {
      Result<std::unique_ptr<Session>> session = database_->connect(i);
      ASSERT_TRUE(session.ok()) << session.error().message;
      sessions_.push_back(std::move(*session));
    }
  }

  /// All anew, with versions. Returns whether the database has any.
  bool ask_for_versions() {
    const auto row = find_database(dsn_.substr(0, dsn_.find(':')));
    if ((*row)->capabilities.versions == Capabilities::Versions::kNone) return false;
    sessions_.clear();
    create(true, true);
    connect();
    return true;
  }

  void create(bool force_reset, bool versions = false) {
    OpenOptions options;
    options.isolation = std::get<0>(GetParam()).isolation;
    options.timeout_seconds = 5;
    options.force_reset = force_reset;
    options.versions = versions;
    Result<std::unique_ptr<Database>> database = open_database(dsn_, options);
    ASSERT_TRUE(database.ok()) << database.error().message;
    database_ = std::move(*database);
    database_->use_tables(kTables);
    const Status made = database_->create({}, {});
    ASSERT_TRUE(made.ok()) << made.error().message;
  }

  Session& a() { return *sessions_[0]; }
  Session& b() { return *sessions_[1]; }
  bool is(const char* database) const {
    return std::get<0>(GetParam()).name.starts_with(database);
  }

  static void ok(const Reply& reply) {
    EXPECT_TRUE(reply.ok()) << reply.message;
    EXPECT_TRUE(reply.connected);
  }
  /// The transaction is over and took no effect, and the session goes on.
  static void refused(const Reply& reply) {
    EXPECT_EQ(reply.outcome, Outcome::kAborted) << reply.message;
    EXPECT_TRUE(reply.connected);
  }
  /// As refused(), and trying again does not help.
  static void failed(const Reply& reply) {
    EXPECT_EQ(reply.outcome, Outcome::kFailed) << reply.message;
    EXPECT_TRUE(reply.connected);
  }

  static Request item(std::int64_t id, Cell qty, Cell code) {
    return {.id = id, .cells = {qty, code}};
  }
  /// Items 1 to 4 with quantities 10 to 40, the last without a code; stamps are ids.
  void fill() {
    ok(a().begin());
    for (std::int64_t id = 1; id <= 4; ++id) {
      ok(a().insert_row(item(id, id * 10, id == 4 ? Cell() : Cell(id)), id));
    }
    ok(a().commit());
  }

  table::Selected select(Session& session, const Request& request) {
    table::Selected selected;
    ok(session.begin());
    ok(session.select_rows(request, selected));
    ok(session.commit());
    return selected;
  }
  std::vector<std::int64_t> ids(const Request& request) {
    std::vector<std::int64_t> all;
    for (const Row& row : select(b(), request).rows) all.push_back(row.id);
    return all;
  }

  std::string dsn_;
  Capabilities capabilities_;
  std::unique_ptr<Database> database_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

using Ids = std::vector<std::int64_t>;

TEST_P(Tables, InsertedRowsAreSelected) {
  fill();
  const table::Selected all = select(b(), {});
  EXPECT_TRUE(all.is_whole);
  EXPECT_EQ(
      all.rows,
      (std::vector<Row>{{1, 1, {10, 1}}, {2, 2, {20, 2}}, {3, 3, {30, 3}}, {4, 4, {40, {}}}}));
  EXPECT_EQ(select(b(), {.where = {{.least = 4, .most = 4}}, .columns = {kCode}}).rows,
            (std::vector<Row>{{4, 4, {Cell()}}}));
  EXPECT_TRUE(select(b(), {.table = 1}).rows.empty());
}

TEST_P(Tables, ConditionsSelectWhatMeetsThem) {
  fill();
  EXPECT_EQ(ids({.where = {{.column = kQty, .least = 20, .most = 30}}}), (Ids{2, 3}));
  EXPECT_EQ(ids({.where = {{.column = kQty, .least = 30}}}), (Ids{3, 4}));
  EXPECT_EQ(ids({.where = {{.column = kQty, .in = {10, 40, 50}}}}), (Ids{1, 4}));
  EXPECT_EQ(ids({.where = {{.column = kCode, .is_null = true}}}), (Ids{4}));
  EXPECT_EQ(ids({.where = {{.column = kCode}}}), (Ids{1, 2, 3}));
  EXPECT_EQ(ids({.where = {{.column = kCode, .most = 2}}}), (Ids{1, 2}));
  EXPECT_EQ(ids({.where = {{.in = {1, 3}}, {.column = kQty, .least = 20}}}), (Ids{3}));
}

TEST_P(Tables, AggregatesAreOfWhatMeetsTheCondition) {
  using Kind = AggregateKind;
  fill();
  const auto computed = [&](const Request& request) {
    Cell result = -1;
    ok(b().begin());
    ok(b().aggregate_rows(request, result));
    ok(b().commit());
    return result;
  };
  const table::Condition some = {{.column = kQty, .least = 20}};
  EXPECT_EQ(computed({}), 4);
  EXPECT_EQ(computed({.where = some}), 3);
  EXPECT_EQ(computed({.where = some, .computed = {Kind::kExists}}), 1);
  EXPECT_EQ(computed({.where = some, .computed = {Kind::kSum, kQty}}), 90);
  EXPECT_EQ(computed({.where = some, .computed = {Kind::kMin, kQty}}), 20);
  EXPECT_EQ(computed({.where = some, .computed = {Kind::kMax, kQty}}), 40);
  // A null is in no sum, and a count counts its row.
  EXPECT_EQ(computed({.where = some, .computed = {Kind::kSum, kCode}}), 5);
  EXPECT_EQ(computed({.where = some, .computed = {Kind::kMax, kCode}}), 3);
  const table::Condition none = {{.column = kCode, .is_null = true}};
  EXPECT_EQ(computed({.where = none}), 1);
  EXPECT_EQ(computed({.where = none, .computed = {Kind::kSum, kCode}}), Cell());
  EXPECT_EQ(computed({.table = 1}), 0);
  EXPECT_EQ(computed({.table = 1, .computed = {Kind::kExists}}), 0);
  EXPECT_EQ(computed({.table = 1, .computed = {Kind::kMin, 0}}), Cell());
}

TEST_P(Tables, AnAggregateSeesWhatItsTransactionHasWritten) {
  fill();
  std::vector<Change> changes;
  Cell result;
  ok(a().begin());
  ok(a().update_rows({.set = {{.column = kQty, .value = 1'000'000'000'000, .adds = true}}}, 50,
                     changes));
  ok(a().aggregate_rows({.computed = {AggregateKind::kSum, kQty}}, result));
  ok(a().commit());
  EXPECT_EQ(result, 4'000'000'000'100);
}

TEST_P(Tables, ALimitThatIsReachedIsTold) {
  fill();
  const table::Selected two = select(b(), {.limit = 2});
  EXPECT_FALSE(two.is_whole);
  EXPECT_EQ(two.rows.size(), 2U);
  EXPECT_EQ(two.rows[1].id, 2);
  EXPECT_TRUE(select(b(), {.limit = 5}).is_whole);
}

TEST_P(Tables, AnUpdateTellsWhatItChangedAndReplaced) {
  fill();
  const Request request{
      .where = {{.column = kQty, .least = 20, .most = 30}},
      .set = {{.column = kQty, .value = -5, .adds = true}, {.column = kCode, .value = {}}}};
  std::vector<Change> changes;
  ok(a().begin());
  ok(a().update_rows(request, 50, changes));
  EXPECT_EQ(changes, (std::vector<Change>{{{2, 50, {15, {}}}, 2}, {{3, 50, {25, {}}}, 3}}));
  ok(a().update_rows(
      {.where = {{.least = 2, .most = 2}}, .set = {{.column = kQty, .value = 7}}}, 51,
      changes));
  EXPECT_EQ(changes, (std::vector<Change>{{{2, 51, {7, {}}}, 50}}));
  ok(a().update_rows({.where = {{.least = 9, .most = 9}}}, 52, changes));
  EXPECT_TRUE(changes.empty());
  ok(a().commit());
  EXPECT_EQ(select(b(), {.where = {{.in = {2, 3}}}}).rows,
            (std::vector<Row>{{2, 51, {7, {}}}, {3, 50, {25, {}}}}));
}

TEST_P(Tables, ADeleteTellsWhatItDeleted) {
  fill();
  std::vector<Row> removed;
  ok(a().begin());
  ok(a().remove_rows({.where = {{.column = kQty, .least = 25}}}, removed));
  EXPECT_EQ(removed, (std::vector<Row>{{3, 3, {30, 3}}, {4, 4, {40, {}}}}));
  ok(a().remove_rows({.where = {{.column = kQty, .least = 25}}}, removed));
  EXPECT_TRUE(removed.empty());
  ok(a().commit());
  EXPECT_EQ(ids({}), (Ids{1, 2}));
}

TEST_P(Tables, AnUpsertInsertsOrUpdates) {
  fill();
  const auto request = [](std::int64_t id) {
    return Request{
        .set = {{.column = kQty, .value = 3, .adds = true}}, .id = id, .cells = {99, id}};
  };
  Change change;
  ok(a().begin());
  ok(a().upsert_row(request(2), 60, change));
  EXPECT_EQ(change, (Change{{2, 60, {23, 2}}, 2}));
  ok(a().upsert_row(request(7), 61, change));
  EXPECT_EQ(change, (Change{{7, 61, {99, 7}}, {}}));
  ok(a().upsert_row(request(7), 62, change));
  EXPECT_EQ(change, (Change{{7, 62, {102, 7}}, 61}));
  ok(a().commit());
  EXPECT_EQ(ids({.where = {{.column = kQty, .least = 41}}}), (Ids{7}));
}

// Sessions draw their stamps before they wait for one another.
TEST_P(Tables, AStampMayBeLessThanTheOneBefore) {
  fill();
  ok(a().begin());
  std::vector<Change> changes;
  ok(a().update_rows({.where = {{.least = 1, .most = 2}}, .set = {{kQty, 5}}}, 70, changes));
  ok(a().commit());
  ok(a().begin());
  ok(a().update_rows({.where = {{.least = 2, .most = 2}}, .set = {{kQty, 6}}}, 60, changes));
  EXPECT_EQ(changes, (std::vector<Change>{{{2, 60, {6, 2}}, 70}}));
  ok(a().commit());
}

TEST_P(Tables, RulesAreKept) {
  fill();
  ok(a().begin());
  refused(a().insert_row(item(2, 1, 9), 70));
  ok(a().begin());
  std::vector<Change> changes;
  refused(
      a().update_rows({.set = {{.column = kQty, .value = -11, .adds = true}}}, 71, changes));
  if (is("mariadb_myrocks")) return;  // has no foreign keys
  ok(a().begin());
  refused(a().insert_row({.table = 1, .id = 1, .cells = {8}}, 72));
  ok(a().begin());
  ok(a().insert_row({.table = 1, .id = 1, .cells = {2}}, 73));
  ok(a().commit());
  std::vector<Row> removed;
  ok(a().begin());
  refused(a().remove_rows({.where = {{.least = 2, .most = 2}}}, removed));
  EXPECT_EQ(select(b(), {}).rows.size(), 4U);
}

TEST_P(Tables, UniqueColumnsAreUniqueWhereThereAreIndexes) {
  fill();
  ok(a().begin());
  const Reply reply = a().insert_row(item(5, 1, 2), 70);
  if (std::get<1>(GetParam())) return refused(reply);
  ok(reply);
  ok(a().rollback());
}

TEST_P(Tables, ASavepointIsWhereToGoBackTo) {
  fill();
  ok(a().begin());
  ok(a().insert_row(item(5, 50, 5), 80));
  ok(a().savepoint());
  ok(a().insert_row(item(6, 60, 6), 81));
  std::vector<Row> removed;
  ok(a().remove_rows({.where = {{.least = 1, .most = 1}}}, removed));
  if (!capabilities_.savepoints) return failed(a().roll_back_to_savepoint());
  ok(a().roll_back_to_savepoint());
  ok(a().insert_row(item(7, 70, 7), 82));
  ok(a().roll_back_to_savepoint());
  ok(a().savepoint());
  ok(a().insert_row(item(8, 80, 8), 83));
  ok(a().commit());
  EXPECT_EQ(ids({}), (Ids{1, 2, 3, 4, 5, 8}));
}

TEST_P(Tables, AnInsertThatMetARowIsNotTheEnd) {
  fill();
  ok(a().begin());
  auto became = Inserted::kMetKey;
  ok(a().try_insert_row(item(5, 50, 5), 80, became));
  EXPECT_EQ(became, Inserted::kDone);
  EXPECT_TRUE(capabilities_.tries_inserts);
  ok(a().try_insert_row(item(2, 60, 6), 81, became));
  EXPECT_EQ(became, Inserted::kMetKey);
  ok(a().try_insert_row(item(5, 60, 6), 82, became));
  EXPECT_EQ(became, Inserted::kMetKey);
  ok(a().insert_row(item(6, 60, 6), 83));
  if (std::get<1>(GetParam())) {
    // Its id is free, but not what a column was to hold.
    ok(a().try_insert_row(item(7, 70, 6), 85, became));
    EXPECT_EQ(became, Inserted::kMetColumn);
  }
  ok(a().commit());
  EXPECT_EQ(ids({}), (Ids{1, 2, 3, 4, 5, 6}));
  if (is("mariadb_myrocks")) return;  // has no foreign keys
  // Another rule is one.
  ok(a().begin());
  refused(a().try_insert_row({.table = 1, .id = 1, .cells = {8}}, 84, became));
}

TEST_P(Tables, LockedRowsAreSkipped) {
  if (!capabilities_.skips_locked) GTEST_SKIP() << "skips no locked rows";
  fill();
  table::Selected selected;
  const Request request{.limit = 2, .lock = table::Lock::kUpdate, .skip_locked = true};
  ok(a().begin());
  ok(a().select_rows(request, selected));
  EXPECT_EQ(selected.rows.size(), 2U);
  ok(b().begin());
  ok(b().select_rows(request, selected));
  EXPECT_FALSE(selected.is_whole);
  ASSERT_EQ(selected.rows.size(), 2U);
  EXPECT_EQ(selected.rows[0].id, 3);
  // There may be rows that it passed by, also where no limit was reached.
  ok(b().select_rows({.where = {{.column = kQty, .most = 15}},
                      .lock = table::Lock::kUpdate,
                      .skip_locked = true},
                     selected));
  EXPECT_FALSE(selected.is_whole);
  EXPECT_TRUE(selected.rows.empty());
  ok(b().commit());
  ok(a().commit());
}

TEST_P(Tables, RowsThatAreNotSkippedAreToldInFull) {
  if (capabilities_.skips_locked) GTEST_SKIP() << "skips locked rows";
  fill();
  table::Selected selected;
  ok(a().begin());
  ok(a().select_rows({.where = {{.column = kQty, .most = 20}},
                      .lock = table::Lock::kUpdate,
                      .skip_locked = true},
                     selected));
  EXPECT_TRUE(selected.is_whole);
  EXPECT_EQ(selected.rows.size(), 2U);
  // Nobody else gets by them: who asks waits in vain, unless there are no locks of rows.
  Reply reply = b().begin();
  if (reply.ok()) {
    reply = b().select_rows({.lock = table::Lock::kUpdate, .skip_locked = true}, selected);
  }
  if (reply.ok()) {
    EXPECT_TRUE(selected.is_whole);
    EXPECT_EQ(selected.rows.size(), 4U);
    ok(b().commit());
  } else {
    refused(reply);
  }
  ok(a().commit());
}

TEST_P(Tables, LockAndSelect) {
  fill();
  ok(a().begin());
  for (const table::Lock lock : {table::Lock::kShare, table::Lock::kUpdate}) {
    table::Selected selected;
    ok(a().select_rows({.where = {{.column = kQty, .most = 20}}, .lock = lock}, selected));
    EXPECT_EQ(selected.rows.size(), 2U);
    EXPECT_TRUE(selected.is_whole);
  }
  ok(a().commit());
}

// What a statement tells of the versions that it finds, replaces and deletes is what those who
// made them were told.
TEST_P(Tables, RowsHaveTheVersionsOfTheirWriters) {
  if (!ask_for_versions()) GTEST_SKIP() << "tells no versions";
  fill();
  const Cell first = a().version();
  ASSERT_TRUE(first.has_value());
  for (const Row& row : select(b(), {.columns = {kCode}}).rows) EXPECT_EQ(row.version, first);
  std::vector<Change> changes;
  Change upserted;
  Change inserted;
  ok(a().begin());
  ok(a().update_rows(
      {.where = {{.least = 2, .most = 3}}, .set = {{.column = kQty, .value = 7}}}, 50,
      changes));
  ASSERT_EQ(changes.size(), 2U);
  const Cell second = changes[0].after.version;
  EXPECT_TRUE(second.has_value() && second != first);
  EXPECT_EQ(changes[0].replaced_version, first);
  EXPECT_EQ(changes[1].after.version, second);
  EXPECT_EQ(changes[1].replaced_version, first);
  const Request add{.set = {{.column = kQty, .value = 1, .adds = true}}, .id = 3};
  Request request = add;
  request.cells = {1, 8};
  ok(a().upsert_row(request, 51, upserted));
  EXPECT_EQ(upserted.after.version, second);
  EXPECT_EQ(upserted.replaced_version, second);
  request.id = 5;
  ok(a().upsert_row(request, 52, inserted));
  EXPECT_EQ(inserted.after.version, second);
  EXPECT_EQ(inserted.replaced_version, Cell());
  ok(a().commit());
  std::map<std::int64_t, Cell> told;
  for (const Row& row : select(b(), {.where = {{.column = kQty, .least = 1}}}).rows) {
    told[row.id] = row.version;
  }
  EXPECT_EQ(told, (std::map<std::int64_t, Cell>{
                      {1, first}, {2, second}, {3, second}, {4, first}, {5, second}}));
  std::vector<Row> removed;
  ok(b().begin());
  ok(b().remove_rows({.where = {{.least = 3, .most = 4}}}, removed));
  ASSERT_EQ(removed.size(), 2U);
  EXPECT_EQ(removed[0].version, second);
  EXPECT_EQ(removed[1].version, first);
  ok(b().insert_row(item(3, 30, 3), 53));
  const Cell third = b().version();
  EXPECT_TRUE(third.has_value() && third != first && third != second);
  ok(b().commit());
  EXPECT_EQ(select(a(), {.where = {{.least = 3, .most = 3}}}).rows.at(0).version, third);
}

// What is written after a savepoint has a version of its own.
TEST_P(Tables, VersionsAfterASavepointAreTheirOwn) {
  if (!ask_for_versions()) GTEST_SKIP() << "tells no versions";
  fill();
  ok(a().begin());
  auto became = Inserted::kMetKey;
  std::map<std::int64_t, Cell> made;
  const auto insert = [&](std::int64_t id) {
    ok(a().insert_row(item(id, 1, id), 50 + id));
    made[id] = a().version();
    EXPECT_TRUE(made[id].has_value());
  };
  insert(5);
  ok(a().savepoint());
  insert(6);
  ok(a().roll_back_to_savepoint());
  made.erase(6);
  insert(7);
  ok(a().try_insert_row(item(8, 1, 8), 58, became));
  EXPECT_EQ(became, Inserted::kDone);
  made[8] = a().version();
  ok(a().try_insert_row(item(1, 1, 9), 59, became));
  EXPECT_EQ(became, Inserted::kMetKey);
  EXPECT_EQ(a().version(), Cell());
  insert(9);
  ok(a().commit());
  EXPECT_NE(made[5], made[7]);
  EXPECT_NE(made[7], made[8]);
  std::map<std::int64_t, Cell> told;
  for (const Row& row : select(b(), {.where = {{.least = 5}}}).rows) told[row.id] = row.version;
  EXPECT_EQ(told, made);
}

// A statement that waited for another transaction tells of the version that this has left.
TEST_P(Tables, WhoWaitedTellsTheNewestVersion) {
  if (std::get<0>(GetParam()).isolation != "read-committed" || !ask_for_versions()) {
    GTEST_SKIP() << "tells no versions, or refuses who waited";
  }
  fill();
  const auto one = [](std::int64_t id) { return table::Condition{{.least = id, .most = id}}; };
  const std::vector<table::Assignment> add = {{.column = kQty, .value = 1, .adds = true}};
  std::vector<Change> changes;
  std::vector<Change> after;
  Change upserted;
  Change met;
  std::vector<Row> removed;
  table::Selected locked;
  ok(a().begin());
  ok(a().update_rows({.where = {{.least = 1, .most = 4}}, .set = add}, 50, changes));
  const Cell newest = changes.at(0).after.version;
  ok(a().upsert_row({.id = 9, .cells = {1, 9}}, 51, upserted));
  auto waiting = std::async(std::launch::async, [&] {
    ok(b().begin());
    ok(b().update_rows({.where = one(1), .set = add}, 60, after));
    ok(b().upsert_row({.set = add, .id = 2, .cells = {0, 2}}, 61, upserted));
    ok(b().upsert_row({.set = add, .id = 9, .cells = {0, 9}}, 62, met));
    ok(b().remove_rows({.where = one(3)}, removed));
    ok(b().select_rows({.where = one(4), .lock = table::Lock::kUpdate}, locked));
    ok(b().commit());
  });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  ok(a().commit());
  waiting.get();
  EXPECT_EQ(after.at(0).replaced, 50);
  EXPECT_EQ(after.at(0).replaced_version, newest);
  EXPECT_NE(after.at(0).after.version, newest);
  EXPECT_EQ(upserted.replaced_version, newest);
  EXPECT_EQ(met.replaced_version, newest);
  EXPECT_EQ(removed.at(0).version, newest);
  EXPECT_EQ(locked.rows.at(0).version, newest);
}

TEST_P(Tables, AreMadeAnewWithForceReset) {
  fill();
  ok(a().begin());
  ok(a().insert_row({.table = 1, .id = 1, .cells = {2}}, 73));
  ok(a().commit());
  sessions_.clear();
  create(true);
  Result<std::unique_ptr<Session>> session = database_->connect(0);
  ASSERT_TRUE(session.ok()) << session.error().message;
  EXPECT_TRUE(select(**session, {}).rows.empty());
}

std::string name_of(const testing::TestParamInfo<std::tuple<Fixture, bool>>& info) {
  return std::get<0>(info.param).name + (std::get<1>(info.param) ? "_index" : "");
}

/// With an index on one isolation of each database; what is only about registers is left out.
std::vector<std::tuple<Fixture, bool>> table_fixtures() {
  std::vector<std::tuple<Fixture, bool>> rows;
  for (const Fixture& fixture : sql_fixtures()) {
    const auto is = [&](const char* name) { return fixture.name == name; };
    if (!fixture.name.ends_with("_upsert")) rows.emplace_back(fixture, false);
    if (is("postgres_serializable") || is("mariadb_serializable") || is("sqlite_deferred") ||
        is("firebird_snapshot")) {
      rows.emplace_back(fixture, true);
    }
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Sql, Tables, testing::ValuesIn(table_fixtures()), name_of);

}  // namespace
}  // namespace isolde::db
