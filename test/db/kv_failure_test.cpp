// What the drivers say when servers die, hang, refuse a login or are not there, and that they
// leave alone what Isolde did not make.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "db/base64.hpp"
#include "db/driver.hpp"
#include "db/http_client.hpp"
#include "support/private_kv.hpp"

namespace isolde::db {
namespace {

namespace fs = std::filesystem;

constexpr Key kOnly = 1;
constexpr Key kOnlyKey[] = {kOnly};

using Value = std::optional<std::int64_t>;

Result<std::unique_ptr<Database>> open(const std::string& dsn, double timeout_seconds = 1,
                                       bool force_reset = false) {
  OpenOptions options;
  options.timeout_seconds = timeout_seconds;
  options.force_reset = force_reset;
  return open_database(dsn, options);
}

std::unique_ptr<Database> created(const std::string& dsn, double timeout_seconds = 1) {
  Result<std::unique_ptr<Database>> database = open(dsn, timeout_seconds);
  if (!database) {
    ADD_FAILURE() << database.error().message;
    return nullptr;
  }
  const Status status = (*database)->create(kOnlyKey, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return std::move(*database);
}

std::unique_ptr<Session> connected(Database& database, std::uint32_t number = 0) {
  Result<std::unique_ptr<Session>> session = database.connect(number);
  if (!session) {
    ADD_FAILURE() << session.error().message;
    return nullptr;
  }
  return std::move(*session);
}

void expect_refused(const std::string& dsn, ErrorCode code, const std::string& words) {
  const Result<std::unique_ptr<Database>> database = open(dsn, 2);
  ASSERT_FALSE(database.ok()) << dsn;
  EXPECT_EQ(database.error().code, code) << database.error().message;
  EXPECT_NE(database.error().message.find(words), std::string::npos)
      << database.error().message;
  EXPECT_EQ(database.error().message.find('\n'), std::string::npos);
}

/// Two sessions have a transaction open, one that will read on and one that will commit; then
/// something happens to the server.
template <typename Happen>
void expect_honest_end(Database& database, Happen happen) {
  const std::unique_ptr<Session> reader = connected(database, 0);
  const std::unique_ptr<Session> writer = connected(database, 1);
  Value value;
  ASSERT_TRUE(reader->begin().ok());
  ASSERT_TRUE(writer->begin().ok());
  ASSERT_TRUE(writer->read(kOnly, value).ok());
  ASSERT_TRUE(writer->write(kOnly, 5).ok());
  const std::unique_ptr<Session> setter = connected(database, 2);
  happen();
  const auto begin = std::chrono::steady_clock::now();

  const Reply read = reader->read(kOnly, value);
  EXPECT_EQ(read.outcome, Outcome::kAborted) << read.message;
  EXPECT_FALSE(read.connected);
  EXPECT_NE(read.message, "");

  const Reply commit = writer->commit();
  EXPECT_EQ(commit.outcome, Outcome::kUnknown) << commit.message;
  EXPECT_FALSE(commit.connected);

  CasResult result;
  const Reply set = setter->compare_and_set(kOnly, std::nullopt, 6, result);
  EXPECT_EQ(set.outcome, Outcome::kUnknown) << set.message;
  EXPECT_FALSE(set.connected);

  const auto passed = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(passed, std::chrono::seconds(10));
}

// ---- Redis

class Redis : public testing::Test {
 protected:
  void SetUp() override {
    if (!support::have_program("redis-server")) GTEST_SKIP() << "redis-server is missing";
  }
};

TEST_F(Redis, ThatIsKilledAbortsReadsAndLeavesCommitsOpen) {
  support::PrivateRedis server;
  ASSERT_TRUE(server.ready());
  const std::unique_ptr<Database> database = created(server.dsn());
  ASSERT_TRUE(database);
  expect_honest_end(*database, [&server] { server.process().kill(); });
  const Result<std::unique_ptr<Session>> again = database->connect(0);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(again.error().message.find(server.socket()), std::string::npos);
}

TEST_F(Redis, ThatHangsIsGivenUpAfterTheTimeout) {
  support::PrivateRedis server;
  ASSERT_TRUE(server.ready());
  const std::unique_ptr<Database> database = created(server.dsn(), 0.5);
  ASSERT_TRUE(database);
  expect_honest_end(*database, [&server] { server.process().pause(); });
  server.process().resume();
}

TEST_F(Redis, AsksForThePassword) {
  support::PrivateRedis server("s3cret");
  ASSERT_TRUE(server.ready());
  expect_refused(server.dsn(), ErrorCode::kUsage, "NOAUTH");
  expect_refused(server.dsn("wrong"), ErrorCode::kUsage, "WRONGPASS");
  expect_refused(server.dsn("s3cret", "nobody"), ErrorCode::kUsage, "WRONGPASS");
  EXPECT_TRUE(created(server.dsn("s3cret")));
  EXPECT_TRUE(open(server.dsn("s3cret", "default")).ok());
}

TEST_F(Redis, TellsWhatIsWrongWithTheName) {
  expect_refused("redis://127.0.0.1:1", ErrorCode::kEnvironment, "127.0.0.1:1");
  expect_refused("redis://%2Fnowhere%2Fredis.sock", ErrorCode::kEnvironment, "/nowhere");
  expect_refused("redis://127.0.0.1:1/name", ErrorCode::kUsage, "'name'");
  expect_refused("redis://127.0.0.1:1/?tls=1", ErrorCode::kUsage, "tls");
  expect_refused("redis://127.0.0.1:1,127.0.0.1:2", ErrorCode::kEnvironment, "127.0.0.1:1");
  support::PrivateRedis server;
  ASSERT_TRUE(server.ready());
  expect_refused(server.dsn() + "/99", ErrorCode::kUsage, "out of range");
}

TEST_F(Redis, KeepsForeignKeys) {
  support::PrivateRedis server;
  ASSERT_TRUE(server.ready());
  EXPECT_EQ(server.talk("SET isolde:register:1 7"), "+OK\r\n");
  for (const bool force : {false, true}) {
    const Result<std::unique_ptr<Database>> database = open(server.dsn(), 1, force);
    ASSERT_TRUE(database.ok());
    const Status status = (*database)->create(kOnlyKey, {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kUsage) << status.error().message;
    EXPECT_TRUE((*database)->destroy().ok());
    EXPECT_EQ(server.talk("STRLEN isolde:register:1"), ":1\r\n");
  }
  EXPECT_EQ(server.talk("DEL isolde:register:1"), ":1\r\n");

  // Beside ours they are left alone as well. Databases of one server are apart.
  EXPECT_EQ(server.talk("SET user:1 7"), "+OK\r\n");
  const std::unique_ptr<Database> first = created(server.dsn());
  const std::unique_ptr<Database> second = created(server.dsn() + "/3");
  EXPECT_EQ(server.talk("SET isolde:other 7"), "+OK\r\n");
  EXPECT_EQ(server.talk("DBSIZE"), ":3\r\n");
  EXPECT_TRUE(first->destroy().ok());
  EXPECT_EQ(server.talk("DBSIZE"), ":2\r\n");
  EXPECT_EQ(server.talk("EXISTS user:1 isolde:other"), ":2\r\n");
  EXPECT_TRUE(second->destroy().ok());
}

TEST_F(Redis, WithoutMemoryAborts) {
  support::PrivateRedis server;
  ASSERT_TRUE(server.ready());
  const std::unique_ptr<Database> database = created(server.dsn());
  const std::unique_ptr<Session> session = connected(*database);
  EXPECT_EQ(server.talk("CONFIG SET maxmemory 1"), "+OK\r\n");
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->write(kOnly, 1).ok());
  const Reply reply = session->commit();
  EXPECT_EQ(reply.outcome, Outcome::kAborted) << reply.message;
  EXPECT_TRUE(reply.connected);
  EXPECT_NE(reply.message.find("OOM"), std::string::npos) << reply.message;
}

TEST_F(Redis, HalfDoneIsUnknown) {
  support::PrivateRedis server;
  ASSERT_TRUE(server.ready());
  const std::unique_ptr<Database> database = created(server.dsn());
  const std::unique_ptr<Session> session = connected(*database);
  EXPECT_EQ(server.talk("SET isolde:list:2 text"), "+OK\r\n");
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->write(kOnly, 1).ok());
  ASSERT_TRUE(session->append(2, 1).ok());
  const Reply reply = session->commit();
  EXPECT_EQ(reply.outcome, Outcome::kUnknown) << reply.message;
  EXPECT_NE(reply.message.find("WRONGTYPE"), std::string::npos) << reply.message;
}

// ---- etcd

class Etcd : public testing::Test {
 protected:
  void SetUp() override {
    if (!support::have_program("etcd")) GTEST_SKIP() << "etcd is missing";
  }

