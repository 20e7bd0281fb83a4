// Goal: what is on record about rows with columns is what the client learned, and no more.
// Method: a session that answers what a test puts into it, and the text of the history.
#include "run/recorded_tables.hpp"

#include <gtest/gtest.h>

#include <array>

#include "run/recorded_ops.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::run {
namespace {

using table::Change;
using table::Request;
using table::Row;

constexpr std::array kColumns = {table::Column{.name = "qty"}, table::Column{.name = "note"}};
constexpr std::array kTables = {table::Table{"item", kColumns}, table::Table{"more", kColumns}};
constexpr std::int64_t kMore = std::int64_t{1} << 40;

/// Answers what it is told to.
class Answers final : public db::Session {
 public:
  db::Reply begin() override { return {}; }
  db::Reply read(db::Key, std::optional<std::int64_t>&) override { return {}; }
  db::Reply write(db::Key, std::int64_t) override { return {}; }
  db::Reply commit() override { return {}; }
  db::Reply rollback() override { return {}; }
  std::optional<std::int64_t> version() const override { return inserted_version; }
  db::Reply insert_row(const Request&, std::int64_t) override { return reply; }
  db::Reply try_insert_row(const Request&, std::int64_t, db::Inserted& answer) override {
    answer = became;
    return reply;
  }
  db::Reply select_rows(const Request&, table::Selected& answer) override {
    answer = selected;
    return reply;
  }
  db::Reply aggregate_rows(const Request&, table::Cell& answer) override {
    answer = result;
    return reply;
  }
  db::Reply update_rows(const Request&, std::int64_t, std::vector<Change>& answer) override {
    answer = changes;
    return reply;
  }
  db::Reply remove_rows(const Request&, std::vector<Row>& answer) override {
    answer = selected.rows;
    return reply;
  }
  db::Reply upsert_row(const Request&, std::int64_t, Change& answer) override {
    answer = changes.at(0);
    return reply;
  }
  db::Reply select(const db::Condition&, std::vector<db::Row>& answer) override {
    answer = registers;
    return reply;
  }
  db::Reply remove(const db::Condition&, std::vector<db::Row>& answer) override {
    answer = registers;
    return reply;
  }
  db::Reply increment(db::Key, std::int64_t, std::optional<std::int64_t>& sum) override {
    sum = told_sum;
    return reply;
  }
  db::Reply savepoint() override { return reply; }
  db::Reply roll_back_to_savepoint() override { return reply; }

  db::Reply reply;
  db::Inserted became = db::Inserted::kDone;
  table::Selected selected;
  table::Cell result;
  std::vector<Change> changes;
  table::Cell inserted_version;
  std::optional<std::int64_t> told_sum;
  std::vector<db::Row> registers;
};

class RecordedTablesTest : public testing::Test {
 protected:
  RecordedTablesTest() {
    RecorderOptions options;
    options.deletes = true;
    auto opened = Recorder::open(folder_.path("h"), options);
    EXPECT_TRUE(opened.ok());
    recorder_ = std::move(*opened);
    recorded_.emplace(recorder_->session("a"));
    tables_.emplace(*recorded_, kTables);
    recorded_->begin();
  }

  void select(const Request& request, table::Selected answer) {
    answers_.selected = std::move(answer);
    table::Selected selected;
    EXPECT_TRUE(tables_->select(answers_, request, selected).ok());
  }
  void update(const Request& request, std::vector<Change> changes) {
    answers_.changes = std::move(changes);
    std::vector<Change> found;
    EXPECT_TRUE(tables_->update(answers_, request, 7, found).ok());
  }
  void compute(const Request& request, table::Cell result) {
    answers_.result = result;
    table::Cell found;
    EXPECT_TRUE(tables_->aggregate(answers_, request, found).ok());
    EXPECT_EQ(found, result);
  }
  void insert(std::int64_t id, std::int64_t stamp) {
    const Request request{.id = id, .cells = {1, 2}};
    bool inserted = false;
    EXPECT_TRUE(tables_->insert(answers_, request, stamp, inserted).ok());
    EXPECT_TRUE(inserted);
  }

  /// The operations of the transaction, once it is over.
  std::string operations() {
    tables_->end();
    recorded_->commit();
    recorded_.reset();
    const Status closed = recorder_->close();
    EXPECT_TRUE(closed.ok()) << (closed ? "" : closed.error().message);
    const std::string text = folder_.get("h");
    const std::size_t begin = text.find(R"("ops":)") + 6;
    return text.substr(begin, text.find(R"(,"end":)") - begin);
  }

