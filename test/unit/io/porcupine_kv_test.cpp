// Goal: Porcupine's key-value logs become registers as docs/formats/foreign.md says. Method:
// logs by hand, one line for each rule; test/prop/string_log_prop.cpp says that the rules are
// right.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "io/jepsen_calls.hpp"
#include "io/string_states.hpp"
#include "isolde/history_builder.hpp"
#include "unit/io/foreign_input.hpp"

namespace isolde::io {
namespace {

/// A line is "PROCESS TYPE FUNCTION KEY VALUE", the value as it is to stand in the log.
std::string log_of(std::string_view lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    std::string_view rest = lines.substr(at, end - at);
    for (const std::string_view name : {"{:process ", ", :type :", ", :f :", ", :key \""}) {
      const std::size_t word = rest.find(' ');
      (text += name) += rest.substr(0, word);
      rest.remove_prefix(word + 1);
    }
    ((text += "\", :value ") += rest) += "}\n";
    at = end + 1;
  }
  return text;
}

Result<History> read(std::string_view lines) {
  return read_with("porcupine-kv", one_file("kv.txt", log_of(lines)));
}

TEST(JepsenCalls, AProcessThatComesBackIsAnotherSession) {
  JepsenCalls calls;
  const auto add = [&](JepsenType type, std::uint64_t line) {
    const Result<std::size_t> call = calls.add(type, 7, "log", line);
    return call.ok() ? std::to_string(*call) : call.error().message;
  };
  EXPECT_EQ(add(JepsenType::kInvoke, 1), "0");
  EXPECT_EQ(add(JepsenType::kInfo, 2), "0");
  EXPECT_EQ(add(JepsenType::kInvoke, 3), "1");
  EXPECT_EQ(add(JepsenType::kInvoke, 4),
            "log:4: found :invoke of process 7; expected the end of the one in line 3 first");
  EXPECT_EQ(add(JepsenType::kFail, 5), "1");
  EXPECT_EQ(add(JepsenType::kOk, 6),
            "log:6: found the end of an operation that process 7 did not invoke; expected "
            ":invoke");
  HistoryBuilder builder;
  for (std::size_t call = 0; call < calls.size(); ++call) calls.begin_txn(builder, call);
  EXPECT_EQ(text_of(builder.finish()), "s7:0?; 7.1:0!");
}

std::string effect_of(const StringStates& states, std::size_t append) {
  const auto effect = states.effect(append);
  if (!effect) return "none";
  return std::string(effect->before) + " > " + std::string(effect->after);
}

TEST(StringStates, TakesStringsApart) {
  StringStates states;
  base::Budget budget;
  states.put("p", {1, 2});
  states.append("ab", 0, {3, 4});
  states.failed_append("b", 1);
  states.append("b", 2, {5, 6});
  states.failed_append("f", 3);
  EXPECT_EQ(states.see("pabb", {7, 8}, budget), StringStates::Seen::kUnderstood);
  EXPECT_EQ(states.see("f", {9, 10}, budget), StringStates::Seen::kUnderstood);
  EXPECT_EQ(states.see("b", {11, 12}, budget), StringStates::Seen::kUnderstood);
  EXPECT_TRUE(states.resolve());
  EXPECT_EQ(effect_of(states, 0), "p > pab");
  EXPECT_EQ(effect_of(states, 1), "none");
  EXPECT_EQ(effect_of(states, 2), "pab > pabb");  // the first string counts
  EXPECT_EQ(effect_of(states, 3), " > f");
  EXPECT_TRUE(states.is_state("pab"));
  EXPECT_FALSE(states.is_state("ab"));
}

TEST(StringStates, NoticesWhenThereAreSeveralWays) {
  StringStates states;
  base::Budget budget;
  states.put("p", {1, 2});
  states.append("a", 0, {3, 4});
  states.append("aa", 1, {5, 6});
  states.append("pa", 2, {7, 8});
  EXPECT_EQ(states.see("pa", {9, 10}, budget), StringStates::Seen::kAmbiguous);
  EXPECT_EQ(states.see("aaa", {9, 10}, budget), StringStates::Seen::kAmbiguous);
  EXPECT_EQ(states.see("paaaax", {9, 10}, budget), StringStates::Seen::kUnderstood);
  EXPECT_TRUE(states.resolve());
  EXPECT_EQ(effect_of(states, 0), "none");
  base::Budget none;
  none.cancel();
  none.look();
  EXPECT_EQ(states.see("aa", {11, 12}, none), StringStates::Seen::kStopped);
}

TEST(StringStates, TellsEqualValuesApartByTime) {
  base::Budget budget;
  StringStates later;  // the second began when the first had been seen
  later.append("a", 0, {1, 2});
  later.append("b", 1, {3, 4});
  later.see("ab", {5, 6}, budget);
  later.append("a", 2, {7, 8});
  later.see("aba", {9, 10}, budget);
  EXPECT_TRUE(later.resolve());
  EXPECT_EQ(effect_of(later, 0), " > a");
  EXPECT_EQ(effect_of(later, 2), "ab > aba");

  StringStates sooner;  // one had ended when the other's place was not there yet
  sooner.append("b", 1, {1, 2});
  sooner.append("a", 0, {3, 20});
  sooner.append("a", 2, {4, 5});
  sooner.see("ba", {6, 7}, budget);
  sooner.append("c", 3, {8, 9});
  sooner.see("baca", {10, 11}, budget);
  EXPECT_TRUE(sooner.resolve());
  EXPECT_EQ(effect_of(sooner, 2), "b > ba");
  EXPECT_EQ(effect_of(sooner, 0), "bac > baca");

  StringStates both;  // either order explains all
  both.append("a", 0, {1, 10});
  both.append("a", 1, {2, 9});
  both.see("a", {3, 4}, budget);
  both.see("aa", {11, 12}, budget);
  EXPECT_FALSE(both.resolve());
  EXPECT_EQ(both.unresolved(), "a");
}

TEST(StringStates, AValueThatWasPutToo) {
  base::Budget budget;
  StringStates late;  // the append cannot be the first of all writes
  late.put("a", {1, 2});
  late.append("a", 0, {3, 4});
  late.see("a", {5, 6}, budget);
  late.see("aa", {7, 8}, budget);
  EXPECT_TRUE(late.resolve());
  EXPECT_EQ(effect_of(late, 0), "a > aa");
  StringStates early;
  early.append("a", 0, {1, 6});
  early.put("a", {2, 5});
  early.see("a", {3, 4}, budget);
  EXPECT_FALSE(early.resolve());
}

TEST(StringStates, AStringThatIsThereTwiceTellsNothingAboutTimes) {
  base::Budget budget;
  StringStates states;  // the second append made what had been seen after the first
  states.put("p", {1, 2});
  states.append("v", 0, {3, 4});
  states.see("pv", {5, 6}, budget);
  states.put("p", {7, 8});
  states.append("v", 1, {9, 10});
  states.see("pv", {11, 12}, budget);
  EXPECT_FALSE(states.resolve());
  EXPECT_EQ(states.unresolved(), "v");
}

TEST(PorcupineKvReader, AppendsBecomeReadsAndWrites) {
  const auto history = read(
      "0 invoke append k \"a\"\n1 invoke put k \"p\"\n1 ok put k \"p\"\n"
      "0 ok append k \"a\"\n1 invoke append k \"b\"\n0 invoke get k nil\n1 ok append k \"b\"\n"
      "0 ok get k \"pab\"\n0 invoke get j nil\n0 ok get j \"\"");
  EXPECT_EQ(text_of(history),
            "s0:0 r(k)=p w(k)=pa; s1:0 w(k)=p; s1:1 r(k)=pa w(k)=pab; s0:1 r(k)=pab; "
            "s0:2 r(j)=initial");
  EXPECT_EQ(times_of(*history), "[1,4] [2,3] [5,7] [6,8] [9,10]");
  EXPECT_EQ(positions_of(*history), "1 2 5 6 9");
  EXPECT_EQ(history->origin().format, "porcupine-kv");
  EXPECT_EQ(notes_of(*history), "");
}

TEST(PorcupineKvReader, WhatNoGetShowsIsAWriteLikeNoOther) {
  // One value twice, and one that looks like the name of another.
  const auto history = read(
      "0 invoke append k \"a\"\n0 ok append k \"a\"\n1 invoke append k \"a\"\n"
      "1 ok append k \"a\"\n2 invoke put k \"?b\"\n2 ok put k \"?b\"\n"
      "2 invoke append k \"b\"\n2 ok append k \"b\"\n3 invoke append k \"\"");
  EXPECT_EQ(text_of(history),
            "s0:0 w(k)=?a; s1:0 w(k)=??a; s2:0 w(k)=?b; s2:1 w(k)=??b; s3:0? r(k)=?");
  EXPECT_NE(notes_of(*history).find("3 appends that no get shows"), std::string::npos);
}

TEST(PorcupineKvReader, KeepsApartWhatFailedAndWhatIsUnknown) {
  const auto history = read(
      "0 invoke append k \"a\"\n0 fail append k \"a\"\n1 invoke append k \"b\"\n"
      "1 info append k :timed-out\n2 invoke get k nil\n2 fail get k nil\n"
      "1 invoke put k \"p\"\n2 invoke get k nil\n2 ok get k \"b\"\n3 invoke get k nil");
  EXPECT_EQ(text_of(history),
            "s0:0! w(k)=?a; s1:0? r(k)=initial w(k)=b; s2:0! r(k)=?; 1.1:0? w(k)=p; "
            "s2:1 r(k)=b; s3:0? r(k)=?");
  EXPECT_EQ(times_of(*history), "[1,2] [3,-] [5,6] [7,-] [8,9] [10,-]");
}

TEST(PorcupineKvReader, ValuesThatFailedMakeWay) {
  const auto history = read(
      "0 invoke append k \"a\"\n0 fail append k \"a\"\n0 invoke append k \"a\"\n"
      "0 ok append k \"a\"\n0 invoke append k \"f\"\n0 fail append k \"f\"\n"
      "0 invoke get k nil\n0 ok get k \"af\"");
  EXPECT_EQ(text_of(history),
            "s0:0! w(k)=?a; s0:1 r(k)=initial w(k)=a; s0:2! r(k)=a w(k)=af; s0:3 r(k)=af");
}

TEST(PorcupineKvReader, StringsThatNothingMakesStayAsTheyAre) {
  // Twice the same; in another order than before; with what nobody appended.
  const auto history = read(
      "0 invoke append k \"a\"\n0 ok append k \"a\"\n1 invoke append k \"b\"\n"
      "1 ok append k \"b\"\n0 invoke get k nil\n0 ok get k \"aa\"\n0 invoke get k nil\n"
      "0 ok get k \"ab\"\n0 invoke get k nil\n0 ok get k \"ba\"\n0 invoke get k nil\n"
      "0 ok get k \"abc\"");
  EXPECT_EQ(text_of(history),
            "s0:0 r(k)=initial w(k)=a; s1:0 r(k)=a w(k)=ab; s0:1 r(k)=aa; s0:2 r(k)=ab; "
            "s0:3 r(k)=ba; s0:4 r(k)=abc");
}

TEST(PorcupineKvReader, NamesThePlaceOfWhatItRefuses) {
  const std::string_view aa =
      "0 invoke append k \"a\"\n1 invoke append k \"b\"\n2 invoke append k \"a\"\n"
      "2 info append k nil\n1 ok append k \"b\"\n1 invoke get k nil\n1 ok get k \"ba\"";
  const std::string_view ambiguous =
      "0 invoke append k \"a\"\n0 ok append k \"a\"\n0 invoke append k \"aa\"\n"
      "0 ok append k \"aa\"\n1 invoke get k nil\n1 ok get k \"aaa\"";
  const std::pair<std::string_view, std::string_view> cases[] = {
      {aa, "kv.txt:3: found an :append of 'a', which another operation puts or appends"},
      {ambiguous, "kv.txt:5: found a :get whose string can be put together in several ways"},
      {"x invoke get k nil", "kv.txt:1: found 'x'; expected an integer :process"},
      {"0 begin get k nil", "kv.txt:1: found ':begin'; expected :type to be :invoke"},
      {"0 invoke cas k nil", "kv.txt:1: found ':cas'; expected :f to be :get"},
      {"0 invoke put k nil", "kv.txt:1: expected the :value to write, a string"},
      {"0 invoke append k 7", "kv.txt:1: expected the :value to write, a string"},
      {"0 invoke put k \"\"", "kv.txt:1: found a :put of the empty string"},
      {"0 ok get k \"\"", "kv.txt:1: found the end of an operation that process 0"},
      {"0 invoke get k nil\n0 invoke get k nil", "kv.txt:2: found :invoke of process 0"},
      {"0 invoke get k nil\n0 ok get j \"\"",
       "kv.txt:2: found the end of a different operation"},
      {"0 invoke get k nil\n0 ok put k \"\"",
       "kv.txt:2: found the end of a different operation"},
      {"0 invoke get k nil\n0 ok get k nil", "kv.txt:2: expected the :value that was read"},
  };
  for (const auto& [lines, message] : cases) {
    const auto history = read(lines);
    ASSERT_FALSE(history.ok()) << lines;
    EXPECT_EQ(history.error().code, ErrorCode::kBadInput) << lines;
    EXPECT_EQ(history.error().message.find(message), 0U) << history.error().message;
  }
  const std::pair<std::string_view, std::string_view> texts[] = {
      {"{:process 0, :type :invoke, :f :get}", "kv.txt:1: found '{'; expected an operation"},
      {"{:process 0, :type", "kv.txt:1: found end of file; expected a value"},
      {"{:process 0", "kv.txt:1: found end of file; expected '}'"},
      {"{:key nil}", "kv.txt:1: found 'nil'; expected a key"},
      {"[]", "kv.txt:1: found '['; expected {:process 0"},
  };
  for (const auto& [text, message] : texts) {
    const auto history = read_with("porcupine-kv", one_file("kv.txt", text));
    ASSERT_FALSE(history.ok()) << text;
    EXPECT_EQ(history.error().message.find(message), 0U) << history.error().message;
  }
}

TEST(PorcupineKvReader, IsRecognisedByItsKeywords) {
  EXPECT_EQ(detect_with("porcupine-kv", one_file("h", log_of("9 invoke get 0 nil"))), 90);
  EXPECT_EQ(detect_with("porcupine-kv", one_file("h", "{:type :invoke, :f :txn, :process 0}")),
            0);
  EXPECT_EQ(
      detect_with("porcupine-kv", one_file("h", "INFO  jepsen.util - 0 :invoke :read nil")), 0);
  EXPECT_EQ(detect_with("porcupine-kv", one_file("h", "")), 0);
}

}  // namespace
}  // namespace isolde::io
