// Goal: a run does what its options say, counts right, and records what happened, on a real
// database. Method: SQLite in this process; two drivers around it that lose replies or fail at
// chosen moments, as networks do and SQLite does not.
#include "run/executor.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/reader.hpp"
#include "run/reason.hpp"
#include "support/address_space.hpp"

namespace isolde::run {
namespace {

std::uint64_t times_said(const RunStatistics& statistics, std::string_view reason) {
  std::uint64_t times = 0;
  for (const auto& [said, count] : statistics.reasons.counts()) {
    if (reason_class(said) == reason) times += count;
  }
  return times;
}

/// Passes everything on to a real database, except what a test wants to go wrong.
struct Trouble {
  std::atomic<int> commits{0};
  int lose_reply_every = 0;    ///< of commits; they take effect all the same
  int lose_reply_all_but = 0;  ///< of commits, each that is no multiple of it
  int break_before_every = 0;  ///< connections, just before the commit is sent
  int break_rules_after = 0;   ///< commits; then what comes is no answer
  int fail_after = 0;          ///< commits; then all requests fail for good
  int shut_out = -1;   ///< this session loses its connection at a commit and gets no other
  int hang_after = 0;  ///< commits; then none is answered until the connection is cut
  int write_ms = 0;    ///< how long a write takes
  std::atomic<int> connects{0};
  std::atomic<bool> used{false};  ///< the one connection of `shut_out`
  std::atomic<bool> lost{false};  ///< the same; until then others do not begin
};

class TroubledSession : public db::Session {
 public:
  TroubledSession(std::unique_ptr<db::Session> real, Trouble& trouble, bool doomed)
      : real_(std::move(real)),
        trouble_(trouble),
        number_(++trouble.connects),
        doomed_(doomed) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
  }
  ~TroubledSession() override {
    for (const int end : ends_) close(end);
  }
  int socket() const override { return ends_[0]; }
  std::string server() const override { return "here connection " + std::to_string(number_); }
  db::Reply begin() override {
    while (trouble_.shut_out >= 0 && !doomed_ && !trouble_.lost) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return real_->begin();
  }
  db::Reply read(db::Key key, std::optional<std::int64_t>& value) override {
    return real_->read(key, value);
  }
  db::Reply write(db::Key key, std::int64_t value) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(trouble_.write_ms));
    return real_->write(key, value);
  }
  db::Reply read_list(db::Key key, std::vector<std::int64_t>& elements) override {
    return real_->read_list(key, elements);
  }
  db::Reply append(db::Key key, std::int64_t element) override {
    return real_->append(key, element);
  }
  db::Reply rollback() override { return real_->rollback(); }
  db::Reply commit() override {
    const int number = ++trouble_.commits;
    if (trouble_.fail_after > 0 && number > trouble_.fail_after) {
      real_->rollback();
      return {db::Outcome::kFailed, true, "permission denied"};
    }
    if (trouble_.break_rules_after > 0 && number > trouble_.break_rules_after) {
      real_->rollback();
      return {db::Outcome::kUnknown, false, "nonsense", true};
    }
    if (trouble_.hang_after > 0 && number > trouble_.hang_after) {
      char byte = 0;
      static_cast<void>(::read(ends_[0], &byte, 1));
      real_->rollback();
      return {db::Outcome::kUnknown, false, "connection lost"};
    }
    if (doomed_ || hits(trouble_.break_before_every, number)) {
      real_->rollback();
      if (doomed_) trouble_.lost = true;
      return {db::Outcome::kAborted, false, "connection reset"};
    }
    const db::Reply reply = real_->commit();
    const bool is_lost =
        hits(trouble_.lose_reply_every, number) ||
        (trouble_.lose_reply_all_but > 0 && !hits(trouble_.lose_reply_all_but, number));
    if (reply.ok() && is_lost) {
      return {db::Outcome::kUnknown, false, "no reply after 10 s"};
    }
    return reply;
  }

 private:
  static bool hits(int every, int number) { return every > 0 && number % every == 0; }
  std::unique_ptr<db::Session> real_;
  Trouble& trouble_;
  const int number_;
  const bool doomed_;
  int ends_[2] = {-1, -1};
};

class TroubledDatabase : public db::Database {
 public:
  explicit TroubledDatabase(std::unique_ptr<db::Database> real) : real_(std::move(real)) {}
  std::string version() const override { return real_->version(); }
  Status create(std::span<const db::Key> registers, std::span<const db::Key> lists) override {
    return real_->create(registers, lists);
  }
  Result<std::unique_ptr<db::Session>> connect(std::uint32_t session) override {
    const bool doomed = static_cast<int>(session) == trouble.shut_out;
    if (doomed && trouble.used.exchange(true)) {
      return Error{ErrorCode::kEnvironment, "nobody there"};
    }
    Result<std::unique_ptr<db::Session>> real = real_->connect(session);
    if (!real) return real.error();
    return std::unique_ptr<db::Session>(
        std::make_unique<TroubledSession>(std::move(real).value(), trouble, doomed));
  }
  Status destroy() override { return real_->destroy(); }

