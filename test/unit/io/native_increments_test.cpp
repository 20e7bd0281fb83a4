// Goal: both native formats carry increments. Method: a text by hand, read, written in both
// formats and read again; and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "io/native.hpp"
#include "io_inputs.hpp"

namespace isolde::io::increments {
namespace {

const std::string kHeader =
    "{\"isolde\":2,\"kind\":\"history\",\"initial\":[[1,0],[\"x\",5]]}\n";
const std::string kOps =
    R"({"session":"a","ops":[["inc","x",3],["r","y",null],["inc",1,-1,7]]})"
    "\n"
    R"({"session":"b","ops":[["select",{"keys":"y"},[]],["w","y","a"],["inc","x",2]]})"
    "\n"
    R"({"session":"c","ops":[["r","x",8],["r","x",{"not":6}],["inc","x",1],["inc","x",1]]})"
    "\n"
    R"({"session":"d","ops":[["count",{"keys":[2,9]},0],["select",{"keys":[2,9]},[]],["inc","x",1]]})"
    "\n";

std::string text_of(const History& history) {
  StringSink sink;
  EXPECT_TRUE(write_native(history, sink).ok());
  return sink.text();
}

TEST(NativeIncrements, SurviveBothFormats) {
  const Result<History> history = read_native_text(kHeader + kOps);
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(history->open_increments(), 5U);
  EXPECT_EQ(text_of(*history), kHeader + kOps);
  for (const bool compressed : {false, true}) {
    StringSink sink;
    ASSERT_TRUE(write_native_binary(*history, sink, compressed).ok());
    const Result<History> columns = read_binary_text(sink.text());
    ASSERT_TRUE(columns.ok()) << columns.error().message;
    EXPECT_EQ(columns->digest(), history->digest());
    EXPECT_EQ(text_of(*columns), kHeader + kOps);
  }
}

TEST(NativeIncrements, TellTheSumsThatFollow) {
  const Result<History> history = read_native_text(
      "{\"isolde\":2,\"kind\":\"history\"}\n"
      R"({"session":"a","ops":[["inc","x",3],["r","x",4]]})");
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(text_of(*history),
            "{\"isolde\":2,\"kind\":\"history\",\"initial\":[[\"x\",0]]}\n"
            "{\"session\":\"a\",\"ops\":[[\"inc\",\"x\",3,4],[\"r\",\"x\",4]]}\n");
}

TEST(NativeIncrements, TellWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"(["inc","x"])", "an increment is"},
      {R"(["inc","x",1,2,3])", "an increment is"},
      {R"(["inc","x","1"])", "an increment is"},
      {R"(["inc","x",1,null])", "an increment is"},
      {R"(["inc","x",0.5])", "an increment is"},
      {R"(["inc",null,1])", "null cannot be a key"},
      {R"(["inc","x",1],["w","x","a"])", "something else than integers"},
  };
  for (const auto& [op, part] : cases) {
    const Result<History> history =
        read_native_text("{\"isolde\":2,\"kind\":\"history\"}\n{\"session\":\"a\",\"ops\":[" +
                         std::string(op) + "]}\n");
    ASSERT_FALSE(history.ok()) << op;
    EXPECT_NE(history.error().message.find(part), std::string::npos)
        << op << ": " << history.error().message;
  }
  const Result<History> early = read_native_text(
      "{\"isolde\":1,\"kind\":\"history\"}\n{\"session\":\"a\",\"ops\":[[\"inc\",\"x\",1]]}\n");
  ASSERT_FALSE(early.ok());
  EXPECT_NE(early.error().message.find("version 1"), std::string::npos);
}

}  // namespace
}  // namespace isolde::io::increments
