// Writing and reading give the same history back, in both native formats; and the quick way
// through a line agrees with the way by the book.
#include <gtest/gtest.h>

#include "io/native_line.hpp"
#include "io_inputs.hpp"
#include "isolde/history_builder.hpp"
#include "odd_history.hpp"

namespace isolde::io {
namespace {

std::string native_text(const History& history) {
  StringSink sink;
  const Status status = write_native(history, sink);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return sink.text();
}

std::string binary_text(const History& history, bool compressed) {
  StringSink sink;
  const Status status = write_native_binary(history, sink, compressed);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return sink.text();
}

class RoundTrip : public testing::TestWithParam<std::uint64_t> {
 protected:
  void check() {
    for (std::uint64_t seed = GetParam(); seed < GetParam() + 100; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      for (const bool selects : {false, true}) {
        const History history = OddHistory(seed, selects).make();
        check_native(history);
        check_binary(history);
      }
      if (HasFatalFailure()) return;
    }
  }

  static void check_native(const History& history) {
    const std::string text = native_text(history);
    const Result<History> again = read_native_text(text);
    ASSERT_TRUE(again.ok()) << message_of(again) << "\n" << text;
    expect_same(history, *again);
    EXPECT_EQ(native_text(*again), text);
    // By the book: an unknown field in every line is not usual.
    std::string odd;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      end = text.find('\n', begin);
      odd += text.substr(begin, end - begin - 1) + ",\"odd\":[{}]}\n";
    }
    const Result<History> slow = read_native_text(odd);
    ASSERT_TRUE(slow.ok()) << message_of(slow) << "\n" << odd;
    expect_same(history, *slow);
  }

  static void check_binary(const History& history) {
    for (const bool compressed : {false, true}) {
      const std::string bytes = binary_text(history, compressed);
      const Result<History> again = read_binary_text(bytes);
      ASSERT_TRUE(again.ok()) << message_of(again);
      expect_same(history, *again);
      EXPECT_EQ(again->origin().format, "native-binary");
      EXPECT_EQ(binary_text(*again, compressed), bytes);
    }
  }
};

TEST_P(RoundTrip, KeepsOddHistories) { check(); }

INSTANTIATE_TEST_SUITE_P(Seeds, RoundTrip, testing::Values(1, 1001, 2001, 3001));

TEST(NativeRoundTrip, KeepsManyTransactions) {
  HistoryBuilder builder;
  base::Rng rng(5);
  for (int i = 0; i < 20'000; ++i) {
    builder.begin_txn(builder.session(std::to_string(rng.below(9))));
    builder.set_times({i, i + 10});
    for (int op = 0; op < 5; ++op) {
      const KeyId key =
          builder.key(builder.integer(static_cast<std::int64_t>(rng.below(1000))));
      builder.write(key, builder.integer(i * 5 + op));
    }
  }
  const History history = std::move(builder.finish()).value();
  const Result<History> text = read_native_text(native_text(history));
  ASSERT_TRUE(text.ok()) << message_of(text);
  expect_same(history, *text);
  const Result<History> binary = read_binary_text(binary_text(history, true));
  ASSERT_TRUE(binary.ok()) << message_of(binary);
  expect_same(history, *binary);
}

// Sessions that appear in another order than they are numbered need the header's help.
TEST(NativeRoundTrip, WritesSessionsOnlyWhenNeeded) {
  HistoryBuilder plain;
  plain.begin_txn(plain.session("a"));
  EXPECT_EQ(native_text(std::move(plain.finish()).value()),
            "{\"isolde\":1,\"kind\":\"history\"}\n{\"session\":\"a\",\"ops\":[]}\n");
  HistoryBuilder idle;
  idle.session("idle");
  idle.begin_txn(idle.session("a"));
  EXPECT_EQ(native_text(std::move(idle.finish()).value()),
            "{\"isolde\":1,\"kind\":\"history\",\"sessions\":[\"idle\",\"a\"]}\n"
            "{\"session\":\"a\",\"ops\":[]}\n");
}

TEST(NativeRoundTrip, RefusesTextThatIsNotUtf8) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  builder.write(builder.key(builder.string("\xff")), builder.integer(1));
  const History history = std::move(builder.finish()).value();
  StringSink sink;
  const Status text = write_native(history, sink);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(text.error().message.substr(0, 41), "a name or value is not valid UTF-8, which");
  const Status binary = write_native_binary(history, sink);
  ASSERT_FALSE(binary.ok());
  EXPECT_EQ(binary.error().message.substr(0, 39), "a name or value is not valid UTF-8: '?'");
}

// What the quick way accepts, with the white space that Python and others write.
TEST(UsualLine, AcceptsWhatRecordersWrite) {
  const std::string_view lines[] = {
      R"({"session":"a","ops":[]})",
      R"({"session": 1, "status": "aborted", "start": 1700000000000000000, "end": 5, "ops": )"
      R"([["w", "x", -1], ["r", "y", null], ["r", "z", [1, 2]], ["r", "q"]], "id": 7} )",
      R"({"session":"a","ops":[["w",1,{"b":1,"a":"x"}],["r",1,{"a":null,"b":-2}]]})",
      R"({"session":"a","ops":[["select", {"keys": [0, 9], "columns": {"a": {"min": -1, "max": )"
      R"(3}, "b": "x", "c": null, "d": {"max": 2}}}, [[1, {"a": 1}], ["k", 7]]], ["select",{},)"
      R"([]],["select",{"equal":3},[]],["select",{"values":[1,2]},[[1,2]]]]})",
  };
  for (const std::string_view line : lines) {
    HistoryBuilder builder;
    LineTxn txn;
    base::Budget budget;
    EXPECT_TRUE(parse_usual_line(std::string(line), builder, txn, budget)) << line;
  }
}

