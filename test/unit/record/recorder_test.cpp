// The recorder by what a reader finds in its histories: content, order, names, and what it says
// when it is used in a wrong way or the disk is full.
#include "isolde/recorder.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "base/clock_bound.hpp"
#include "recorded.hpp"

namespace isolde {
namespace {

using Texts = std::vector<std::string>;

TEST(Recorder, WritesEveryKindOfOperation) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  {
    RecordedSession session = recorder->session("a");
    const std::vector<std::int64_t> numbers = {1, -2};
    const std::string text = "1.0";
    const std::vector<RecordedValue> mixed = {1, "one", text};
    session.begin();
    session.read("x", RecordedValue::null());
    session.write("x", 1);
    session.read(7, -9);
    session.read_unknown("y");
    session.append("l", "e");
    session.read_list("l", numbers);
    session.read_list("m", mixed);
    session.read_list("n", std::span<const std::int64_t>());
    session.commit();
    session.begin();
    session.write(0, std::numeric_limits<std::int64_t>::min());
    session.abort();
    session.begin();
    session.commit();
  }
  EXPECT_EQ(message_of(recorder->close()), "no error");
  const History history = read_back(folder.path("h"));
  EXPECT_EQ(texts_of(history),
            (Texts{"a:0 r(x)=initial w(x)=1 r(7)=-9 r(y)=? append(l, e) r(l)=[1 -2] "
                   "r(m)=[1 one 1.0] r(n)=initial",
                   "a:1! w(0)=-9223372036854775808", "a:2"}));
  EXPECT_FALSE(history.origin().truncated);
  EXPECT_TRUE(history.origin().notes.empty());
  EXPECT_FALSE(std::filesystem::exists(folder.path("h.inflight")));
}

TEST(Recorder, HeaderAndLinesAreAsDocumented) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.about = {{"database", "ex\"ample"}, {"workload", "\xff"}};
  const auto recorder = open_recorder(folder.path("h"), options);
  RecordedSession session = recorder->session("a");
  session.begin();
  session.write("x", 1);
  session.commit();
  recorder->event("fault", "cut\n\x80");
  recorder->event("fault", "pause", {.begins = "n\"1"});
  recorder->event("fault", "resume", {.ends = "n\"1"});
  EXPECT_TRUE(recorder->close().ok());
  const std::string text = folder.get("h");
  EXPECT_EQ(text.substr(0, text.find(",\"clock\"")),
            "{\"isolde\":1,\"kind\":\"history\",\"ends\":true,\"database\":\"ex\\\"ample\","
            "\"workload\":\"\xef\xbf\xbd\"");
  EXPECT_NE(text.find("\"clock\":{\"origin\":\"20"), std::string::npos) << text;
  EXPECT_NE(text.find("{\"session\":\"a\",\"start\":"), std::string::npos) << text;
  EXPECT_NE(text.find(",\"ops\":[[\"w\",\"x\",1]],\"end\":"), std::string::npos) << text;
  EXPECT_NE(text.find("{\"event\":\"fault\",\"what\":\"cut\\u000a\xef\xbf\xbd\",\"at\":"),
            std::string::npos)
      << text;
  for (const char* part :
       {"\"pause\",\"begins\":\"n\\\"1\",\"at\":", "\"resume\",\"ends\":\"n\\\"1\",\"at\":"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_NE(text.find("\n{\"event\":\"end\",\"at\":"), std::string::npos) << text;
}

// Goal: the server goes with the transactions that begin after it was told, under the new name
// of a session too; one that cannot be written stops the recording, as any other text does.
// Goal: values may be confidential. Method: the modes, whatever the process masks.
TEST(Recorder, IsReadableByItsOwnerOnly) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const mode_t mask = umask(0);
  const auto own = open_recorder(folder.path("own"));
  RecorderOptions options;
  options.mode = 0644;
  const auto shared = Recorder::open(folder.path("shared"), options);
  umask(mask);
  ASSERT_TRUE(shared);
  const RecordedSession session = own->session("a");
  const auto mode = [](const std::string& path) {
    return static_cast<unsigned>(fs::status(path).permissions());
  };
  EXPECT_EQ(mode(folder.path("own")), 0600U);
  EXPECT_EQ(mode(folder.path("own") + ".inflight"), 0700U);
  for (const auto& file : fs::directory_iterator(folder.path("own") + ".inflight")) {
    EXPECT_EQ(mode(file.path()), 0600U) << file.path();
  }
  EXPECT_EQ(mode(folder.path("shared")), 0644U);
}

TEST(Recorder, WritesServers) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  {
    RecordedSession session = recorder->session("a");
    const auto transaction = [&session] {
      session.begin();
      session.commit();
    };
    transaction();
    session.server("db1:5432 backend \"7\"");
    transaction();
    session.begin();
    session.server("db2");
    session.unknown();
    transaction();
    session.server("");
    transaction();
  }
  EXPECT_EQ(message_of(recorder->close()), "no error");
  const History history = read_back(folder.path("h"));
  std::vector<std::string> servers;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    servers.push_back(history.txn_name(TxnId::at(t)) + ' ' +
                      history.text(history.server(TxnId::at(t))));
  }
  const std::string none = history.text(Value());
  EXPECT_EQ(servers, (Texts{"a:0 " + none, "a:1 db1:5432 backend \"7\"",
                            "a:2 db1:5432 backend \"7\"", "a/2:0 db2", "a/2:1 " + none}));
  const auto other = open_recorder(folder.path("g"));
  RecordedSession session = other->session("b");
  session.server("\xff");
  EXPECT_NE(message_of(other->status()).find("is not UTF-8"), std::string::npos);
}

