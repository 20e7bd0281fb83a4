// Goal: reading a key-value log with appends as registers changes no verdict. Method: small
// random logs of one key, decided from the definition (some order of the operations, each one
// acting on a string) and by the reader with the engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "base/rng.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "io/reader.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

enum class Function { kGet, kPut, kAppend };
enum class Outcome { kOk, kFail, kInfo };

struct Operation {
  Function function = Function::kGet;
  Outcome outcome = Outcome::kOk;
  std::string text;  // put or appended; or returned, for a get
  int start = 0;
  int end = 0;
};

using Log = std::vector<Operation>;

/// Whether some order of what happened, and of some of what may have, explains what was seen.
/// `done` and `state` say what is in the order already.
bool is_linearizable(const Log& log, std::vector<bool>& done, const std::string& state) {
  bool complete = true;
  int first_end = 1'000'000;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (done[i] || log[i].outcome != Outcome::kOk) continue;
    complete = false;
    first_end = std::min(first_end, log[i].end);
  }
  if (complete) return true;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Operation& next = log[i];
    if (done[i] || next.outcome == Outcome::kFail || next.start > first_end) continue;
    const bool is_get = next.function == Function::kGet;
    if (is_get && next.outcome == Outcome::kOk && next.text != state) continue;
    done[i] = true;
    const std::string after = is_get                            ? state
                              : next.function == Function::kPut ? next.text
                                                                : state + next.text;
    const bool found = is_linearizable(log, done, after);
    done[i] = false;
    if (found) return true;
  }
  return false;
}

/// A string that works, seen by clients; some of what they see is wrong.
Log random_log(base::Rng& rng) {
  Log log;
  std::string state;
  std::vector<std::string> states = {state};
  const std::size_t count = 2 + rng.below(6);
  const std::size_t length = 1 + rng.below(2);
  const double repeats = rng.chance(0.5) ? 0.02 : 0.4;
  // Few letters and many puts, so that the same string is there several times.
  const bool recurs = rng.chance(0.2);
  const int overlap = 1 + static_cast<int>(rng.below(40));
  for (std::size_t i = 0; i < count; ++i) {
    Operation& operation = log.emplace_back();
    const int point = 1000 + static_cast<int>(i) * 20;
    operation.start =
        2 * (point - static_cast<int>(rng.below(static_cast<std::uint64_t>(overlap))));
    operation.end =
        2 * (point + static_cast<int>(rng.below(static_cast<std::uint64_t>(overlap)))) + 1;
    const std::uint64_t kind = rng.below(10);
    operation.function = kind < 5                    ? Function::kGet
                         : kind < (recurs ? 7U : 9U) ? Function::kAppend
                                                     : Function::kPut;
    if (rng.chance(0.1)) operation.outcome = Outcome::kFail;
    if (rng.chance(0.15)) operation.outcome = Outcome::kInfo;
    if (operation.function == Function::kGet) {
      operation.text = rng.chance(0.1) ? states[rng.below(states.size())] : state;
      if (rng.chance(0.05) && operation.text.size() > 1) operation.text.erase(0, 1);
      if (rng.chance(0.05)) std::reverse(operation.text.begin(), operation.text.end());
      if (rng.chance(0.02)) operation.text += operation.text;
      continue;
    }
    // Now and then a value that was there before; one in ten appends adds nothing.
    std::uint64_t letter = rng.chance(repeats) ? rng.below(i + 1) : i;
    if (recurs) letter = operation.function == Function::kPut ? 0 : 1 + rng.below(2);
    operation.text.assign(length, static_cast<char>('a' + letter));
    if (length > 1 && rng.chance(0.3)) operation.text[1] = '?';
    const bool is_append = operation.function == Function::kAppend;
    if (is_append && rng.chance(0.1)) operation.text.clear();
    const bool effect = operation.outcome == Outcome::kOk || rng.chance(0.3);
    if (effect) state = is_append ? state + operation.text : operation.text;
    states.push_back(state);
  }
  return log;
}

std::string text_of(const Log& log) {
  struct Event {
    int at;
    std::string line;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Operation& operation = log[i];
    const char* const function = operation.function == Function::kGet   ? "get"
                                 : operation.function == Function::kPut ? "put"
                                                                        : "append";
    const auto add = [&](int at, const char* type, const std::string& value) {
      events.push_back({at, "{:process " + std::to_string(i) + ", :type :" + type +
                                ", :f :" + function + ", :key \"k\", :value " + value + "}\n"});
    };
    const std::string value = "\"" + operation.text + "\"";
    add(operation.start, "invoke", operation.function == Function::kGet ? "nil" : value);
    if (operation.outcome == Outcome::kInfo) continue;
    add(operation.end, operation.outcome == Outcome::kOk ? "ok" : "fail", value);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.at < b.at; });
  std::string text;
  for (const Event& event : events) text += event.line;
  return text;
}

Result<History> read(const std::string& text) {
  io::Inputs inputs;
  inputs.name = "log";
  inputs.files.push_back(io::Input::padded("log", text));
  base::Budget budget;
  return io::find_format("porcupine-kv")->read(inputs, budget);
}

TEST(StringLogs, RegistersHaveTheirVerdict) {
  std::uint64_t held = 0, violated = 0, refused = 0;
  for (std::uint64_t i = 0; i < support::case_count(20'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{74} << 32) + i);
    base::Rng rng(seed);
    const Log log = random_log(rng);
    const std::string text = text_of(log);
    const Result<History> history = read(text);
    if (!history.ok()) {
      ASSERT_NE(history.error().message.find("supported"), std::string::npos)
          << history.error().message;
      ++refused;
      continue;
    }
    CheckOptions options;
    options.levels = {Level::kLinearizable};
    base::Budget budget;
    const CheckReport report = check(*history, options, budget);
    const LevelReport& level = report.levels.at(0);
    std::vector<bool> done(log.size(), false);
    const bool holds = is_linearizable(log, done, "");
    ASSERT_EQ(name(level.verdict), holds ? "holds" : "violated") << "seed " << seed << "\n"
                                                                 << level.reason << "\n"
                                                                 << text;
    const Certificate certificate{Level::kLinearizable, history->digest(), 0,
                                  report.proofs.at(level.proof)};
    const certify::VerifyResult verified = certify::verify(*history, certificate);
    ASSERT_TRUE(verified.proves) << verified.reason << "\nseed " << seed << "\n" << text;
    ++(holds ? held : violated);
  }
  EXPECT_GT(held, 0U);
  EXPECT_GT(violated, 0U);
  std::printf("%llu held, %llu violated, %llu refused\n", static_cast<unsigned long long>(held),
              static_cast<unsigned long long>(violated),
              static_cast<unsigned long long>(refused));
}

}  // namespace
}  // namespace isolde::prop