  Trouble trouble;

 private:
  std::unique_ptr<db::Database> real_;
};

class ExecutorTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "isolde-run-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    db::OpenOptions open;
    open.isolation = "serializable";
    Result<std::unique_ptr<db::Database>> real =
        db::open_database("sqlite:" + folder_ + "/db", open);
    ASSERT_TRUE(real.ok()) << real.error().message;
    database_ = std::make_unique<TroubledDatabase>(std::move(real).value());
    options_.workload = gen::default_options(gen::Workload("mini"));
    options_.workload.sessions = 4;
    options_.workload.txns = 200;
    options_.workload.keys = 10;
    options_.reconnect_seconds = 5;
  }
  void TearDown() override {
    database_.reset();
    std::filesystem::remove_all(folder_);
  }

  Result<RunStatistics> run() {
    gen::Planner planner(options_.workload);
    EXPECT_TRUE(database_->create(planner.initial_keys(), planner.initial_lists()).ok());
    Result<std::unique_ptr<Recorder>> recorder = Recorder::open(folder_ + "/history.jsonl");
    EXPECT_TRUE(recorder.ok());
    Result<RunStatistics> result =
        execute(*database_, planner, **recorder, options_, budget_,
                [this](const RunStatistics& so_far) { progress_ = so_far.committed; });
    EXPECT_TRUE((*recorder)->close().ok());
    base::Budget budget;
    Result<History> history = io::read_history(folder_ + "/history.jsonl", "native", budget);
    EXPECT_TRUE(history.ok()) << (history.ok() ? "" : history.error().message);
    if (history.ok()) history_ = std::move(history).value();
    return result;
  }

  std::uint64_t count(TxnStatus status) const {
    std::uint64_t n = 0;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      n += history_.status(TxnId::at(t)) == status ? 1 : 0;
    }
    return n;
  }

  std::string folder_;
  std::unique_ptr<TroubledDatabase> database_;
  ExecutorOptions options_;
  base::Budget budget_;
  std::uint64_t progress_ = 0;
  History history_;
};

TEST_F(ExecutorTest, CommitsAsManyAsAskedAndRecordsThemAll) {
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->committed, 200U);
  EXPECT_EQ(statistics->unknown, 0U);
  EXPECT_EQ(statistics->stopped, "");
  EXPECT_EQ(count(TxnStatus::kCommitted), 200U);
  EXPECT_EQ(count(TxnStatus::kAborted), statistics->aborted + statistics->rolled_back);
  EXPECT_FALSE(history_.origin().truncated);
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const TxnTimes times = history_.times(TxnId::at(t));
    EXPECT_LE(times.start, times.end);
  }
}

TEST_F(ExecutorTest, AnUnknownCommitIsNeitherRepeatedNorCounted) {
  database_->trouble.lose_reply_every = 10;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->committed, 200U);
  EXPECT_GE(statistics->unknown, 20U);
  EXPECT_EQ(count(TxnStatus::kIndeterminate), statistics->unknown);
  EXPECT_GE(statistics->reconnects, statistics->unknown - 4);
  // Each goes on under a new name.
  EXPECT_GE(history_.session_count(), 4 + statistics->unknown - 4);
  EXPECT_EQ(times_said(*statistics, "no reply after # s"), statistics->unknown);
}

// Goal: a session begins with a fence, under each of its names, and one that was aborted is
// sent again before anything else. Method: lost replies, and connections that break.
TEST_F(ExecutorTest, SessionsBeginWithAFence) {
  options_.workload.fence_every = 3;
  options_.attempts_max = 1;
  database_->trouble.lose_reply_every = 10;
  database_->trouble.break_before_every = 7;
  ASSERT_TRUE(run().ok());
  std::size_t fences = 0;
  for (std::size_t s = 0; s < history_.session_count(); ++s) {
    bool is_due = true;
    for (const TxnId txn : history_.session_txns(SessionId::at(s))) {
      if (history_.ops(txn).empty()) continue;
      const bool is_fence = history_.text(history_.ops(txn)[0].key) == "fence";
      EXPECT_TRUE(is_fence || !is_due) << history_.session_name(SessionId::at(s));
      is_due = is_fence && history_.status(txn) != TxnStatus::kCommitted;
      if (is_fence && !is_due) ++fences;
    }
  }
  EXPECT_GT(fences, 40U);
}