// Goal: the moment at which the times are 0 is one that a reader understands.
TEST(Recorder, TellsWhenItsClockBegan) {
  const TemporaryFolder folder;
  const std::int64_t before = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count();
  const auto recorder = open_recorder(folder.path("h"));
  EXPECT_TRUE(recorder->close().ok());
  const std::int64_t origin = read_back(folder.path("h")).origin().clock_origin;
  constexpr std::int64_t kHour = std::int64_t{3600} * 1'000'000'000;
  EXPECT_GT(origin, before - kHour);
  EXPECT_LT(origin, before + kHour);
}

std::int64_t told_error = 0;
std::int64_t told_monotonic = 0;

/// What the kernel tells, as it is made up here.
class ForcedClock {
 public:
  ForcedClock() { base::clock_source.store(&kSource); }
  ~ForcedClock() { base::clock_source.store(nullptr); }
  ForcedClock(const ForcedClock&) = delete;
  ForcedClock& operator=(const ForcedClock&) = delete;

 private:
  static constexpr base::ClockSource kSource = {
      [] {
        return base::ClockLook{1'700'000'000'000'000'000 + told_monotonic, told_monotonic,
                               told_error};
      },
      [] { return std::string("00000000000000aa"); }};
};

TEST(Recorder, TellsWhichClockItHasAndHowFarOffItWas) {
  const TemporaryFolder folder;
  const ForcedClock forced;
  told_monotonic = 5'000'000'000;
  told_error = 9'000'000;
  const auto recorder = open_recorder(folder.path("h"));
  told_error = 2'000'000;
  EXPECT_TRUE(recorder->close().ok());
  const HistoryOrigin origin = read_back(folder.path("h")).origin();
  EXPECT_EQ(origin.clock_host, "00000000000000aa");
  EXPECT_EQ(origin.clock_monotonic_ns, 5'000'000'000);
  EXPECT_EQ(origin.clock_error_ns, 9'000'001);  // of no time between two looks
}

TEST(Recorder, LooksAtTheClockOnceASecond) {
  const TemporaryFolder folder;
  const ForcedClock forced;
  // Its transactions have times of the clock as it is, which is later by far.
  told_monotonic = 0;
  told_error = 1'000;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  told_error = 60'000;
  session.begin();
  session.commit();
  told_error = 90'000;
  session.begin();
  session.commit();
  told_error = 1'000;
  EXPECT_TRUE(recorder->close().ok());
  EXPECT_EQ(read_back(folder.path("h")).origin().clock_error_ns, 60'001);
}

TEST(Recorder, ABoundThatWasUnknownOnceIsNotTold) {
  const TemporaryFolder folder;
  const ForcedClock forced;
  told_error = kNoTime;
  const auto recorder = open_recorder(folder.path("h"));
  told_error = 1'000;
  EXPECT_TRUE(recorder->close().ok());
  EXPECT_EQ(read_back(folder.path("h")).origin().clock_error_ns, kNoTime);
  EXPECT_EQ(read_back(folder.path("h")).origin().clock_host, "00000000000000aa");
}

TEST(Recorder, KeepsTextsAsTheyAre) {
  const TemporaryFolder folder;
  const std::string odd =
      std::string("\"\\\n\x01\x7f\0/", 7) + "\xc3\xa9\xe2\x82\xac\xed\x9f\xbf\xf0\x9f\x98\x80";
  const std::string large(100'000, '\x02');
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("s\"\t\xc3\xa9");
  session.begin();
  session.write(odd, large);
  session.read(large, odd);
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const History history = read_back(folder.path("h"));
  ASSERT_EQ(history.op_count(), 2U);
  EXPECT_EQ(history.session_name(SessionId(0)), "s\"\t\xc3\xa9");
  const auto ops = history.ops(TxnId(0));
  EXPECT_EQ(history.pooled_text(history.key_name(ops[0].key)), odd);
  EXPECT_EQ(history.pooled_text(ops[0].value), large);
  EXPECT_EQ(history.pooled_text(history.key_name(ops[1].key)), large);
  EXPECT_EQ(history.pooled_text(ops[1].value), odd);
}

TEST(Recorder, WritesWhatAReadDidNotReturn) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  session.begin();
  session.read_not("x", 5);
  session.read_not("y", "text");
  session.write("x", 6);
  session.commit();
  session.begin();
  session.read_not("x", RecordedValue::null());
  session.commit();
  EXPECT_EQ(recorder->close().error().code, ErrorCode::kUsage);
  EXPECT_EQ(texts_of(read_back(folder.path("h"))),
            (Texts{"a:0 r(x)=not 5 r(y)=not text w(x)=6"}));
}

// Goal: a history in which rows are deleted is one of version 2, and no other is.
TEST(Recorder, WritesDeletions) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = true;
  const auto recorder = open_recorder(folder.path("h"), options);
  RecordedSession session = recorder->session("a");
  session.begin();
  session.write("x", 1);
  session.remove("x");
  session.remove("y");
  session.drop_last();
  session.read("x", RecordedValue::null());
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const std::string text = folder.get("h");
  EXPECT_TRUE(text.starts_with(R"({"isolde":2,"kind":"history","ends":true,)")) << text;
  EXPECT_NE(text.find(R"([["w","x",1],["delete","x"],["r","x",null]],"end":)"),
            std::string::npos)
      << text;
  const History history = read_back(folder.path("h"));
  ASSERT_EQ(history.op_count(), 3U);
  EXPECT_TRUE(history.ops(TxnId(0))[1].is_delete());
}

// Versions come after the operation is on record; until the transaction ends they are in no
// file.
TEST(Recorder, WritesVersions) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = true;
  options.about = {{"versions", "order"}};
  const auto recorder = open_recorder(folder.path("h"), options);
  RecordedSession session = recorder->session("a");
  session.begin();
  session.version_of_writes(9);  // there are none yet
  session.read("x", 1);
  session.version(17);
  session.write("x", 2);
  session.append("l", 1);
  session.write("y", 3);
  session.version(18);
  session.write("z", 4);
  session.version(19);
  session.drop_last();
  session.remove("z");
  session.read("y", 3);
  const std::vector<RecordedRow> rows = {{.key = 1, .value = 2, .version = 20}, {.key = 3}};
  session.select({.keys = RecordedBounds{1, 9}}, rows);
  session.version_of_writes(21);
  session.commit();
  session.begin();
  session.write("x", 5);
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const std::string text = folder.get("h");
  EXPECT_NE(text.find(R"("ops":[["r","x",1,{"version":17}],["w","x",2,{"version":21}],)"
                      R"(["append","l",1],["w","y",3,{"version":18}],)"
                      R"(["delete","z",{"version":21}],["r","y",3],)"
                      R"(["select",{"keys":[1,9]},[[1,2,{"version":20}],[3]]]],"end":)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("ops":[["w","x",5]],"end":)"), std::string::npos) << text;
  EXPECT_TRUE(read_back(folder.path("h")).origin().versions_are_ordered);
}