  static HttpAnswer post(const support::PrivateEtcd& server, const std::string& path,
                         const std::string& body) {
    HttpClient client("http://127.0.0.1:" + std::to_string(server.port()), 5);
    return client.post("/v3/" + path, body);
  }

  static void put(const support::PrivateEtcd& server, const std::string& key) {
    const HttpAnswer answer =
        post(server, "kv/put", R"({"key":")" + base64_encode(key) + R"(","value":"Nw=="})");
    EXPECT_EQ(answer.status, 200) << answer.body;
  }

  static bool has(const support::PrivateEtcd& server, const std::string& key) {
    const std::string name = base64_encode(key);
    const HttpAnswer answer = post(server, "kv/range", R"({"key":")" + name + R"("})");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body.find(name) != std::string::npos;
  }
};

TEST_F(Etcd, ThatIsKilledAbortsReadsAndLeavesCommitsOpen) {
  support::PrivateEtcd server;
  ASSERT_TRUE(server.ready());
  const std::unique_ptr<Database> database = created(server.dsn());
  ASSERT_TRUE(database);
  const std::unique_ptr<Session> reader = connected(*database);
  const std::unique_ptr<Session> writer = connected(*database);
  Value value;
  ASSERT_TRUE(reader->begin().ok());
  ASSERT_TRUE(writer->begin().ok());
  ASSERT_TRUE(writer->write(kOnly, 5).ok());
  server.process().kill();
  const Reply read = reader->read(kOnly, value);
  EXPECT_EQ(read.outcome, Outcome::kAborted) << read.message;
  EXPECT_FALSE(read.connected);
  // Nothing takes the request: it was certainly not carried out.
  const Reply commit = writer->commit();
  EXPECT_TRUE(commit.outcome == Outcome::kAborted || commit.outcome == Outcome::kUnknown);
  EXPECT_FALSE(commit.connected);
  const Result<std::unique_ptr<Session>> again = database->connect(0);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(again.error().message.find(std::to_string(server.port())), std::string::npos);
}

TEST_F(Etcd, ThatHangsIsGivenUpAfterTheTimeout) {
  support::PrivateEtcd server;
  ASSERT_TRUE(server.ready());
  const std::unique_ptr<Database> database = created(server.dsn(), 0.5);
  ASSERT_TRUE(database);
  expect_honest_end(*database, [&server] { server.process().pause(); });
  server.process().resume();
}

TEST_F(Etcd, TellsWhatIsWrongWithTheName) {
  expect_refused("etcd://127.0.0.1:1", ErrorCode::kEnvironment, "127.0.0.1:1");
  expect_refused("etcd://127.0.0.1:1/name", ErrorCode::kUsage, "/name");
  expect_refused("etcd://127.0.0.1:1?reads=fresh", ErrorCode::kUsage,
                 "reads=fresh is not one of linearizable, serializable");
  expect_refused("etcd://127.0.0.1:1?read=x", ErrorCode::kUsage, "reads");
}

TEST_F(Etcd, AsksForThePassword) {
  support::PrivateEtcd server;
  ASSERT_TRUE(server.ready());
  for (const auto& [path, body] : std::vector<std::pair<std::string, std::string>>{
           {"auth/user/add", R"({"name":"root","password":"a\"b"})"},
           {"auth/role/add", R"({"name":"root"})"},
           {"auth/user/grant", R"({"user":"root","role":"root"})"},
           {"auth/user/add", R"({"name":"guest","password":"guest"})"},
           {"auth/enable", "{}"}}) {
    const HttpAnswer answer = post(server, path, body);
    ASSERT_EQ(answer.status, 200) << path << answer.body;
  }
  const std::string host = "127.0.0.1:" + std::to_string(server.port());
  expect_refused("etcd://" + host, ErrorCode::kUsage, "user");
  expect_refused("etcd://root:wrong@" + host, ErrorCode::kUsage, "password");
  expect_refused("etcd://guest:guest@" + host, ErrorCode::kUsage, "permission denied");
  const std::unique_ptr<Database> database = created("etcd://root:a\"b@" + host);
  ASSERT_TRUE(database);
  const std::unique_ptr<Session> session = connected(*database);
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->write(kOnly, 1).ok());
  EXPECT_TRUE(session->commit().ok());
  EXPECT_TRUE(database->destroy().ok());
}

