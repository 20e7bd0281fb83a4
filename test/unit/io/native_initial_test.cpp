// Goal: both native formats carry initial contents. Method: texts by hand, read, written in
// both formats and read again; and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "io/native.hpp"
#include "io_inputs.hpp"

namespace isolde::io {
namespace {

std::string text_of(const History& history) {
  StringSink sink;
  EXPECT_TRUE(write_native(history, sink).ok());
  return sink.text();
}

std::string binary_of(const History& history) {
  StringSink sink;
  EXPECT_TRUE(write_native_binary(history, sink, true).ok());
  return sink.text();
}

std::string with(const std::string& initial, int version = 2) {
  return R"({"isolde":)" + std::to_string(version) + R"(,"kind":"history","initial":)" +
         initial + "}\n";
}

const std::string kContents =
    R"([[1,5],[2,true],["log",["a",7]],["row",{"a":1,"b":null}],["x","five"]])";
const std::string kOps =
    R"({"session":"a","ops":[["r",1,5],["r",2,true],["r","log",["a",7,8]],["r","log",["a"]],)"
    R"(["r","row",{"a":1,"b":null}],["r","row",{}],["r","x","five"],["r","x",null],["r",1]]})"
    "\n"
    R"({"session":"b","ops":[["w","x","five"],["append","log",8],["w","row",{"b":2}]]})"
    "\n";

TEST(NativeInitial, SurviveBothFormats) {
  const Result<History> history = read_native_text(with(kContents) + kOps);
  ASSERT_TRUE(history.ok()) << history.error().message;
  const std::string text = text_of(*history);
  const Result<History> again = read_native_text(text);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->digest(), history->digest());
  EXPECT_EQ(text_of(*again), text);
  const Result<History> columns = read_binary_text(binary_of(*history));
  ASSERT_TRUE(columns.ok()) << columns.error().message;
  EXPECT_EQ(columns->digest(), history->digest());
  EXPECT_EQ(text_of(*columns), text);
  EXPECT_NE(
      text.find(R"("initial":[[1,5],[2,true],["log",["a",7]],["row",{"a":1}],["x","five"]])"),
      std::string::npos)
      << text;
}

TEST(NativeInitial, TellWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"1", "\"initial\" of the header is not an array of pairs [key, value]"},
      {"[1]", "\"initial\" of the header is not an array of pairs [key, value]"},
      {"[[1]]", "initial contents are pairs [key, value]"},
      {"[[1,2,3]]", "initial contents are pairs [key, value]"},
      {"[[null,2]]", "null cannot be a key"},
      {"[[1,null]]", "null is no initial value; leave out keys without one"},
      {"[[1,[]]]", "an empty list is no contents; leave out keys without any"},
      {"[[1,[null]]]", "null cannot be an element of a list"},
      {"[[1,{\"a\":[]}]]",
       "a column of a row is an array; expected a number, a string, true or false"},
  };
  for (const auto& [initial, problem] : cases) {
    const Result<History> history = read_native_text(with(initial));
    ASSERT_FALSE(history.ok()) << initial;
    EXPECT_NE(history.error().message.find(problem), std::string::npos)
        << history.error().message;
  }
  EXPECT_NE(read_native_text(with("[[1,2]]", 1)).error().message.find("version 1"),
            std::string::npos);
  EXPECT_NE(read_native_text(with("[[1,2],[1,3]]")).error().message.find("given twice"),
            std::string::npos);
}

}  // namespace
}  // namespace isolde::io
