// Goal: scripted steps are read as they are meant, mistakes are told with their line, and what
// is written is read back. Method: texts; SQLite plays them.
#include "replay/steps.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/budget.hpp"
#include "io/reader.hpp"
#include "replay/player.hpp"
#include "replay/transcript.hpp"
#include "support/history_dsl.hpp"

namespace isolde::replay {
namespace {

using Kind = Step::Kind;
using Pace = Step::Pace;

Steps parsed(std::string_view text) {
  Result<Steps> steps = parse_steps(text);
  EXPECT_TRUE(steps.ok()) << (steps.ok() ? "" : steps.error().message);
  return steps.ok() ? std::move(steps).value() : Steps{};
}

TEST(Steps, AreReadAsTheyAreMeant) {
  const Steps steps = parsed(
      "# who does what\n"
      "  A: sql SET x # 1\r\n"
      "A: begin   # a remark\n"
      "A:r( x )=foo\n"
      "\"b c\": begin\n"
      "\"b c\": until r(l)=[1 \"2\"]\n"
      "\n"
      "\"b c\": append(l, 0.5)\n"
      "\"b c\": sql SELECT 1\n"
      "A: w(\"k,)\", \"a b\")\n"
      "A: send commit\n"
      "A: wait\n"
      "A: crash\n"
      "\"b c\": rollback");
  EXPECT_EQ(support::to_text(support::to_plain(steps.history)),
            "A: r(x=foo) w(k,)=a b)\nb c: r(l=[1 2]) a(l=0.5) !\n");
  const TxnId a(0);
  const TxnId b(1);
  const std::vector<Step> wanted = {
      {Kind::kStatement, a, 0, Pace::kUsual, false},
      {Kind::kBegin, a, 0},
      {Kind::kOperation, a, 0},
      {Kind::kBegin, b, 0},
      {Kind::kOperation, b, 0, Pace::kUntil},
      {Kind::kOperation, b, 1},
      {Kind::kStatement, b, 1},
      {Kind::kOperation, a, 1},
      {Kind::kCommit, a, 0, Pace::kSend},
      {Kind::kWait, a, 0},
      {Kind::kCrash, a, 0},
      {Kind::kRollback, b, 0},
  };
  EXPECT_EQ(steps.steps, wanted);
  EXPECT_TRUE(steps.crashes);
  EXPECT_FALSE(parsed("A: begin\nA: commit").crashes);
  EXPECT_EQ(steps.statements, (std::vector<std::string>{"SET x # 1", "SELECT 1"}));
}

TEST(Steps, AggregatesHaveConditions) {
  const Steps steps = parsed(
      "A: begin\nA: count()\nA: exists(keys 1 to 2)\nA: send sum(values 3 to 4)\n"
      "A: min(keys 1 to 2, values 3 to 4)\nA: max( )\nA: select()\nA: commit");
  const TxnId a(0);
  const std::vector<Step> wanted = {
      {Kind::kBegin, a, 0},     {Kind::kAggregate, a, 0},
      {Kind::kAggregate, a, 1}, {Kind::kAggregate, a, 2, Pace::kSend},
      {Kind::kAggregate, a, 3}, {Kind::kAggregate, a, 4},
      {Kind::kSelect, a, 5},    {Kind::kCommit, a, 0},
  };
  EXPECT_EQ(steps.steps, wanted);
  EXPECT_EQ(steps.computed, (std::map<std::uint32_t, AggregateKind>{{0, AggregateKind::kCount},
                                                                    {1, AggregateKind::kExists},
                                                                    {2, AggregateKind::kSum},
                                                                    {3, AggregateKind::kMin},
                                                                    {4, AggregateKind::kMax}}));
  EXPECT_FALSE(steps.deletes);
  EXPECT_EQ(steps.conditions.size(), 6U);
  EXPECT_TRUE(steps.conditions.at(3).keys && steps.conditions.at(3).values);
  EXPECT_EQ(steps.statements.at(3), "min(keys 1 to 2, values 3 to 4)");
}

TEST(Steps, AreKnownByTheirFirstLine) {
  for (const char* text : {"A: begin\n", "# who\n\n  \"a b\": send commit", "A: sql SELECT 1",
                           "A:wait", "B: crash", "A: count()", "A: max()"}) {
    EXPECT_TRUE(begins_like_steps(text)) << text;
  }
  for (const char* text : {"", "# A: begin\n", "{\"isolde\":1}\nA: begin\n", "A begin",
                           "{:type :ok}", "r(1,2,3,4)", "A: run", "12:00:01 begin"}) {
    EXPECT_FALSE(begins_like_steps(text)) << text;
  }
}

TEST(Steps, TellTheLineOfAMistake) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "there is no transaction"},
      {"# nothing\n\n", "there is no transaction"},
      {"begin", "line 1: expected a session and a step"},
      {"A begin", "line 1: expected a session and a step"},
      {"A: start", "line 1: expected begin, r(KEY)"},
      {"A: begin\nA: begin", "line 2: begin: session A has a transaction open"},
      {"A: commit", "line 1: no transaction is open; begin comes first"},
      {"A: r(x)", "line 1: no transaction is open; begin comes first"},
      {"A: begin\nA: r()", "line 2: expected a key after the bracket"},
      {"A: begin\nA: r(null)", "line 2: expected a key after the bracket"},
      {"A: begin\nA: r(x", "line 2: expected ) after the key or the value"},
      {"A: begin\nA: w(x)", "line 2: expected a value, such as w(x, 5)"},
      {"A: begin\nA: w(x, null)", "line 2: expected a value, such as w(x, 5)"},
      {"A: begin\nA: w(x, 0x5)", "line 2: expected a value, such as w(x, 5)"},
      {"A: begin\nA: w(x, \"5)", "line 2: expected a value, such as w(x, 5)"},
      {"A: begin\nA: r(x)=", "line 2: expected a value after ="},
      {"A: begin\nA: r(x)=[1 2", "line 2: expected the elements of a list"},
      {"A: begin\nA: w(x, 1) w(y, 1)", "line 2: 'w(y, 1)' follows the step"},
      {"A: begin\nA: sql", "line 2: sql: expected a statement after it"},
      {"A: begin\nA: until r(x)", "line 2: until: expected a read with the value"},
      {"A: begin\nA: until w(x, 1)", "line 2: until: expected a read with the value"},
      {"A: begin\nA: w(x, 1)\nA: until r(x)=1", "line 3: until: the read is not the first"},
      {"A: begin\nA: until commit", "line 2: expected begin, r(KEY)"},
      {"A: begin\nA: crash", "line 2: crash: session A has a transaction open"},
      {"A: send crash", "line 1: expected begin, r(KEY)"},
      {"A: begin\nA: send wait", "line 2: expected begin, r(KEY)"},
      {"A: begin\nA: w(x, 1)", "session A ends with a transaction open"},
      {"A: begin\nA: commit\nB: wait", "session B does nothing"},
      {"A: begin\nA: w(x, 1)\nA: append(x, 2)\nA: commit", "x"},
  };
  for (const auto& [text, message] : cases) {
    const Result<Steps> steps = parse_steps(text);
    ASSERT_FALSE(steps.ok()) << text;
    EXPECT_EQ(steps.error().code, ErrorCode::kBadInput) << text;
    EXPECT_NE(steps.error().message.find(message), std::string::npos) << text << "\n"
                                                                      << steps.error().message;
  }
}