TEST_F(Etcd, KeepsForeignKeys) {
  support::PrivateEtcd server;
  ASSERT_TRUE(server.ready());
  put(server, "isolde/register/1");
  for (const bool force : {false, true}) {
    const Result<std::unique_ptr<Database>> database = open(server.dsn(), 5, force);
    ASSERT_TRUE(database.ok());
    const Status status = (*database)->create(kOnlyKey, {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kUsage) << status.error().message;
    EXPECT_TRUE((*database)->destroy().ok());
    EXPECT_TRUE(has(server, "isolde/register/1"));
  }
  post(server, "kv/deleterange", R"({"key":")" + base64_encode("isolde/register/1") + R"("})");

  put(server, "isolde0");
  put(server, "isolde.txt");
  const std::unique_ptr<Database> database = created(server.dsn(), 5);
  ASSERT_TRUE(database);
  const std::unique_ptr<Session> session = connected(*database);
  ASSERT_TRUE(session->begin().ok());
  ASSERT_TRUE(session->write(kOnly, 1).ok());
  EXPECT_TRUE(session->commit().ok());
  put(server, "isolde/other");
  EXPECT_TRUE(has(server, "isolde/register/1"));
  EXPECT_TRUE(database->destroy().ok());
  EXPECT_FALSE(has(server, "isolde/register/1"));
  EXPECT_FALSE(has(server, "isolde/owner"));
  for (const char* key : {"isolde0", "isolde.txt", "isolde/other"})
    EXPECT_TRUE(has(server, key));
}

TEST_F(Etcd, LimitsOperationsInATransaction) {
  support::PrivateEtcd server;
  ASSERT_TRUE(server.ready());
  const std::unique_ptr<Database> database = created(server.dsn(), 5);
  ASSERT_TRUE(database);
  const std::unique_ptr<Session> session = connected(*database);
  ASSERT_TRUE(session->begin().ok());
  for (Key key = 0; key < 200; ++key) ASSERT_TRUE(session->write(key, 1).ok());
  const Reply reply = session->commit();
  EXPECT_EQ(reply.outcome, Outcome::kFailed) << reply.message;
  EXPECT_NE(reply.message.find("too many operations"), std::string::npos) << reply.message;
}

TEST_F(Etcd, ClusterSpreadsSessionsAndMissesANode) {
  support::PrivateEtcd cluster(3);
  ASSERT_TRUE(cluster.ready());
  const std::unique_ptr<Database> database = created(cluster.dsn(), 5);
  ASSERT_TRUE(database);
  // Linearizable reads see at once what was committed through another node.
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::unique_ptr<Session> writer = connected(*database, i);
    const std::unique_ptr<Session> reader = connected(*database, i + 1);
    Value value;
    ASSERT_TRUE(writer->begin().ok());
    ASSERT_TRUE(writer->write(kOnly, i).ok());
    ASSERT_TRUE(writer->commit().ok());
    ASSERT_TRUE(reader->begin().ok());
    ASSERT_TRUE(reader->read(kOnly, value).ok());
    EXPECT_EQ(value, i);
    ASSERT_TRUE(reader->commit().ok());
  }
  cluster.process(1).kill();
  EXPECT_TRUE(connected(*database, 0));
  EXPECT_FALSE(database->connect(1).ok());
  EXPECT_TRUE(open(cluster.dsn(), 5).ok());
  // Until the others have a new leader, requests get lost.
  Status destroyed = database->destroy();
  for (int i = 0; i < 5 && !destroyed; ++i) destroyed = database->destroy();
  EXPECT_TRUE(destroyed.ok()) << destroyed.error().message;
}

