// Goal: every driver keeps the promises of src/db/driver.hpp, whatever its database.
// Method: one suite over the rows of fixtures.hpp. What a database lacks by its capabilities is
// not asked of it. What differs by isolation level is in sql_driver_test.cpp.
#include "db/driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "db/fixtures.hpp"

namespace isolde::db {
namespace {

using Value = std::optional<std::int64_t>;

const std::vector<Key> kRegisters = {0, 1, 2, 3};
const std::vector<Key> kLists = {0, 1};

class Driver : public testing::TestWithParam<Fixture> {
 protected:
  void SetUp() override {
    dsn_ = GetParam().dsn();
    if (dsn_.empty()) GTEST_SKIP() << GetParam().name << ": the server is not installed";
    database_ = open();
    ASSERT_NE(database_, nullptr);
    capabilities_ = info_of(dsn_).capabilities;
  }

  void TearDown() override {
    sessions_.clear();
    if (database_ == nullptr) return;
    const Status done = database_->destroy();
    EXPECT_TRUE(done.ok()) << (done ? "" : done.error().message);
  }

  std::unique_ptr<Database> open(bool force_reset = false, bool versions = false) {
    OpenOptions options;
    options.versions = versions;
    options.isolation = GetParam().isolation;
    options.timeout_seconds = 5;
    options.force_reset = force_reset;
    Result<std::unique_ptr<Database>> database = open_database(dsn_, options);
    if (!database) {
      ADD_FAILURE() << database.error().message;
      return nullptr;
    }
    return std::move(*database);
  }