  const io::TemporaryFolder folder_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<RecordedSession> recorded_;
  std::optional<RecordedTables> tables_;
  Answers answers_;
};

TEST_F(RecordedTablesTest, AnInsertFoundNoRow) {
  insert(3, 9);
  EXPECT_EQ(operations(), R"([["r",3,null],["w",3,{"stamp":9,"qty":1,"note":2}]])");
}

TEST_F(RecordedTablesTest, ARefusedInsertSaysNothing) {
  answers_.reply.outcome = db::Outcome::kAborted;
  bool inserted = false;
  EXPECT_FALSE(tables_->insert(answers_, {.id = 3, .cells = {1, 2}}, 9, inserted).ok());
  EXPECT_EQ(operations(), "[]");
}

TEST_F(RecordedTablesTest, AnInsertThatMetTheRowOfItsKeyWasRefused) {
  const Request request{.id = 3, .may_meet = true, .cells = {1, 2}};
  bool inserted = false;
  EXPECT_TRUE(tables_->insert(answers_, request, 9, inserted).ok());
  EXPECT_TRUE(inserted);
  answers_.became = db::Inserted::kMetKey;
  EXPECT_TRUE(tables_->insert(answers_, request, 10, inserted).ok());
  EXPECT_FALSE(inserted);
  EXPECT_EQ(operations(),
            R"([["r",3,null],["w",3,{"stamp":9,"qty":1,"note":2}],["refused",3]])");
}

// Goal: nobody knows the key of the row that has what a unique column was to hold.
TEST_F(RecordedTablesTest, AnInsertThatAColumnRefusedSaysNothing) {
  answers_.became = db::Inserted::kMetColumn;
  bool inserted = true;
  const Request request{.id = 3, .may_meet = true, .cells = {1, 2}};
  EXPECT_TRUE(tables_->insert(answers_, request, 10, inserted).ok());
  EXPECT_FALSE(inserted);
  EXPECT_EQ(operations(), "[]");
}

// Goal: of a statement whose transaction is over nothing counts.
TEST_F(RecordedTablesTest, AnInsertThatEndedItsTransactionSaysNothing) {
  answers_.became = db::Inserted::kMetKey;
  answers_.reply.outcome = db::Outcome::kAborted;
  bool inserted = true;
  const Request request{.id = 3, .may_meet = true, .cells = {1, 2}};
  EXPECT_FALSE(tables_->insert(answers_, request, 10, inserted).ok());
  EXPECT_FALSE(inserted);
  EXPECT_EQ(operations(), "[]");
}

// Goal: as what other inserts have met, for the row may be one that was taken back itself.
TEST_F(RecordedTablesTest, ARefusedInsertThatWasTakenBackIsNotOnRecord) {
  const Request request{.id = 4, .may_meet = true, .cells = {1, 2}};
  bool inserted = false;
  EXPECT_TRUE(tables_->savepoint(answers_).ok());
  insert(3, 10);
  answers_.became = db::Inserted::kMetKey;
  EXPECT_TRUE(tables_->insert(answers_, request, 11, inserted).ok());
  EXPECT_TRUE(tables_->roll_back_to_savepoint(answers_).ok());
  EXPECT_EQ(operations(), "[]");
}

TEST_F(RecordedTablesTest, RowsHaveTheVersionsThatAreTold) {
  answers_.inserted_version = 40;
  insert(3, 9);
  select({.where = {{.least = 3, .most = 4}}, .columns = {0}},
         {{{3, 9, {1}, 40}, {4, 8, {5}}}});
  select({.limit = 1, .lock = table::Lock::kUpdate}, {{{3, 9, {1, 2}, 40}}, false});
  update({.where = {{.least = 3, .most = 3}}, .set = {{.column = 0, .value = 6}}},
         {{{3, 10, {6, 2}, 41}, 9, 40}});
  std::vector<Row> removed;
  answers_.selected = {{{3, 10, {6, 2}, 41}}};
  EXPECT_TRUE(tables_->remove(answers_, {.where = {{.least = 3, .most = 3}}}, removed).ok());
  EXPECT_EQ(operations(),
            R"([["r",3,null],["w",3,{"stamp":9,"qty":1,"note":2},{"version":40}],)"
            R"(["select",{"keys":[3,4]},)"
            R"([[3,{"stamp":9,"qty":1},{"version":40}],[4,{"stamp":8,"qty":5}]]],)"
            R"(["r",3,{"stamp":9,"qty":1,"note":2},{"version":40}],)"
            R"(["select",{"keys":[3,3]},[[3,{"stamp":9,"note":2},{"version":40}]]],)"
            R"(["w",3,{"stamp":10,"qty":6,"note":2},{"version":41}],)"
            R"(["select",{"keys":[3,3]},)"
            R"([[3,{"stamp":10,"qty":6,"note":2},{"version":41}]]],["delete",3]])");
}

// Goal: what was refused has added nothing; where nobody knows, it may have.
TEST_F(RecordedTablesTest, IncrementsAreOnRecordUnlessTheyWereRefused) {
  RecordedOps ops(*recorded_);
  std::optional<std::int64_t> sum;
  EXPECT_TRUE(ops.increment(answers_, 1, 1, 3, sum).ok());
  answers_.told_sum = 8;
  EXPECT_TRUE(ops.increment(answers_, 1, 1, 5, sum).ok());
  EXPECT_EQ(sum, 8);
  for (const db::Outcome outcome : {db::Outcome::kAborted, db::Outcome::kFailed}) {
    answers_.reply.outcome = outcome;
    EXPECT_FALSE(ops.increment(answers_, 2, 2, 7, sum).ok());
  }
  answers_.reply.outcome = db::Outcome::kUnknown;
  EXPECT_FALSE(ops.increment(answers_, 2, 2, 9, sum).ok());
  EXPECT_EQ(operations(), R"([["inc",1,3],["inc",1,5,8],["inc",2,9]])");
}

TEST_F(RecordedTablesTest, RegistersThatAConditionFoundHaveVersions) {
  RecordedOps ops(*recorded_);
  const auto name = [](db::Key key) { return RecordedValue(key); };
  answers_.registers = {{2, 20, 41}, {1, 10, 40}, {3, 30}};
  std::vector<db::Row> found;
  EXPECT_TRUE(ops.select(answers_, {.keys = Predicate::Bounds{1, 9}}, name, found).ok());
  answers_.registers.resize(1);
  EXPECT_TRUE(ops.remove(answers_, {.values = Predicate::Bounds{20, 20}}, name, found).ok());
  EXPECT_EQ(
      operations(),
      R"([["select",{"keys":[1,9]},[[1,10,{"version":40}],[2,20,{"version":41}],[3,30]]],)"
      R"(["select",{"values":[20,20]},[[2,20,{"version":41}]]],["delete",2]])");
}

TEST_F(RecordedTablesTest, ASelectIsOfOneTable) {
  select({.table = 1, .where = {{.column = 0, .least = 2}, {.column = 1, .is_null = true}}},
         {{{5, 8, {2, {}}}}});
  EXPECT_EQ(operations(), R"([["select",{"keys":[1099511627776,2199023255551],)"
                          R"("columns":{"qty":{"min":2},"note":null}},)"
                          R"([[1099511627781,{"stamp":8,"qty":2,"note":null}]]]])");
}

TEST_F(RecordedTablesTest, TestsOfTheIdAreTestsOfTheKey) {
  select({.table = 1, .where = {{.least = 2, .most = 4}}}, {});
  select({.table = 1, .where = {{.in = {2, 4}}}}, {});
  EXPECT_EQ(operations(), R"([["select",{"keys":[1099511627778,1099511627780]},[]],)"
                          R"(["select",{"keys":{"in":[1099511627778,1099511627780]}},[]]])");
}

TEST_F(RecordedTablesTest, ASelectOfSomeColumnsTellsThoseAlone) {
  select({.columns = {1}}, {{{5, 8, {2}}}});
  EXPECT_EQ(operations(),
            R"([["select",{"keys":[0,1099511627775]},[[5,{"stamp":8,"note":2}]]]])");
}

TEST_F(RecordedTablesTest, ALimitIsOneOfKeysWhereItWasReached) {
  const table::Selected two{.rows = {{5, 8, {2, 3}}, {7, 9, {2, 4}}}, .is_whole = false};
  const std::string rows =
      R"([[5,{"stamp":8,"qty":2,"note":3}],[7,{"stamp":9,"qty":2,"note":4}]])";
  select({.limit = 2}, two);
  select({.where = {{.least = 4}}, .limit = 2}, two);
  select({.where = {{.column = 0, .least = 2}, {.in = {5, 6, 7, 9}}}, .limit = 2}, two);
  EXPECT_EQ(
      operations(),
      R"([["select",{"keys":[0,7]},)" + rows + R"(],["select",{"keys":[4,7]},)" + rows +
          R"(],["select",{"keys":{"max":7,"in":[5,6,7,9]},"columns":{"qty":{"min":2}}},)" +
          rows + "]]");
}

TEST_F(RecordedTablesTest, OfASelectThatIsNotWholeOnlyItsRowsCount) {
  const table::Selected one{.rows = {{5, 8, {2, 3}}}, .is_whole = false};
  select({.limit = 1, .lock = table::Lock::kUpdate}, one);
  select({.limit = 1, .skip_locked = true}, one);
  select({.limit = 2}, one);  // rows are missing for another reason
  const std::string read = R"(["r",5,{"stamp":8,"qty":2,"note":3}])";
  EXPECT_EQ(operations(), "[" + read + "," + read + "," + read + "]");
}

TEST_F(RecordedTablesTest, NobodyBelievesThatALimitThatWasReachedIsWhole) {
  const table::Selected one{.rows = {{5, 8, {2, 3}}}};
  select({.limit = 1}, one);
  select({.limit = 1, .skip_locked = true}, one);
  select({.limit = 2}, one);
  const std::string row = R"([5,{"stamp":8,"qty":2,"note":3}])";
  EXPECT_EQ(operations(), R"([["select",{"keys":[0,5]},[)" + row + R"(]],["r",5,)" +
                              R"({"stamp":8,"qty":2,"note":3}],)" +
                              R"(["select",{"keys":[0,1099511627775]},[)" + row + "]]]");
}

TEST_F(RecordedTablesTest, LocksAreOnRecord) {
  const table::Selected one{
      .rows = {{5, 8, {2, 3}}}, .is_whole = false, .lock = table::Lock::kUpdate};
  // The data source, not the request, has made it lock.
  select({.limit = 1}, one);
  select({.lock = table::Lock::kShare},
         {.rows = {{5, 8, {2, 3}}}, .lock = table::Lock::kShare});
  EXPECT_EQ(operations(),
            R"([["r",5,{"stamp":8,"qty":2,"note":3},{"lock":"update"}],)"
            R"(["select",{"keys":[0,1099511627775]},[[5,{"stamp":8,"qty":2,"note":3}]],)"
            R"({"lock":"share"}]])");
}

TEST_F(RecordedTablesTest, AnAggregateIsOfTheRowsOfOneTable) {
  using Kind = AggregateKind;
  compute({.table = 1, .where = {{.column = 0, .least = 2}}, .computed = {Kind::kCount, 1}}, 3);
  compute({.computed = {Kind::kExists}}, 0);
  compute({.computed = {Kind::kSum, 1}}, -7);
  compute({.computed = {Kind::kMin, 0}}, 2);
  compute({.computed = {Kind::kMax, 0}}, std::nullopt);
  const std::string all = R"({"keys":[0,1099511627775]},)";
  EXPECT_EQ(operations(), R"([["count",{"keys":[1099511627776,2199023255551],)"
                          R"("columns":{"qty":{"min":2}}},3],["exists",)" +
                              all + R"(false],["sum",)" + all + R"("note",-7],["min",)" + all +
                              R"("qty",2],["max",)" + all + R"("qty",null]])");
}

TEST_F(RecordedTablesTest, ARefusedAggregateSaysNothing) {
  answers_.reply.outcome = db::Outcome::kAborted;
  table::Cell found;
  EXPECT_FALSE(tables_->aggregate(answers_, {}, found).ok());
  EXPECT_EQ(operations(), "[]");
}

TEST_F(RecordedTablesTest, AnUpdateTellsWhatItReplacedAsFarAsThatIsKnown) {
  const table::Condition where = {{.column = 0, .least = 1}};
  // The quantity was 5; what the note was, nobody knows.
  update({.where = where,
          .set = {{.column = 0, .value = -3, .adds = true}, {.column = 1, .value = 6}}},
         {{{4, 7, {2, 6}}, 1}});
  EXPECT_EQ(operations(),
            R"([["select",{"keys":[0,1099511627775],"columns":{"qty":{"min":1}}},)"
            R"([[4,{"stamp":1,"qty":5}]]],["w",4,{"stamp":7,"qty":2,"note":6}]])");
}

TEST_F(RecordedTablesTest, AnUpdateThatMetNothingSaysSo) {
  update({.where = {{.least = 4, .most = 4}}}, {});
  EXPECT_EQ(operations(), R"([["select",{"keys":[4,4]},[]]])");
}

TEST_F(RecordedTablesTest, ARowThatADeleteMetTwiceIsDeletedOnce) {
  answers_.selected.rows = {{5, 8, {2, 3}}, {5, 9, {1, 3}}};
  std::vector<Row> removed;
  EXPECT_TRUE(tables_->remove(answers_, {}, removed).ok());
  EXPECT_EQ(operations(),
            R"([["select",{"keys":[0,1099511627775]},[[5,{"stamp":8,"qty":2,"note":3}],)"
            R"([5,{"stamp":9,"qty":1,"note":3}]]],["delete",5]])");
}

TEST_F(RecordedTablesTest, AnUpsertReadsWhatWasThere) {
  answers_.changes = {{{5, 8, {2, 3}}, {}}};
  const Request request{.set = {{.column = 0, .value = 1, .adds = true}}, .id = 5};
  Change change;
  EXPECT_TRUE(tables_->upsert(answers_, request, 8, change).ok());
  answers_.changes = {{{5, 9, {3, 3}}, 8}};
  EXPECT_TRUE(tables_->upsert(answers_, request, 9, change).ok());
  EXPECT_EQ(operations(),
            R"([["r",5,null],["w",5,{"stamp":8,"qty":2,"note":3}],)"
            R"(["r",5,{"stamp":8,"qty":2,"note":3}],["w",5,{"stamp":9,"qty":3,"note":3}]])");
}

TEST_F(RecordedTablesTest, WhatWasRolledBackToASavepointIsNotWritten) {
  insert(1, 10);
  EXPECT_TRUE(tables_->savepoint(answers_).ok());
  insert(2, 11);
  EXPECT_TRUE(tables_->roll_back_to_savepoint(answers_).ok());
  insert(3, 12);
  // That there was no row 2 was the insert's to say.
  EXPECT_EQ(operations(), R"([["r",1,null],["w",1,{"stamp":10,"qty":1,"note":2}],)"
                          R"(["r",3,null],["w",3,{"stamp":12,"qty":1,"note":2}]])");
}

TEST_F(RecordedTablesTest, ReadsThatMaySeeWhatWasRolledBackAreLeftOut) {
  EXPECT_TRUE(tables_->savepoint(answers_).ok());
  select({}, {{{4, 1, {5, 5}}}});
  update({.where = {{.least = 4, .most = 4}}, .set = {{.column = 0, .value = 6}}},
         {{{4, 7, {6, 5}}, 1}});
  // Row 4 would be another one, and what else would be missing is not known.
  select({.where = {{.column = 0, .least = 6}}}, {{{4, 7, {6, 5}}, {9, 2, {8, 8}}}});
  select({.limit = 1}, {.rows = {{4, 7, {6, 5}}}, .is_whole = false});
  compute({}, 4);            // it counts what was written
  select({.table = 1}, {});  // another table, in which nothing was written
  compute({.table = 1}, 0);
  EXPECT_TRUE(tables_->roll_back_to_savepoint(answers_).ok());
  EXPECT_EQ(operations(),
            R"([["select",{"keys":[0,1099511627775]},[[4,{"stamp":1,"qty":5,"note":5}]]],)"
            R"(["select",{"keys":[4,4]},[[4,{"stamp":1,"note":5}]]],)"
            R"(["r",9,{"stamp":2,"qty":8,"note":8}],)"
            R"(["select",{"keys":[1099511627776,2199023255551]},[]],)"
            R"(["count",{"keys":[1099511627776,2199023255551]},0]])");
}

TEST_F(RecordedTablesTest, AnotherSavepointIsTheOneToGoBackTo) {
  EXPECT_TRUE(tables_->savepoint(answers_).ok());
  insert(1, 10);
  EXPECT_TRUE(tables_->savepoint(answers_).ok());
  insert(2, 11);
  EXPECT_TRUE(tables_->roll_back_to_savepoint(answers_).ok());
  insert(3, 12);
  EXPECT_TRUE(tables_->roll_back_to_savepoint(answers_).ok());
  EXPECT_EQ(operations(), R"([["r",1,null],["w",1,{"stamp":10,"qty":1,"note":2}]])");
}

TEST_F(RecordedTablesTest, KeysOfTablesDoNotMeet) {
  EXPECT_EQ(table::key_of(1, 0), kMore);
  EXPECT_EQ(table::keys_of(0).max + 1, table::keys_of(1).min);
}

}  // namespace
}  // namespace isolde::run
