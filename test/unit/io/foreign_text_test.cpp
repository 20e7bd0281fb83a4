// Goal: the text formats become the sessions, transactions and values they mean, and what
// breaks a format is refused with the place. Method: small inputs by hand, histories compared
// as text.
#include <gtest/gtest.h>

#include "unit/io/foreign_input.hpp"

namespace isolde::io {
namespace {

Result<History> plume(std::string_view text) {
  return read_with("plume", one_file("h.txt", text));
}
Result<History> awdit(std::string_view text) {
  return read_with("awdit", one_file("h.txt", text));
}
Result<History> hist(std::string_view text) {
  return read_with("dbcop-hist", one_file("h.hist", text));
}

TEST(PlumeReader, GroupsInterleavedLinesByTransaction) {
  const auto history = plume("w(1,2,0,7)\nr(1,2,1,8)\nw(3,4,0,7)\r\n\nr(3,0,1,9)");
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(text_of(history), "s0:0 w(1)=2 w(3)=4; s1:0 r(1)=2; s1:1 r(3)=initial");
  EXPECT_EQ(labels_of(*history), "7 8 9");
  EXPECT_EQ(positions_of(*history), "1 2 5");
  EXPECT_EQ(history->origin().file, "h.txt");
  EXPECT_EQ(history->origin().format, "plume");
  EXPECT_FALSE(history->has_times());
}

TEST(PlumeReader, MakesATransactionOfEveryAbortedWrite) {
  const auto history = plume("w(1,1,0,-1)\nw(2,1,0,-1)\nr(2,0,0,-1)\nr(1,1,0,1)\nw(3,0,0,-1)");
  EXPECT_EQ(text_of(history), "s0:0! w(1)=1; s0:1! w(2)=1; s0:2 r(1)=1; s0:3!");
  EXPECT_NE(notes_of(*history).find("1 read with transaction id -1"), std::string::npos);
}

TEST(PlumeReader, KeepsTransactionsOfDifferentSessionsApartWhenTheyShareAnId) {
  const auto history = plume("r(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,1)\nr(2,1,2,1)");
  EXPECT_EQ(text_of(history), "s1:0 r(1)=initial w(1)=1; s2:0 r(1)=initial r(2)=1");
  EXPECT_NE(notes_of(*history).find("used again in another session"), std::string::npos);
}

TEST(PlumeReader, TakesAWrittenOutInitialTransactionAsTheInitialState) {
  const auto history = plume("w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\nw(1,5,1,1)");
  EXPECT_EQ(text_of(history), "s1:0 r(1)=initial w(1)=5");
  EXPECT_NE(notes_of(*history).find("holds the initial state (2 writes)"), std::string::npos);
}

TEST(PlumeReader, TakesZeroAsAnOrdinaryValueWhereATransactionWritesIt) {
  const auto history = plume("w(1,0,0,0)\nw(1,3,0,0)\nr(1,0,1,1)\nr(2,0,1,1)");
  EXPECT_EQ(text_of(history), "s0:0 w(1)=0 w(1)=3; s1:0 r(1)=0 r(2)=initial");
}

TEST(PlumeReader, KeepsNumbersBeyond64Bits) {
  const auto history = plume(
      "w(99999999999999999999,018446744073709551616,0,0)\n"
      "r(99999999999999999999,18446744073709551616,1,1)");
  EXPECT_EQ(text_of(history),
            "s0:0 w(99999999999999999999)=18446744073709551616; "
            "s1:0 r(99999999999999999999)=18446744073709551616");
}

TEST(PlumeReader, NamesThePlaceOfWhatItRefuses) {
  const BrokenCase cases[] = {
      {"other letter", "w(1,1,0,0)\nx(1,1,0,0)",
       "h.txt:2: found 'x(1,1,0,0)'; expected r(key,"},
      {"missing field", "w(1,1,0)", "h.txt:1: found ')'; expected r(key,"},
      {"empty field", "w(1,,0,0)", "h.txt:1: found ',0,0)'; expected r(key,"},
      {"cut off", "w(1,1,0", "h.txt:1: found end of file; expected r(key,"},
      {"two on a line", "w(1,1,0,0) r(1,1,1,1)",
       "h.txt:1: found 'r(1,1,1,1)'; expected end of"},
      {"session too large", "w(1,1,99999999999999999999,0)", "h.txt:1: found '999999999999999"},
      {"negative session", "w(1,1,-2,0)", "h.txt:1: found session -2 and transaction 0; exp"},
      {"negative id", "\nw(1,1,0,-2)", "h.txt:2: found session 0 and transaction -2; exp"},
  };
  for (const BrokenCase& broken : cases) {
    const auto history = plume(broken.bytes);
    ASSERT_FALSE(history.ok()) << broken.what;
    EXPECT_EQ(history.error().code, ErrorCode::kBadInput) << broken.what;
    EXPECT_EQ(history.error().message.find(broken.message_start), 0U)
        << history.error().message;
  }
}

TEST(PlumeReader, StopsWhenTheBudgetIsUsedUp) {
  base::Budget budget;
  budget.cancel();
  ASSERT_FALSE(budget.look());
  const auto history = find_format("plume")->read(one_file("h.txt", "w(1,1,0,0)"), budget);
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(history.error().code, ErrorCode::kLimit);
}

TEST(AwditReader, SplitsSessionsAndTransactions) {
  const auto history = awdit("w 0 1\n-----\nr 0 1\nr 1 0\n=====\nw 1 1 w 2 2 - r 1 1");
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(text_of(history),
            "s0:0 w(0)=1; s0:1 r(0)=1 r(1)=initial; s1:0 w(1)=1 w(2)=2; s1:1 r(1)=1");
  EXPECT_EQ(positions_of(*history), "1 3 6 6");
  EXPECT_EQ(history->origin().format, "awdit");
}

TEST(AwditReader, TakesAWrittenOutInitialSessionAsTheInitialState) {
  EXPECT_EQ(text_of(awdit("w 0 1\n===\nw 0 0\nw 1 0\n===\nr 0 0\nr 1 0")),
            "s0:0 w(0)=1; s2:0 r(0)=initial r(1)=initial");
  // Zero written in the course of a session is an ordinary value.
  EXPECT_EQ(text_of(awdit("r 1 1\n-\nw 0 0\n=\nr 0 0\n-\nw 1 1")),
            "s0:0 r(1)=1; s0:1 w(0)=0; s1:0 r(0)=0; s1:1 w(1)=1");
  // Serializable: the second session comes before the third. Were its read one of the third's
  // write, it would not be.
  EXPECT_EQ(text_of(awdit("w 0 0 w 1 0 = r 0 0 w 1 5 = r 1 5 w 0 0")),
            "s1:0 r(0)=? w(1)=5; s2:0 r(1)=5 w(0)=0");
  // Two candidates: none is the initial one.
  EXPECT_EQ(text_of(awdit("w 0 0\n=\nw 0 0\n=\nr 0 0")),
            "s0:0 w(0)=0; s1:0 w(0)=0; s2:0 r(0)=0");
}

TEST(AwditReader, NamesThePlaceOfWhatItRefuses) {
  const BrokenCase cases[] = {
      {"other letter", "w 0 1\nq 0 1", "h.txt:2: found 'q'; expected r, w, a run of -"},
      {"no key", "w x 1", "h.txt:1: found 'x'; expected the key, an integer"},
      {"no value", "w 1\n----", "h.txt:2: found '----'; expected the value, an integer"},
      {"cut off", "w 1", "h.txt:1: found end of file; expected the value"},
  };
  for (const BrokenCase& broken : cases) {
    const auto history = awdit(broken.bytes);
    ASSERT_FALSE(history.ok()) << broken.what;
    EXPECT_EQ(history.error().message.find(broken.message_start), 0U)
        << history.error().message;
  }
}

TEST(DbcopHistReader, ReadsSessionsTransactionsAndComments) {
  const auto history = hist(
      "// first\n[x:=1 y==?] [y==0]!\n\n---\n[x==1] // second\n "
      "[_z:=2\nx==7]\n--\n---\n[x==?]");
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(text_of(history),
            "s0:0 w(x)=1 r(y)=initial; s0:1! r(y)=initial; s1:0 r(x)=1; s1:1 w(_z)=2 r(x)=7; "
            "s3:0 r(x)=initial");
  EXPECT_EQ(positions_of(*history), "2 2 5 6 10");
  EXPECT_EQ(history->origin().format, "dbcop-hist");
}

TEST(DbcopHistReader, TakesVersionZeroAsWrittenOnlyWhenItMayHaveCommitted) {
  EXPECT_EQ(text_of(hist("[x:=0]\n---\n[x==0]")), "s0:0 w(x)=0; s1:0 r(x)=0");
  EXPECT_EQ(text_of(hist("[x:=0]!\n---\n[x==0]")), "s0:0!; s1:0 r(x)=initial");
}

TEST(DbcopHistReader, NamesThePlaceOfWhatItRefuses) {
  const BrokenCase cases[] = {
      {"no bracket", "\nx:=1", "h.hist:2: found 'x:=1'; expected [ (a transaction)"},
      {"no operator", "[x 1]", "h.hist:1: found ' 1]'; expected := (write) or == (read)"},
      {"half operator", "[x:1]", "h.hist:1: found '1]'; expected := (write) or == (read)"},
      {"no version", "[x:=?]", "h.hist:1: found '?]'; expected a version, an integer from 0"},
      {"negative", "[x==-1]", "h.hist:1: found '-1]'; expected a version, an integer from 0"},
      {"no variable", "[:=1]", "h.hist:1: found ':=1]'; expected a variable or ]"},
      {"cut off", "[x:=1\n", "h.hist:2: found end of file; expected a variable or ]"},
  };
  for (const BrokenCase& broken : cases) {
    const auto history = hist(broken.bytes);
    ASSERT_FALSE(history.ok()) << broken.what;
    EXPECT_EQ(history.error().code, ErrorCode::kBadInput);
    EXPECT_EQ(history.error().message.find(broken.message_start), 0U)
        << history.error().message;
  }
}

Result<History> porcupine(std::string_view lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    (text += "INFO  jepsen.util - ") += lines.substr(at, end - at);
    text += '\n';
    at = end + 1;
  }
  return read_with("porcupine", one_file("e.log", text));
}

TEST(PorcupineReader, PairsInvocationsWithTheirEnds) {
  const auto history = porcupine(
      "0\t:invoke\t:read\tnil\n1  :invoke  :write  3\n0 :ok :read nil\n1 :ok :write 3\n"
      "0 :invoke :cas [3 4]\n1 :invoke :read nil\n1 :ok :read 4\n0 :ok :cas [3 4]");
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(text_of(history),
            "s0:0 r(x)=initial; s1:0 w(x)=3; s0:1 r(x)=3 w(x)=4; s1:1 r(x)=4");
  EXPECT_EQ(times_of(*history), "[1,3] [2,4] [5,8] [6,7]");
  EXPECT_EQ(positions_of(*history), "1 2 5 6");
  EXPECT_EQ(completions_of(*history), "3 4 8 7");
  EXPECT_TRUE(history->origin().times_are_order);
  EXPECT_EQ(history->origin().format, "porcupine");
}

TEST(PorcupineReader, KeepsApartWhatFailedAndWhatIsUnknown) {
  const auto history = porcupine(
      "0 :invoke :cas [1 2]\n0 :fail :cas [1 2]\n0 :invoke :read nil\n"
      "0 :fail :read :timed-out\n0 :invoke :write 5\n0 :info :write :timed-out\n"
      "0 :invoke :cas [5 6]");
  EXPECT_EQ(text_of(history),
            "s0:0 r(x)=not 1; s0:1! r(x)=?; s0:2? w(x)=5; 0.1:0? r(x)=5 w(x)=6");
  EXPECT_EQ(times_of(*history), "[1,2] [3,4] [5,-] [7,-]");
}

TEST(PorcupineReader, NamesThePlaceOfWhatItRefuses) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"x :invoke :read nil", "e.log:1: found 'x'; expected the process"},
      {"0 :begin :read nil", "e.log:1: found ':begin'; expected :invoke"},
      {"0 :invoke :append 1", "e.log:1: found ':append'; expected :read"},
      {"0 :invoke :cas [1]", "e.log:1: found ']'; expected a pair"},
      {"0 :invoke :cas 1", "e.log:1: expected :cas [EXPECTED NEW]"},
      {"0 :invoke :write nil", "e.log:1: expected :write VALUE"},
      {"0 :invoke :read what", "e.log:1: found 'what'; expected an integer"},
      {"0 :invoke :read :", "e.log:1: found ':'; expected an integer"},
      {"0 :invoke :read : x", "e.log:1: found ':'; expected an integer"},
      {"0 :invoke :read nil x", "e.log:1: found 'x'; expected the end of the line"},
      {"0 :invoke :read :gone x", "e.log:1: found 'x'; expected the end of the line"},
      {"0 :invoke :write 1 2 x", "e.log:1: found 'x'; expected the end of the line"},
      {"0 :ok :read 1", "e.log:1: found the end of an operation that process 0"},
      {"0 :invoke :read nil\n0 :invoke :read nil", "e.log:2: found :invoke of process 0"},
      {"0 :invoke :read nil\n0 :ok :write 1",
       "e.log:2: found the end of a different operation"},
      {"0 :invoke :read nil\n0 :ok :read :gone", "e.log:2: expected the value that was read"},
  };
  for (const auto& [lines, message] : cases) {
    const auto history = porcupine(lines);
    ASSERT_FALSE(history.ok()) << lines;
    EXPECT_EQ(history.error().code, ErrorCode::kBadInput) << lines;
    EXPECT_EQ(history.error().message.find(message), 0U) << history.error().message;
  }
  EXPECT_FALSE(read_with("porcupine", one_file("e.log", "WARN  jepsen.util - 0")).ok());
}

TEST(PorcupineReader, IsRecognisedByItsFirstLine) {
  EXPECT_EQ(
      detect_with("porcupine", one_file("e", "INFO  jepsen.util - 0\t:invoke\t:read\tnil\n")),
      95);
  EXPECT_EQ(detect_with("porcupine", one_file("e", "INFO  jepsen.core - 0 :invoke")), 0);
  EXPECT_EQ(detect_with("porcupine", one_file("e", "")), 0);
}

}  // namespace
}  // namespace isolde::io