TEST(Steps, AreWrittenAsTheyAreRead) {
  const History history =
      support::parse("s: r(x=_) w(x=foo) a(l=1) ; t: r(l=[1]) r(x=?) w(5=7) !");
  const std::vector<Step> order = Interleaving(history).steps();
  const std::string text = steps_text(history, order);
  EXPECT_EQ(text,
            "s: begin\n"
            "s: r(x)=null\n"
            "s: w(x, foo)\n"
            "s: append(l, 1)\n"
            "s: commit\n"
            "t: begin\n"
            "t: r(l)=[1]\n"
            "t: r(x)\n"
            "t: w(5, 7)\n"
            "t: rollback\n");
  const Steps again = parsed(text);
  EXPECT_EQ(again.steps, order);
  EXPECT_EQ(support::to_text(support::to_plain(again.history)),
            support::to_text(support::to_plain(history)));
}

TEST(Steps, SelectionsSayInCommentsWhatTheyReturned) {
  const History history =
      support::parse("A: w(3=5) ; B: s(keys=1..9 values=0..9: 3=5) s(equal=7:) s(: 3=5) d(3)");
  const std::string text = steps_text(history, Interleaving(history).steps());
  EXPECT_EQ(text,
            "A: begin\n"
            "A: w(3, 5)\n"
            "A: commit\n"
            "B: begin\n"
            "B: select(keys 1 to 9, values 0 to 9)  # recorded [3=5]\n"
            "B: select(values 7 to 7)  # recorded []\n"
            "B: delete()  # recorded [3=5]\n"
            "B: commit\n");
  const Result<Steps> steps = parse_steps(text);
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  EXPECT_EQ(steps->statements, (std::vector<std::string>{"select(keys 1 to 9, values 0 to 9)",
                                                         "select(values 7 to 7)", "delete()"}));
}

