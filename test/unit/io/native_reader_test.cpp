// The native reader: each field and value of the format, each error, and the crash rule.
#include <gtest/gtest.h>

#include "io/native_event.hpp"
#include "io/native_recording.hpp"
#include "io_inputs.hpp"

namespace isolde::io {
namespace {

constexpr std::string_view kFirstLine = "{\"isolde\":1,\"kind\":\"history\"}\n";

std::string with_header(std::string_view lines) {
  return std::string(kFirstLine) + std::string(lines);
}

History read_good(std::string_view lines) {
  Result<History> history = read_native_text(with_header(lines));
  EXPECT_TRUE(history.ok()) << message_of(history);
  return std::move(history).value();
}

std::string ops_text(const History& history, std::size_t txn) {
  std::string text;
  for (const Op& op : history.ops(TxnId::at(txn))) text += history.op_text(op) + " ";
  return text;
}

TEST(NativeReader, ReadsEveryField) {
  const History history = read_good(
      "{\"session\":\"a\",\"status\":\"aborted\",\"start\":-5,\"end\":1700000000000000000,"
      "\"id\":\"T1\",\"ops\":[[\"w\",\"x\",1],[\"r\",\"y\",2],[\"r\",\"z\",null],[\"r\",\"q\"]]"
      "}\n"
      "{\"ops\":[[\"append\",\"l\",3],[\"r\",\"l\",[1,2]],[\"r\",\"m\",[]]],\"session\":7,"
      "\"id\":12}\n"
      "{\"session\":\"a\",\"status\":\"indeterminate\",\"ops\":[]}\n");
  ASSERT_EQ(history.txn_count(), 3U);
  EXPECT_EQ(history.session_count(), 2U);
  EXPECT_EQ(history.txn_name(TxnId(0)), "T1");
  EXPECT_EQ(history.txn_name(TxnId(1)), "#12");
  EXPECT_EQ(history.txn_name(TxnId(2)), "a:1");
  EXPECT_EQ(history.status(TxnId(0)), TxnStatus::kAborted);
  EXPECT_EQ(history.status(TxnId(1)), TxnStatus::kCommitted);
  EXPECT_EQ(history.status(TxnId(2)), TxnStatus::kIndeterminate);
  EXPECT_EQ(history.times(TxnId(0)).start, -5);
  EXPECT_EQ(history.times(TxnId(0)).end, 1'700'000'000'000'000'000);
  EXPECT_EQ(history.times(TxnId(1)).start, kNoTime);
  EXPECT_EQ(history.json(history.label(TxnId(0))), "\"T1\"");
  EXPECT_EQ(history.json(history.label(TxnId(1))), "12");
  EXPECT_TRUE(history.label(TxnId(2)).is_null());
  EXPECT_EQ(ops_text(history, 0), "w(x)=1 r(y)=2 r(z)=initial r(q)=? ");
  EXPECT_EQ(ops_text(history, 1), "append(l, 3) r(l)=[1 2] r(m)=initial ");
  EXPECT_EQ(history.position_in_input(TxnId(0)), 2U);
  EXPECT_EQ(history.position_in_input(TxnId(2)), 4U);
  EXPECT_EQ(history.origin().format, "native");
  EXPECT_EQ(history.origin().file, "h");
  EXPECT_FALSE(history.origin().truncated);
}

// Values that look alike and are not, and values that look different and are the same.
TEST(NativeReader, KeepsScalarsApart) {
  const History history = read_good(
      R"({"session":"a","ops":[["w","x",1],["w","x","1"],["w","x",1.0],["w","x",true],)"
      R"(["w","x",9223372036854775807],["w","x",-9223372036854775808],["w","x",-0],)"
      R"(["w","x",123456789012345678901234567890],["w","x","\u0041\n"],["w","x","A\n"]]})"
      "\n");
  std::vector<std::string> values;
  for (const Op& op : history.ops(TxnId(0))) values.push_back(history.json(op.value));
  const std::vector<std::string> expected = {"1",
                                             "\"1\"",
                                             "1.0",
                                             "true",
                                             "9223372036854775807",
                                             "-9223372036854775808",
                                             "0",
                                             "123456789012345678901234567890",
                                             "\"A\\u000a\"",
                                             "\"A\\u000a\""};
  EXPECT_EQ(values, expected);
  EXPECT_EQ(history.ops(TxnId(0))[8].value, history.ops(TxnId(0))[9].value);
}

TEST(NativeReader, SkipsWhatItDoesNotKnow) {
  const History history = read_good(
      "\n"
      "{\"event\":\"fault\",\"session\":{},\"what\":[1,{\"a\":2}]}\n"
      "  \r\n"
      "{\"start\":\"noon\",\"event\":\"marker\"}\n"
      "{\"session\":\"a\",\"host\":{\"name\":\"h1\",\"up\":[1,2]},\"ops\":[[\"w\",1,1]],\"x\":"
      "null}\r\n");
  ASSERT_EQ(history.txn_count(), 1U);
  EXPECT_EQ(history.position_in_input(TxnId(0)), 6U);
}

TEST(NativeReader, KeepsEvents) {
  const History history = read_good(
      "{\"event\":\"fault\",\"what\":\"pause n1\",\"begins\":\"n1\",\"at\":7}\n"
      "{\"session\":\"a\",\"ops\":[]}\n"
      "{\"at\":-9,\"ends\":\"n1\",\"event\":\"f\\u0061ult\"}\n"
      "{\"event\":\"cut\",\"what\":\"\",\"at\":1.5}\n"
      // What a transaction could not have, an event may; what has no text for a kind is none.
      "{\"ops\":7,\"event\":\"phase\",\"what\":3,\"begins\":\"load\",\"ends\":\"x\",\"at\":"
      "null}\n"
      "{\"event\":8,\"what\":\"?\"}\n"
      "{\"event\":\"end\",\"at\":9}\n");
  EXPECT_EQ(events_of(history),
            "\"fault\" \"pause n1\" \"n1\" 1 7\n"
            "\"fault\" null \"n1\" 2 -9\n"
            "\"cut\" \"\" null 0 -\n"
            "\"phase\" null \"load\" 1 -\n");
  EXPECT_EQ(history.txn_count(), 1U);
  // No verdict depends on them, so that a certificate fits with and without.
  EXPECT_EQ(history.digest(), read_good("{\"session\":\"a\",\"ops\":[]}\n").digest());
}

TEST(NativeReader, NotesWhyARunStopped) {
  const auto notes = [](std::string_view event) {
    return read_good(std::string(event) + "\n{\"session\":\"a\",\"ops\":[]}\n").origin().notes;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(notes("{\"event\":\"stopped\",\"what\":\"disk \\\"full\\\"\",\"at\":7}"),
            Lines{"the run stopped early: disk \"full\""});
  EXPECT_EQ(notes("{\"what\":\"Ctrl-C\",\"event\":\"stopped\"}"),
            Lines{"the run stopped early: Ctrl-C"});
  EXPECT_EQ(notes("{\"event\":\"stopped\",\"what\":{\"a\":1}}"),
            Lines{"the run stopped early"});
  const std::string twice = "{\"event\":\"stopped\",\"what\":\"Ctrl-C\"}";
  EXPECT_EQ(notes(twice + "\n" + twice), Lines{"the run stopped early: Ctrl-C"});
  EXPECT_EQ(notes("{\"event\":\"fault\",\"what\":\"cut\"}"), Lines{});
}

TEST(NativeReader, HeaderMayCarryMore) {
  const auto history = read_native_text(
      "{\"seed\":1,\"isolde\":1,\"database\":{\"name\":\"x\"},\"kind\":\"history\","
      "\"truncated\":true,\"sessions\":[\"b\",\"a\"],\"notes\":[\"n\"]}\n"
      "{\"session\":\"a\",\"ops\":[]}\n");
  ASSERT_TRUE(history.ok()) << message_of(history);
  EXPECT_EQ(history->session_name(SessionId(0)), "b");
  EXPECT_EQ(history->session_count(), 2U);
  EXPECT_TRUE(history->origin().truncated);
  EXPECT_EQ(history->origin().notes, std::vector<std::string>{"n"});
}

// Goal: a server is a string, and by the book the same as on the usual way; what else stands in
// a field of that name was ignored by the first readers of version 1 and still is.
TEST(NativeReader, ReadsServers) {
  const History history =
      read_good(R"({"session":"a","server":"db1:5432 backend 7","ops":[]})"
                "\n"
                R"({"session":"a","server":"caf\u00e9","odd":[],"ops":[]})"
                "\n"
                R"({"session":"a","server":{"name":"db1"},"ops":[]})"
                "\n"
                R"({"session":"a","server":12,"ops":[]})"
                "\n"
                R"({"session":"a","server":"db1:5432 backend 7","server":null,"ops":[]})"
                "\n"
                R"({"session":"a","ops":[]})"
                "\n");
  ASSERT_EQ(history.txn_count(), 6U);
  EXPECT_TRUE(history.has_servers());
  EXPECT_EQ(history.text(history.server(TxnId(0))), "db1:5432 backend 7");
  EXPECT_EQ(history.text(history.server(TxnId(1))), "caf\xc3\xa9");
  for (std::uint32_t txn = 2; txn < 6; ++txn) {
    EXPECT_TRUE(history.server(TxnId(txn)).is_null()) << txn;
  }
  EXPECT_FALSE(read_good(R"({"session":"a","ops":[]})"
                         "\n")
                   .has_servers());
}

// Goal: what keys and values stand for is taken, and what is not understood is no error.
TEST(NativeReader, TakesTheNotation) {
  const auto with = [](const std::string& fields) {
    const auto history = read_native_text(R"({"isolde":1,"kind":"history",)" + fields + "}\n");
    EXPECT_TRUE(history.ok()) << message_of(history);
    return history->origin();
  };
  const HistoryOrigin known =
      with(R"("tables":"item orders","values":"account/* balance@0+20 initial=100")");
  EXPECT_EQ(known.notation.tables, (std::vector<std::string>{"item", "orders"}));
  ASSERT_EQ(known.notation.values.size(), 1U);
  EXPECT_EQ(known.notation.values[0].prefix, "account/");
  EXPECT_EQ(known.notes.size(), 0U);
  for (const char* other : {R"("tables":"a/b")", R"("values":"balance")"}) {
    EXPECT_EQ(with(other).notation, Notation()) << other;
    EXPECT_EQ(with(other).notes.size(), 1U) << other;
  }
  for (const char* ignored : {R"("tables":["a"])", R"("values":7)"}) {
    EXPECT_EQ(with(ignored).notation, Notation()) << ignored;
    EXPECT_EQ(with(ignored).notes.size(), 0U) << ignored;
  }
}

// Goal: a promise is a level, or the reason why there is none; what is neither is not guessed.
TEST(NativeReader, ReadsThePromise) {
  const auto with = [](const std::string& fields) {
    const auto history =
        read_native_text("{\"isolde\":1,\"kind\":\"history\"," + fields + "}\n");
    EXPECT_TRUE(history.ok()) << message_of(history);
    return history->origin();
  };
  const HistoryOrigin known =
      with(R"("promise":"snapshot-isolation","product":"postgres","no_promise":"n")");
  EXPECT_EQ(known.promise, Level::kSnapshotIsolation);
  EXPECT_EQ(known.product, "postgres");
  EXPECT_TRUE(known.notes.empty());
  EXPECT_FALSE(known.promised_by_user);
  EXPECT_TRUE(with(R"("promise":"si","promised_by":"user")").promised_by_user);
  EXPECT_TRUE(with(R"("promised_by":"user","promise":"si")").promised_by_user);
  for (const char* other : {R"("promised_by":"makers")", R"("promised_by":7)"}) {
    EXPECT_FALSE(with(other).promised_by_user) << other;
    EXPECT_TRUE(with(other).notes.empty()) << other;
  }
  EXPECT_EQ(with(R"("promise":"si")").promise, Level::kSnapshotIsolation);
  for (const char* none : {R"("promise":"none","no_promise":"why")",
                           R"("no_promise":"why","promise":"none")", R"("no_promise":"why")"}) {
    EXPECT_EQ(with(none).promise, std::nullopt) << none;
    EXPECT_EQ(with(none).no_promise, "why") << none;
  }
  EXPECT_EQ(with(R"("promise":"none")").no_promise, "the recording says so");
  for (const char* other : {R"("promise":7)", R"("promise":["si"],"product":{"x":1})"}) {
    EXPECT_EQ(with(other).promise, std::nullopt) << other;
    EXPECT_TRUE(with(other).notes.empty()) << other;
  }
  const HistoryOrigin wrong = with(R"("promise":"best")");
  EXPECT_EQ(wrong.promise, std::nullopt);
  EXPECT_EQ(wrong.no_promise, "");
  EXPECT_EQ(wrong.notes,
            std::vector<std::string>{"the promise in the header, best, is not the name "
                                     "of a level and is not used"});
}

// Goal: the origin of the clock is read when it can be, and nothing else about it is an error.
TEST(NativeReader, ReadsWhichClockItWasAndHowFarOff) {
  const auto origin_of = [](const std::string& clock, const std::string& end) {
    const auto read = read_native_text(R"({"isolde":1,"kind":"history","ends":true,"clock":)" +
                                       clock + "}\n" + end + "\n");
    EXPECT_TRUE(read.ok()) << message_of(read);
    return read->origin();
  };
  const std::string end = R"({"event":"end","at":9})";
  HistoryOrigin origin =
      origin_of(R"({"host":"h","monotonic_ns":17,"origin_error_ns":3,"error_ns":5})", end);
  EXPECT_EQ(origin.clock_host, "h");
  EXPECT_EQ(origin.clock_monotonic_ns, 17);
  EXPECT_EQ(origin.clock_error_ns, 5);
  // At the origin is not all the time.
  origin = origin_of(R"({"host":7,"monotonic_ns":"x","origin_error_ns":3})", end);
  EXPECT_EQ(origin.clock_host, "");
  EXPECT_EQ(origin.clock_monotonic_ns, kNoTime);
  EXPECT_EQ(origin.clock_error_ns, kNoTime);
  // The last line is about all of it.
  const std::string told = R"({"event":"end","at":9,"clock_error_ns":8})";
  EXPECT_EQ(origin_of("{}", told).clock_error_ns, 8);
  EXPECT_EQ(origin_of("{}", told + "\n" + end).clock_error_ns, kNoTime);
  EXPECT_EQ(origin_of("{}", told + "\n" + R"({"event":"fault"})").clock_error_ns, kNoTime);
  for (const char* odd : {"-1", "86400000000001", "\"8\"", "null", "{}", "1.5"}) {
    EXPECT_EQ(origin_of(R"({"error_ns":)" + std::string(odd) + "}", end).clock_error_ns,
              kNoTime)
        << odd;
  }
}

TEST(NativeReader, ReadsTheOriginOfTheClock) {
  const auto with_clock = [](const std::string& clock) {
    return read_native_text("{\"isolde\":1,\"kind\":\"history\",\"clock\":" + clock + "}\n");
  };
  const auto good = with_clock(R"({"name":"monotonic","origin":"1970-01-01T00:00:01.5Z"})");
  ASSERT_TRUE(good.ok()) << message_of(good);
  EXPECT_EQ(good->origin().clock_origin, 1'500'000'000);
  EXPECT_TRUE(good->origin().notes.empty());
  for (const char* clock : {"\"monotonic\"", "{}", "[1]", "null", R"({"origins":"noon"})"}) {
    const auto history = with_clock(clock);
    ASSERT_TRUE(history.ok()) << message_of(history);
    EXPECT_EQ(history->origin().clock_origin, kNoTime) << clock;
    EXPECT_TRUE(history->origin().notes.empty()) << clock;
  }
  for (const char* origin : {"\"noon\"", "5", "{}", "null", "\"2026-11-20\"", "[[\"x\"]]"}) {
    const auto history = with_clock("{\"origin\":" + std::string(origin) + ",\"x\":{}}");
    ASSERT_TRUE(history.ok()) << message_of(history);
    EXPECT_EQ(history->origin().clock_origin, kNoTime) << origin;
    ASSERT_EQ(history->origin().notes.size(), 1U) << origin;
    EXPECT_EQ(history->origin().notes[0],
              "the origin of the clock in the header is not an RFC 3339 time "
              "(2026-11-20T14:03:22.5Z) and is not used");
  }
}

struct BadLine {
  std::string_view line;
  std::string_view problem;
};

TEST(NativeReader, SaysWhatIsWrongWithALine) {
  const BadLine cases[] = {
      {R"([1,2])", "the line is not a JSON object; expected {\"session\":...,\"ops\":[...]}"},
      {R"({"ops":[]})", "the transaction has no \"session\""},
      {R"({"session":"a"})", "the transaction has no \"ops\""},
      {R"({"session":null,"ops":[]})", "\"session\" is neither a string nor an integer"},
      {R"({"session":1.5,"ops":[]})", "\"session\" is neither a string nor an integer"},
      {R"({"session":"a","session":"a","ops":[]})", "\"session\" occurs twice"},
      {R"({"session":"a","ops":[],"ops":[]})", "\"ops\" occurs twice"},
      {R"({"session":"a","ops":{}})", "\"ops\" is not an array"},
      {R"({"session":"a","ops":[1]})", "an operation is not an array"},
      {R"({"session":"a","ops":[[]]})", "an operation has too few parts; expected"},
      {R"({"session":"a","ops":[["r"]]})", "an operation has too few parts; expected"},
      {R"({"session":"a","ops":[["w","x"]]})", "an operation has too few parts; expected"},
      {R"({"session":"a","ops":[["w","x",1,2]]})", "an operation has more than three parts"},
      {R"({"session":"a","ops":[["x","x",1]]})",
       R"(unknown operation "x"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate)"},
      {R"({"session":"a","ops":[[7,"x",1]]})", "unknown operation 7; expected"},
      {R"({"session":"a","ops":[["w",null,1]]})", "null cannot be a key"},
      {R"({"session":"a","ops":[["w",[1],1]]})", "a key is an array; expected a number"},
      {R"({"session":"a","ops":[["w","x",null]]})",
       "null is the initial value and cannot be written"},
      {R"({"session":"a","ops":[["w","x",[1]]]})", "a written value is an array; expected"},
      {R"({"session":"a","ops":[["r","x",{}]]})",
       "a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock"},
      {R"({"session":"a","ops":[["r","x",{"is":1}]]})",
       "a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock"},
      {R"({"session":"a","ops":[["r","x",{"not":1,"not":2}]]})",
       R"(a read value has a column "not"; expected {"not":value} alone, or a row)"},
      {R"({"session":"a","ops":[["r","x",{"is":2,"not":1}]]})",
       R"(a read value has a column "not"; expected {"not":value} alone, or a row)"},
      {R"({"session":"a","ops":[["r","x",{"not":null}]]})", "null cannot occur in {\"not\":"},
      {R"({"session":"a","ops":[["r","x",{"not":[1]}]]})", "the value of \"not\" is an array"},
      {R"({"session":"a","ops":[["r","x",[null]]]})", "null cannot be an element of a list"},
      {R"({"session":"a","ops":[["r","x",[[1]]]]})", "an element of a list is an array"},
      {R"({"session":"a","ops":[["w","x",01]]})", "malformed JSON: '01' is not a number"},
      {R"({"session":"a","ops":[["w","x",1.]]})", "malformed JSON: '1.' is not a number"},
      {R"({"session":"a","ops":[["w","x",tru]]})", "malformed JSON: "},
      {R"({"session":"a","ops":[["w","x",1]],})", "malformed JSON: "},
      {R"({"session":"a","ops":[["w","x" 1]]})", "malformed JSON: "},
      {R"({"session":"a","ops":[]} {})", "malformed JSON: text after the object"},
      {R"({"session":"a","ops":[],"id":[]})", "\"id\" is an array; expected a number"},
      {R"({"session":"a","ops":[],"status":"ok"})",
       "unknown status \"ok\"; expected \"committed\", \"aborted\" or \"indeterminate\""},
      {R"({"session":"a","ops":[],"start":1.5})", "\"start\" is not a time in integer nanosec"},
      {R"({"session":"a","ops":[],"end":"x"})", "\"end\" is not a time in integer nanoseconds"},
      {R"({"session":"a","ops":[],"start":9223372036854775808})", "\"start\" is not a time"},
      {R"({"session":"a","ops":[],"start":2,"end":1})",
       "the transaction ends before it starts"},
      {R"({"isolde":1,"kind":"history"})", "a second header; write each history to a file"},
      {R"({"session":"a","ops":[["w","l",1]]})", "key \"l\" is used both as a register"},
      {R"({"event":"fault","what":"pause \q"})", "malformed JSON: "},
      {R"({"event":"fault","what":"pause n1","at":7)", "the line is not a JSON object"},
      {R"({"event":"fault"} {})", "malformed JSON: text after the object"},
      {"{\"session\":\"\xff\",\"ops\":[]}", "malformed JSON: "},
      {"{\"session\":\"a\x01\",\"ops\":[]}", "malformed JSON: "},
      {"nonsense", "the line is not a JSON object"},
  };
  for (const BadLine& bad : cases) {
    const std::string text =
        with_header("\n{\"session\":\"a\",\"ops\":[[\"append\",\"l\",1]]}\n" +
                    std::string(bad.line) + "\n");
    const Result<History> history = read_native_text(text);
    const std::string expected = "h:4: " + std::string(bad.problem);
    EXPECT_EQ(message_of(history).substr(0, expected.size()), expected) << bad.line;
    if (history.ok()) continue;
    EXPECT_EQ(history.error().code, ErrorCode::kBadInput);
  }
}

TEST(NativeReader, SaysWhatIsWrongWithASelection) {
  const BadLine cases[] = {
      {R"({"session":"a","ops":[["select",{}]]})", "a selection has too few parts; expected"},
      {R"({"session":"a","ops":[["select",{},[],1]]})", "an operation has more than three"},
      {R"({"session":"a","ops":[["select",[],[]]]})",
       "the condition of a selection is not an object"},
      {R"({"session":"a","ops":[["select",{"key":[1,2]},[]]]})",
       "unknown condition of a selection; expected"},
      {R"({"session":"a","ops":[["select",{"keys":[1]},[]]]})",
       "the bounds of a selection are not two integers [min,max]"},
      {R"({"session":"a","ops":[["select",{"keys":[1,2,3]},[]]]})",
       "the bounds of a selection are not two integers [min,max]"},
      {R"({"session":"a","ops":[["select",{"values":["a","b"]},[]]]})",
       "the bounds of a selection are not two integers [min,max]"},
      {R"({"session":"a","ops":[["select",{"keys":[0,2305843009213693952]},[]]]})",
       "the bounds of a selection do not lie between -2^61 and 2^61 - 1"},
      {R"({"session":"a","ops":[["select",{"keys":[2305843009213693952,0]},[]]]})",
       "the bounds of a selection do not lie between -2^61 and 2^61 - 1"},
      {R"({"session":"a","ops":[["select",{"keys":[1,2],"keys":[1,2]},[]]]})",
       "a condition occurs twice in a selection"},
      {R"({"session":"a","ops":[["select",{"equal":null},[]]]})",
       "null cannot be the value of \"equal\""},
      {R"({"session":"a","ops":[["select",{},{}]]})",
       "the rows of a selection are not an array"},
      {R"({"session":"a","ops":[["select",{},[1]]]})",
       "a row of a selection is neither [key, value] nor [key, {columns}] nor [key]"},
      {R"({"session":"a","ops":[["select",{},[[]]]]})",
       "a row of a selection is neither [key, value] nor [key, {columns}] nor [key]"},
      {R"({"session":"a","ops":[["select",{},[[1]]]]})",
       "a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock"},
      {R"({"session":"a","ops":[["select",{},[[1,2,3]]]]})",
       "a row of a selection is neither [key, value] nor [key, {columns}] nor [key]"},
      {R"({"session":"a","ops":[["select",{},[[1,null]]]]})", "null cannot occur in a row"},
  };
  for (const BadLine& bad : cases) {
    const std::string text =
        with_header("\n{\"session\":\"a\",\"ops\":[[\"append\",\"l\",1]]}\n" +
                    std::string(bad.line) + "\n");
    const Result<History> history = read_native_text(text);
    const std::string expected = "h:4: " + std::string(bad.problem);
    EXPECT_EQ(message_of(history).substr(0, expected.size()), expected) << bad.line;
    if (history.ok()) continue;
    EXPECT_EQ(history.error().code, ErrorCode::kBadInput);
  }
}

// Goal: a deletion is a write of the version that is no row; what found nothing may have seen
// it. Where rows are deleted, other keys' first versions stay known. Both ways through a line.
TEST(NativeReader, ReadsDeletions) {
  for (const char* odd : {"", R"(,"odd":[{}])"}) {
    const auto history =
        read_native_text(std::string(R"({"isolde":2,"kind":"history"})") + "\n" +
                         R"({"session":"a","ops":[["w","x",1],)" +
                         R"(["delete","x"],["r","x",null],["r","y",null]])" + odd + "}\n");
    ASSERT_TRUE(history.ok()) << message_of(history);
    const auto ops = history->ops(TxnId(0));
    ASSERT_EQ(ops.size(), 4U);
    EXPECT_TRUE(ops[1].is_delete());
    EXPECT_TRUE(history->found_nothing(ops[2]));
    EXPECT_EQ(ops[3].kind, OpKind::kRead);
    EXPECT_TRUE(ops[3].value.is_null());
  }
}

// Goal: where records are missing, a row may have been deleted that no record says so of.
TEST(NativeReader, KnowsThatADeletionMayBeMissing) {
  const auto kind_of_read = [](const char* header) {
    const auto history = read_native_text(std::string(header) +
                                          R"({"session":"a","ops":[["r","y",null]]})" + "\n");
    EXPECT_TRUE(history.ok()) << message_of(history);
    return history->ops(TxnId(0))[0].kind;
  };
  EXPECT_EQ(kind_of_read("{\"isolde\":2,\"kind\":\"history\"}\n"), OpKind::kRead);
  EXPECT_EQ(kind_of_read("{\"isolde\":1,\"kind\":\"history\",\"truncated\":true}\n"),
            OpKind::kRead);
  EXPECT_EQ(kind_of_read("{\"isolde\":2,\"kind\":\"history\",\"truncated\":true}\n"),
            OpKind::kReadExcept);
}

TEST(NativeReader, SaysWhatIsWrongWithRowsAndConditionsOnThem) {
  const BadLine cases[] = {
      {R"({"session":"a","ops":[["w","x",{"not":1}]]})", R"(a column cannot be called "not")"},
      {R"({"session":"a","ops":[["w","x",{"a":1,"a":2}]]})", R"(a row has column "a" twice)"},
      {R"({"session":"a","ops":[["w","x",{"a":{"b":1}}]]})",
       "a column of a row is an object; expected a number"},
      {R"({"session":"a","ops":[["append","l",{"a":1}]]})",
       "a written value is an object; expected a number"},
      {R"({"session":"a","ops":[["r","l",[{"a":1}]]]})",
       "an element of a list is an object; expected a number"},
      {R"({"session":"a","ops":[["select",{"columns":1},[]]]})",
       R"("columns" of a selection is not an object)"},
      {R"({"session":"a","ops":[["select",{"columns":{"a":{}}},[]]]})",
       "a condition on a column is empty"},
      {R"({"session":"a","ops":[["select",{"columns":{"a":{"like":"x"}}},[]]]})",
       R"(unknown condition on a column like; expected "min", "max", "in", "not" or "not in")"},
      {R"({"session":"a","ops":[["select",{"columns":{"a":{"min":1,"min":2}}},[]]]})",
       "a condition occurs twice in a selection"},
      {R"({"session":"a","ops":[["select",{"columns":{"a":{"min":"x"}}},[]]]})",
       R"("min" and "max" of a condition are integers)"},
      {R"({"session":"a","ops":[["select",{"columns":{"a":{"in":1}}},[]]]})",
       R"(expected an array of values behind "in" and "not in")"},
      {R"({"session":"a","ops":[["select",{"columns":{"a":{"in":[null]}}},[]]]})",
       "null is in no list of values"},
      {R"({"session":"a","ops":[["select",{"columns":{"a":1,"a":2}},[]]]})",
       R"(a condition names column "a" twice)"},
      {R"({"session":"a","ops":[["select",{"keys":[1,2],"keys":{"in":[1]}},[]]]})",
       "a condition occurs twice in a selection"},
  };
  for (const BadLine& bad : cases) {
    const std::string text =
        std::string("{\"isolde\":2,\"kind\":\"history\"}\n") + std::string(bad.line) + "\n";
    const std::string expected = "h:2: " + std::string(bad.problem);
    const std::string message = message_of(read_native_text(text));
    EXPECT_EQ(message.substr(0, expected.size()), expected) << bad.line;
  }
}

TEST(NativeReader, SaysWhatIsWrongWithADeletion) {
  const auto message = [](const char* header, const std::string& op) {
    return message_of(
        read_native_text(std::string(header) + R"({"session":"a","ops":[)" + op + "]}\n"));
  };
  const char* const kOld = "{\"isolde\":1,\"kind\":\"history\"}\n";
  const char* const kNew = "{\"isolde\":2,\"kind\":\"history\"}\n";
  EXPECT_NE(message(kOld, R"(["delete","x"])")
                .find(":2: a deletion, an increment, an aggregate, a compare-and-set, a "
                      "refused insert, a lock, a row with columns or a version in "
                      "a file "
                      "of version 1"),
            std::string::npos);
  for (const char* op : {R"(["delete"])", R"(["delete","x",1])", R"(["delete","x",[]])"}) {
    EXPECT_NE(message(kNew, op).find("a deletion does not have two parts"), std::string::npos)
        << op << message(kNew, op);
  }
  EXPECT_NE(message(kNew, R"(["append","x",1],["delete","x"])")
                .find("is used both as a register (write) and as a list"),
            std::string::npos);
}

TEST(NativeReader, SaysWhatIsWrongWithTheHeader) {
  const BadLine cases[] = {
      {"{\"session\":\"a\",\"ops\":[]}\n",
       "the first line is not a header; it must be {\"isolde\":1,\"kind\":\"history\"}"},
      {"\n{\"isolde\":1,\"kind\":\"history\"}\n", "the first line is not a header"},
      {"hello", "the first line is not a header"},
      {"{\"iso", "the first line is not a header"},
      {"{\"isolde\":3,\"kind\":\"history\"}\n",
       "this is version 3 of the native format and this Isolde reads versions 1 and 2; use a "
       "newer"},
      {"{\"isolde\":-1,\"kind\":\"history\"}\n", "this is version -1 of the native format"},
      {"{\"isolde\":\"1\",\"kind\":\"history\"}\n", "\"isolde\" is not a version number"},
      {"{\"isolde\":1}\n", "this is a file of kind ''; expected \"kind\":\"history\""},
      {"{\"isolde\":1,\"kind\":\"certificate\"}\n",
       "this is a file of kind 'certificate'; expected \"kind\":\"history\""},
      {"{\"isolde\":1,\"kind\":7}\n", "\"kind\" is not a string"},
      {"{\"isolde\":1,\"kind\":\"history\",\"sessions\":[1]}\n",
       "\"sessions\" of the header is not an array of strings"},
      {"{\"isolde\":1,\"kind\":\"history\",\"truncated\":1}\n",
       "\"truncated\" is not true or false"},
  };
  for (const BadLine& bad : cases) {
    // A cut header is only accepted while it can still become one.
    if (bad.line == "{\"iso") continue;
    const std::string expected = "h:1: " + std::string(bad.problem);
    EXPECT_EQ(message_of(read_native_text(bad.line)).substr(0, expected.size()), expected)
        << bad.line;
  }
}

// Cuts a history at every byte: each cut must be accepted, hold exactly the complete lines, and
// be marked as truncated unless it falls between two lines.
TEST(NativeReader, AcceptsACutAtEveryByte) {
  const std::string text = with_header(
      "{\"session\":\"a\",\"ops\":[[\"w\",\"x\",12]],\"id\":\"}]\\\"\"}\n"
      "\n"
      "{\"event\":\"fault\",\"at\":3}\n"
      "{\"session\":\"b\",\"y\":{\"z\":[{}]},\"ops\":[[\"r\",\"x\",\"\xc3\xa9\"]]}\n");
  for (std::size_t cut = 1; cut <= text.size(); ++cut) {
    const std::string part = text.substr(0, cut);
    const Result<History> history = read_native_text(part);
    ASSERT_TRUE(history.ok()) << part << "\n" << message_of(history);
    // A line that only lacks its newline is complete.
    const bool whole = part.back() == '\n' || text[cut] == '\n';
    EXPECT_EQ(history->origin().truncated, !whole) << part;
    EXPECT_EQ(history->origin().notes.size(), whole ? 0U : 1U);
    const std::string seen = part + (whole ? "\n" : "");
    const bool first = seen.find("\"}\n", kFirstLine.size()) != std::string::npos;
    EXPECT_EQ(history->txn_count(), (first ? 1U : 0U) + (cut + 1 >= text.size() ? 1U : 0U));
  }
}

TEST(NativeReader, NotesWhichLineIsCut) {
  const auto history = read_native_text(with_header("{\"session\":\"a\",\"ops\":[]}\n{\"ses"));
  ASSERT_TRUE(history.ok());
  EXPECT_EQ(history->origin().notes.front().substr(0, 34),
            "line 3 is cut off and left out; th");
}

TEST(NativeReader, AcceptsATailOfZeros) {
  const auto history = read_native_text(with_header("{\"session\":\"a\",\"ops\":[]}\n") +
                                        std::string(100, '\0'));
  ASSERT_TRUE(history.ok()) << message_of(history);
  EXPECT_TRUE(history->origin().truncated);
  EXPECT_EQ(history->txn_count(), 1U);
}

TEST(NativeReader, RejectsAWrongLastLineThatIsNotCut) {
  const auto history = read_native_text(with_header("{\"session\":\"a\"}"));
  EXPECT_EQ(message_of(history), "h:2: the transaction has no \"ops\"");
}

TEST(NativeReader, StopsAtTheBudget) {
  std::string text(kFirstLine);
  for (int i = 0; i < 400'000; ++i) text += "{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n";
  base::Budget budget;
  budget.cancel();
  const Result<History> history = read_native(inputs_of(text), budget);
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(history.error().code, ErrorCode::kLimit);
  EXPECT_EQ(history.error().message, "h: interrupted while reading the input");
}

}  // namespace
}  // namespace isolde::io
