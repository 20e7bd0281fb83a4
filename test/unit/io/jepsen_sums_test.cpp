// Goal: Jepsen's counters and banks become increments that say exactly what the log says, begin
// with what is certain, and are refused where that is not enough. Method: small logs by hand;
// random logs of up to five operations whose verdict a plain enumeration of all orders must
// share, each proof verified; runs of a bank that took place in some order, which has to be
// found.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "io/jepsen_ops.hpp"
#include "support/seed.hpp"
#include "unit/io/jepsen_input.hpp"

namespace isolde::io {
namespace {

/// A call that ended before the next one began.
std::string ended(const std::string& f, const std::string& value,
                  const std::string& type = ":ok", const std::string& asked = "") {
  static int process = 0;
  const std::string rest = " :f " + f + " :process " + std::to_string(++process) + " :value ";
  return "{:type :invoke" + rest + (asked.empty() ? value : asked) + "}{:type " + type + rest +
         value + "}\n";
}

TEST(JepsenCounters, AreIncrementsWithUnknownResults) {
  const auto history =
      edn("{:type :invoke :f :add :value 5 :process 0}"
          "{:type :invoke :f :read :value nil :process 1}"
          "{:type :ok :f :add :value 5 :process 0}"
          "{:type :ok :f :read :value 5 :process 1}"
          "{:type :invoke :f :add :value -2 :process 0}"
          "{:type :info :f :add :value -2 :process 0}"
          "{:type :invoke :f :add :value 7 :process 1}"
          "{:type :fail :f :add :value nil :process 1}"
          "{:type :invoke :f :read :value nil :process 1}"
          "{:type :info :f :read :value nil :process 1}");
  ASSERT_TRUE(history.ok()) << history.error().message;
  ASSERT_EQ(history->increments().size(), 3U);
  EXPECT_EQ(history->open_increments(), 3U);
  EXPECT_EQ(history->increments()[0].by, 5);
  EXPECT_EQ(history->increments()[1].by, -2);
  EXPECT_EQ(history->increments()[2].by, 7);
  EXPECT_EQ(history->status(TxnId::at(2)), TxnStatus::kIndeterminate);
  EXPECT_EQ(history->status(TxnId::at(3)), TxnStatus::kAborted);
  EXPECT_EQ(history->ops(TxnId::at(4)).size(), 0U);
  EXPECT_EQ(history->initial(KeyId::at(0)), Value::integer(0));
  EXPECT_EQ(
      notes_of(*history),
      "the initial value of the counter is not given; taken as 0, as Jepsen's own checker "
      "does\n");
}

TEST(JepsenCounters, BeginWithWhatTheFirstReadsShow) {
  const auto begun = edn(ended(":read", "3", ":ok", "nil") + ended(":add", "1") +
                         ended(":read", "4", ":ok", "nil"));
  ASSERT_TRUE(begun.ok()) << begun.error().message;
  EXPECT_EQ(begun->initial(KeyId::at(0)), Value::integer(3));
  EXPECT_NE(notes_of(*begun).find("initial value of 1 counter is not given; the value that"),
            std::string::npos);
  // An addition had begun, be it in vain.
  const auto late = edn(ended(":add", "1", ":fail") + ended(":read", "3", ":ok", "nil"));
  ASSERT_TRUE(late.ok()) << late.error().message;
  EXPECT_EQ(late->initial(KeyId::at(0)), Value::integer(0));
}

TEST(JepsenCounters, TellWhatRealTimeRulesOut) {
  const auto told = [](const std::string& log) {
    const auto history = edn(log);
    EXPECT_TRUE(history.ok()) << history.error().message;
    const std::string notes = notes_of(*history);
    const std::size_t at = notes.find("a read shows");
    return at == std::string::npos ? std::string() : notes.substr(at, notes.size() - at - 1);
  };
  const std::string rest = ", which strict serializability does not allow";
  EXPECT_EQ(told(ended(":add", "5") + ended(":read", "0", ":ok", "nil")),
            "a read shows 0 (line 2), where by real time the sum was between 5 and 5" + rest);
  EXPECT_EQ(told(ended(":add", "5", ":info") + ended(":read", "6", ":ok", "nil")),
            "a read shows 6 (line 2), where by real time the sum was between 0 and 5" + rest);
  EXPECT_EQ(told(ended(":add", "-5", ":info") + ended(":add", "2") +
                 ended(":read", "-4", ":ok", "nil")),
            "a read shows -4 (line 3), where by real time the sum was between -3 and 2" + rest);
  EXPECT_EQ(told(ended(":add", "5", ":fail") + ended(":read", "0", ":ok", "nil")), "");
  // What is under way while it reads may be there or not.
  const std::string under_way =
      "{:type :invoke :f :add :value 5 :process 0}{:type :invoke :f :read :process 1}"
      "{:type :ok :f :add :value 5 :process 0}{:type :invoke :f :add :value -2 :process 0}"
      "{:type :ok :f :read :process 1 :value ";
  EXPECT_EQ(told(under_way + "0}"), "");
  EXPECT_EQ(told(under_way + "3}"), "");
  EXPECT_EQ(told(under_way + "-2}"), "");
  EXPECT_NE(told(under_way + "-3}"), "");
  EXPECT_NE(told(under_way + "6}"), "");
}

TEST(JepsenBanks, AreIncrementsInPairs) {
  const auto history =
      edn(ended(":read", "{0 10, :b 20}", ":ok", "nil") +
          ended(":transfer", "{:from 0, :to :b, :amount 3, :other {:a [1]}}") +
          ended(":transfer", "[:negative 0 -1]", ":fail", "{:from 0, :to :b, :amount 30}") +
          ended(":transfer", "{:to 7 :amount 1 :from 8}", ":info") +
          ended(":read", "{:b 23, 0 7}", ":ok", "nil"));
  ASSERT_TRUE(history.ok()) << history.error().message;
  std::string increments;
  for (const Increment& each : history->increments()) {
    const KeyId key = history->all_ops()[each.op].key;
    increments += history->json(history->key_name(key)) + " " + std::to_string(each.by) + "; ";
  }
  EXPECT_EQ(increments, "0 -3; \":b\" 3; 0 -30; \":b\" 30; 8 -1; 7 1; ");
  EXPECT_EQ(history->initial(history->all_ops()[0].key), Value::integer(10));
  EXPECT_EQ(history->initial(history->all_ops()[1].key), Value::integer(20));
  EXPECT_EQ(history->status(TxnId::at(2)), TxnStatus::kAborted);
  EXPECT_EQ(history->status(TxnId::at(3)), TxnStatus::kIndeterminate);
  EXPECT_EQ(
      notes_of(*history),
      "the initial value of 2 accounts is not given; the value that was read there before "
      "anybody began to change it was taken as the initial one\n");
}

TEST(JepsenBanks, AreRefusedWhereNobodyKnowsWhatTheyBeginWith) {
  const std::string transfer = ended(":transfer", "{:from 0, :to 1, :amount 1}");
  const std::string read = ended(":read", "{0 9, 1 1}", ":ok", "nil");
  const auto refused = [](const std::string& log) {
    const auto history = edn(log);
    return !history.ok() &&
           history.error().message.find("nobody knows what the account begins with") !=
               std::string::npos;
  };
  EXPECT_TRUE(refused(transfer + read));
  EXPECT_FALSE(refused(ended(":read", "{0 10, 1 0}", ":ok", "nil") + transfer + read));
  // One that the first reads do not show; one that nobody else uses; no read.
  EXPECT_TRUE(refused(ended(":read", "{0 10}", ":ok", "nil") + transfer + read));
  EXPECT_FALSE(refused(read + transfer + ended(":read", "{5 5}", ":ok", "nil")));
  EXPECT_FALSE(refused(transfer));
  EXPECT_FALSE(refused(transfer + ended(":read", "nil", ":info")));
  // In vain, or under way.
  EXPECT_TRUE(refused(ended(":transfer", "{:from 0, :to 1, :amount 1}", ":fail") + read));
  EXPECT_TRUE(refused("{:type :invoke :f :read :process 100}" + transfer +
                      "{:type :ok :f :read :process 100 :value {0 10, 1 0}}"));
}

TEST(JepsenSums, AreRefusedWithTheLine) {
  const std::string transfer = "{:type :ok :f :transfer :value {:from 0, :to 1, :amount 5}}";
  expect_refused({
      {"counter of nil",
       "{:type :ok :f :add :value 1}\n{:type :ok :f :read :value 1}\n"
       "{:type :ok :f :read :value nil}",
       "h.edn:3: found 'nil'; expected an integer from -2^61"},
      {"counter of large numbers",
       "{:type :ok :f :add :value 2305843009213693952}\n{:type :ok :f :read :value 1}",
       "h.edn:1: found '2305843009213693952'; expected an integer from -2^61 to 2^61 - 1"},
      {"counter that says another number",
       "{:type :invoke :f :add :value 1}\n{:type :ok :f :add :value 2}\n"
       "{:type :ok :f :read :value 1}",
       "h.edn:2: found another :value than that of the invocation in line 1"},
      {"bank without order", transfer + "{:type :ok :f :read :value {0 1}}",
       "h.edn:1: found a bank in a log with a completion without :invoke"},
      {"balances", "{:type :ok :f :read :value {0 1}}", "h.edn:1: found a bank in a log with"},
      {"to itself", "{:type :ok :f :transfer :value {:from 0, :to 0, :amount 5}}",
       "h.edn:1: found '}'; expected a transfer between two accounts"},
      {"no amount", "{:type :ok :f :transfer :value {:from 0, :to 1}}",
       "h.edn:1: found '}'; expected {:from ACCOUNT, :to ACCOUNT, :amount NUMBER}"},
      {"a name without a value", "{:type :ok :f :transfer :value {:from 0, :to 1, 5}}",
       "h.edn:1: found '}'; expected {:from ACCOUNT, :to ACCOUNT, :amount NUMBER}"},
      {"no account", "{:type :ok :f :transfer :value {:from nil, :to 1, :amount 1}}",
       "h.edn:1: found 'nil'; expected an account"},
      {"least amount",
       "{:type :ok :f :transfer :value {:from 2, :to 1, :amount -2305843009213693952}}",
       "h.edn:1: found '-2305843009213693952'; expected an amount greater than -2^61"},
      {"balance twice", "{:type :ok :f :read :value {0 1, 0 2}}",
       "h.edn:1: found '0'; expected each account once in a read"},
      {"no balances", transfer + "{:type :ok :f :read :value nil}",
       "h.edn:1: found 'nil'; expected the balances that were read"},
      {"nil balance", "{:type :ok :f :read :value {0 nil}}",
       "h.edn:1: found 'nil'; expected an integer from -2^61"},
  });
}

TEST(JepsenBanks, TellOfSumsThatChange) {
  const std::string transfer = "{:type :ok :f :transfer :value {:from 0, :to 1, :amount 5}}\n";
  const std::string before = "{:type :ok :f :read :value {0 10, 1 10}}\n";
  const auto told = [](const std::string& text) {
    return edn(text).error().message.find("what can be told") != std::string::npos;
  };
  EXPECT_TRUE(told(transfer + before + "{:type :ok :f :read :value {1 15, 0 4}}"));
  EXPECT_NE(edn(transfer + before + "{:type :ok :f :read :value {1 15, 0 4}}")
                .error()
                .message.find("show the sums 20 (line 2) and 19 (line 3)"),
            std::string::npos);
  EXPECT_FALSE(told(transfer + before + "{:type :ok :f :read :value {1 15, 0 5}}"));
  // Not all accounts were read, or were in the other read.
  EXPECT_FALSE(told("{:type :info :f :transfer :value {:from 0, :to 2, :amount 5}}\n" + before +
                    "{:type :ok :f :read :value {1 15, 0 4}}"));
  EXPECT_FALSE(told(transfer + before + "{:type :ok :f :read :value {0 4}}"));
  EXPECT_FALSE(told(transfer + before + "{:type :fail :f :read :value {1 15, 0 4}}"));
  // Where they are known to begin with something it is a note.
  const auto history = edn(ended(":read", "{0 10, 1 10}", ":ok", "nil") +
                           ended(":transfer", "{:from 0, :to 1, :amount 5}") +
                           ended(":read", "{0 5, 1 14}", ":ok", "nil"));
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_NE(notes_of(*history).find("reads of all accounts show the sums 20 (line 1) and 19 "
                                    "(line 3), which neither serializability nor snapshot "
                                    "isolation allows\n"),
            std::string::npos);
}

/// A call of a counter, or of a bank of two accounts that begin with 10
/// and 0, and whether some order explains it. Numbers are those of a run in the order of the
/// ends, but for some.
struct SumCall {
  int by = 0;  // 0: a read
  int shown[2] = {0, 0};
  JepsenType end = JepsenType::kOk;
  int begin = 0;
  int finish = 1000;
};

bool explains(const std::vector<SumCall>& calls, unsigned done, int first, int second) {
  bool all = true;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const SumCall& call = calls[i];
    if ((done >> i & 1U) != 0) continue;
    all = all && call.end != JepsenType::kOk;
    if (call.end == JepsenType::kFail) continue;
    bool may_be_next = true;
    for (std::size_t j = 0; j < calls.size(); ++j) {
      const bool open = (done >> j & 1U) == 0 && calls[j].end == JepsenType::kOk;
      if (open && calls[j].finish < call.begin) may_be_next = false;
    }
    const bool fits = call.by != 0 || call.end != JepsenType::kOk ||
                      (call.shown[0] == first && call.shown[1] == second);
    if (!may_be_next || !fits) continue;
    if (explains(calls, done | 1U << i, first + call.by, second - call.by)) return true;
  }
  return all;
}

std::vector<SumCall> random_sums(base::Rng& rng, int first) {
  std::vector<SumCall> calls;
  std::optional<std::size_t> open[3];
  const std::size_t most = 1 + rng.below(5);
  int held = first;
  int line = 0;
  std::size_t left = most;
  while (left > 0) {
    const std::size_t process = rng.below(3);
    if (!open[process]) {
      if (calls.size() == most) continue;
      open[process] = calls.size();
      SumCall& call = calls.emplace_back();
      if (rng.chance(0.6)) call.by = static_cast<int>(rng.below(5)) - 2;
      call.begin = line++;
      continue;
    }
    SumCall& call = calls[*open[process]];
    const double fate = rng.unit();
    call.end = fate < 0.8   ? JepsenType::kOk
               : fate < 0.9 ? JepsenType::kFail
                            : JepsenType::kInfo;
    if (call.end != JepsenType::kFail) held += call.by;
    call.shown[0] = held + (rng.chance(0.2) ? 1 : 0);
    call.shown[1] = first - call.shown[0] + (rng.chance(0.05) ? 1 : 0);
    call.finish = line++;
    open[process].reset();
    --left;
  }
  return calls;
}

std::string log_of_sums(const std::vector<SumCall>& calls, bool bank) {
  constexpr const char* kTypes[] = {"invoke", "ok", "fail", "info"};
  std::string text =
      "{:type :invoke :f :read :process 99}{:type :ok :f :read :process 99 :value ";
  text += bank ? "{a 10 b 0}}\n" : "0}\n";
  for (int line = 0; line < 20; ++line) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const SumCall& call = calls[i];
      if (call.begin != line && call.finish != line) continue;
      const bool ends = call.finish == line;
      std::string value = "nil";
      if (call.by != 0) {
        value = bank ? "{:from b :to a :amount " + std::to_string(call.by) + "}"
                     : std::to_string(call.by);
      } else if (ends) {
        value = bank ? "{a " + std::to_string(call.shown[0]) + " b " +
                           std::to_string(call.shown[1]) + "}"
                     : std::to_string(call.shown[0]);
      }
      text += "{:process " + std::to_string(i) +
              " :type :" + kTypes[ends ? static_cast<int>(call.end) : 0] + " :f :" +
              (call.by == 0 ? "read"
               : bank       ? "transfer"
                            : "add") +
              " :value " + value + "}\n";
    }
  }
  return text;
}

