// Goal: both native formats carry locks and refused inserts, and a compare-and-set is what it
// stands for. Method: a text by hand, read, written in both formats and read again; the same
// with the operations spelled out; and what is refused, in both formats.
#include <gtest/gtest.h>

#include <string>

#include "io/native.hpp"
#include "io_inputs.hpp"
#include "sealed.hpp"

namespace isolde::io::locks {
namespace {

const std::string kHeader = "{\"isolde\":2,\"kind\":\"history\"}\n";

Result<History> read_ops(const std::string& ops, const std::string& header = kHeader) {
  return read_native_text(header + "{\"session\":\"a\",\"ops\":[" + ops + "]}\n");
}

std::string text_of(const History& history) {
  StringSink sink;
  EXPECT_TRUE(write_native(history, sink).ok());
  return sink.text();
}

TEST(NativeLocks, SurviveBothFormats) {
  // Selections with and without rows, next to each other and to reads, and rows that were left
  // out, behind which operations have other numbers.
  const std::string text =
      kHeader +
      R"({"session":"a","ops":[["w",1,1],["refused",1],["select",{"keys":[1,9]},[],)"
      R"({"lock":"share"}],["r",2,null,{"lock":"update"}],["select",{"keys":[1,7]},[[1,1,{"version":7}]],)"
      R"({"lock":"update"}],["r",2,null],["r",2],["refused",2],["w",5,"s"]]})"
      "\n"
      R"({"session":"b","ops":[["r",1,1,{"version":7,"lock":"share"}],["r","l",["e"],)"
      R"({"lock":"update"}],["r",5,{"not":3},{"lock":"share"}],["refused",5],)"
      R"(["select",{"keys":[1,9]},[[1,1]]],["r",1,{"qty":1},{"lock":"update"}]]})"
      "\n";
  const Result<History> history = read_native_text(text);
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(text_of(*history), text);
  EXPECT_TRUE(history->has_locks());
  for (const bool compressed : {false, true}) {
    StringSink sink;
    ASSERT_TRUE(write_native_binary(*history, sink, compressed).ok());
    const Result<History> columns = read_binary_text(sink.text());
    ASSERT_TRUE(columns.ok()) << columns.error().message;
    EXPECT_EQ(columns->digest(), history->digest());
    EXPECT_EQ(text_of(*columns), text);
  }
}

TEST(NativeLocks, AreToldToPeople) {
  const Result<History> history = read_ops(
      R"(["r","x",null,{"lock":"update"}],["select",{},[],{"lock":"share"}],["refused","x"])");
  ASSERT_TRUE(history.ok()) << history.error().message;
  const std::span<const Op> ops = history->ops(TxnId(0));
  EXPECT_EQ(history->op_text(ops[0]), "r(x)=initial for update");
  EXPECT_EQ(history->text(history->selections(TxnId(0))[0]), "select(all rows) for share");
  EXPECT_EQ(history->op_text(ops[1]), "insert(x) refused");
}

TEST(NativeLocks, AreInNoDigest) {
  const Result<History> with = read_ops(
      R"(["r","x",null,{"lock":"update"}],["select",{},[["y",1]],{"lock":"share"}],["w","y",1])");
  const Result<History> without =
      read_ops(R"(["r","x",null],["select",{},[["y",1]]],["w","y",1])");
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_EQ(with->digest(), without->digest());
}

TEST(NativeCompareAndSet, IsWhatItStandsFor) {
  const std::pair<const char*, const char*> cases[] = {
      {R"(["cas","x",7,8])", R"(["r","x",7],["w","x",8])"},
      {R"(["cas","x",7,8,true])", R"(["r","x",7],["w","x",8])"},
      {R"(["cas","x",null,8])", R"(["r","x",null],["w","x",8])"},
      {R"(["cas","x",7,8,false])", R"(["r","x",{"not":7}])"},
      {R"(["cas","x",null,8,false])", R"(["r","x",{}])"},
      {R"(["cas","x",7,8,{"found":9}])", R"(["r","x",9])"},
      {R"(["cas","x",7,8,{"found":null}])", R"(["r","x",null])"},
  };
  for (const auto& [op, same] : cases) {
    const std::string others = R"(,["w","y",1],["r","y",1,{"version":3}])";
    const Result<History> history = read_ops(op + others);
    const Result<History> spelled = read_ops(same + others);
    ASSERT_TRUE(history.ok()) << op << ": " << history.error().message;
    ASSERT_TRUE(spelled.ok()) << same << ": " << spelled.error().message;
    EXPECT_EQ(text_of(*history), text_of(*spelled));
    EXPECT_EQ(history->digest(), spelled->digest());
  }
}

TEST(NativeLocks, TellWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"(["r","x",1,{"lock":"exclusive"}])", "neither \"share\" nor \"update\""},
      {R"(["r","x",1,{"lock":"UPDATE"}])", "neither \"share\" nor \"update\""},
      {R"(["r","x",1,{"lock":""}])", "neither \"share\" nor \"update\""},
      {R"(["r","x",1,{"lock":null}])", "neither \"share\" nor \"update\""},
      {R"(["r","x",1,{"lock":true}])", "neither \"share\" nor \"update\""},
      {R"(["r","x",1,{"lock":["share"]}])", "neither \"share\" nor \"update\""},
      {R"(["select",{},[],{"lock":2}])", "neither \"share\" nor \"update\""},
      {R"(["r","x",1,{"locks":"share"}])", "or both in one"},
      {R"(["r","x",1,"share"])", "more than three parts"},
      {R"(["r","x",1,{"lock":"share","lock":"share"}])", "or both in one"},
      {R"(["r","x",1,{}])", "or both in one"},
      {R"(["r","x",null,{"version":1,"lock":"share"}])", "a version belongs to"},
      {R"(["r","x",[1],{"version":1,"lock":"share"}])", "only reads and writes of registers"},
      {R"(["select",{},[],{"version":1}])", "only reads and writes of registers"},
      {R"(["select",{},[[1,2,{"lock":"share"}]]])", "and nothing else"},
      {R"(["w","x",1,{"lock":"update"}])", "and nothing else"},
      {R"(["delete","x",{"lock":"update"}])", "and nothing else"},
      {R"(["append","x",1,{"lock":"update"}])", "more than three parts"},
      {R"(["count",{},1,{"lock":"update"}])", "too many parts"},
      {R"(["refused","x",1])", "a refused insert has two parts"},
      {R"(["refused",null])", "null cannot be a key"},
      {R"(["cas","x",1])", "a compare-and-set is"},
      {R"(["cas","x",1,null])", "cannot be written"},
      {R"(["cas","x",1,2,3])", "a compare-and-set is"},
      {R"(["cas","x",1,2,{}])", "a compare-and-set is"},
      {R"(["cas","x",1,2,{"saw":3}])", "a compare-and-set is"},
      {R"(["cas","x",1,2,false,3])", "a compare-and-set is"},
      {R"(["cas","x",1,2,{"found":1}])", "has not failed"},
  };
  for (const auto& [op, part] : cases) {
    const Result<History> history = read_ops(op);
    ASSERT_FALSE(history.ok()) << op;
    EXPECT_NE(history.error().message.find(part), std::string::npos)
        << op << ": " << history.error().message;
  }
  for (const char* const op : {R"(["r","x",null,{"lock":"share"}])", R"(["refused","x"])",
                               R"(["cas","x",1,2])", R"(["select",{},[],{"lock":"share"}])"}) {
    const Result<History> early = read_ops(op, "{\"isolde\":1,\"kind\":\"history\"}\n");
    ASSERT_FALSE(early.ok()) << op;
    EXPECT_NE(early.error().message.find("version 1"), std::string::npos);
  }
}