TEST_F(Etcd, WithoutQuorumServesOnlyReadsOfTheNode) {
  support::PrivateEtcd cluster(3);
  ASSERT_TRUE(cluster.ready());
  ASSERT_TRUE(created(cluster.dsn(), 5));
  const std::string first = "etcd://127.0.0.1:" + std::to_string(cluster.port(0));
  cluster.process(1).kill();
  cluster.process(2).kill();
  for (const char* reads : {"linearizable", "serializable"}) {
    const Result<std::unique_ptr<Database>> database = open(first + "?reads=" + reads, 1);
    ASSERT_TRUE(database.ok()) << database.error().message;
    const std::unique_ptr<Session> session = connected(**database);
    ASSERT_TRUE(session);
    Value value;
    ASSERT_TRUE(session->begin().ok());
    const Reply read = session->read(kOnly, value);
    EXPECT_EQ(read.outcome, reads[0] == 's' ? Outcome::kOk : Outcome::kAborted) << read.message;
    if (!read.ok()) continue;
    ASSERT_TRUE(session->write(kOnly, 1).ok());
    EXPECT_EQ(session->commit().outcome, Outcome::kUnknown);
  }
  // A transaction that only reads is compared by the node alone in the lower names, and needs
  // the others in the upper ones, as with etcd's own client.
  for (const char* isolation : {"serializable-snapshot", "serializable", "repeatable-reads"}) {
    OpenOptions options;
    options.isolation = isolation;
    options.timeout_seconds = 1;
    const Result<std::unique_ptr<Database>> database =
        open_database(first + "?reads=serializable", options);
    ASSERT_TRUE(database.ok()) << database.error().message;
    const std::unique_ptr<Session> session = connected(**database);
    Value value;
    ASSERT_TRUE(session->begin().ok());
    ASSERT_TRUE(session->read(kOnly, value).ok());
    const Reply commit = session->commit();
    EXPECT_EQ(commit.outcome, isolation[0] == 'r' ? Outcome::kOk : Outcome::kAborted)
        << isolation << ": " << commit.message;
  }
}

