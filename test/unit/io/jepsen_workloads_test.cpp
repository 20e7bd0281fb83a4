// Goal: Jepsen's registers and sets become transactions that say exactly what the log says, and
// workloads from which nothing follows are refused with the line and with what to do. Method:
// small logs by hand; random logs of up to six operations whose verdict a plain enumeration of
// all orders must share, each proof verified.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "io/jepsen_ops.hpp"
#include "support/seed.hpp"
#include "unit/io/jepsen_input.hpp"

namespace isolde::io {
namespace {

TEST(JepsenRegisters, ReadEveryOutcome) {
  const auto history =
      edn("{:type :invoke :f :write :value 3 :process 0 :index 0}\n"
          "{:type :invoke :f :read :value nil :process 1 :index 1}\n"
          "{:type :ok :f :read :value nil :process 1 :index 2}\n"
          "{:type :ok :f :write :value 3 :process 0 :index 3}\n"
          "{:type :invoke :f :cas :value [3 4] :process 0}\n"
          "{:type :ok :f :cas :value [3 4] :process 0}\n"
          "{:type :invoke :f :cas :value [3 5] :process 0}\n"
          "{:type :fail :f :cas :value [3 5] :process 0}\n"
          "{:type :invoke :f :cas :value [nil 6] :process 1}\n"
          "{:type :info :f :cas :value [nil 6] :process 1 :error #object[a.B 0x1f \"x\"]}\n"
          "{:type :info :f :start :value [:majority {\"n1\" #{\"n2\"}}] :process :nemesis}\n"
          "{:type :invoke :f :read :process 0}\n"
          "{:type :info :f :read :process 0}\n"
          "{:type :invoke :f :write :value 7 :process 2}\n"
          "{:type :fail :f :write :value 7 :process 2}\n");
  EXPECT_EQ(text_of(history),
            "s0:0 w(x)=3; s1:0 r(x)=initial; s0:1 r(x)=3 w(x)=4; s0:2! r(x)=? w(x)=5; "
            "s1:1? r(x)=initial w(x)=6; s0:3? r(x)=?; s2:0! w(x)=7");
  ASSERT_TRUE(history.ok());
  EXPECT_EQ(labels_of(*history), "0 1 null null null null null");
  EXPECT_TRUE(history->origin().times_are_order);
  EXPECT_EQ(notes_of(*history),
            "1 compare-and-set that failed; taken as not happened, for the log does not say "
            "why\n1 log line of processes that are not clients left out\n");
}

TEST(JepsenRegisters, HaveKeysOfTheirOwnWhereValuesSaySo) {
  EXPECT_EQ(
      text_of(edn("[{:type :invoke :f :write :value [7 3] :process 0}"
                  "{:type :ok :f :write :value [7 3] :process 0}"
                  "{:type :invoke :f :cas :value [7 [3 4]] :process 0}"
                  "{:type :ok :f :cas :value [7 [3 4]] :process 0}"
                  "{:type :invoke :f :read :value [:k nil] :process 0}"
                  "#jepsen.history.Op{:type :ok :f :read :value [:k nil] :process 0}"
                  "{:type :invoke :f :read :value nil :process 0}"
                  "{:type :info :f :read :value nil :process 0}"
                  "{:type :invoke :f :read :value [7 nil] :process 1} {:type :ok :f :read "
                  ":value #jepsen.independent.Tuple{:key 7, :value 4} :process 1}]")),
      "s0:0 w(7)=3; s0:1 r(7)=3 w(7)=4; s0:2 r(:k)=initial; s0:3?; s1:0 r(7)=4");
}

TEST(JepsenRegisters, BeginWithWhatTheFirstReadsShow) {
  // Nobody writes 0.
  const auto unwritten =
      edn("{:type :invoke :f :read :process 0} {:type :ok :f :read :value 0 :process 0}"
          "{:type :invoke :f :cas :value [0 1] :process 0}"
          "{:type :ok :f :cas :value [0 1] :process 0}");
  EXPECT_EQ(text_of(unwritten), "s0:0 r(x)=initial; s0:1 r(x)=initial w(x)=1");
  EXPECT_EQ(
      notes_of(*unwritten),
      "the initial value of 1 register is not given; the value that was read there before "
      "anybody wrote it was taken as the initial one\n");
  // Somebody does, later.
  const auto written =
      edn("{:type :invoke :f :read :process 0} {:type :ok :f :read :value 0 :process 0}"
          "{:type :invoke :f :write :value 0 :process 0}");
  EXPECT_EQ(text_of(written), "initial:0 w(x)=0; s0:0 r(x)=0; s0:1? w(x)=0");
  EXPECT_EQ(times_of(*written), "[-2,-1] [0,1] [2,-]");
}

// Most compare-and-sets fail because they find another value. Whoever reads theirs has read
// what was there at the start.
TEST(JepsenRegisters, BeginWithWhatOnlyFailedCompareAndSetsWouldHaveWritten) {
  const std::string failed =
      "{:type :invoke :f :cas :value [3 0] :process 1}"
      "{:type :fail :f :cas :value [3 0] :process 1}";
  const std::string read =
      "{:type :invoke :f :read :process 0} {:type :ok :f :read :value 0 :process 0}";
  EXPECT_EQ(text_of(edn(failed + read)), "initial:0 w(x)=0; s1:0! r(x)=? w(x)=0; s0:0 r(x)=0");
  // Others write it as well, later or before.
  const std::string write =
      "{:type :invoke :f :write :value 0 :process 2}"
      "{:type :ok :f :write :value 0 :process 2}";
  EXPECT_EQ(text_of(edn(failed + read + write)),
            "initial:0 w(x)=0; s1:0! r(x)=? w(x)=0; s0:0 r(x)=0; s2:0 w(x)=0");
  // What it expects says nothing.
  EXPECT_EQ(notes_of(*edn(failed + write)).find("initial"), std::string::npos);
  EXPECT_EQ(text_of(edn(failed + write + read)),
            "s1:0! r(x)=? w(x)=0; s2:0 w(x)=0; s0:0 r(x)=0");
  // One that may have happened may have been read, if there was what it expects.
  const std::string unknown =
      "{:type :invoke :f :cas :value [3 0] :process 1}"
      "{:type :info :f :cas :value [3 0] :process 1}";
  EXPECT_EQ(text_of(edn(unknown + read)), "s1:0? r(x)=initial w(x)=0; s0:0 r(x)=0");
  EXPECT_EQ(text_of(edn(unknown + "{:type :invoke :f :cas :value [nil 1] :process 5}" + read)),
            "s1:0? r(x)=3 w(x)=0; s5:0? r(x)=initial w(x)=1; s0:0 r(x)=0");
}

// As Knossos' multi-register, whose registers begin with 0, and Elle's, where nil is initial.
TEST(JepsenTransactions, BeginWithAnyValueWhereNamesAreLong) {
  const auto log = [](const std::string& read, const std::string& write) {
    return "{:type :invoke :f :txn :value [[" + read + " :x nil] [" + read +
           " :y nil]] :process 0}{:type :invoke :f :txn :value [[" + write +
           " :y 2]] :process 1}{:type :ok :f :txn :value [[" + read + " :x 0] [" + read +
           " :y 0]] :process 0}{:type :ok :f :txn :value [[" + write +
           " :y 2]] :process 1}{:type :invoke :f :txn :value [[" + write +
           " :y 0]] :process 0}";
  };
  const auto any = edn(log(":read", ":write"));
  EXPECT_EQ(text_of(any),
            "initial:0 w(:y)=0; s0:0 r(:x)=initial r(:y)=0; s1:0 w(:y)=2; s0:1? w(:y)=0");
  EXPECT_EQ(times_of(*any), "[-2,-1] [0,2] [1,3] [4,-]");
  EXPECT_EQ(
      notes_of(*any),
      "the initial value of 2 registers is not given; the value that was read there before "
      "anybody wrote it was taken as the initial one\n");
  EXPECT_EQ(text_of(edn(log(":r", ":w"))), "s0:0 r(:x)=0 r(:y)=0; s1:0 w(:y)=2; s0:1? w(:y)=0");
}

TEST(JepsenTransactions, BeginWithNilWhereAReadShowsIt) {
  const auto history =
      edn("{:type :invoke :f :txn :value [[:read :x nil]] :process 0}"
          "{:type :ok :f :txn :value [[:read :x 0]] :process 0}"
          "{:type :invoke :f :txn :value [[:read :x nil]] :process 0}"
          "{:type :ok :f :txn :value [[:read :x nil]] :process 0}"
          // Its own write comes first.
          "{:type :invoke :f :txn :value [[:write :y 0] [:read :y nil]] :process 0}"
          "{:type :ok :f :txn :value [[:write :y 0] [:read :y 0]] :process 0}");
  EXPECT_EQ(text_of(history), "s0:0 r(:x)=0; s0:1 r(:x)=initial; s0:2 w(:y)=0 r(:y)=0");
  EXPECT_EQ(notes_of(*history), "");
}

TEST(JepsenRegisters, BeginWithNilOtherwise) {
  // A write of the value had begun, be it that it failed.
  EXPECT_EQ(text_of(edn("{:type :invoke :f :write :value 1 :process 1}"
                        "{:type :invoke :f :read :process 0}"
                        "{:type :ok :f :read :value 1 :process 0}"
                        "{:type :fail :f :write :value 1 :process 1}")),
            "s1:0! w(x)=1; s0:0 r(x)=1");
  // Another write had ended.
  EXPECT_EQ(text_of(edn("{:type :invoke :f :write :value 1 :process 1}"
                        "{:type :ok :f :write :value 1 :process 1}"
                        "{:type :invoke :f :read :process 0}"
                        "{:type :ok :f :read :value 2 :process 0}")),
            "s1:0 w(x)=1; s0:0 r(x)=2");
  // Nil shows.
  EXPECT_EQ(text_of(edn("{:type :invoke :f :read :process 0}"
                        "{:type :ok :f :read :value 2 :process 0}"
                        "{:type :invoke :f :read :process 0}"
                        "{:type :ok :f :read :value nil :process 0}")),
            "s0:0 r(x)=2; s0:1 r(x)=initial");
  // The log does not say what came first.
  EXPECT_EQ(text_of(edn("{:type :ok :f :read :value 2 :process 0}")), "s0:0 r(x)=2");
}

TEST(JepsenSets, ReadWhatIsThereAndWhatIsNot) {
  EXPECT_EQ(text_of(edn("{:type :invoke :f :add :value 1 :process 0}"
                        "{:type :ok :f :add :value 1 :process 0}"
                        "{:type :invoke :f :add :value 2 :process 0}"
                        "{:type :fail :f :add :value 2 :process 0}"
                        "{:type :invoke :f :add :value 3 :process 0}"
                        "{:type :info :f :add :value 3 :process 0}"
                        "{:type :invoke :f :add :value 1 :process 1}"
                        "{:type :invoke :f :read :value nil :process 2}"
                        "{:type :ok :f :read :value #{3} :process 2}"
                        "{:type :invoke :f :read :value nil :process 2}"
                        "{:type :ok :f :read :value (9 1 3) :process 2}"
                        "{:type :invoke :f :read :value nil :process 2}"
                        "{:type :fail :f :read :value nil :process 2}")),
            "s0:0 w(1)=added; s0:1! w(2)=added; s0:2? w(3)=added; s1:0? w(1)=added; "
            "s2:0 r(3)=added r(1)=initial r(2)=initial; "
            "s2:1 r(9)=added r(1)=added r(3)=added r(2)=initial; s2:2!");
}

TEST(JepsenWorkloads, AreRefusedWithTheLine) {
  expect_refused({
      {"cas of one", "{:type :invoke :f :cas :value 1}", "h.edn:1: found a :cas without two"},
      {"cas of nothing", "{:type :invoke :f :cas}", "h.edn:1: found a :cas without two values"},
      {"cas to nil", "{:type :invoke :f :cas :value [1 nil]}",
       "h.edn:1: found nil, or nothing"},
      {"write of nil", "\n{:type :invoke :f :write :value nil}",
       "h.edn:2: found nil, or nothi"},
      {"write of a map", "{:type :invoke :f :write :value {:a 1}}",
       "h.edn:1: found ':a'; expected {:key KEY, :value VALUE}"},
      {"versions", "{:type :invoke :f :write :value [1 [nil 2]]}",
       "h.edn:1: found a vector as value; expected a value, or [KEY VALUE]"},
      {"three", "{:type :invoke :f :write :value [1 2 3]}",
       "h.edn:1: found '3'; expected ']' behind two elements"},
      {"nil key", "{:type :invoke :f :write :value [nil 2]}",
       "h.edn:1: found a key that is nil"},
      {"keys and none", "{:type :ok :f :write :value [1 2]}\n{:type :ok :f :write :value 2}",
       "h.edn:2: found a value without key in a log of registers by key"},
      {"none and keys", "{:type :ok :f :write :value 1}\n{:type :ok :f :read :value [1 2]}",
       "h.edn:2: found [KEY VALUE] in a log of one register"},
      {"another end", "{:type :invoke :f :write :value 1}\n{:type :ok :f :read :value 1}",
       "h.edn:2: found the end of a different operation than the one in line 1"},
      {"another value", "{:type :invoke :f :write :value 1}\n{:type :ok :f :write :value 2}",
       "h.edn:2: found another :value than that of the invocation in line 1"},
      {"two workloads", "{:type :ok :f :write :value 1}\n{:type :ok :f :add :value 2}",
       "h.edn:2: found :f add in a log with :f write in line 1, which are different workloads"},
      {"add of nothing", "{:type :ok :f :add}", "h.edn:1: found an :add without :value"},
      {"add of nil", "{:type :ok :f :add :value nil}",
       "h.edn:1: found 'nil'; expected an eleme"},
      {"element twice", "{:type :ok :f :add :value 1}\n{:type :ok :f :read :value [1 1]}",
       "h.edn:2: found '1'; expected each element once in a read"},
      {"set of nothing", "{:type :ok :f :add :value 1}\n{:type :ok :f :read}",
       "h.edn:2: found a :read with :ok and without :value"},
      {"no set", "{:type :ok :f :add :value 1}\n{:type :ok :f :read :value nil}",
       "h.edn:2: found 'nil'; expected the elements that were read"},
      {"lock", "{:type :invoke :f :acquire :process 0}\n{:type :ok :f :acquire :process 0}",
       "h.edn:2: found :f acquire of a lock, which does not say whether it is a mutex"},
      {"lock and register", "{:type :ok :f :write :value 1}\n{:type :ok :f :release}",
       "h.edn:2: found :f release in a log with :f write in line 1"},
      {"vectors alone", "{:type :ok :f :read :value [1 2]}",
       "h.edn:1: found a vector that was read and nothing that writes"},
      {"queue", "{:type :ok :f :enqueue :value 1}",
       "h.edn:1: found workload :f enqueue, which is not covered; list-append, rw-register, "
       "registers (:read, :write, :cas), sets and counters (:add, :read) and banks (:transfer, "
       ":read) are"},
      {"early",
       "{:type :invoke :f :read :time -9000000000000000000 :process 0} {:type :ok :f :read "
       ":value 0 :process 0} {:type :invoke :f :write :value 0 :process 0}",
       "h.edn:1: found a :time before -2^62"},
  });
}

// ---- all orders --------------------------------------------------------------------------

constexpr int kNil = -1;

/// An operation on a register, or on a set of the numbers 0 to 2 as bits.
struct PlainCall {
  enum class Function { kRead, kWrite, kCas, kAdd, kReadAll };
  Function f = Function::kRead;
  int a = 0;  // written, expected, added or read; kNil
  int b = 0;  // new value of a cas
  JepsenType end = JepsenType::kOk;
  int process = 0;
  int begin = 0;
  int finish = 1000;
};

/// The state behind the call, or none when it cannot have happened in this state.
std::optional<int> step(const PlainCall& call, int state) {
  using Function = PlainCall::Function;
  const bool known = call.end == JepsenType::kOk;
  if (call.f == Function::kRead || call.f == Function::kReadAll) {
    if (known && state != call.a) return std::nullopt;
    return state;
  }
  if (call.f == Function::kWrite) return call.a;
  if (call.f == Function::kAdd) return state | (1 << call.a);
  if (state != call.a) return std::nullopt;
  return call.b;
}

/// Whether some order explains all, `done` of which have happened or never will.
bool explains(const std::vector<PlainCall>& calls, unsigned done, int state) {
  bool all = true;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if ((done >> i & 1U) != 0) continue;
    all = all && calls[i].end != JepsenType::kOk;
    if (calls[i].end == JepsenType::kFail) continue;
    bool may_be_next = true;
    for (std::size_t j = 0; j < calls.size(); ++j) {
      const bool open = (done >> j & 1U) == 0 && calls[j].end == JepsenType::kOk;
      if (open && calls[j].finish < calls[i].begin) may_be_next = false;
    }
    const std::optional<int> after = step(calls[i], state);
    if (may_be_next && after && explains(calls, done | 1U << i, *after)) return true;
  }
  return all;
}

std::string name_of(int value) { return value == kNil ? "nil" : std::to_string(value); }

std::string value_of(const PlainCall& call, bool told) {
  using Function = PlainCall::Function;
  if (call.f == Function::kCas) return "[" + name_of(call.a) + " " + name_of(call.b) + "]";
  if (call.f == Function::kWrite || call.f == Function::kAdd) return name_of(call.a);
  if (!told) return "nil";
  if (call.f == Function::kRead) return name_of(call.a);
  std::string text = "#{";
  for (int i = 0; i < 3; ++i) {
    if ((call.a >> i & 1) != 0) text += std::to_string(i) + " ";
  }
  return text + "}";
}

/// The log of calls whose begin and finish are its lines.
std::string log_of(const std::vector<PlainCall>& calls, int lines) {
  constexpr const char* kFunctions[] = {"read", "write", "cas", "add", "read"};
  constexpr const char* kTypes[] = {"invoke", "ok", "fail", "info"};
  std::string text;
  for (int line = 0; line < lines; ++line) {
    for (const PlainCall& call : calls) {
      if (call.begin != line && call.finish != line) continue;
      const bool ends = call.finish == line;
      text += "{:process " + std::to_string(call.process) +
              " :type :" + kTypes[ends ? static_cast<int>(call.end) : 0] +
              " :f :" + kFunctions[static_cast<int>(call.f)] + " :value " +
              value_of(call, ends && call.end == JepsenType::kOk) + "}\n";
    }
  }
  return text;
}

/// Up to six calls of three processes, which begin in that state. `lines` becomes the length of
/// the log.
std::vector<PlainCall> random_calls(base::Rng& rng, bool sets, int& lines, int state) {
  using Function = PlainCall::Function;
  std::vector<PlainCall> calls;
  std::optional<std::size_t> open[3];
  const std::size_t most = 1 + rng.below(6);
  int next_process = 3;
  int names[3] = {0, 1, 2};
  lines = 0;
  const auto ended = [&] {
    return std::none_of(std::begin(open), std::end(open),
                        [](auto& o) { return o.has_value(); });
  };
  while (calls.size() < most || !ended()) {
    const std::size_t process = rng.below(3);
    if (!open[process]) {
      if (calls.size() == most) continue;
      PlainCall call;
      call.f = sets ? (rng.chance(0.5) ? Function::kAdd : Function::kReadAll)
                    : static_cast<Function>(rng.below(3));
      call.a = static_cast<int>(rng.below(3));
      call.b = static_cast<int>(rng.below(3));
      if (call.f == Function::kCas && rng.chance(0.2)) call.a = kNil;
      call.process = names[process];
      call.begin = lines++;
      open[process] = calls.size();
      calls.push_back(call);
      continue;
    }
    PlainCall& call = calls[*open[process]];
    const double fate = rng.unit();
    call.end = fate < 0.75   ? JepsenType::kOk
               : fate < 0.85 ? JepsenType::kFail
                             : JepsenType::kInfo;
    const std::optional<int> after = step(call, state);
    if (call.f == Function::kRead || call.f == Function::kReadAll) {
      call.a = rng.chance(0.8) ? state
               : sets          ? static_cast<int>(rng.below(8))
                               : static_cast<int>(rng.below(4)) - 1;
    } else if (call.end != JepsenType::kFail && after) {
      state = *after;
    }
    call.finish = lines++;
    open[process].reset();
    if (call.end == JepsenType::kInfo) names[process] = next_process++;
  }
  return calls;
}

bool shows_nil(const std::vector<PlainCall>& calls) {
  return std::any_of(calls.begin(), calls.end(), [](const PlainCall& call) {
    return call.a == kNil && call.end == JepsenType::kOk;
  });
}

/// Whether nothing but that beginning can have shown the value: nobody tried to write it but by
/// a compare-and-set that failed, nil is neither shown nor expected, and it is shown.
bool is_only_initial(const std::vector<PlainCall>& calls, int value) {
  using Function = PlainCall::Function;
  bool is_shown = false;
  for (const PlainCall& call : calls) {
    const bool ok = call.end == JepsenType::kOk;
    const bool is_cas = call.f == Function::kCas;
    if (call.f == Function::kWrite && call.a == value) return false;
    if (is_cas && call.b == value && call.end != JepsenType::kFail) return false;
    if (call.a == kNil && (ok || is_cas)) return false;
    is_shown = is_shown || (ok && call.f != Function::kWrite && call.a == value);
  }
  return is_shown;
}

TEST(JepsenRegisters, AreLinearizableExactlyWhenAnOrderExplainsThem) {
  const std::uint64_t cases = support::case_count(3000);
  base::Rng rng(support::run_seed());
  std::uint64_t holds = 0;
  std::uint64_t violated = 0;
  std::uint64_t others = 0;  // hold because they begin with another value than nil
  for (std::uint64_t i = 0; i < cases; ++i) {
    int lines = 0;
    const std::vector<PlainCall> calls =
        random_calls(rng, false, lines, rng.chance(0.5) ? kNil : 0);
    const std::string log = log_of(calls, lines);
    const auto history = edn(log);
    ASSERT_TRUE(history.ok()) << log << history.error().message;
    const Verdict verdict = proved_verdict(*history, Level::kLinearizable);
    bool from_any = explains(calls, 0, kNil);
    if (from_any) {
      ++holds;
      EXPECT_NE(verdict, Verdict::kViolated) << log;
    }
    for (int initial = 0; initial < 3 && !shows_nil(calls); ++initial) {
      if (!explains(calls, 0, initial)) continue;
      from_any = true;
      if (!is_only_initial(calls, initial)) continue;
      ++others;
      EXPECT_EQ(verdict, Verdict::kHolds) << log;
    }
    if (from_any) continue;
    ++violated;
    EXPECT_NE(verdict, Verdict::kHolds) << log;
  }
  EXPECT_TRUE(support::met(holds, 3, cases));
  EXPECT_TRUE(support::met(violated, 10, cases));
  EXPECT_TRUE(support::met(others, 10, cases));
}

TEST(JepsenSets, AreStrictSerializableExactlyWhenAnOrderExplainsThem) {
  const std::uint64_t cases = support::case_count(2000);
  base::Rng rng(support::run_seed());
  std::uint64_t holds = 0;
  std::uint64_t violated = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    int lines = 0;
    const std::vector<PlainCall> calls = random_calls(rng, true, lines, 0);
    const std::string log = log_of(calls, lines);
    const auto history = edn(log);
    ASSERT_TRUE(history.ok()) << log << history.error().message;
    const Verdict verdict = proved_verdict(*history, Level::kStrictSerializable);
    const bool explained = explains(calls, 0, 0);
    ++(explained ? holds : violated);
    EXPECT_NE(verdict, explained ? Verdict::kViolated : Verdict::kHolds) << log;
  }
  EXPECT_TRUE(support::met(holds, 3, cases));
  EXPECT_TRUE(support::met(violated, 10, cases));
}

}  // namespace
}  // namespace isolde::io
