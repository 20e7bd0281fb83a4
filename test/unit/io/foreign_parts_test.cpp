// Goal: the parts that the foreign readers share keep their own promises. Method: each by
// itself.
#include <gtest/gtest.h>

#include "io/bad_input.hpp"
#include "io/byte_cursor.hpp"
#include "io/file_names.hpp"
#include "io/jepsen_ops.hpp"
#include "io/json_text.hpp"
#include "io/register_log.hpp"
#include "io/text_cursor.hpp"
#include "io/write_identity.hpp"
#include "isolde/history_builder.hpp"
#include "unit/io/foreign_input.hpp"

namespace isolde::io {
namespace {

TEST(BadInput, ShowsPiecesOfTheInputInOneLine) {
  EXPECT_EQ(shown("abc"), "'abc'");
  EXPECT_EQ(shown("a\n\x01\xff"), "'a\\x0a\\x01\\xff'");
  EXPECT_EQ(shown(std::string(30, 'x')), "'" + std::string(24, 'x') + "...'");
  EXPECT_EQ(counted(1, "file") + ", " + counted(2, "file"), "1 file, 2 files");
  EXPECT_EQ(bad_line("f", 3, "x").message, "f:3: x");
  EXPECT_EQ(bad_byte("f", 3, "x").message, "f@3: x");
}

TEST(FileNames, GiveSessions) {
  EXPECT_EQ(base_name("a/b/T1.log.zst"), "T1.log");
  EXPECT_EQ(session_of_file("a/T12.log"), "12");
  EXPECT_EQ(session_of_file("J3.log.gz"), "3");
  EXPECT_EQ(session_of_file("T-1.log"), "-1");
  EXPECT_EQ(session_of_file("T-.log"), "T-");
  EXPECT_EQ(session_of_file("Tx.log"), "Tx");
  EXPECT_EQ(session_of_file("7.log"), "7");
  EXPECT_EQ(session_of_file(".log"), ".log");
}

TEST(ByteCursor, GivesZeroBeyondTheEndAndRemembers) {
  ByteCursor cursor("\x01\x02\x03\x04\x05");
  EXPECT_EQ(cursor.u32_little(), 0x04030201U);
  EXPECT_FALSE(cursor.overrun());
  EXPECT_EQ(cursor.u64_little(), 0U);
  EXPECT_TRUE(cursor.overrun());
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(cursor.u8(), 0U);
  ByteCursor big("\x01\x02\x03\x04");
  EXPECT_EQ(big.u32_big(), 0x01020304U);
  EXPECT_EQ(big.bytes(~0ULL), "");
  EXPECT_TRUE(big.overrun());
}

TEST(TextCursor, ReadsIntegersAndTellsTheLine) {
  TextCursor cursor("f", "-12 99999999999999999999\n-x");
  EXPECT_EQ(cursor.digits(), "-12");
  cursor.skip_blanks();
  EXPECT_EQ(cursor.integer(), std::nullopt);
  EXPECT_EQ(cursor.digits(), "99999999999999999999");
  EXPECT_EQ(cursor.here(), "end of line");
  cursor.skip_space();
  EXPECT_EQ(cursor.digits(), std::nullopt);
  EXPECT_EQ(cursor.expected("a number").message, "f:2: found '-x'; expected a number");
}

TEST(TextCursor, EqualNumbersBecomeEqualValues) {
  HistoryBuilder builder;
  EXPECT_EQ(integer_value(builder, "-0"), integer_value(builder, "000"));
  EXPECT_EQ(integer_value(builder, "99999999999999999999"),
            integer_value(builder, "0099999999999999999999"));
  EXPECT_NE(integer_value(builder, "99999999999999999999"),
            integer_value(builder, "-99999999999999999999"));
  EXPECT_EQ(integer_value(builder, "9223372036854775807"),
            builder.integer(std::numeric_limits<std::int64_t>::max()));
}

TEST(TextCursor, NamesTheLineThatIsNotUtf8) {
  EXPECT_TRUE(check_utf8("f", "a\n\xc3\xa4").ok());
  const Status status = check_utf8("f", "a\n\xc3\nb");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message.find("f:2: found bytes that are not UTF-8"), 0U);
}

TEST(JsonText, CountsLinesForwardsAndBackwards) {
  const Input file = make_file("f", "a\nb\nc");
  JsonText text(file);
  const char* begin = text.text().data();
  EXPECT_EQ(text.line_of(begin + 4), 3U);
  EXPECT_EQ(text.line_of(begin), 1U);
  EXPECT_EQ(text.line_of(begin + 2), 2U);
}

TEST(JsonText, WorksWithoutPadding) {
  const Input file("f", "[1]");
  JsonText text(file);
  EXPECT_EQ(text.text(), "[1]");
}

TEST(WriteIdentity, NamesTheWriterOnlyWhereIdsDoNotSuffice) {
  HistoryBuilder builder;
  WriteIdentity identity;
  identity.see(KeyId(0), 5, 1);
  identity.see(KeyId(0), 5, 1);
  identity.see(KeyId(1), 5, 2);
  EXPECT_EQ(identity.value(builder, 5, 1), builder.integer(5));
  identity.see(KeyId(0), 5, 2);
  EXPECT_EQ(identity.value(builder, 5, 1), builder.string("1/5"));
}

TEST(JepsenOps, KnowTypesAndOperations) {
  JepsenType type{};
  EXPECT_TRUE(parse_jepsen_type(":ok", type) && type == JepsenType::kOk);
  EXPECT_TRUE(parse_jepsen_type("fail", type) && type == JepsenType::kFail);
  EXPECT_FALSE(parse_jepsen_type("", type));
  EXPECT_EQ(parse_jepsen_op(":append"), JepsenOpKind::kAppend);
  EXPECT_EQ(parse_jepsen_op("range"), JepsenOpKind::kPredicate);
  EXPECT_EQ(parse_jepsen_op("::r"), JepsenOpKind::kOther);
}

// Register logs: what the initial value of a key is, and when a read of it means "initial".
TEST(RegisterLog, KeepsTheInitialValueApartFromWritesOfIt) {
  HistoryBuilder builder;
  RegisterLog log(builder, {.zero_is_initial = true, .find_initial = false});
  const KeyId x = builder.key(builder.string("x"));
  const KeyId y = builder.key(builder.string("y"));
  log.begin(log.session("init"), 1);
  log.write(x, builder.integer(7));
  log.set_initial();
  log.begin(log.session("1"), 2);
  log.read(x, builder.integer(7));
  log.read(x, Value::null());
  log.read(x, builder.integer(0));
  log.read(y, builder.integer(0));
  log.read_unknown(y);
  log.begin(log.session("2"), 3);
  log.set_status(TxnStatus::kIndeterminate);
  log.write(y, builder.integer(0));
  base::Budget budget;
  EXPECT_TRUE(log.pass_on(budget));
  EXPECT_EQ(text_of(builder.finish()),
            "s1:0 r(x)=initial r(x)=nothing r(x)=0 r(y)=0 r(y)=?; s2:0? w(y)=0");
}

TEST(RegisterLog, LeavesOpenWhetherAReadSawTheInitialValueOrAWriteOfIt) {
  HistoryBuilder builder;
  RegisterLog log(builder, {.zero_is_initial = true, .find_initial = false});
  const KeyId x = builder.key(builder.string("x"));
  log.begin(log.session("init"), 1);
  log.write(x, builder.integer(7));
  log.set_initial();
  log.begin(log.session("1"), 2);
  log.read(x, builder.integer(7));
  log.write(x, builder.integer(8));
  log.read(x, builder.integer(7));
  log.begin(log.session("2"), 3);
  log.write(x, builder.integer(7));
  base::Budget budget;
  EXPECT_TRUE(log.pass_on(budget));
  const Result<History> history = builder.finish();
  EXPECT_EQ(text_of(history), "s1:0 r(x)=? w(x)=8 r(x)=7; s2:0 w(x)=7");
  EXPECT_NE(notes_of(*history).find("was taken to say nothing"), std::string::npos);
}

}  // namespace
}  // namespace isolde::io