TEST(Recorder, WritesSelections) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  const std::vector<RecordedRow> rows = {{9, "b\"c"}, {"9", -7}, {"1", 3}};
  session.begin();
  session.select({}, {});
  session.select({.keys = RecordedBounds{1, 9}, .values = RecordedBounds{.min = 0}}, {});
  session.select({.values = RecordedBounds{.max = -1}, .equal = "b\"c"}, rows);
  session.select({.equal = 5}, rows);
  session.select({}, rows);
  session.drop_last();
  session.write(2, 5);
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const std::string text = folder.get("h");
  EXPECT_TRUE(text.starts_with(R"({"isolde":1,)")) << text;
  const std::string returned = R"([[9,"b\"c"],["9",-7],["1",3]])";
  const std::string ops =
      R"([["select",{},[]],["select",{"keys":[1,9],"values":[0,2305843009213693951]},[]],)"
      R"(["select",{"values":[-2305843009213693952,-1],"equal":"b\"c"},)" +
      returned + R"(],["select",{"equal":5},)" + returned + R"(],["w",2,5]],"end":)";
  EXPECT_NE(text.find(ops), std::string::npos) << text;
  EXPECT_EQ(read_back(folder.path("h")).selections(TxnId(0)).size(), 4U);
}

TEST(Recorder, WritesARowThatCameTwice) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  session.begin();
  session.select({}, std::vector<RecordedRow>{{"k", 1}, {7, 1}, {"k", 2}});
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  EXPECT_NE(folder.get("h").find(R"([["select",{},[["k",1],[7,1],["k",2]]]])"),
            std::string::npos);
  EXPECT_EQ(read_back(folder.path("h")).selections(TxnId(0))[0].rows, 3U);
}