/// The engine decides few violations of sums that are not known, so only what it decides is
/// compared, and that it decides is counted.
void compare_sums(bool bank) {
  const std::uint64_t cases = support::case_count(1500);
  base::Rng rng(support::run_seed());
  std::uint64_t holds = 0;
  std::uint64_t missed = 0;
  std::uint64_t told = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    std::vector<SumCall> calls = random_sums(rng, bank ? 10 : 0);
    if (!bank) {
      for (SumCall& call : calls) call.shown[1] = -call.shown[0];
    }
    const std::string log = log_of_sums(calls, bank);
    const auto history = edn(log);
    ASSERT_TRUE(history.ok()) << log << history.error().message;
    const bool explained = explains(calls, 0, bank ? 10 : 0, 0);
    const Verdict verdict = proved_verdict(*history, Level::kStrictSerializable);
    const std::string notes = notes_of(*history);
    if (explained) {
      EXPECT_NE(verdict, Verdict::kViolated) << log;
      EXPECT_EQ(notes.find("not allow"), std::string::npos) << log << notes;
      EXPECT_EQ(notes.find("neither"), std::string::npos) << log << notes;
      ++(verdict == Verdict::kHolds ? holds : missed);
    } else {
      EXPECT_NE(verdict, Verdict::kHolds) << log;
      told += verdict == Verdict::kViolated || notes.find("allow") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_EQ(missed, 0U);
  EXPECT_TRUE(support::met(holds, 3, cases));
  EXPECT_TRUE(support::met(told, 20, cases));
}

/// A bank of four accounts and five clients, whose operations take place between their ends.
std::string long_bank_log(base::Rng& rng) {
  struct Client {
    std::string told;  // what its operation says at its end; empty: it did not take place yet
    int from = 0, to = 0, amount = 0;
    bool runs = false;
  };
  int held[4] = {100, 0, 0, 0};
  const auto shown = [&held] {
    std::string text = "{";
    for (int i = 0; i < 4; ++i) text += std::to_string(i) + " " + std::to_string(held[i]) + " ";
    return text + "}";
  };
  std::string text =
      "{:type :invoke :f :read :process 9}{:type :ok :f :read :process 9 :value " + shown() +
      "}\n";
  Client clients[5];
  for (int step = 0; step < 600; ++step) {
    const std::size_t number = rng.below(5);
    Client& client = clients[number];
    const auto entry = [&](const std::string& type, const std::string& value) {
      text += "{:process " + std::to_string(number) + " :type :" + type +
              (client.amount == 0 ? " :f :read" : " :f :transfer") + " :value " + value + "}\n";
    };
    const auto transfer = [&client] {
      return "{:from " + std::to_string(client.from) + " :to " + std::to_string(client.to) +
             " :amount " + std::to_string(client.amount) + "}";
    };
    if (!client.runs) {
      client = {{}, static_cast<int>(rng.below(4)), 0, 0, true};
      client.to = (client.from + 1 + static_cast<int>(rng.below(3))) % 4;
      client.amount = rng.chance(0.5) ? 1 + static_cast<int>(rng.below(5)) : 0;
      entry("invoke", client.amount == 0 ? "nil" : transfer());
    } else if (client.told.empty()) {
      const bool fails = held[client.from] < client.amount;
      if (!fails) held[client.from] -= client.amount;
      if (!fails) held[client.to] += client.amount;
      client.told = client.amount == 0 ? shown() : fails ? "fail" : transfer();
    } else {
      const bool fails = client.told == "fail";
      entry(fails ? "fail" : "ok", fails ? "nil" : client.told);
      client.runs = false;
    }
  }
  return text;
}

// What explains one account's balances need not explain another's: the order is one of
// transfers.
TEST(JepsenBanks, OfManyTransfersAreExplained) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    base::Rng rng(seed);
    const std::string log = long_bank_log(rng);
    const auto history = edn(log);
    ASSERT_TRUE(history.ok()) << log << history.error().message;
    EXPECT_EQ(proved_verdict(*history, Level::kStrictSerializable), Verdict::kHolds) << seed;
  }
}

TEST(JepsenCounters, AreStrictSerializableWhereAnOrderExplainsThem) { compare_sums(false); }

TEST(JepsenBanks, AreStrictSerializableWhereAnOrderExplainsThem) { compare_sums(true); }

}  // namespace
}  // namespace isolde::io
