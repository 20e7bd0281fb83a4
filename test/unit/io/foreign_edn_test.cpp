// Goal: Jepsen's EDN becomes transactions with the right outcome, session and order in time,
// and what breaks the format is refused with the line. Method: small logs by hand.
#include <gtest/gtest.h>

#include <string>

#include "io/edn_lexer.hpp"
#include "unit/io/foreign_input.hpp"

namespace isolde::io {
namespace {

Result<History> edn(std::string_view text) {
  return read_with("jepsen", one_file("h.edn", text));
}

TEST(JepsenEdnReader, ReadsListAppendWithEveryOutcome) {
  const auto history =
      edn("{:type :invoke, :f :txn, :value [[:append 1 5] [:r 2 nil]], :process 0, :time 10, "
          ":index 0}\n"
          "{:type :invoke, :f :txn, :value [[:append 2 6]], :process 1, :time 10, :index 1}\n"
          "{:type :info, :f :start, :value {\"n1\" [:kill]}, :process :nemesis, :time 11}\n"
          "{:type :ok, :f :txn, :value [[:append 1 5] [:r 2 [6 7]]], :process 0, :time 12, "
          ":index 2}\n"
          "{:type :fail, :f :txn, :value [[:append 2 6]], :process 1, :time 12, :error :x, "
          ":index 3}\n"
          "{:type :invoke, :f :txn, :value [[:append 2 7] [:r 1 nil]], :process 0, :time 13}\n"
          "{:type :info, :f :txn, :value [[:append 2 7] [:r 1 [5]]], :process 0, :error [:a], "
          ":time 14}\n"
          "{:type :invoke, :f :txn, :value [[:r 1 nil]], :process 4, :time 15}");
  EXPECT_EQ(text_of(history),
            "s0:0 append(1, 5) r(2)=[6 7]; s1:0! append(2, 6); s0:1? append(2, 7) r(1)=?; "
            "s4:0? r(1)=?");
  ASSERT_TRUE(history.ok());
  // Entries of one time keep the log's order.
  EXPECT_EQ(times_of(*history), "[10,12] [11,13] [14,-] [16,-]");
  EXPECT_EQ(labels_of(*history), "0 1 null null");
  EXPECT_EQ(positions_of(*history), "1 2 6 8");
  EXPECT_EQ(completions_of(*history), "4 5 7 0");
  EXPECT_FALSE(history->origin().times_are_order);
  EXPECT_EQ(notes_of(*history), "1 log line of processes that are not clients left out\n");
  EXPECT_EQ(history->origin().format, "jepsen");
}

TEST(JepsenEdnReader, ReadsRegistersInOneVector) {
  const auto history =
      edn("; a comment\n[{:process 0 :type :ok :value [[:w :x 1] [:r \"x\" nil] [:r y 2.5]]}\n"
          " #_{:ignored true} {:process 1 :type :ok :f :txn :value ([:r :x 1 extra #{1 {2 "
          "3}}])}]\n");
  EXPECT_EQ(text_of(history), "s0:0 w(:x)=1 r(x)=initial r(y)=2.5; s1:0 r(:x)=1");
  ASSERT_TRUE(history.ok());
  EXPECT_FALSE(history->has_times());
  EXPECT_NE(notes_of(*history).find("2 completions without :invoke"), std::string::npos);
}

TEST(JepsenEdnReader, GivesTransactionsWithoutAProcessSessionsOfTheirOwn) {
  EXPECT_EQ(
      text_of(edn("{:type :ok :value [[:w 1 1]]}{:type :ok :process nil :value [[:w 1 2]]}")),
      "t0:0 w(1)=1; t1:0 w(1)=2");
  const auto pairs =
      edn("{:type :invoke :value [[:r 1 nil]]} {:type :ok :value [[:r 1 3]]} "
          "{:type :invoke :value [[:w 1 3]]} {:type :ok :value [[:w 1 3]]}");
  EXPECT_EQ(text_of(pairs), "t0:0 r(1)=3; t1:0 w(1)=3");
  EXPECT_EQ(times_of(*pairs), "[0,1] [2,3]");
  EXPECT_TRUE(pairs->origin().times_are_order);
}

TEST(JepsenEdnReader, StartsAnotherSessionWhenARetiredProcessComesBack) {
  const auto history =
      edn("{:type :invoke :process 3 :value [[:w 1 1]]} {:type :info :process 3 :value nil}"
          "{:type :invoke :process 3 :value [[:r 1 nil]]} {:type :ok :process 3 :value [[:r 1 "
          "1]]}");
  EXPECT_EQ(text_of(history), "s3:0? w(1)=1; 3.1:0 r(1)=1");
  EXPECT_NE(notes_of(*history).find("came back after :info"), std::string::npos);
}

TEST(JepsenEdnReader, ReadsOperationsOfOtherFunctionsWhenTheyAreTransactions) {
  EXPECT_EQ(text_of(edn("{:type :ok :f :write :process 0 :value [[:w 2 1]]}"
                        "{:type :ok :f :read :process 1 :value [[:r 2 1] [:r 3 nil]]}")),
            "s0:0 w(2)=1; s1:0 r(2)=1 r(3)=initial");
}

TEST(JepsenEdnReader, SkipsTagsDiscardsAndUnknownKeys) {
  EXPECT_EQ(
      text_of(edn("#jepsen.history.Op{:type :ok, :at #inst \"2020-01-01\", #_#_ :type :fail "
                  ":process 0, [1 2] \\c, :re #\"a.b\", :nan ##NaN, :value [[:w 1 +5] "
                  "[:w 2 12N] [:w 3 99999999999999999999] [:w 4 1/2] [:w 5 1e-3] "
                  "[:w 6 \"a\\\"\\u0041\\n\"] [:w 7 true] [:w 8 007] [:w 9 \\a]]}")),
      "s0:0 w(1)=5 w(2)=12 w(3)=99999999999999999999 w(4)=1/2 w(5)=1e-3 w(6)=a\"A\\x0a "
      "w(7)=true w(8)=7 w(9)=\\a");
}

// As Java writes what does not fit into 16 bits; two such names must not become one.
TEST(JepsenEdnReader, JoinsSurrogatePairs) {
  EXPECT_EQ(text_of(edn("{:type :ok :process 0 :value [[:w 1 \"\\uD83D\\uDE00\"] "
                        "[:w 2 \"\\uD83D\\uDE01\"] [:w 3 \"\\uD83Dx\"]]}")),
            "s0:0 w(1)=\xf0\x9f\x98\x80 w(2)=\xf0\x9f\x98\x81 w(3)=\xef\xbf\xbdx");
}

template <std::size_t kCount>
void expect_all_refused(const BrokenCase (&cases)[kCount]) {
  for (const BrokenCase& broken : cases) {
    const auto history = edn(broken.bytes);
    ASSERT_FALSE(history.ok()) << broken.what;
    EXPECT_EQ(history.error().code, ErrorCode::kBadInput) << broken.what;
    EXPECT_EQ(history.error().message.find(broken.message_start), 0U)
        << broken.what << ": " << history.error().message;
  }
}

TEST(JepsenEdnReader, NamesTheLineOfEntriesItRefuses) {
  const BrokenCase cases[] = {
      {"bare scalar", "\n3", "h.edn:2: found '3'; expected an operation {:type :ok"},
      {"no type", "{:process 1}", "h.edn:1: found a map without :type; expected an operation"},
      {"type", "{:type\n:maybe}", "h.edn:2: found ':maybe'; expected :type to be :invoke, :ok"},
      {"no value", "{:type :ok :f :txn}", "h.edn:1: found an entry without :value; expected a"},
      {"nil value", "{:type :ok :value nil}", "h.edn:1: found 'nil'; expected a vector of op"},
      {"map value", "{:type :ok :value {}}", "h.edn:1: found '{'; expected a vector of operat"},
      {"flat value", "{:type :ok :value [1]}",
       "h.edn:1: found '1'; expected an operation like"},
      {"cas", "{:type :ok :value [[:cas 1 2]]}",
       "h.edn:1: found operation ':cas'; expected r, w"},
      {"range", "{:type :ok :value [[:range 1 2]]}",
       "h.edn:1: found operation ':range'; expected r, w or append; predicate reads and "
       "deletes"},
      {"empty", "{:type :ok :value [[]]}",
       "h.edn:1: found operation ']'; expected r, w or app"},
      {"no key", "{:type :ok :value [[:r]]}", "h.edn:1: found ']'; expected a key"},
      {"nil key", "{:type :ok :value [[:r nil]]}", "h.edn:1: found 'nil'; expected a key"},
      {"no element", "{:type :ok :value [[:append 1]]}",
       "h.edn:1: found ']'; expected a value t"},
      {"nil write", "{:type :ok :value [[:w 1 nil]]}",
       "h.edn:1: found 'nil'; expected a value"},
      {"list write", "{:type :ok :value [[:w 1 [2]]]}",
       "h.edn:1: found '['; expected a value t"},
      {"map read", "{:type :ok :value [[:r 1 {}]]}",
       "h.edn:1: found '{'; expected what was re"},
      {"nil element", "{:type :ok :value [[:r 1 [nil]]]}",
       "h.edn:1: found 'nil'; expected an e"},
      {"list element", "{:type :ok :value [[:r 1 [[]]]]}",
       "h.edn:1: found '['; expected an el"},
      {"both kinds", "{:type :ok :value [[:w 1 2] [:append 1 3]]}",
       "h.edn:1: key 1 is used both as a register"},
  };
  expect_all_refused(cases);
}

TEST(JepsenEdnReader, NamesTheLineOfTextThatIsNoLog) {
  const std::string deep(600, '[');
  const BrokenCase cases[] = {
      {"odd map", "{:type}", "h.edn:1: found '}'; expected a value for the key ':type'"},
      {"wrong bracket", "{:type :ok]", "h.edn:1: found ']'; expected '}' or another key"},
      {"crossed", "{:type :ok :value [(])}", "h.edn:1: found ']'; expected ')'"},
      {"cut off", "{:type :ok :value\n[[:r 1",
       "h.edn:2: found end of file; expected ']' for the"},
      {"map cut off", "{:type :ok", "h.edn:1: found end of file; expected a value for the key"},
      {"vector cut off", "[{:type :ok :value []}",
       "h.edn:1: found end of file; expected an op"},
      {"behind vector", "[] 1", "h.edn:1: found '1'; expected end of file after the vector"},
      {"open string", "{:type \"ok", "h.edn:1: found a string without end; expected a closing"},
      {"lone hash", "{:type # ok}", "h.edn:1: found a lone '#'; expected #{, #_ or a tag"},
      {"lone backslash", "{:type \\", "h.edn:1: found a lone '\\'; expected a character"},
      {"no discard", "{:type #_}", "h.edn:1: found nothing after #_; expected a form to disca"},
      {"too deep", "{:value " + deep, "h.edn:1: found brackets nested deeper than 512"},
      {"not UTF-8", "{}\n{:type \"\xff\"}", "h.edn:2: found bytes that are not UTF-8"},
      {"open process", "{:type :invoke :process 7}\n{:type :invoke :process 7}",
       "h.edn:2: found :invoke of process 7; expected the completion of the one invoked in "
       "line 1"},
      {"open nameless", "{:type :invoke}\n{:type :invoke}",
       "h.edn:2: found :invoke of an operation without :process; expected the completion of "
       "the"},
      {"late", "{:type :invoke :time 9223372036854775807}\n{:type :ok}",
       "h.edn:2: found an entry after the time 2^63 - 1; expected :time in nanoseconds"},
  };
  expect_all_refused(cases);
  EXPECT_EQ(text_of(read_with("jepsen", directory({{"a", ""}, {"b", ""}}))),
            "dir: expected one file");
}

TEST(EdnLexer, SkipsAFormOfAnyDepthUpToItsLimit) {
  const std::string text = std::string(512, '(') + std::string(512, ')') + " :next";
  EdnLexer lexer("h.edn", text);
  EdnToken token;
  ASSERT_TRUE(lexer.next(token));
  ASSERT_TRUE(lexer.skip_form(token));
  ASSERT_TRUE(lexer.next(token));
  EXPECT_EQ(token.text, ":next");
  ASSERT_TRUE(lexer.next(token));
  EXPECT_EQ(token.kind, EdnKind::kEnd);
}

TEST(EdnLexer, CountsLinesInsideStringsAndComments) {
  EdnLexer lexer("h.edn", "; one\n\"two\nthree\"\n#_#_ a b c #_{:d [e]} f");
  EdnToken token;
  ASSERT_TRUE(lexer.next(token));
  EXPECT_EQ(token.line, 2U);
  ASSERT_TRUE(lexer.next(token));
  EXPECT_EQ(token.text, "c");
  EXPECT_EQ(token.line, 4U);
  ASSERT_TRUE(lexer.next(token));
  EXPECT_EQ(token.text, "f");
}

TEST(JepsenEdnReader, IsDetectedByItsKeywords) {
  EXPECT_EQ(detect_with("jepsen", one_file("h", "; c\n{:type :ok :value []}")), 85);
  EXPECT_EQ(detect_with("jepsen", one_file("h", "[{:index 1 :type :fail}]")), 85);
  // Porcupine's key-value logs look similar.
  EXPECT_EQ(
      detect_with("jepsen", one_file("h", "{:process 9, :type :invoke, :f :get, :key \"0\"}")),
      20);
  EXPECT_EQ(detect_with("jepsen", one_file("h", "{\"type\": \"ok\"}")), 0);
  EXPECT_EQ(detect_with("jepsen", one_file("h", "[x:=1]")), 0);
  EXPECT_EQ(detect_with("jepsen", one_file("h", "")), 0);
}

}  // namespace
}  // namespace isolde::io