// Goal: room is made for all that is written. Method: rows of control characters, which take
// the most; a sanitizer sees what goes beyond, and the slot of a session begins small.
TEST(Recorder, SelectsManyLargeRows) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  std::vector<std::string> keys;
  std::vector<RecordedRow> rows;
  for (int i = 999; i >= 0; --i) keys.emplace_back(std::size_t(i), '\x01');
  for (const std::string& key : keys) {
    rows.push_back({key, std::numeric_limits<std::int64_t>::min()});
  }
  session.begin();
  session.select({.keys = RecordedBounds{}, .values = RecordedBounds{}, .equal = keys[0]},
                 rows);
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const History history = read_back(folder.path("h"));
  ASSERT_EQ(history.ops(TxnId(0)).size(), 1000U);
}

TEST(Recorder, WritesFencesOfDifferentValues) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  const auto other = open_recorder(folder.path("other"));
  std::vector<std::int64_t> values;
  {
    RecordedSession session = recorder->session("a");
    session.begin();
    values.push_back(session.fence(RecordedValue::null()));
    session.commit();
    session.begin();
    values.push_back(session.fence(values.front()));
    session.commit();
    RecordedSession elsewhere = other->session("a");
    elsewhere.begin();
    values.push_back(elsewhere.fence(values.back()));
    elsewhere.commit();
  }
  EXPECT_EQ(message_of(recorder->close()), "no error");
  const std::string first = std::to_string(values[0]);
  EXPECT_EQ(texts_of(read_back(folder.path("h"))),
            (Texts{"a:0 r(fence)=initial w(fence)=" + first,
                   "a:1 r(fence)=" + first + " w(fence)=" + std::to_string(values[1])}));
  EXPECT_NE(values[0], values[1]);
  EXPECT_NE(values[0], values[2]);
  EXPECT_NE(values[1], values[2]);
  for (const std::int64_t value : values) {
    EXPECT_GE(value, 0);
    EXPECT_LT(value, RecordedBounds::kMost);
  }
}

TEST(Recorder, DropsTheLastOperation) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  session.begin();
  session.write("x", 1);
  session.drop_last();
  session.write("x", 2);
  session.write("x", 3);
  session.drop_last();
  session.read("y", 4);
  session.commit();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  EXPECT_EQ(texts_of(read_back(folder.path("h"))), (Texts{"a:0 w(x)=2 r(y)=4"}));
}

TEST(Recorder, GoesOnUnderANewNameWhenAnOutcomeIsUnknown) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  for (int i = 0; i < 3; ++i) {
    session.begin();
    session.write("x", 2 * i);
    session.commit();
    session.begin();
    session.write("x", 2 * i + 1);
    session.unknown();
  }
  ASSERT_TRUE(recorder->close().ok());
  const History history = read_back(folder.path("h"));
  EXPECT_EQ(texts_of(history), (Texts{"a:0 w(x)=0", "a:1* w(x)=1", "a/2:0 w(x)=2",
                                      "a/2:1* w(x)=3", "a/3:0 w(x)=4", "a/3:1* w(x)=5"}));
  EXPECT_EQ(history.times(TxnId(1)).end, kNoTime);
  EXPECT_NE(history.times(TxnId(1)).start, kNoTime);
}