// Conditions and rows are the same by the book.
TEST(UsualLine, ReadsConditionsAsTheBookDoes) {
  const std::string header = "{\"isolde\":2,\"kind\":\"history\"}\n";
  const std::string line =
      R"({"session":"a","ops":[["w",1,{"b":1,"a":"x"}],["w",1,{"a":1,"b":2}],["r",1,{"a":1}],)"
      R"(["select",{"keys":[0,9],"columns":{"a":{"min":-1,"max":3},"b":{"min":2},"c":null,)"
      R"("d":{"max":2},"e":"x"}},[]],["select",{"values":[1,2]},[[2,2],[3,1]]],)"
      R"(["select",{"equal":3},[]],["select",{},[[1,{"a":1,"b":2}]]]]})";
  base::Budget budget;
  HistoryBuilder builder;
  LineTxn txn;
  ASSERT_TRUE(parse_usual_line(line, builder, txn, budget));
  const Result<History> usual = read_native_text(header + line + "\n");
  const Result<History> book =
      read_native_text(header + line.substr(0, line.size() - 1) + ",\"odd\":[{}]}\n");
  ASSERT_TRUE(usual.ok()) << message_of(usual);
  ASSERT_TRUE(book.ok()) << message_of(book);
  expect_same(*usual, *book);
  EXPECT_EQ(native_text(*usual), native_text(*book));
}

TEST(UsualLine, LeavesTheRestToTheBook) {
  const std::string_view lines[] = {
      "",
      "{",
      "{}",
      R"({"session":"a"})",
      R"({"session":"a","ops":[]}})",
      R"({"session":"a","ops":[],})",
      R"({"session":"a","ops":[]]})",
      R"({"session":"a","ops":[["w","x",1]})",
      R"({"session":"a","ops":[["w","x",1.5]]})",
      R"({"session":"a","ops":[["w","x",01]]})",
      R"({"session":"a","ops":[["w","x",-]]})",
      R"({"session":"a","ops":[["w","x",1234567890123456789]]})",
      R"({"session":"a","ops":[["w","x","\n"]]})",
      R"({"session":"a","ops":[["w","x",nullx]]})",
      R"({"session":"a","ops":[["r","x",nullx]]})",
      R"({"session":"a","ops":[["r","x",[1,]]]})",
      R"({"session":"a","start":9223372036854775807,"ops":[]})",
      R"({"session":"a","start":01,"ops":[]})",
      "{\"session\":\"\xc3\xa9\",\"ops\":[]}",
      R"({"session":"a","ops":[["r",1,{"not":1}]]})",
      R"({"session":"a","ops":[["w",1,{}]]})",
      R"({"session":"a","ops":[["w",1,{"a":1,}]]})",
      R"({"session":"a","ops":[["w",1,{"a":true}]]})",
      R"({"session":"a","ops":[["append",1,{"a":1}]]})",
      R"({"session":"a","ops":[["delete",1,{"a":1}]]})",
      R"({"session":"a","ops":[["select",{}]]})",
      R"({"session":"a","ops":[["select",{},[]]})",
      R"({"session":"a","ops":[["select",{},[],{"lock":"share"}]]})",
      R"({"session":"a","ops":[["select",{},[[1]]]]})",
      R"({"session":"a","ops":[["select",{},[[1,null]]]]})",
      R"({"session":"a","ops":[["select",{},[[1,2,{"version":3}]]]]})",
      R"({"session":"a","ops":[["select",{},[[1,2],]]]})",
      R"({"session":"a","ops":[["select",{"equal":null},[]]]})",
      R"({"session":"a","ops":[["select",{"equal":1,"equal":1},[]]]})",
      R"({"session":"a","ops":[["select",{"odd":1},[]]]})",
      R"({"session":"a","ops":[["select",{"keys":[1,2],"keys":[1,2]},[]]]})",
      R"({"session":"a","ops":[["select",{"keys":[1]},[]]]})",
      R"({"session":"a","ops":[["select",{"keys":[1,2,3]},[]]]})",
      R"({"session":"a","ops":[["select",{"keys":{"min":1}},[]]]})",
      R"({"session":"a","ops":[["select",{"columns":{"a":{}}},[]]]})",
      R"({"session":"a","ops":[["select",{"columns":{"a":{"min":1,"min":1}}},[]]]})",
      R"({"session":"a","ops":[["select",{"columns":{"a":{"min":1,"in":[1]}}},[]]]})",
  };
  for (const std::string_view line : lines) {
    HistoryBuilder builder;
    LineTxn txn;
    base::Budget budget;
    EXPECT_FALSE(parse_usual_line(std::string(line), builder, txn, budget)) << line;
  }
}

}  // namespace
}  // namespace isolde::io