TEST_F(ExecutorTest, ABrokenConnectionIsReplacedAndTheTransactionSentAgain) {
  database_->trouble.break_before_every = 7;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->committed, 200U);
  EXPECT_GT(statistics->reconnects, 20U);
  EXPECT_EQ(times_said(*statistics, "connection reset"), statistics->aborted);
  EXPECT_EQ(count(TxnStatus::kIndeterminate), 0U);
}

// Goal: each transaction is on record with the connection that it ran on.
TEST_F(ExecutorTest, RecordsTheServerOfEachConnection) {
  database_->trouble.break_before_every = 10;
  ASSERT_TRUE(run().ok());
  std::map<std::string, std::set<std::string>> sessions;  // by server
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    sessions[history_.text(history_.server(txn))].insert(
        history_.session_name(history_.session_of(txn)));
  }
  EXPECT_GT(sessions.size(), options_.workload.sessions);
  EXPECT_LE(sessions.size(), static_cast<std::size_t>(database_->trouble.connects));
  for (const auto& [server, users] : sessions) {
    EXPECT_TRUE(server.starts_with("here connection ")) << server;
    EXPECT_EQ(users.size(), 1U) << server;
  }
}

TEST_F(ExecutorTest, StopsWhenTryingAgainWillNotHelp) {
  database_->trouble.fail_after = 50;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->stopped, "permission denied");
  EXPECT_EQ(statistics->committed, count(TxnStatus::kCommitted));
  EXPECT_LE(statistics->committed, 50U);
}

TEST_F(ExecutorTest, StopsWhenAnAnswerBreaksTheRules) {
  database_->trouble.break_rules_after = 50;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->stopped, "nonsense");
  EXPECT_GT(count(TxnStatus::kIndeterminate), 0U);
  EXPECT_EQ(statistics->committed, count(TxnStatus::kCommitted));
}

// Goal: a run that gets nowhere ends, and one that nobody knows the outcome of is not taken for
// a good one. Method: the replies to all commits are lost; to most; no commit succeeds.
TEST_F(ExecutorTest, StopsWhenNoOutcomeIsKnown) {
  database_->trouble.lose_reply_every = 1;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->stopped,
            "the outcomes of 50 transactions in a row are unknown, the last: no reply after "
            "10 s");
  EXPECT_LE(statistics->unknown, 4 * 50U);
}

TEST_F(ExecutorTest, TellsThatMostOutcomesAreUnknown) {
  database_->trouble.lose_reply_all_but = 3;
  options_.workload.sessions = 1;
  options_.workload.txns = 20;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->committed, 20U);
  EXPECT_EQ(statistics->stopped, "the outcomes of 40 of 60 transactions are unknown");
}

TEST_F(ExecutorTest, EndsWithoutCommitsInSuchATime) {
  database_->trouble.break_before_every = 1;
  options_.fruitless_seconds = 0.3;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_TRUE(statistics->stopped.starts_with("no transaction committed in the last 0."))
      << statistics->stopped;
}

TEST_F(ExecutorTest, EndsAfterItsTime) {
  options_.duration_seconds = 0.2;
  options_.workload.txns = 1;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_GT(statistics->committed, 1U);
  EXPECT_GE(statistics->seconds, 0.2);
}

// Given up is what was sent as often as it may be, not what the end of the run cut short.
TEST_F(ExecutorTest, CountsWhatWasGivenUp) {
  database_->trouble.break_before_every = 1;
  options_.attempts_max = 1'000'000;
  options_.duration_seconds = 0.2;
  const Result<RunStatistics> cut_short = run();
  ASSERT_TRUE(cut_short.ok()) << cut_short.error().message;
  EXPECT_GT(cut_short->aborted, 0U);
  EXPECT_EQ(cut_short->given_up, 0U);
}

TEST_F(ExecutorTest, GivesUpAfterSoManyAttempts) {
  database_->trouble.break_before_every = 1;
  options_.attempts_max = 2;
  options_.duration_seconds = 0.2;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_GT(statistics->given_up, 0U);
  EXPECT_GE(statistics->aborted, 2 * statistics->given_up);
}

TEST_F(ExecutorTest, CancellingEndsItCleanly) {
  options_.duration_seconds = 600;
  std::thread interrupt([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    budget_.cancel();
  });
  const Result<RunStatistics> statistics = run();
  interrupt.join();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_GT(statistics->committed, 0U);
  EXPECT_EQ(count(TxnStatus::kCommitted), statistics->committed);
  EXPECT_FALSE(history_.origin().truncated);
  EXPECT_EQ(statistics->stopped, "interrupted");
}