TEST(Recorder, ADestroyedSessionDoesNotKnowItsOutcome) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  {
    RecordedSession session = recorder->session("a");
    session.begin();
    session.write("x", 1);
    session = recorder->session("b");
    session.begin();
    session.write("x", 2);
    RecordedSession moved = std::move(session);
    moved.write("x", 3);
  }
  ASSERT_TRUE(recorder->close().ok());
  EXPECT_EQ(texts_of(read_back(folder.path("h"))),
            (Texts{"a:0* w(x)=1", "b:0* w(x)=2 w(x)=3"}));
}

TEST(Recorder, UsesSlotsOfEndedSessionsAgain) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  for (int i = 0; i < 100; ++i) {
    RecordedSession session = recorder->session("s" + std::to_string(i));
    session.begin();
    session.write("x", i);
    session.commit();
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("h.inflight/2")));
  ASSERT_TRUE(recorder->close().ok());
  EXPECT_EQ(read_back(folder.path("h")).session_count(), 100U);
}

TEST(Recorder, TimesOfASessionIncreaseStrictly) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  for (int i = 0; i < 1000; ++i) {
    session.begin();
    session.commit();
  }
  const std::int64_t now = recorder->now_ns();
  ASSERT_TRUE(recorder->close().ok());
  const History history = read_back(folder.path("h"));
  std::int64_t last = -1;
  for (const TxnId txn : history.session_txns(SessionId(0))) {
    EXPECT_GT(history.times(txn).start, last);
    last = history.times(txn).end;
    EXPECT_LE(history.times(txn).start, last);
  }
  EXPECT_LE(last, now);
}

TEST(Recorder, ThreadsDoNotMixTheirLines) {
  constexpr int kWriters = 8;
  constexpr int kTransactions = 2000;
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kWriters; ++thread) {
    threads.emplace_back([&recorder, thread] {
      RecordedSession session = recorder->session(std::to_string(thread));
      for (int i = 0; i < kTransactions; ++i) {
        session.begin();
        for (int op = 0; op < i % 40; ++op) session.write(op, i);
        session.commit();
        if (i % 100 == 0) recorder->event("phase", "another hundred");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(message_of(recorder->close()), "no error");
  const History history = read_back(folder.path("h"));
  EXPECT_FALSE(history.origin().truncated);
  ASSERT_EQ(history.session_count(), std::size_t{kWriters});
  for (std::size_t session = 0; session < kWriters; ++session) {
    const auto txns = history.session_txns(SessionId::at(session));
    ASSERT_EQ(txns.size(), std::size_t{kTransactions});
    for (std::size_t i = 0; i < txns.size(); ++i) {
      const auto ops = history.ops(txns[i]);
      ASSERT_EQ(ops.size(), i % 40);
      for (const Op& op : ops) {
        ASSERT_EQ(op.value.as_integer(), static_cast<std::int64_t>(i));
      }
    }
  }
}

TEST(Recorder, DoesNothingWhenItIsOff) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.enabled = false;
  const auto recorder = open_recorder(folder.path("h"), options);
  RecordedSession session = recorder->session("a/b");
  session.write("x", 1);
  session.begin();
  session.write("x", 1);
  session.remove("x");
  session.select({}, {});
  session.drop_last();
  session.drop_last();
  session.unknown();
  session.commit();
  recorder->event("end", "");
  EXPECT_TRUE(recorder->status().ok());
  EXPECT_TRUE(recorder->close().ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Recorder, NeverTouchesWhatIsThere) {
  const TemporaryFolder folder;
  folder.put("old", "mine");
  const auto exists = Recorder::open(folder.path("old"));
  ASSERT_FALSE(exists.ok());
  EXPECT_EQ(exists.error().code, ErrorCode::kUsage);
  EXPECT_EQ(exists.error().message,
            folder.path("old") + ": exists; a history needs a new file, so choose another");
  EXPECT_EQ(folder.get("old"), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder.path("old.inflight")));

  std::filesystem::create_directory(folder.path("new.inflight"));
  const auto left = Recorder::open(folder.path("new"));
  ASSERT_FALSE(left.ok());
  EXPECT_EQ(left.error().code, ErrorCode::kUsage);
  EXPECT_TRUE(std::filesystem::exists(folder.path("new.inflight")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("new")));

  const auto nowhere = Recorder::open(folder.path("no/such/folder"));
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().code, ErrorCode::kEnvironment);

  RecorderOptions options;
  options.about = {{"kind", "x"}};
  const auto reserved = Recorder::open(folder.path("h"), options);
  ASSERT_FALSE(reserved.ok());
  EXPECT_EQ(reserved.error().code, ErrorCode::kUsage);
}

TEST(Recorder, IgnoresSessionsAfterClose) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  ASSERT_TRUE(recorder->close().ok());
  session.begin();
  session.write("x", 1);
  session.commit();
  recorder->session("b").begin();
  recorder->event("fault", "late");
  EXPECT_TRUE(recorder->close().ok());
  EXPECT_EQ(read_back(folder.path("h")).txn_count(), 0U);
}

