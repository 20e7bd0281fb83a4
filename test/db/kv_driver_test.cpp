// What every driver of a key-value store owes to its callers, for each isolation, against the
// real stores. Conflicts are played step by step with two sessions in one thread; where a store
// makes one of them wait for the other, the wait ends with the short timeout and counts as
// "refused".
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/driver.hpp"
#include "db/kv_rows.hpp"

namespace isolde::db {
namespace {

constexpr Key kX = 1;
constexpr Key kY = 2;
constexpr Key kList = 7;
constexpr Key kKeys[] = {kX, kY};
constexpr Key kLists[] = {kList};

using Value = std::optional<std::int64_t>;

class KvDriver : public testing::TestWithParam<KvRow> {
 protected:
  void SetUp() override {
    if (!have_server(GetParam().server)) GTEST_SKIP() << "the server is not installed";
    OpenOptions options;
    options.isolation = GetParam().isolation;
    options.timeout_seconds = GetParam().server == Server::kNone ? 0.1 : 10;
    options.force_reset = true;
    Result<std::unique_ptr<Database>> opened = open_database(dsn_of(GetParam()), options);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    database_ = std::move(*opened);
    const Status created = database_->create(kKeys, kLists);
    ASSERT_TRUE(created.ok()) << created.error().message;
  }

  void TearDown() override {
    if (!database_) return;
    const Status destroyed = database_->destroy();
    EXPECT_TRUE(destroyed.ok()) << destroyed.error().message;
  }

  std::unique_ptr<Session> connect(std::uint32_t number = 0) {
    Result<std::unique_ptr<Session>> session = database_->connect(number);
    if (!session) {
      ADD_FAILURE() << session.error().message;
      return nullptr;
    }
    return std::move(*session);
  }

  /// A transaction of its own that writes.
  void put(Key key, std::int64_t value) {
    const std::unique_ptr<Session> session = connect();
    ASSERT_TRUE(session->begin().ok());
    ASSERT_TRUE(session->write(key, value).ok());
    ASSERT_TRUE(session->commit().ok());
  }

  /// What a transaction of its own reads.
  Value get(Key key) {
    const std::unique_ptr<Session> session = connect();
    Value value;
    EXPECT_TRUE(session->begin().ok());
    EXPECT_TRUE(session->read(key, value).ok());
    EXPECT_TRUE(session->commit().ok());
    return value;
  }

  std::vector<std::int64_t> get_list(Key key) {
    const std::unique_ptr<Session> session = connect();
    std::vector<std::int64_t> elements = {99};
    EXPECT_TRUE(session->begin().ok());
    EXPECT_TRUE(session->read_list(key, elements).ok());
    EXPECT_TRUE(session->commit().ok());
    return elements;
  }

  std::unique_ptr<Database> database_;
};

/// One of two transactions that are played step by step: after the first refusal, the other
/// steps are left out.
class Side {
 public:
  explicit Side(std::unique_ptr<Session> session) : session_(std::move(session)) {
    take(session_->begin());
  }
  ~Side() { roll_back(); }

  void roll_back() {
    if (alive_) take(session_->rollback());
    alive_ = false;
  }

  Value read(Key key) {
    Value value;
    if (alive_) take(session_->read(key, value));
    return value;
  }
  void write(Key key, std::int64_t value) {
    if (alive_) take(session_->write(key, value));
  }
  void append(Key key, std::int64_t element) {
    if (alive_) take(session_->append(key, element));
  }
  /// Whether the transaction came that far and was committed.
  bool commit() {
    if (!alive_) return false;
    take(session_->commit());
    committed_ = alive_;
    alive_ = false;
    return committed_;
  }
  bool committed() const { return committed_; }
  bool alive() const { return alive_; }

 private:
  void take(const Reply& reply) {
    alive_ = reply.ok();
    if (reply.ok()) {
      EXPECT_EQ(reply.message, "");
      return;
    }
    EXPECT_EQ(reply.outcome, Outcome::kAborted) << reply.message;
    EXPECT_TRUE(reply.connected) << reply.message;
    EXPECT_NE(reply.message, "");
    EXPECT_EQ(reply.message.find('\n'), std::string::npos) << reply.message;
  }