TEST_F(ExecutorTest, ASessionWithoutConnectionGivesUpAlone) {
  database_->trouble.shut_out = 1;
  options_.reconnect_seconds = 0.05;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->committed, 200U);
  EXPECT_EQ(statistics->stopped, "session 1 had no connection for 0 s: nobody there");
}

// Goal: a run by time that was none to its end says so. Method: one session loses its
// connection for good; nobody commits any more; the same while the run itself breaks servers.
TEST_F(ExecutorTest, TellsOfSessionsWithoutDatabaseAtTheEnd) {
  database_->trouble.shut_out = 1;
  options_.duration_seconds = 0.5;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_TRUE(
      statistics->stopped.starts_with("1 of 4 sessions had no connection at the end, for 0."))
      << statistics->stopped;
  EXPECT_TRUE(statistics->stopped.ends_with(" s: nobody there")) << statistics->stopped;
}

TEST_F(ExecutorTest, TellsOfATimeWithoutCommits) {
  database_->trouble.break_before_every = 1;
  options_.duration_seconds = 2.5;
  Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_TRUE(statistics->stopped.starts_with("no transaction committed in the last 2."))
      << statistics->stopped;
}

TEST_F(ExecutorTest, ServersThatTheRunBreaksAreNoNews) {
  database_->trouble.shut_out = 1;
  options_.duration_seconds = 0.5;
  options_.faults = {{server::FaultKind::kKill, 1'000'000'000, 1'000'000}};
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->stopped, "");
}

TEST_F(ExecutorTest, EndsWhenTheServerIsInTrouble) {
  options_.duration_seconds = 600;
  options_.trouble = [begin = std::chrono::steady_clock::now()]() -> std::string {
    const auto time = std::chrono::steady_clock::now() - begin;
    return time > std::chrono::milliseconds(100) ? "no server is left" : "";
  };
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_EQ(statistics->stopped, "no server is left");
  EXPECT_EQ(count(TxnStatus::kCommitted), statistics->committed);
}

TEST_F(ExecutorTest, AnAnswerThatDoesNotComeIsNotAwaitedBeyondTheEnd) {
  database_->trouble.hang_after = 50;
  options_.duration_seconds = 3;  // for the fifty, on a busy machine too
  options_.finish_seconds = 0.1;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_GE(statistics->seconds, 3.1);
  EXPECT_LT(statistics->seconds, 13);
  EXPECT_EQ(statistics->committed, 50U);
  // Whoever waits for nothing but the lock of one that hangs has not come so far.
  EXPECT_GE(statistics->unknown, 1U);
  EXPECT_EQ(count(TxnStatus::kIndeterminate), statistics->unknown);
  EXPECT_NE(statistics->stopped, "") << "there was no database for most of the time";
}

// Goal: a run for which the system has too few threads says so, and its history is whole.
TEST_F(ExecutorTest, EndsWhenTheSystemHasNoMoreThreads) {
  constexpr std::size_t kStack = std::size_t{1} << 30;
  options_.duration_seconds = 600;
  pthread_attr_t usual;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  pthread_attr_t large;
  ASSERT_EQ(pthread_getattr_default_np(&large), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&large, kStack), 0);
  ASSERT_EQ(pthread_setattr_default_np(&large), 0);
  Result<RunStatistics> statistics = Error{ErrorCode::kLimit, "did not run"};
  {
    const support::AddressSpaceLimit two(5 * kStack / 2);
    statistics = run();
  }
  pthread_setattr_default_np(&usual);
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_TRUE(statistics->stopped.starts_with("started only ")) << statistics->stopped;
  EXPECT_EQ(count(TxnStatus::kCommitted), statistics->committed);
  EXPECT_FALSE(history_.origin().truncated);
}

TEST_F(ExecutorTest, ALongTransactionIsDroppedAtTheEnd) {
  database_->trouble.write_ms = 100;
  options_.workload = gen::default_options(gen::Workload("general"));
  options_.workload.sessions = 1;
  options_.workload.ops = 60;
  options_.duration_seconds = 0.1;
  options_.finish_seconds = 0.1;
  const Result<RunStatistics> statistics = run();
  ASSERT_TRUE(statistics.ok()) << statistics.error().message;
  EXPECT_LT(statistics->seconds, 2);
  EXPECT_EQ(times_said(*statistics, "the run was over"), 1U);
  EXPECT_EQ(count(TxnStatus::kAborted), 1U);
  EXPECT_EQ(history_.txn_count(), 1U);
}

}  // namespace
}  // namespace isolde::run