TEST(Recorder, AReaderSeesThatItIsAtWork) {
  const TemporaryFolder folder;
  const auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  session.begin();
  session.write("x", 1);
  session.commit();
  session.begin();
  session.write("x", 2);
  const History history = read_back(folder.path("h"));
  EXPECT_TRUE(history.origin().truncated);
  EXPECT_EQ(texts_of(history), (Texts{"a:0 w(x)=1"}));
  ASSERT_EQ(history.origin().notes.size(), 2U);
  EXPECT_EQ(history.origin().notes[1],
            "the recorder is still running; what it writes from here on is missing");
  session.commit();
}

TEST(Recorder, AForkedChildLeavesTheHistoryAlone) {
  const TemporaryFolder folder;
  auto recorder = open_recorder(folder.path("h"));
  RecordedSession session = recorder->session("a");
  session.begin();
  session.write("x", 1);
  const pid_t child = fork();
  if (child == 0) {
    { const RecordedSession mine = std::move(session); }
    recorder.reset();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  session.commit();
  EXPECT_EQ(message_of(recorder->close()), "no error");
  EXPECT_EQ(texts_of(read_back(folder.path("h"))), (Texts{"a:0 w(x)=1"}));
}

/// In a child: no file may grow beyond a limit, which ends a write in the middle of a line.
std::string record_beyond_limit(const std::string& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {20'000, 20'000};
  setrlimit(RLIMIT_FSIZE, &limit);
  auto recorder = Recorder::open(path);
  if (!recorder) return recorder.error().message;
  RecordedSession a = (*recorder)->session("a");
  RecordedSession b = (*recorder)->session("b");
  b.begin();
  b.write("y", 1);
  for (int i = 0; i < 1000; ++i) {
    a.begin();
    a.write("x", i);
    a.commit();
  }
  b.write("y", 2);
  b.commit();
  return message_of((*recorder)->close());
}

TEST(Recorder, KeepsWhatIsThereWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string problem = record_beyond_limit(folder.path("h"));
    _exit(write(pipes[1], problem.data(), problem.size()) > 0 ? 0 : 1);
  }
  close(pipes[1]);
  char problem[400] = {};
  EXPECT_GT(read(pipes[0], problem, sizeof problem - 1), 0);
  close(pipes[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(problem, folder.path("h") +
                         ": cannot be written: File too large; what the clients do from here "
                         "on is not recorded");
  EXPECT_EQ(folder.get("h").back(), '\n');  // the half line was taken back
  const History history = read_back(folder.path("h"));
  EXPECT_TRUE(history.origin().truncated);
  EXPECT_EQ(history.origin().notes.back(),
            "the recorder stopped at an error, such as a full disk; what followed is missing");
  const Texts texts = texts_of(history);
  ASSERT_GT(texts.size(), 100U);
  // The line that did not fit, and that of the session which went on a little.
  EXPECT_EQ(texts[texts.size() - 2], "a:" + std::to_string(texts.size() - 2) +
                                         " w(x)=" + std::to_string(texts.size() - 2));
  EXPECT_EQ(texts.back(), "b:0 w(y)=1 w(y)=2");
}

}  // namespace
}  // namespace isolde
