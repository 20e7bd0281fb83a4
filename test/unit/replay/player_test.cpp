// Goal: a player does every step, in order, records what was seen, and goes on around steps
// that wait. Method: SQLite, where one writer waits for the other; a session that fails on
// purpose.
#include "replay/player.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/budget.hpp"
#include "io/reader.hpp"
#include "replay/steps.hpp"
#include "support/history_dsl.hpp"

namespace isolde::replay {
namespace {

using State = StepResult::State;

class PlayerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!db::find_database("sqlite")) GTEST_SKIP() << "this build has no driver for SQLite";
    std::string pattern = testing::TempDir() + "isolde-player-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  /// Plays the history on SQLite in the order of its interleaving; recorded_ is what came of
  /// it.
  void play_it(const char* text, const char* isolation, const PlayOptions& options) {
    const History history = support::parse(text);
    const Numbering numbering(history);
    steps_ = Interleaving(history).steps();
    db::OpenOptions open;
    open.isolation = isolation;
    const Result<std::unique_ptr<db::Database>> database = db::open_database("sqlite:", open);
    ASSERT_TRUE(database.ok()) << database.error().message;
    ASSERT_TRUE((*database)->create(numbering.registers(), numbering.lists()).ok());
    const std::string file = folder_ + "/history.jsonl";
    {
      const Result<std::unique_ptr<Recorder>> recorder = Recorder::open(file);
      ASSERT_TRUE(recorder.ok());
      Result<std::vector<StepResult>> results =
          play(**database, numbering, steps_, **recorder, options);
      ASSERT_TRUE(results.ok()) << results.error().message;
      results_ = std::move(results).value();
      ASSERT_TRUE((*recorder)->close().ok());
    }
    ASSERT_TRUE((*database)->destroy().ok());
    base::Budget budget;
    Result<History> recorded = io::read_history(file, "native", budget);
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
    recorded_ = support::to_plain(*recorded);
    for (support::PlainTxn& txn : recorded_) txn.times = {};
  }

  std::string recorded_text() const { return support::to_text(recorded_); }

  std::string folder_;
  std::vector<Step> steps_;
  std::vector<StepResult> results_;
  support::PlainHistory recorded_;
};

TEST_F(PlayerTest, RecordsUnderTheNamesOfTheHistory) {
  play_it("s: w(x=foo) a(l=1) | a(l=2) ! ; t: r(x=foo) r(l=[1]) r(y=_) w(5=7)", "serializable",
          {});
  EXPECT_EQ(recorded_text(),
            "A: w(x=foo) a(l=1)\nA: a(l=2) !\nB: r(x=foo) r(l=[1]) r(y=_) w(5=7)\n");
  for (const StepResult& result : results_) EXPECT_EQ(result.state, State::kDone);
}

// The second reader saw a snapshot that is old by the time it writes.
TEST_F(PlayerTest, ARefusedStepEndsItsTransaction) {
  play_it("s: r(x=_) w(x=1) ; t: r(x=_) w(x=2)", "deferred", {});
  EXPECT_EQ(recorded_text(), "A: r(x=_) w(x=1)\nB: r(x=_) w(x=2) !\n");
  ASSERT_EQ(results_.size(), 8U);
  EXPECT_EQ(results_[6].state, State::kAborted);
  EXPECT_NE(results_[6].message.find("database is locked"), std::string::npos);
  EXPECT_EQ(results_[7].state, State::kSkipped);
}

// Both would read before the other writes, which SQLite does not allow: B waits to begin until
// A is done, and the others go on.
TEST_F(PlayerTest, GoesOnAroundAStepThatWaits) {
  PlayOptions options;
  options.step_wait = std::chrono::milliseconds(50);
  play_it("s: r(x=_) w(x=1) ; t: r(x=_) w(x=2)", "serializable", options);
  EXPECT_EQ(recorded_text(), "A: r(x=_) w(x=1)\nB: r(x=1) w(x=2)\n");
  EXPECT_EQ(steps_[2].kind, Step::Kind::kBegin);
  EXPECT_TRUE(results_[2].waited);
  EXPECT_GE(results_[2].done_at, 5U);  // the commit of A
  EXPECT_EQ(results_[3].value, 1);
  for (const StepResult& result : results_) EXPECT_EQ(result.state, State::kDone);
}