TEST(Steps, NamesThatAreNoWordsAreInQuotes) {
  EXPECT_EQ(step_word("a_b.c-1"), "a_b.c-1");
  EXPECT_EQ(step_word("a b"), "\"a b\"");
  EXPECT_EQ(step_word("5"), "\"5\"");
  EXPECT_EQ(step_word("null"), "\"null\"");
  EXPECT_EQ(step_word(""), "\"\"");
  EXPECT_EQ(step_word("\n\xe2\x80\xae"), "\"\\n\\u202e\"");
}

/// Plays steps on SQLite, one connection for each session.
class PlayedSteps : public testing::Test {
 protected:
  void SetUp() override {
    if (!db::find_database("sqlite")) GTEST_SKIP() << "this build has no driver for SQLite";
    std::string pattern = testing::TempDir() + "isolde-steps-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  void play_it(const char* text, PlayOptions options = {}, const char* isolation = "deferred") {
    const Steps steps = parsed(text);
    options.statements = steps.statements;
    const Numbering numbering(steps.history, Numbering::Sessions::kNames);
    const auto database = db::open_database("sqlite:", {.isolation = isolation});
    ASSERT_TRUE(database.ok()) << database.error().message;
    ASSERT_TRUE((*database)->create(numbering.registers(), numbering.lists()).ok());
    const std::string file = folder_ + "/history.jsonl";
    {
      const auto recorder = Recorder::open(file);
      ASSERT_TRUE(recorder.ok());
      auto results = play(**database, numbering, steps.steps, **recorder, options);
      ASSERT_TRUE(results.ok()) << results.error().message;
      results_ = std::move(results).value();
      ASSERT_TRUE((*recorder)->close().ok());
    }
    ASSERT_TRUE((*database)->destroy().ok());
    transcript_ = transcript(numbering, steps.steps, results_,
                             {.was = "expected", .statements = steps.statements});
    base::Budget budget;
    const Result<History> recorded = io::read_history(file, "native", budget);
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
    support::PlainHistory plain = support::to_plain(*recorded);
    for (support::PlainTxn& txn : plain) txn.times = {};
    recorded_ = support::to_text(plain);
  }

  std::string folder_;
  std::vector<StepResult> results_;
  std::string recorded_;
  std::string transcript_;
};

TEST_F(PlayedSteps, RunStatementsAndWaitForValues) {
  play_it(
      "W: begin\n"
      "W: w(x, foo)\n"
      "W: sql SELECT 1\n"
      "R: begin\n"
      "R: r(x)=null\n"
      "R: rollback\n"
      "W: commit\n"
      "R: sql SELECT 2\n"
      "R: begin\n"
      "R: until r(x)=foo\n"
      "R: r(y)\n"
      "R: commit\n");
  EXPECT_EQ(recorded_, "R: r(x=_) !\nW: w(x=foo)\nR: r(x=foo) r(y=_)\n");
  EXPECT_EQ(transcript_,
            "    1  W  begin\n"
            "    2  W  w(x, foo)\n"
            "    3  W  sql SELECT 1\n"
            "    4  R  begin\n"
            "    5  R  r(x)            expected null, now null\n"
            "    6  R  rollback\n"
            "    7  W  commit\n"
            "    8  R  sql SELECT 2\n"
            "    9  R  begin\n"
            "   10  R  until r(x)=foo  expected foo, now foo\n"
            "   11  R  r(y)            now null\n"
            "   12  R  commit\n");
}

// Goal: a session may do nothing but run statements, and leaves nothing in the history.
TEST_F(PlayedSteps, RunStatementsOfASessionWithoutTransactions) {
  play_it(
      "Helper: sql SELECT 1\n"
      "A: begin\n"
      "A: w(x, 1)\n"
      "Helper: sql SELECT 2\n"
      "A: commit\n");
  EXPECT_EQ(recorded_, "A: w(x=1)\n");
  EXPECT_EQ(transcript_,
            "    1  Helper  sql SELECT 1\n"
            "    2  A       begin\n"
            "    3  A       w(x, 1)\n"
            "    4  Helper  sql SELECT 2\n"
            "    5  A       commit\n");
}