// ---- Embedded

class Embedded : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "isolde-kv-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string dsn(const std::string& name) const {
    return GetParam() + ":" + folder_ + "/" + name;
  }

  std::string folder_;
};

TEST_P(Embedded, MakesAndRemovesItsFolder) {
  const std::unique_ptr<Database> database = created(dsn("new/deep"));
  EXPECT_TRUE(fs::exists(folder_ + "/new/deep"));
  {
    const std::unique_ptr<Session> session = connected(*database);
    const Status busy = database->destroy();
    ASSERT_FALSE(busy.ok());
    EXPECT_NE(busy.error().message.find("still connected"), std::string::npos);
  }
  EXPECT_TRUE(database->destroy().ok());
  EXPECT_FALSE(fs::exists(folder_ + "/new/deep"));
  EXPECT_TRUE(database->create(kOnlyKey, {}).ok());
  EXPECT_TRUE(connected(*database));
  EXPECT_TRUE(database->destroy().ok());
  EXPECT_TRUE(database->destroy().ok());
}

TEST_P(Embedded, IsRefusedASecondTime) {
  {
    const std::unique_ptr<Database> database = created(dsn("a"));
    const std::unique_ptr<Session> session = connected(*database);
    ASSERT_TRUE(session->begin().ok());
    ASSERT_TRUE(session->write(kOnly, 4).ok());
    ASSERT_TRUE(session->commit().ok());
    EXPECT_FALSE(database->create(kOnlyKey, {}).ok());
    // While it is open, no other object can have it.
    const Result<std::unique_ptr<Database>> other = open(dsn("a"));
    ASSERT_TRUE(other.ok());
    EXPECT_FALSE((*other)->connect(0).ok());
  }
  const Result<std::unique_ptr<Database>> second = open(dsn("a"));
  ASSERT_TRUE(second.ok());
  const Status refused = (*second)->create(kOnlyKey, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  Value value;
  {
    const std::unique_ptr<Session> session = connected(**second);
    ASSERT_TRUE(session->begin().ok());
    ASSERT_TRUE(session->read(kOnly, value).ok());
    EXPECT_EQ(value, 4);
    ASSERT_TRUE(session->commit().ok());
  }
  const Result<std::unique_ptr<Database>> forced = open(dsn("a"), 1, true);
  ASSERT_TRUE(forced.ok());
  EXPECT_TRUE((*second)->destroy().ok());
  EXPECT_TRUE((*forced)->create(kOnlyKey, {}).ok());
}

TEST_P(Embedded, KeepsForeignFolders) {
  fs::create_directory(folder_ + "/theirs");
  std::ofstream(folder_ + "/theirs/notes.txt") << "mine";
  for (const bool force : {false, true}) {
    const Result<std::unique_ptr<Database>> database = open(dsn("theirs"), 1, force);
    ASSERT_TRUE(database.ok());
    const Status status = (*database)->create(kOnlyKey, {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kUsage) << status.error().message;
    EXPECT_FALSE((*database)->connect(0).ok());
    EXPECT_TRUE((*database)->destroy().ok());
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/theirs"), {}), 1);

  // A folder that was empty stays, and so does what comes into it later.
  fs::create_directory(folder_ + "/empty");
  const std::unique_ptr<Database> database = created(dsn("empty"));
  std::ofstream(folder_ + "/empty/notes.txt") << "mine";
  EXPECT_TRUE(database->destroy().ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/empty"), {}), 1);
  // One database's folder is foreign to another.
  const std::unique_ptr<Database> first = created(dsn("one"));
  const std::string other = GetParam() == "lmdb" ? "rocksdb" : "lmdb";
  const Result<std::unique_ptr<Database>> second =
      open(other + ":" + folder_ + "/one", 1, true);
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE((*second)->create(kOnlyKey, {}).ok());
}

TEST_P(Embedded, TellsWhatIsWrongWithTheName) {
  const std::string& scheme = GetParam();
  std::ofstream(folder_ + "/file") << "text";
  expect_refused(dsn("file"), ErrorCode::kUsage, "not a folder");
  expect_refused(scheme + "://localhost/x", ErrorCode::kUsage, scheme + ":PATH");
  expect_refused(scheme + ":?color=red", ErrorCode::kUsage, "color");
  if (scheme != "rocksdb") {
    expect_refused(scheme + ":?sync=maybe", ErrorCode::kUsage, "maybe");
  }
  if (scheme == "lmdb") expect_refused("lmdb:?map_mib=0", ErrorCode::kUsage, "map_mib");
  if (scheme == "rocksdb") {
    expect_refused("rocksdb:?policy=x", ErrorCode::kUsage, "policy=x");
    expect_refused("rocksdb:?policy=prepared&write_queues=3", ErrorCode::kUsage,
                   "write_queues=3");
    expect_refused("rocksdb:?write_queues=2", ErrorCode::kUsage, "needs policy=prepared");
    expect_refused("rocksdb:?policy=prepared&churn=x", ErrorCode::kUsage, "churn=x");
    expect_refused("rocksdb:?churn=yes", ErrorCode::kUsage, "churn=yes needs policy=prepared");
  }
  const Result<std::unique_ptr<Database>> database = open(scheme + ":/proc/nowhere");
  ASSERT_TRUE(database.ok());
  const Status status = (*database)->create(kOnlyKey, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kEnvironment) << status.error().message;
}

TEST_P(Embedded, RemovesTheTemporaryFolder) {
  setenv("TMPDIR", folder_.c_str(), 1);
  {
    const std::unique_ptr<Database> database = created(GetParam() + ":");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
    EXPECT_TRUE(connected(*database));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 0);
  unsetenv("TMPDIR");
}

/// A second transaction wants what a first one holds, so many times over.
void meet(const std::string& dsn, int times) {
  constexpr double kShort = 0.1;
  const std::unique_ptr<Database> database = created(dsn, kShort);
  ASSERT_TRUE(database);
  const std::unique_ptr<Session> first = connected(*database, 0);
  const std::unique_ptr<Session> second = connected(*database, 1);
  for (int i = 0; i < times; ++i) {
    ASSERT_TRUE(first->begin().ok());
    ASSERT_TRUE(first->write(kOnly, i).ok());
    if (second->begin().ok() && second->write(kOnly, i).ok()) {
      EXPECT_TRUE(second->rollback().ok());
    }
    EXPECT_TRUE(first->commit().ok());
  }
}

// Goal: every wait ends at its limit, also on a busy machine. Berkeley DB by itself forgets the
// limit of some of these.
TEST_P(Embedded, EndsEveryWait) {
  constexpr int kTimes = 3;
  constexpr int kStores = 40;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kStores; ++i) {
    threads.emplace_back([] { meet(GetParam() + ":", kTimes); });
  }
}

/// Those of this build that keep a folder: SQLite and Firebird have one file and SQL.
std::vector<std::string> embedded_stores() {
  std::vector<std::string> names;
  for (const DatabaseInfo* const row : all_databases()) {
    if (row->capabilities.embedded && row->shell == nullptr) names.emplace_back(row->name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Embedded, testing::ValuesIn(embedded_stores()),
                         [](const auto& row) { return row.param; });

TEST(RocksDb, PreparesOnlyWithLocks) {
  OpenOptions options;
  options.isolation = "optimistic";
  const Result<std::unique_ptr<Database>> database =
      open_database("rocksdb:?policy=prepared", options);
  ASSERT_FALSE(database.ok());
  EXPECT_EQ(database.error().code, ErrorCode::kUsage);
}

TEST(Lmdb, FailsWhenTheMapIsFull) {
  const std::unique_ptr<Database> database = created("lmdb:?map_mib=1&sync=yes");
  ASSERT_TRUE(database);
  const std::unique_ptr<Session> session = connected(*database);
  ASSERT_TRUE(session->begin().ok());
  Reply reply;
  for (Key key = 0; key < 100000 && reply.ok(); ++key) reply = session->write(key, key);
  EXPECT_EQ(reply.outcome, Outcome::kFailed);
  EXPECT_NE(reply.message.find("map_mib"), std::string::npos) << reply.message;
  ASSERT_TRUE(session->begin().ok());
  Value value;
  ASSERT_TRUE(session->read(kOnly, value).ok());
  EXPECT_EQ(value, std::nullopt);
  EXPECT_TRUE(session->commit().ok());
}

}  // namespace
}  // namespace isolde::db