TEST_F(PlayerTest, AllAtOnceKeepsTheOrderOfASession) {
  PlayOptions options;
  options.together = true;
  play_it("s: w(x=1) | r(x=1) w(x=2) | r(x=2)", "serializable", options);
  EXPECT_EQ(recorded_text(), "A: w(x=1)\nA: r(x=1) w(x=2)\nA: r(x=2)\n");
}

/// A database that knows one trick: it loses the connection at a write, or refuses for good.
class Stubborn : public db::Database {
 public:
  explicit Stubborn(db::Reply to_write) : to_write_(std::move(to_write)) {}
  std::string version() const override { return "stubborn"; }
  Status create(std::span<const db::Key>, std::span<const db::Key>) override {
    return ok_status();
  }
  Status destroy() override { return ok_status(); }
  Result<std::unique_ptr<db::Session>> connect(std::uint32_t) override {
    ++connections;
    return std::unique_ptr<db::Session>(std::make_unique<Session>(to_write_));
  }
  int connections = 0;

 private:
  class Session : public db::Session {
   public:
    explicit Session(db::Reply to_write) : to_write_(std::move(to_write)) {}
    db::Reply begin() override { return {}; }
    db::Reply read(db::Key, std::optional<std::int64_t>& value) override {
      value.reset();
      return {};
    }
    db::Reply write(db::Key, std::int64_t) override { return to_write_; }
    db::Reply commit() override { return {}; }
    db::Reply rollback() override { return {}; }

   private:
    db::Reply to_write_;
  };
  db::Reply to_write_;
};

TEST_F(PlayerTest, ReplacesAConnectionAndTellsWhatIsHopeless) {
  const History history = support::parse("s: w(x=1) | r(x=_)");
  const Numbering numbering(history);
  const std::vector<Step> steps = Interleaving(history).steps();
  Stubborn lossy({db::Outcome::kAborted, false, "gone"});
  const auto recorder = Recorder::open(folder_ + "/a.jsonl");
  ASSERT_TRUE(recorder.ok());
  const auto results = play(lossy, numbering, steps, **recorder, {});
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(lossy.connections, 2);
  EXPECT_EQ((*results)[1].state, State::kAborted);
  EXPECT_EQ((*results)[2].state, State::kSkipped);
  EXPECT_EQ((*results)[4].state, State::kDone);

  Stubborn strict({db::Outcome::kFailed, true, "permission denied"});
  const auto second = Recorder::open(folder_ + "/b.jsonl");
  ASSERT_TRUE(second.ok());
  const auto refused = play(strict, numbering, steps, **second, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(refused.error().message.find("permission denied"), std::string::npos);
}

// A crash of the servers takes all connections with it. Who has a transaction open learns it
// from the database; the others connect again before their next one.
TEST_F(PlayerTest, ACrashTakesAllConnections) {
  const Result<Steps> steps = parse_steps(
      "A: begin\nA: r(x)\nA: commit\n"
      "C: begin\n"
      "B: crash\n"
      "A: begin\nA: r(x)\nA: commit\n"
      "C: r(x)\nC: commit\n");
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  const Numbering numbering(steps->history);
  const auto recorder = Recorder::open(folder_ + "/c.jsonl");
  ASSERT_TRUE(recorder.ok());
  Stubborn database({});
  int connections_at_crash = 0;
  PlayOptions options;
  options.crash = [&] {
    connections_at_crash = database.connections;
    return ok_status();
  };
  const auto results = play(database, numbering, steps->steps, **recorder, options);
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(connections_at_crash, 3);
  EXPECT_EQ(database.connections, 4) << "A's second, and none inside of C's transaction";
  for (const StepResult& result : *results) EXPECT_EQ(result.state, State::kDone);

  options.crash = [] { return Status(Error{ErrorCode::kEnvironment, "n1 was not ready"}); };
  const auto down = play(database, numbering, steps->steps, **recorder, options);
  ASSERT_FALSE(down.ok());
  EXPECT_EQ(down.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(down.error().message, "n1 was not ready");
}

}  // namespace
}  // namespace isolde::replay