// What is sent lets the next step come at once: B can begin only when A is done.
TEST_F(PlayedSteps, GoOnBehindWhatIsSent) {
  PlayOptions options;
  options.step_wait = std::chrono::hours(1);
  play_it(
      "A: begin\n"
      "A: w(x, 1)\n"
      "B: send begin\n"
      "A: r(y)\n"
      "A: commit\n"
      "B: wait\n"
      "B: r(x)\n"
      "B: commit\n",
      options, "serializable");
  EXPECT_EQ(recorded_, "A: w(x=1) r(y=_)\nB: r(x=1)\n");
  EXPECT_GE(results_[2].done_at, 4U);
  EXPECT_NE(transcript_.find("B  send begin  answered at step "), std::string::npos)
      << transcript_;
}

TEST_F(PlayedSteps, GiveUpAValueThatDoesNotCome) {
  PlayOptions options;
  options.until_wait = std::chrono::milliseconds(30);
  play_it("R: begin\nR: until r(x)=1\nR: r(y)\nR: commit\n", options);
  EXPECT_EQ(results_[1].state, StepResult::State::kAborted);
  EXPECT_EQ(results_[1].message, "the value did not appear");
  EXPECT_GE(results_[1].tries, 1U);
  EXPECT_LE(results_[1].tries, 31U) << "each takes a millisecond and more";
  EXPECT_EQ(results_[2].state, StepResult::State::kSkipped);
  EXPECT_EQ(results_[3].state, StepResult::State::kSkipped);
}

/// Loses its connection at each rollback, and gives no second one.
class OneConnection : public db::Database {
 public:
  std::string version() const override { return "one connection"; }
  Status create(std::span<const db::Key>, std::span<const db::Key>) override {
    return ok_status();
  }
  Status destroy() override { return ok_status(); }
  Result<std::unique_ptr<db::Session>> connect(std::uint32_t) override {
    if (connected_++ > 0) return Error{ErrorCode::kEnvironment, "nobody there"};
    return std::unique_ptr<db::Session>(std::make_unique<Session>());
  }

 private:
  class Session : public db::Session {
   public:
    db::Reply begin() override { return {}; }
    db::Reply read(db::Key, std::optional<std::int64_t>& value) override {
      value.reset();
      return {};
    }
    db::Reply write(db::Key, std::int64_t) override { return {}; }
    db::Reply commit() override { return {}; }
    db::Reply rollback() override { return {db::Outcome::kOk, false, ""}; }
  };
  int connected_ = 0;
};

// The transaction is on record as aborted once, and the end is told.
TEST(Steps, EndWhereAValueIsWaitedForAndTheConnectionGoes) {
  const Steps steps = parsed("R: begin\nR: until r(x)=1\nR: commit\n");
  const Numbering numbering(steps.history, Numbering::Sessions::kNames);
  OneConnection database;
  const std::string file = testing::TempDir() + "isolde-one-connection.jsonl";
  std::filesystem::remove(file);
  {
    const auto recorder = Recorder::open(file);
    ASSERT_TRUE(recorder.ok());
    const auto results = play(database, numbering, steps.steps, **recorder, {});
    ASSERT_FALSE(results.ok());
    EXPECT_NE(results.error().message.find("nobody there"), std::string::npos);
    ASSERT_TRUE((*recorder)->close().ok());
  }
  base::Budget budget;
  const Result<History> recorded = io::read_history(file, "native", budget);
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  ASSERT_EQ(recorded->txn_count(), 1U);
  EXPECT_EQ(recorded->status(TxnId(0)), TxnStatus::kAborted);
  std::filesystem::remove(file);
}

TEST_F(PlayedSteps, TellOfAStatementThatFails) {
  play_it(
      "A: sql SELECT 1 FROM nowhere\nA: begin\nA: sql SELECT 1 FROM nowhere\nA: w(x, 1)\n"
      "A: commit\nA: begin\nA: w(x, 2)\nA: commit\n");
  EXPECT_EQ(results_[0].state, StepResult::State::kAborted);
  EXPECT_NE(results_[0].message.find("no such table"), std::string::npos);
  EXPECT_EQ(results_[2].state, StepResult::State::kAborted);
  EXPECT_EQ(results_[3].state, StepResult::State::kSkipped);
  EXPECT_EQ(recorded_, "A: nop !\nA: w(x=2)\n");
}

}  // namespace
}  // namespace isolde::replay