  std::unique_ptr<Session> session_;
  bool alive_ = true;
  bool committed_ = false;
};

TEST_P(KvDriver, StartsEmptyAndTellsItsVersion) {
  EXPECT_EQ(get(kX), std::nullopt);
  EXPECT_EQ(get_list(kList), std::vector<std::int64_t>());
  // "Redis 7.0.15"
  const std::string version = database_->version();
  EXPECT_NE(version.find(' '), std::string::npos) << version;
  EXPECT_NE(version.find('.'), std::string::npos) << version;
}

TEST_P(KvDriver, NamesItsServer) {
  const std::string version = database_->version();
  const std::string first = connect()->server();
  const std::string second = connect()->server();
  if (version.starts_with("Redis")) {
    EXPECT_NE(first.find(" client "), std::string::npos) << first;
    EXPECT_NE(first, second);
  } else if (version.starts_with("etcd")) {
    EXPECT_EQ(first.find("//"), std::string::npos) << first;
    EXPECT_NE(first.find(':'), std::string::npos) << first;
  } else {
    EXPECT_EQ(first, "");
  }
}

TEST_P(KvDriver, ShowsOwnWritesAndCommitsThem) {
  const std::unique_ptr<Session> session = connect();
  ASSERT_TRUE(session->begin().ok());
  Value value = 5;
  ASSERT_TRUE(session->read(kX, value).ok());
  EXPECT_EQ(value, std::nullopt);
  ASSERT_TRUE(session->write(kX, 10).ok());
  ASSERT_TRUE(session->write(kX, -9007199254740993).ok());
  ASSERT_TRUE(session->read(kX, value).ok());
  EXPECT_EQ(value, -9007199254740993);
  ASSERT_TRUE(session->commit().ok());
  EXPECT_EQ(get(kX), -9007199254740993);
  EXPECT_EQ(get(kY), std::nullopt);
  // The session goes on.
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->read(kX, value).ok());
  EXPECT_EQ(value, -9007199254740993);
  ASSERT_TRUE(session->write(kY, 3).ok());
  ASSERT_TRUE(session->commit().ok());
  EXPECT_EQ(get(kY), 3);
}

TEST_P(KvDriver, ForgetsWhatIsRolledBack) {
  const std::unique_ptr<Session> session = connect();
  put(kX, 1);
  std::vector<std::int64_t> elements;
  Value value;
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->read(kX, value).ok());
  ASSERT_TRUE(session->write(kX, 2).ok());
  ASSERT_TRUE(session->append(kList, 2).ok());
  ASSERT_TRUE(session->read_list(kList, elements).ok());
  ASSERT_TRUE(session->rollback().ok());
  EXPECT_EQ(get(kX), 1);
  EXPECT_TRUE(get_list(kList).empty());
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->read(kX, value).ok());
  EXPECT_EQ(value, 1);
  ASSERT_TRUE(session->write(kX, 3).ok());
  ASSERT_TRUE(session->commit().ok());
  EXPECT_EQ(get(kX), 3);
}

TEST_P(KvDriver, HidesWhatIsNotCommittedUnlessItMayShowIt) {
  Side writer(connect());
  writer.write(kX, 1);
  Side reader(connect(1));
  // LMDB's reader may have to wait for the writer, which is refused here.
  const Value seen = reader.read(kX);
  EXPECT_EQ(seen, GetParam().reads_uncommitted ? Value(1) : std::nullopt);
  reader.commit();
  EXPECT_TRUE(writer.commit());
  EXPECT_EQ(get(kX), 1);
}

TEST_P(KvDriver, KeepsListsInOrder) {
  const std::unique_ptr<Session> session = connect();
  std::vector<std::int64_t> elements;
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->append(kList, 3).ok());
  ASSERT_TRUE(session->append(kList, 1).ok());
  ASSERT_TRUE(session->read_list(kList, elements).ok());
  EXPECT_EQ(elements, (std::vector<std::int64_t>{3, 1}));
  ASSERT_TRUE(session->commit().ok());
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->append(kList, -2).ok());
  ASSERT_TRUE(session->read_list(kList, elements).ok());
  EXPECT_EQ(elements, (std::vector<std::int64_t>{3, 1, -2}));
  ASSERT_TRUE(session->append(kList, 8).ok());
  ASSERT_TRUE(session->commit().ok());
  EXPECT_EQ(get_list(kList), (std::vector<std::int64_t>{3, 1, -2, 8}));
  // A register of the same number is another key.
  EXPECT_EQ(get(kList), std::nullopt);
}

TEST_P(KvDriver, ComparesAndSets) {
  const std::unique_ptr<Session> session = connect();
  CasResult result;
  ASSERT_TRUE(session->compare_and_set(kX, 4, 5, result).ok());
  EXPECT_FALSE(result.applied);
  ASSERT_TRUE(result.seen.has_value());
  EXPECT_EQ(*result.seen, std::nullopt);
  ASSERT_TRUE(session->compare_and_set(kX, std::nullopt, 5, result).ok());
  EXPECT_TRUE(result.applied);
  EXPECT_FALSE(result.seen.has_value());
  EXPECT_EQ(get(kX), 5);
  ASSERT_TRUE(session->compare_and_set(kX, std::nullopt, 6, result).ok());
  EXPECT_FALSE(result.applied);
  ASSERT_TRUE(result.seen.has_value());
  EXPECT_EQ(*result.seen, 5);
  ASSERT_TRUE(session->compare_and_set(kX, 5, 6, result).ok());
  EXPECT_TRUE(result.applied);
  EXPECT_EQ(get(kX), 6);
}

