// Goal: what a database answers is on record as it came, also where a scan returned a row
// twice, and what was taken back is not. Method: a session that answers so, which the databases
// at hand do by chance only.
#include "run/recorded_ops.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "io/reader.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::run {
namespace {

/// Finds row 4 in two places, with a version in each.
class Scan : public db::Session {
 public:
  db::Reply begin() override { return {}; }
  db::Reply read(db::Key, std::optional<std::int64_t>&) override { return {}; }
  db::Reply read_list(db::Key key, std::vector<std::int64_t>& elements) override {
    elements = lists_[key];
    return {};
  }
  db::Reply append(db::Key key, std::int64_t element) override {
    lists_[key].push_back(element);
    return reply_;
  }
  LockMode lock() const override { return lock_; }
  db::Reply write(db::Key, std::int64_t) override { return {}; }
  db::Reply select(const db::Condition&, std::vector<db::Row>& rows) override {
    rows = {{9, 90}, {4, 41}, {4, 40}};
    return {};
  }
  db::Reply remove(const db::Condition& condition, std::vector<db::Row>& removed) override {
    return select(condition, removed);
  }
  db::Reply remove(db::Key key, bool& removed) override {
    removed = key != 9;
    return {};
  }
  db::Reply savepoint() override { return {}; }
  db::Reply roll_back_to_savepoint() override { return {}; }
  db::Reply commit() override { return {}; }
  db::Reply rollback() override { return {}; }
  LockMode lock_ = LockMode::kNone;
  std::map<db::Key, std::vector<std::int64_t>> lists_;
  db::Reply reply_;  ///< to an append
};

RecordedValue name(db::Key key) { return {key}; }

class RecordedOpsTest : public testing::Test {
 protected:
  RecordedOpsTest() {
    RecorderOptions options;
    options.deletes = true;
    auto opened = Recorder::open(folder_.path("h"), options);
    EXPECT_TRUE(opened.ok());
    recorder_ = std::move(*opened);
    recorded_.emplace(recorder_->session("a"));
    ops_.emplace(*recorded_);
    recorded_->begin();
  }

  void select() { EXPECT_TRUE(ops_->select(scan_, {}, name, rows_).ok()); }
  void remove_selected() { EXPECT_TRUE(ops_->remove(scan_, {}, name, rows_).ok()); }
  void write(db::Key key, std::int64_t value) {
    EXPECT_TRUE(ops_->write(scan_, key, key, value).ok());
  }
  void remove(db::Key key) {
    bool removed = false;
    EXPECT_TRUE(ops_->remove(scan_, key, key, removed).ok());
  }
  void append(db::Key key, std::int64_t element) {
    EXPECT_EQ(ops_->append(scan_, key, key, element).outcome, scan_.reply_.outcome);
  }
  void read_list(db::Key key) {
    std::vector<std::int64_t> elements;
    EXPECT_TRUE(ops_->read_list(scan_, key, key, elements).ok());
  }
  void savepoint() { EXPECT_TRUE(ops_->savepoint(scan_).ok()); }
  void roll_back_to_savepoint() { EXPECT_TRUE(ops_->roll_back_to_savepoint(scan_).ok()); }

  /// Of the transaction, which commits.
  void expect(const std::string& operations) {
    ops_->release();
    ops_->end({});
    ASSERT_TRUE(recorder_->close().ok());
    const std::string text = folder_.get("h");
    EXPECT_NE(text.find("[" + operations + "]"), std::string::npos) << text;
  }

  const io::TemporaryFolder folder_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<RecordedSession> recorded_;
  std::optional<RecordedOps> ops_;
  Scan scan_;
  std::vector<db::Row> rows_;
  const std::string all_ = R"(["select",{},[[4,41],[4,40],[9,90]]])";
};

TEST_F(RecordedOpsTest, ARowThatComesTwiceIsReadTwiceAndDeletedOnce) {
  select();
  remove_selected();
  expect(all_ + "," + all_ + R"(,["delete",4],["delete",9])");
}

TEST_F(RecordedOpsTest, WhatCameAfterASavepointIsRecordedInOrder) {
  write(1, 10);
  savepoint();
  select();
  write(2, 20);
  remove(4);
  remove(9);  // which is not there
  remove_selected();
  expect(R"(["w",1,10],)" + all_ + R"(,["w",2,20],["delete",4],)" + all_ +
         R"(,["delete",4],["delete",9])");
}

TEST_F(RecordedOpsTest, WhatWasTakenBackIsNoPartOfTheTransaction) {
  write(1, 10);
  savepoint();
  select();  // before any write: as it came
  write(4, 44);
  select();  // row 4 may be the one that was written, and another may be missing
  roll_back_to_savepoint();
  write(4, 45);
  roll_back_to_savepoint();
  remove_selected();
  roll_back_to_savepoint();
  write(4, 46);
  expect(R"(["w",1,10],)" + all_ + R"(,["r",9,90],)" + all_ + R"(,["w",4,46])");
}

TEST_F(RecordedOpsTest, AppendsThatWereTakenBackAreInNoRecord) {
  append(1, 10);
  savepoint();
  append(2, 20);
  read_list(1);  // as it is without what is taken back
  read_list(2);  // with what is
  append(1, 11);
  read_list(1);
  read_list(3);
  roll_back_to_savepoint();
  scan_.lists_ = {{1, {10}}};
  append(2, 21);
  read_list(2);
  append(1, 12);
  expect(R"(["append",1,10],["r",1,[10]],["r",3,[]],["append",2,21],["r",2,[21]],)"
         R"(["append",1,12])");
}

// As one without a savepoint: others may see it before the transaction is over.
TEST_F(RecordedOpsTest, AnAppendThatFailsAfterASavepointIsOnRecord) {
  savepoint();
  scan_.reply_.outcome = db::Outcome::kAborted;
  append(2, 20);
  ops_->release();
  ops_->end(scan_.reply_);
  ASSERT_TRUE(recorder_->close().ok());
  EXPECT_NE(folder_.get("h").find(R"(["append",2,20])"), std::string::npos);
}

TEST_F(RecordedOpsTest, LocksAreOnRecord) {
  const std::string shared = all_.substr(0, all_.size() - 1) + R"(,{"lock":"share"}])";
  std::optional<std::int64_t> value;
  std::vector<std::int64_t> elements;
  scan_.lock_ = LockMode::kUpdate;
  EXPECT_TRUE(ops_->read(scan_, 1, 1, value).ok());
  EXPECT_TRUE(ops_->read_list(scan_, 7, 7, elements).ok());
  write(1, 10);
  scan_.lock_ = LockMode::kShare;
  select();
  savepoint();
  select();
  read_list(7);
  write(4, 44);
  select();
  scan_.lock_ = LockMode::kNone;
  roll_back_to_savepoint();
  select();
  expect(R"(["r",1,null,{"lock":"update"}],["r",7,[],{"lock":"update"}],["w",1,10],)" + shared +
         "," + shared + R"(,["r",7,[],{"lock":"share"}],["r",9,90,{"lock":"share"}],)" + all_);
}

}  // namespace
}  // namespace isolde::run
