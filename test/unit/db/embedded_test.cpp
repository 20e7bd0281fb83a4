// Goal: the kit keeps the order of calls that a store relies on, whatever the store answers.
// Method: a store in a map that counts what it is asked, and refuses what it is told to refuse.
#include "db/embedded.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "db/key_values.hpp"

namespace isolde::db {
namespace {

struct Calls {
  std::map<std::string, std::string> texts;
  std::string log;      ///< "start get put abandon "
  std::string refused;  ///< the call that fails
};

class MapSession final : public EmbeddedSession {
 public:
  MapSession(EmbeddedDatabase& database, Calls& calls)
      : EmbeddedSession(database), calls_(calls) {}

 private:
  Reply said(const std::string& call) {
    calls_.log += call + " ";
    return call == calls_.refused ? kv::aborted("no") : Reply{};
  }
  Reply start(Purpose purpose) override {
    return said(purpose == Purpose::kToWrite ? "start-to-write" : "start");
  }
  Reply get(const std::string& name, Purpose purpose,
            std::optional<std::string>& text) override {
    const auto found = calls_.texts.find(name);
    if (found != calls_.texts.end()) text = found->second;
    return said(purpose == Purpose::kToWrite ? "get-to-write" : "get");
  }
  Reply put(const std::string& name, const std::string& text) override {
    calls_.texts[name] = text;
    return said("put");
  }
  Reply finish() override { return said("finish"); }
  void abandon() override { calls_.log += "abandon "; }

  Calls& calls_;
};

class MapDatabase final : public EmbeddedDatabase {
 public:
  MapDatabase(OwnFolder folder, Calls& calls, const OpenOptions& options)
      : EmbeddedDatabase(std::move(folder), options), calls_(calls) {}
  std::string version() const override { return "Map 1.0"; }

 private:
  Status open_store() override {
    std::ofstream(path() + "/map.own") << "here";
    return ok_status();
  }
  void close_store() override { calls_.log += "close "; }
  bool is_own_file(std::string_view name) const override { return name == "map.own"; }
  std::unique_ptr<Session> new_session() override {
    return std::make_unique<MapSession>(*this, calls_);
  }

  Calls& calls_;
};

class EmbeddedTest : public testing::Test {
 protected:
  EmbeddedTest() {
    EXPECT_TRUE(database_.create({}, {}).ok());
    session_ = std::move(database_.connect(0)).value();
  }

  std::string taken() { return std::exchange(calls_.log, {}); }

  Calls calls_;
  MapDatabase database_{std::move(OwnFolder::at("", "map")).value(), calls_, {}};
  std::unique_ptr<Session> session_;
  std::optional<std::int64_t> value_;
};

TEST_F(EmbeddedTest, ATransactionThatIsRefusedIsAbandonedOnce) {
  for (const char* refused : {"get", "put"}) {
    calls_.refused = refused;
    ASSERT_TRUE(session_->begin().ok());
    const Reply reply =
        std::string(refused) == "get" ? session_->read(1, value_) : session_->write(1, 2);
    EXPECT_EQ(reply.outcome, Outcome::kAborted);
    EXPECT_EQ(taken(), "start " + std::string(refused) + " abandon ");
  }
  // What did not begin, or has ended, is not abandoned.
  calls_.refused = "start";
  EXPECT_FALSE(session_->begin().ok());
  EXPECT_EQ(taken(), "start ");
  calls_.refused = "finish";
  ASSERT_TRUE(session_->begin().ok());
  EXPECT_FALSE(session_->commit().ok());
  EXPECT_EQ(taken(), "start finish ");
  ASSERT_TRUE(session_->begin().ok());
  EXPECT_TRUE(session_->rollback().ok());
  EXPECT_EQ(taken(), "start abandon ");
}

TEST_F(EmbeddedTest, WhatIsNoValueEndsTheTransaction) {
  calls_.texts[kv::register_name(1)] = "abc";
  calls_.texts[kv::list_name(1)] = "1,x";
  std::vector<std::int64_t> elements;
  ASSERT_TRUE(session_->begin().ok());
  EXPECT_EQ(session_->read(1, value_).outcome, Outcome::kFailed);
  ASSERT_TRUE(session_->begin().ok());
  EXPECT_EQ(session_->read_list(1, elements).outcome, Outcome::kFailed);
  EXPECT_EQ(taken(), "start get abandon start get abandon ");
}

TEST_F(EmbeddedTest, WhatWillBeWrittenIsReadForThat) {
  CasResult result;
  ASSERT_TRUE(session_->compare_and_set(1, std::nullopt, 5, result).ok());
  EXPECT_TRUE(result.applied);
  EXPECT_EQ(taken(), "start-to-write get-to-write put finish ");
  ASSERT_TRUE(session_->compare_and_set(1, 4, 6, result).ok());
  EXPECT_EQ(result.seen, std::optional(std::optional<std::int64_t>(5)));
  EXPECT_EQ(taken(), "start-to-write get-to-write abandon ");
  ASSERT_TRUE(session_->begin().ok());
  ASSERT_TRUE(session_->append(1, 7).ok());
  ASSERT_TRUE(session_->append(1, 8).ok());
  ASSERT_TRUE(session_->commit().ok());
  EXPECT_EQ(calls_.texts[kv::list_name(1)], "7,8");
}

TEST_F(EmbeddedTest, RemovesWhatIsItsOwnWhenNobodyIsConnected) {
  EXPECT_EQ(database_.destroy().error().code, ErrorCode::kUsage);
  session_.reset();
  EXPECT_EQ(database_.create({}, {}).error().code, ErrorCode::kUsage);  // no --force-reset
  EXPECT_TRUE(database_.destroy().ok());
  EXPECT_EQ(taken(), "close ");
  EXPECT_TRUE(database_.destroy().ok());  // there is nothing left
  EXPECT_FALSE(database_.connect(0).ok());
}

}  // namespace
}  // namespace isolde::db