TEST(NativeLocks, TellWhereBinaryIsWrong) {
  const Result<History> history = read_native_text(
      kHeader +
      R"({"session":"a","ops":[["r","x",null,{"lock":"update"}],["select",{"keys":[1,9]},)"
      R"([[1,2]]],["w","x",3],["append","l",4],["delete","y"],["r","x"],["refused","x"],)"
      R"(["count",{"keys":[1,9]},0],["inc","n",5]]})"
      "\n");
  ASSERT_TRUE(history.ok()) << history.error().message;
  StringSink sink;
  ASSERT_TRUE(write_native_binary(*history, sink, false).ok());
  const std::string file = sink.text();
  using binary::Column;
  const auto message = [&](std::size_t row, std::uint8_t lock) {
    return message_of(read_binary_text(with_element_in(file, Column::kOpLocks, row, lock)));
  };
  const auto at = [&](Column column, std::size_t row) {
    return "h@" + std::to_string(section_of(file, column).offset + row) + ": ";
  };
  // The selection is row 1, and what it returned row 2.
  for (const std::uint8_t lock : {std::uint8_t{3}, std::uint8_t{255}}) {
    EXPECT_EQ(message(0, lock),
              at(Column::kOpLocks, 0) + "unknown lock " + std::to_string(lock));
    EXPECT_EQ(message(1, lock),
              at(Column::kOpLocks, 1) + "unknown lock " + std::to_string(lock));
  }
  EXPECT_EQ(message(2, 1),
            at(Column::kOpLocks, 2) + "a row of a selection has a lock of its own");
  for (std::size_t row = 3; row <= 7; ++row) {
    EXPECT_EQ(message(row, 2), at(Column::kOpLocks, row) +
                                   "a lock belongs to a selection, or to a read whose result "
                                   "is known");
  }
  EXPECT_EQ(message(8, 1), at(Column::kOpLocks, 8) + "a lock of an aggregate");
  EXPECT_EQ(message(9, 1), at(Column::kOpLocks, 9) + "a lock of an increment");
}

}  // namespace
}  // namespace isolde::io::locks