  void create() {
    const Status done = database_->create(kRegisters, kLists);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  std::unique_ptr<Session> connect(std::uint32_t number) {
    Result<std::unique_ptr<Session>> session = database_->connect(number);
    if (!session) {
      ADD_FAILURE() << session.error().message;
      return nullptr;
    }
    return std::move(*session);
  }

  Session& session(std::uint32_t number) {
    while (sessions_.size() <= number) {
      sessions_.push_back(connect(static_cast<std::uint32_t>(sessions_.size())));
    }
    return *sessions_[number];
  }

  // Each in a transaction of its own, where there are transactions.
  void write(Session& session, Key key, std::int64_t value) {
    Reply reply = begin(session);
    if (reply.ok()) reply = session.write(key, value);
    ok(reply.ok() ? commit(session) : reply);
  }
  Value read(Session& session, Key key) {
    Value value;
    Reply reply = begin(session);
    if (reply.ok()) reply = session.read(key, value);
    ok(reply.ok() ? commit(session) : reply);
    return value;
  }
  std::vector<std::int64_t> read_list(Session& session, Key key) {
    std::vector<std::int64_t> elements;
    Reply reply = begin(session);
    if (reply.ok()) reply = session.read_list(key, elements);
    ok(reply.ok() ? commit(session) : reply);
    return elements;
  }

  Reply begin(Session& session) const {
    return capabilities_.transactions ? session.begin() : Reply{};
  }
  Reply commit(Session& session) const {
    return capabilities_.transactions ? session.commit() : Reply{};
  }

  static void ok(const Reply& reply) {
    EXPECT_TRUE(reply.ok()) << reply.message;
    EXPECT_TRUE(reply.connected);
  }

  std::string dsn_;
  Capabilities capabilities_;
  std::unique_ptr<Database> database_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

TEST_P(Driver, TellsItsVersion) {
  EXPECT_NE(database_->version().find_first_of("0123456789"), std::string::npos);
}

// Goal: each connection says where it leads, with a number that the server gave to it alone;
// those into this process say nothing.
TEST_P(Driver, NamesServerAndConnection) {
  const std::string first = session(0).server();
  const std::string second = session(1).server();
  const std::string what = GetParam().name.substr(0, GetParam().name.find('_'));
  if (what == "sqlite" || what == "firebird") {
    EXPECT_EQ(first, "");
    return;
  }
  const std::string word = what == "postgres" ? " backend " : " connection ";
  EXPECT_NE(first.find(word), std::string::npos) << first;
  const std::size_t number = first.find(word) + word.size();
  EXPECT_EQ(first.substr(0, number), second.substr(0, number));
  EXPECT_GT(std::stoul(first.substr(number)), 0U) << first;
  EXPECT_NE(first, second);
}

TEST_P(Driver, ReadsNullAtFirst) {
  create();
  for (const Key key : kRegisters) EXPECT_EQ(read(session(0), key), Value());
}

TEST_P(Driver, MakesManyKeys) {
  std::vector<Key> keys;
  for (Key key = 0; key < 2000; ++key) keys.push_back(key);
  const Status done = database_->create(keys, {});
  ASSERT_TRUE(done.ok()) << done.error().message;
  write(session(0), 1999, 3);
  EXPECT_EQ(read(session(0), 1999), Value(3));
}

TEST_P(Driver, ReadsNullWhereNothingWasMade) {
  create();
  EXPECT_EQ(read(session(0), 77), Value());
}

TEST_P(Driver, SeesItsOwnWrites) {
  create();
  Session& own = session(0);
  Value value;
  ok(begin(own));
  ok(own.write(1, 5));
  ok(own.read(1, value));
  EXPECT_EQ(value, Value(5));
  ok(own.write(1, 6));
  ok(own.write(1, 6));  // the same again is no missing row
  ok(own.read(1, value));
  EXPECT_EQ(value, Value(6));
  ok(commit(own));
  EXPECT_EQ(read(own, 1), Value(6));
}

/// Also of selections, which not every layout has.
TEST_P(Driver, TellsHowReadsLock) {
  create();
  const bool locks = dsn_.find("for_update=1") != std::string::npos;
  const LockMode expected = locks ? LockMode::kUpdate : LockMode::kNone;
  EXPECT_EQ(database_->locks_reads(), locks);
  Session& own = session(0);
  Value value;
  std::vector<std::int64_t> elements;
  std::vector<Row> rows;
  ok(begin(own));
  ok(own.read(1, value));
  EXPECT_EQ(own.lock(), expected);
  if (capabilities_.lists) ok(own.read_list(1, elements));
  EXPECT_EQ(own.lock(), expected);
  if (locks) {
    ok(own.select({}, rows));
    EXPECT_EQ(own.lock(), LockMode::kUpdate);
    if (own.lock_next(LockMode::kShare)) {
      ok(own.select({}, rows));
      EXPECT_EQ(own.lock(), LockMode::kShare);
      ok(own.select({}, rows));
      EXPECT_EQ(own.lock(), LockMode::kUpdate);
    }
  }
  ok(commit(own));
}

TEST_P(Driver, TellsNoVersionsUnasked) {
  create();
  write(session(0), 1, 5);
  EXPECT_EQ(session(0).version(), std::nullopt);
  EXPECT_EQ(read(session(0), 1), Value(5));
  EXPECT_EQ(session(0).version(), std::nullopt);
  EXPECT_EQ(session(0).version_of_writes(), std::nullopt);
}

// A read has the version of the write that it saw, whatever the value.
TEST_P(Driver, TellsVersions) {
  if (capabilities_.versions == Capabilities::Versions::kNone) {
    GTEST_SKIP() << "tells no versions";
  }
  database_ = open(false, true);
  create();
  EXPECT_EQ(read(session(0), 1), Value());
  EXPECT_EQ(session(0).version(), std::nullopt);
  std::vector<Value> made;
  for (const std::uint32_t number : {0U, 1U, 0U}) {
    Session& writer = session(number);
    Value value;
    ok(writer.begin());
    ok(writer.write(1, 5));
    const Value version = writer.version();
    ok(writer.read(1, value));
    EXPECT_EQ(writer.version(), version);
    ok(writer.commit());
    made.push_back(version ? version : writer.version_of_writes());
    ASSERT_TRUE(made.back().has_value());
    for (const std::uint32_t reader : {0U, 1U}) {
      EXPECT_EQ(read(session(reader), 1), Value(5));
      EXPECT_EQ(session(reader).version(), made.back());
    }
    write(session(1), 2, 5);  // another key, another transaction
  }
  EXPECT_NE(made[0], made[1]);
  EXPECT_NE(made[1], made[2]);
  EXPECT_NE(made[0], made[2]);
}

// After a savepoint the version is not that of the transaction.
TEST_P(Driver, TellsVersionsOfSubtransactions) {
  if (capabilities_.versions == Capabilities::Versions::kNone || !capabilities_.savepoints) {
    GTEST_SKIP() << "tells no versions, or has no savepoints";
  }
  database_ = open(false, true);
  create();
  Session& writer = session(0);
  ok(writer.begin());
  ok(writer.write(1, 5));
  const Value before = writer.version();
  ok(writer.savepoint());
  ok(writer.write(2, 5));
  const Value after = writer.version();
  ok(writer.roll_back_to_savepoint());
  ok(writer.write(3, 5));
  const Value again = writer.version();
  ok(writer.commit());
  ASSERT_TRUE(before && after && again);
  EXPECT_NE(before, after);
  EXPECT_EQ(read(session(1), 1), Value(5));
  EXPECT_EQ(session(1).version(), before);
  EXPECT_EQ(read(session(1), 2), Value());
  EXPECT_EQ(session(1).version(), std::nullopt);
  EXPECT_EQ(read(session(1), 3), Value(5));
  EXPECT_EQ(session(1).version(), again);
}

TEST_P(Driver, TellsVersionsOfRows) {
  if (capabilities_.versions == Capabilities::Versions::kNone || !capabilities_.rows ||
      !capabilities_.deletes_selected || dsn_.find("tables=3") != std::string::npos) {
    GTEST_SKIP() << "tells no versions, or has no rows, or not in one table";
  }
  database_ = open(false, true);
  create();
  std::vector<Row> written;
  for (const Key key : {1, 2, 3}) {
    write(session(0), key, 5);
    written.push_back({key, 5, session(0).version()});
    EXPECT_TRUE(written.back().version.has_value());
  }
  EXPECT_NE(written[0].version, written[1].version);
  const Predicate::Bounds keys{1, 3};
  const Predicate::Bounds values{5, 5};
  for (const Condition& condition :
       {Condition{}, Condition{.keys = keys}, Condition{.values = values},
        Condition{.keys = keys, .values = values}}) {
    std::vector<Row> found;
    ok(session(1).begin());
    ok(session(1).select(condition, found));
    std::ranges::sort(found, {}, &Row::key);
    EXPECT_EQ(found, written);
    ok(session(1).remove(condition, found));
    std::ranges::sort(found, {}, &Row::key);
    EXPECT_EQ(found, written);
    ok(session(1).rollback());
  }
}

TEST_P(Driver, ComputesOfRegisters) {
  using Kind = AggregateKind;
  if (!capabilities_.computes || dsn_.find("tables=3") != std::string::npos) {
    GTEST_SKIP() << "computes nothing, or not of one table";
  }
  create();
  for (const Key key : {0, 1, 2}) write(session(0), key, 10 + key);
  const auto computed = [&](const Condition& condition, Kind kind) {
    Value result = -1;
    ok(session(1).begin());
    ok(session(1).aggregate(condition, kind, result));
    ok(session(1).commit());
    return result;
  };
  const Condition none{.keys = Predicate::Bounds{3, 9}};  // has a row that nobody wrote
  EXPECT_EQ(computed({}, Kind::kCount), 3);
  EXPECT_EQ(computed(none, Kind::kCount), 0);
  EXPECT_EQ(computed({.keys = Predicate::Bounds{1, 9}}, Kind::kCount), 2);
  EXPECT_EQ(computed({.values = Predicate::Bounds{10, 11}}, Kind::kSum), 21);
  EXPECT_EQ(computed({.keys = Predicate::Bounds{1, 2}, .values = Predicate::Bounds{0, 11}},
                     Kind::kMax),
            11);
  EXPECT_EQ(computed({.keys = Predicate::Bounds{1, 2}}, Kind::kMin), 11);
  EXPECT_EQ(computed({.values = Predicate::Bounds{12, 12}}, Kind::kExists), 1);
  EXPECT_EQ(computed(none, Kind::kExists), 0);
  EXPECT_EQ(computed(none, Kind::kSum), Value());
  EXPECT_EQ(computed(none, Kind::kMin), Value());
  // Also of what the transaction itself has written.
  Value result;
  ok(session(1).begin());
  ok(session(1).write(3, 1'000'000'000'000));
  ok(session(1).aggregate({}, Kind::kSum, result));
  EXPECT_EQ(result, 1'000'000'000'033);
  ok(session(1).rollback());
}

TEST_P(Driver, ShowsCommitsToOthers) {
  create();
  session(1);
  write(session(0), 2, 7);
  EXPECT_EQ(read(session(1), 2), Value(7));
  write(session(1), 2, 8);
  EXPECT_EQ(read(session(0), 2), Value(8));
}

TEST_P(Driver, ShowsNothingOfARollback) {
  if (!capabilities_.transactions) GTEST_SKIP() << "has no transactions";
  create();
  write(session(0), 2, 7);
  ok(session(0).begin());
  ok(session(0).write(2, 8));
  ok(session(0).write(3, 9));
  ok(session(0).rollback());
  EXPECT_EQ(read(session(1), 2), Value(7));
  EXPECT_EQ(read(session(1), 3), Value());
  EXPECT_EQ(read(session(0), 2), Value(7));
}

TEST_P(Driver, DropsWhatASessionLeftOpen) {
  if (!capabilities_.transactions) GTEST_SKIP() << "has no transactions";
  create();
  std::unique_ptr<Session> left = connect(5);
  ok(left->begin());
  ok(left->write(2, 8));
  left.reset();
  // A server needs a moment to see that the connection is gone, and until then reads of
  // uncommitted writes are what some levels ask for.
  for (int tries = 0; tries < 500 && read(session(0), 2) != Value(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(read(session(0), 2), Value());
  write(session(0), 2, 9);
}

TEST_P(Driver, WritesKeysThatWereNotMade) {
  create();
  write(session(0), 1000, 4);
  write(session(0), 1000, 5);
  EXPECT_EQ(read(session(1), 1000), Value(5));
}

TEST_P(Driver, KeepsTheWholeRangeOfIntegers) {
  create();
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t value : {Limits::min(), Limits::max(), std::int64_t{0}, -1L}) {
    write(session(0), 1, value);
    EXPECT_EQ(read(session(1), 1), Value(value));
  }
  write(session(0), Limits::max(), 3);
  EXPECT_EQ(read(session(1), Limits::max()), Value(3));
}

TEST_P(Driver, AppendsToLists) {
  if (!capabilities_.lists) GTEST_SKIP() << "has no lists";
  create();
  EXPECT_TRUE(read_list(session(0), 0).empty());
  EXPECT_TRUE(read_list(session(0), 99).empty());
  ok(begin(session(0)));
  ok(session(0).append(0, 5));
  ok(session(0).append(0, -6));
  ok(session(0).append(99, 1));  // was not made
  ok(commit(session(0)));
  ok(begin(session(1)));
  ok(session(1).append(0, 7));
  ok(commit(session(1)));
  EXPECT_EQ(read_list(session(0), 0), (std::vector<std::int64_t>{5, -6, 7}));
  EXPECT_EQ(read_list(session(1), 99), (std::vector<std::int64_t>{1}));
  EXPECT_TRUE(read_list(session(1), 1).empty());
  EXPECT_EQ(read(session(1), 0), Value());  // a register of the same key is another thing
}

TEST_P(Driver, KeepsLongLists) {
  if (!capabilities_.lists) GTEST_SKIP() << "has no lists";
  create();
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 1; i <= 1000; ++i) expected.push_back(1'000'000 + i);
  ok(begin(session(0)));
  for (const std::int64_t element : expected) ok(session(0).append(1, element));
  ok(commit(session(0)));
  EXPECT_EQ(read_list(session(0), 1), expected);
}

TEST_P(Driver, ComparesAndSets) {
  if (!capabilities_.compare_and_set) GTEST_SKIP() << "has no compare-and-set";
  create();
  for (const Key key : {Key{1}, Key{500}}) {  // made in advance, and not
    CasResult result;
    const auto cas = [&](Value expected, std::int64_t value) {
      ok(session(0).compare_and_set(key, expected, value, result));
      return result.applied;
    };
    EXPECT_FALSE(cas(3, 4));
    EXPECT_EQ(result.seen.value_or(Value()), Value());
    EXPECT_EQ(read(session(1), key), Value());
    EXPECT_TRUE(cas({}, 4));
    EXPECT_EQ(read(session(1), key), Value(4));
    EXPECT_FALSE(cas({}, 5));
    EXPECT_EQ(result.seen.value_or(Value(4)), Value(4));
    EXPECT_TRUE(cas(4, 4));
    EXPECT_TRUE(cas(4, 6));
    EXPECT_FALSE(cas(4, 7));
    EXPECT_EQ(read(session(1), key), Value(6));
  }
}

TEST_P(Driver, AddsToNumbers) {
  if (!capabilities_.increments || !capabilities_.transactions) {
    GTEST_SKIP() << "has no increments";
  }
  create();
  for (const Key key : {Key{1}, Key{500}}) {  // made in advance, and not
    // Which sums were told, by the statement or by the commit.
    const auto add = [&](std::int64_t by) {
      std::optional<std::int64_t> sum;
      ok(begin(session(0)));
      ok(session(0).increment(key, by, sum));
      ok(commit(session(0)));
      const std::vector<std::int64_t> later = session(0).sums();
      if (!later.empty()) {
        EXPECT_FALSE(sum);
        EXPECT_EQ(later.size(), 1U);
        sum = later.front();
      }
      return sum;
    };
    EXPECT_EQ(add(3).value_or(3), 3);
    EXPECT_EQ(read(session(1), key), Value(3));
    EXPECT_EQ(add(-5).value_or(-2), -2);
    EXPECT_EQ(read(session(1), key), Value(-2));
    write(session(1), key, 7);
    EXPECT_EQ(add(1).value_or(8), 8);
    EXPECT_EQ(read(session(1), key), Value(8));
    ok(begin(session(0)));
    std::optional<std::int64_t> sum;
    ok(session(0).increment(key, 100, sum));
    ok(session(0).rollback());
    EXPECT_EQ(read(session(1), key), Value(8));
  }
}

// Goal: no increment is made twice, none is lost.
TEST_P(Driver, AddsToNumbersAtomically) {
  if (!capabilities_.increments || !capabilities_.transactions) {
    GTEST_SKIP() << "has no increments";
  }
  create();
  constexpr int kThreads = 3;
  std::atomic<int> added{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) session(static_cast<std::uint32_t>(i));
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, own = sessions_[static_cast<std::size_t>(i)].get()] {
      for (int tries = 0; tries < 30; ++tries) {
        std::optional<std::int64_t> sum;
        Reply reply = own->begin();
        if (reply.ok()) reply = own->increment(0, 2, sum);
        if (reply.ok()) reply = own->commit();
        if (reply.ok()) ++added;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(added, 0);
  EXPECT_EQ(read(session(0), 0), Value(2 * added));
}

// Goal: no compare-and-set is applied twice, none is lost.
// Method: threads count one register up; the sum of what they were told must be its value.
TEST_P(Driver, ComparesAndSetsAtomically) {
  if (!capabilities_.compare_and_set) GTEST_SKIP() << "has no compare-and-set";
  create();
  write(session(0), 0, 0);
  constexpr int kThreads = 3;
  std::atomic<int> applied{0};
  std::atomic<int> unsure{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) session(static_cast<std::uint32_t>(i));
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, own = sessions_[static_cast<std::size_t>(i)].get()] {
      std::int64_t guess = 0;
      for (int tries = 0; tries < 100; ++tries) {
        CasResult result;
        const Reply reply = own->compare_and_set(0, guess, guess + 1, result);
        if (reply.outcome == Outcome::kUnknown) ++unsure;
        if (reply.ok() && result.applied) ++applied;
        guess = applied;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(applied, 0);
  EXPECT_EQ(unsure, 0);
  EXPECT_EQ(read(session(0), 0), Value(applied));
}

TEST_P(Driver, WorksWhenSessionsChangeThreads) {
  create();
  std::thread([&] { session(0); }).join();
  std::thread([&] { write(session(0), 1, 5); }).join();
  EXPECT_EQ(read(session(0), 1), Value(5));
}

/// Reads the register and writes one more, for as many commits as asked.
int count_up(Session& session, int commits) {
  int done = 0;
  for (int tries = 0; done < commits && tries < 2000; ++tries) {
    Value value;
    Reply reply = session.begin();
    if (reply.ok()) reply = session.read(0, value);
    if (reply.ok()) reply = session.write(0, value.value_or(0) + 1);
    if (reply.ok()) reply = session.commit();
    if (reply.ok()) ++done;
    EXPECT_TRUE(reply.ok() || reply.outcome == Outcome::kAborted) << reply.message;
    EXPECT_EQ(reply.ok(), reply.message.empty());
    EXPECT_TRUE(reply.connected) << reply.message;
  }
  return done;
}

// Goal: conflicts are told as aborts, sessions go on after them, and where the makers promise
// snapshot isolation no update is lost.
TEST_P(Driver, SurvivesConflicts) {
  if (!capabilities_.transactions) GTEST_SKIP() << "has no transactions";
  create();
  constexpr int kThreads = 3;
  std::atomic<int> commits{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) session(static_cast<std::uint32_t>(i));
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, own = sessions_[static_cast<std::size_t>(i)].get()] {
      commits += count_up(*own, 30);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(commits, 0);
  for (const IsolationInfo& isolation : info_of(dsn_).isolations) {
    if (isolation.name != GetParam().isolation || !isolation.claims) continue;
    if (!implies(*isolation.claims, Level::kSnapshotIsolation, false)) continue;
    EXPECT_EQ(read(session(0), 0), Value(commits));
  }
}

TEST_P(Driver, RefusesToCreateTwice) {
  create();
  write(session(0), 1, 5);
  const std::unique_ptr<Database> other = open();
  const Status again = other->create(kRegisters, kLists);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kUsage);
  EXPECT_NE(again.error().message.find("--force-reset"), std::string::npos)
      << again.error().message;
  EXPECT_TRUE(other->destroy().ok());  // made nothing, so it removes nothing
  EXPECT_EQ(read(session(0), 1), Value(5));
}

TEST_P(Driver, StartsAnewWithForceReset) {
  create();
  write(session(0), 1, 5);
  sessions_.clear();
  const std::unique_ptr<Database> first = std::move(database_);
  database_ = open(true);
  create();
  EXPECT_EQ(read(session(0), 1), Value());
  write(session(0), 1, 6);
  // The first one must not remove what is now another one's.
  EXPECT_TRUE(first->destroy().ok());
  EXPECT_EQ(read(session(0), 1), Value(6));
}

TEST_P(Driver, LeavesWhatOthersMade) {
  if (!GetParam().plant) GTEST_SKIP() << "nothing can be in the way";
  GetParam().plant(dsn_);
  for (const bool force : {false, true}) {
    const std::unique_ptr<Database> other = open(force);
    const Status done = other->create(kRegisters, kLists);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, ErrorCode::kUsage);
    EXPECT_NE(done.error().message.find("not created by Isolde"), std::string::npos)
        << done.error().message;
    EXPECT_TRUE(other->destroy().ok());
  }
  EXPECT_TRUE(GetParam().unharmed(dsn_));
}

TEST_P(Driver, RemovesAllThatItMade) {
  create();
  write(session(0), 1, 5);
  sessions_.clear();
  ASSERT_TRUE(database_->destroy().ok());
  ASSERT_TRUE(database_->destroy().ok());
  database_ = open();
  create();  // is not refused
  EXPECT_EQ(read(session(0), 1), Value());
}

TEST_P(Driver, RefusesUnknownParameters) {
  const std::string mark = dsn_.find('?') == std::string::npos ? "?" : "&";
  const Result<std::unique_ptr<Database>> bad = open_database(dsn_ + mark + "nosuch=1", {});
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ErrorCode::kUsage);
  EXPECT_NE(bad.error().message.find("nosuch"), std::string::npos);
}

std::string name_of(const testing::TestParamInfo<Fixture>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Sql, Driver, testing::ValuesIn(sql_fixtures()), name_of);

}  // namespace
}  // namespace isolde::db