TEST_P(KvDriver, ComparesAndSetsInsideATransaction) {
  put(kX, 5);
  const std::unique_ptr<Session> session = connect();
  CasResult result;
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->compare_and_set(kX, 4, 7, result).ok());
  EXPECT_FALSE(result.applied);
  ASSERT_TRUE(session->compare_and_set(kX, 5, 7, result).ok());
  EXPECT_TRUE(result.applied);
  ASSERT_TRUE(session->compare_and_set(kX, 7, 8, result).ok());
  EXPECT_TRUE(result.applied);
  ASSERT_TRUE(session->rollback().ok());
  EXPECT_EQ(get(kX), 5);
}

TEST_P(KvDriver, LosesUpdatesOnlyWhereItMay) {
  put(kX, 1);
  Side a(connect());
  Side b(connect(1));
  a.read(kX);
  const Value seen = b.read(kX);
  a.write(kX, 2);
  a.commit();
  b.write(kX, 3);
  b.commit();
  // Where both lock what they read, one of them is refused its write.
  EXPECT_TRUE(a.committed() || b.committed());
  EXPECT_EQ(a.committed() && b.committed(), GetParam().loses_updates);
  if (b.committed()) {
    EXPECT_EQ(seen, 1);
  }
  EXPECT_EQ(get(kX), b.committed() ? 3 : 2);
}

// Goal: lists are refused exactly where an append is a read and a write that others come
// between, or that reads what is taken back later.
TEST_P(KvDriver, LosesAppendsOnlyWhereItHasNoLists) {
  bool keeps_all = true;
  for (const bool first_commits : {true, false}) {
    std::vector<std::int64_t> expected = get_list(kList);
    const std::size_t before = expected.size();
    {
      Side a(connect());
      Side b(connect(1));
      a.append(kList, 1);
      b.append(kList, 2);
      if (first_commits) a.commit();
      if (!first_commits) a.roll_back();
      b.commit();
      if (a.committed()) expected.push_back(1);
      if (b.committed()) expected.push_back(2);
    }
    EXPECT_TRUE(expected.size() > before || !first_commits);
    keeps_all = keeps_all && get_list(kList) == expected;
  }
  const DatabaseInfo& info = info_of(GetParam());
  EXPECT_EQ(keeps_all, why_no_lists(info, GetParam().isolation).empty());
}

TEST_P(KvDriver, SkewsWritesOnlyWhereItMay) {
  Side a(connect());
  Side b(connect(1));
  for (const Key key : kKeys) {
    a.read(key);
    b.read(key);
  }
  a.write(kX, 1);
  a.commit();
  b.write(kY, 2);
  b.commit();
  EXPECT_TRUE(a.committed() || b.committed());
  EXPECT_EQ(a.committed() && b.committed(), GetParam().skews_writes);
  EXPECT_EQ(get(kX), a.committed() ? Value(1) : std::nullopt);
  EXPECT_EQ(get(kY), b.committed() ? Value(2) : std::nullopt);
}

TEST_P(KvDriver, ReadsTwoStatesOnlyWhereItMay) {
  put(kX, 1);
  put(kY, 1);
  Side reader(connect());
  const Value x = reader.read(kX);
  Side writer(connect(1));
  writer.write(kX, 2);
  writer.write(kY, 2);
  writer.commit();
  const Value y = reader.read(kY);
  reader.commit();
  EXPECT_EQ(reader.committed() && x == 1 && y == 2, GetParam().reads_two_states);
  EXPECT_TRUE(reader.committed() || writer.committed());
}

TEST_P(KvDriver, IsRefusedASecondTime) {
  put(kX, 4);
  const KvRow& row = GetParam();
  OpenOptions options;
  options.isolation = row.isolation;
  if (row.server != Server::kNone) {
    Result<std::unique_ptr<Database>> second = open_database(dsn_of(row), options);
    ASSERT_TRUE(second.ok()) << second.error().message;
    const Status created = (*second)->create(kKeys, kLists);
    ASSERT_FALSE(created.ok());
    EXPECT_EQ(created.error().code, ErrorCode::kUsage) << created.error().message;
    EXPECT_NE(created.error().message.find("--force-reset"), std::string::npos)
        << created.error().message;
    EXPECT_EQ(get(kX), 4);
  }
  // With force_reset, and through the same object.
  const Status again = database_->create(kKeys, kLists);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(get(kX), std::nullopt);
}

TEST_P(KvDriver, RefusesWhatIsNoValue) {
  // Not through the driver, so only where there is another way in.
  if (GetParam().server != Server::kRedis) return;
  EXPECT_EQ(shared_redis().talk("SET isolde:register:1 abc"), "+OK\r\n");
  const std::unique_ptr<Session> session = connect();
  Value value;
  ASSERT_TRUE(session->begin().ok());
  const Reply reply = session->read(kX, value);
  EXPECT_EQ(reply.outcome, Outcome::kFailed);
  EXPECT_TRUE(reply.connected);
  EXPECT_NE(reply.message.find("'abc'"), std::string::npos) << reply.message;
}

INSTANTIATE_TEST_SUITE_P(All, KvDriver, testing::ValuesIn(built_rows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace isolde::db
