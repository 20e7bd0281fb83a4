// Goal: rounds never say what a check of the whole does not say, and what they settle is a
// witness of the whole. Method: simulated and random histories, cut into parts at random; the
// order that was settled against the verifier, the violation against the verifier, both against
// check() of the whole. How often rounds say `unknown` is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "certify/segment_replay.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "prop/stream_judge.hpp"
#include "sim/simulate.hpp"
#include "stream/restriction.hpp"
#include "stream/rounds.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using stream::Rounds;
using stream::TxnNumber;

/// `workload`: its name; empty: some of those with registers.
void expect_agreement_on_simulated(std::uint64_t cases, std::string_view workload) {
  Counts counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    const sim::SimulationOptions simulation = random_simulation(rng, workload);
    const Result<History> whole = sim::simulate(simulation);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    std::deque<Part> parts;
    const Status made = sim::simulate_in_parts(
        simulation, 1 + rng.below(40), [&](const History& part, std::int64_t open_since, bool) {
          parts.push_back({part, open_since});
          return ok_status();
        });
    ASSERT_TRUE(made.ok()) << made.error().message;
    stream::RoundsOptions options;
    options.level = random_level(rng);
    options.clock_error_ns = 2 * simulation.clock_error_ns;
    options.left_open = rng.below(40);
    options.kept_ops = rng.below(400);
    ASSERT_EQ(complaint(*whole, parts, options, counts), "")
        << "case " << i << ", fault " << sim::info(simulation.fault).name;
  }
  counts.print(workload.empty() ? "simulated" : "simulated lists");
  EXPECT_TRUE(support::met(counts.holds, 4, cases));
  EXPECT_TRUE(support::met(counts.violated, workload.empty() ? 20 : 100, cases));
}

TEST(Stream, AgreesWithACheckOfTheWholeOnSimulatedHistories) {
  expect_agreement_on_simulated(support::case_count(1000), {});
}

TEST(Stream, AgreesWithACheckOfTheWholeOnSimulatedLists) {
  expect_agreement_on_simulated(support::case_count(400), "list-append");
}

void expect_agreement_on_random(std::uint64_t cases, bool has_lists) {
  Counts counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    support::RandomHistoryOptions random = support::random_options(rng);
    random.txn_count = 3 + rng.below(8);
    random.times = support::TimeSource::kExecution;
    random.list_share = !has_lists ? 0 : rng.chance(0.7) ? 1.0 : 0.5;
    if (rng.chance(0.3)) random.duplicate_share = 0.2;
    const support::PlainHistory plain = support::random_history(rng, random);
    const History whole = support::build(plain);
    if (!whole.has_times()) continue;
    const std::deque<Part> parts = cut(whole, rng);
    stream::RoundsOptions options;
    options.level = random_level(rng);
    options.left_open = rng.below(6);
    if (rng.chance(0.5)) options.clock_error_ns = static_cast<std::int64_t>(rng.below(30));
    options.verifies = rng.chance(0.5);
    options.kept_ops = rng.below(20);
    ASSERT_EQ(complaint(whole, parts, options, counts), "") << "case " << i << "\n"
                                                            << support::to_text(plain);
  }
  counts.print(has_lists ? "random lists" : "random");
  EXPECT_TRUE(support::met(counts.holds, 10, cases));
  EXPECT_TRUE(support::met(counts.violated, 10, cases));
}

TEST(Stream, AgreesWithACheckOfTheWholeOnRandomHistories) {
  expect_agreement_on_random(support::case_count(5000), false);
}

TEST(Stream, AgreesWithACheckOfTheWholeOnRandomLists) {
  expect_agreement_on_random(support::case_count(5000), true);
}

void expect_agreement_on_unknown_contents(std::uint64_t cases, bool has_lists) {
  Counts counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    support::RandomHistoryOptions random = support::random_options(rng);
    random.txn_count = 3 + rng.below(8);
    random.times = support::TimeSource::kExecution;
    random.list_share = !has_lists ? 0 : rng.chance(0.7) ? 1.0 : 0.5;
    random.key_count = 1 + rng.below(has_lists ? 2 : 3);
    random.start_share = rng.chance(0.8) ? 0.7 : 0;
    if (rng.chance(0.3)) random.duplicate_share = 0.2;
    support::PlainHistory plain = support::random_history(rng, random);
    std::erase_if(plain.start, [&](const support::PlainOp&) { return rng.chance(0.8); });
    const History whole = support::build(plain);
    if (!whole.has_times()) continue;
    const std::deque<Part> parts = cut(whole, rng);
    stream::RoundsOptions options;
    options.initial_is_unknown = true;
    options.level = random_level(rng);
    options.left_open = rng.below(6);
    if (rng.chance(0.5)) options.clock_error_ns = static_cast<std::int64_t>(rng.below(30));
    options.verifies = rng.chance(0.5);
    options.kept_ops = rng.below(20);
    ASSERT_EQ(complaint(whole, parts, options, counts), "") << "case " << i << "\n"
                                                            << support::to_text(plain);
  }
  counts.print(has_lists ? "unknown initial contents, lists" : "unknown initial contents");
  EXPECT_TRUE(support::met(counts.holds, 10, cases));
  EXPECT_TRUE(support::met(counts.violated, 100, cases));
}

TEST(Stream, WhatHoldsForSomeInitialContentsHoldsAndWhatIsViolatedIsForAll) {
  expect_agreement_on_unknown_contents(support::case_count(2000), false);
}

TEST(Stream, WhatHoldsForSomeBeginningsOfListsHoldsAndWhatIsViolatedIsForAll) {
  expect_agreement_on_unknown_contents(support::case_count(2000), true);
}

/// Verdict and reason. `forgotten`: gets how many were.
std::string outcome(const std::deque<Part>& parts, const stream::RoundsOptions& options,
                    std::uint64_t* forgotten = nullptr) {
  base::Budget budget;
  Rounds rounds(options, budget);
  std::size_t taken = 0;
  rounds.reread = [&](const stream::Visit& visit) {
    TxnNumber first = 0;
    for (std::size_t i = 0; i < taken; ++i) {
      visit(parts[i].history, first);
      first += parts[i].history.txn_count();
    }
    return ok_status();
  };
  for (const Part& part : parts) {
    ++taken;
    rounds.take(History(part.history), part.open_since);
  }
  rounds.finish();
  if (forgotten != nullptr) *forgotten = rounds.forgotten_count();
  return std::string(name(rounds.verdict())) + ": " + rounds.reason();
}

/// A correct store's, or one with a fault, with many transactions of unknown outcome.
std::deque<Part> simulated_parts(base::Rng& rng, History& whole, std::int64_t& clock_error_ns) {
  sim::SimulationOptions simulation = random_simulation(rng);
  simulation.lost_reply_rate = rng.chance(0.5) ? 0.2 : 0.01;
  clock_error_ns = 2 * simulation.clock_error_ns;
  Result<History> simulated = sim::simulate(simulation);
  EXPECT_TRUE(simulated.ok());
  whole = std::move(simulated).value();
  std::deque<Part> parts;
  const Status made = sim::simulate_in_parts(
      simulation, 1 + rng.below(40), [&](const History& part, std::int64_t open_since, bool) {
        parts.push_back({part, open_since});
        return ok_status();
      });
  EXPECT_TRUE(made.ok());
  return parts;
}

TEST(Stream, TransactionsOfUnknownOutcomeMayBeKeptApart) {
  const std::uint64_t cases = support::case_count(1500);
  Counts counts;
  std::uint64_t others = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    stream::RoundsOptions options;
    History whole;
    std::deque<Part> parts;
    if (rng.chance(0.4)) {
      parts = simulated_parts(rng, whole, options.clock_error_ns);
    } else {
      support::RandomHistoryOptions random = support::random_options(rng);
      random.txn_count = 3 + rng.below(14);
      random.times = support::TimeSource::kExecution;
      random.list_share = 0;
      random.indeterminate_share = rng.chance(0.5) ? 0.2 : 0.5;
      if (rng.chance(0.3)) random.duplicate_share = 0.2;
      whole = support::build(support::random_history(rng, random));
      if (!whole.has_times()) continue;
      parts = cut(whole, rng);
    }
    options.level = random_level(rng);
    options.left_open = rng.below(6);
    options.kept_ops = rng.below(200);
    ASSERT_EQ(complaint(whole, parts, options, counts), "") << "case " << i;
    stream::RoundsOptions together = options;
    together.keeps_apart = false;
    const std::string one = outcome(parts, options);
    const std::string other = outcome(parts, together);
    if (one == other) continue;
    ++others;
    const bool is_unknown = one.starts_with("unknown") || other.starts_with("unknown");
    ASSERT_TRUE(is_unknown) << "case " << i << ": " << one << " or " << other;
  }
  counts.print("unknown outcomes");
  EXPECT_LT(others, 5 + cases / 50);
  std::printf("%llu end otherwise with all together\n", Counts::number(others));
  EXPECT_TRUE(support::met(counts.holds, 10, cases));
  EXPECT_TRUE(support::met(counts.violated, 20, cases));
}

/// Lists or registers, of which many transactions have an unknown outcome.
std::deque<Part> random_parts(base::Rng& rng, History& whole) {
  support::RandomHistoryOptions random = support::random_options(rng);
  random.txn_count = 3 + rng.below(14);
  random.times = support::TimeSource::kExecution;
  random.list_share = rng.chance(0.5) ? 0 : rng.chance(0.5) ? 1.0 : 0.5;
  random.indeterminate_share = rng.chance(0.5) ? 0.2 : 0.5;
  if (rng.chance(0.3)) random.duplicate_share = 0.2;
  whole = support::build(support::random_history(rng, random));
  return cut(whole, rng);
}

/// The longest that a transaction took whose times are known.
std::int64_t longest(const History& whole) {
  std::int64_t most = 0;
  for (std::size_t t = 0; t < whole.txn_count(); ++t) {
    const TxnTimes times = whole.times(TxnId::at(t));
    if (times.start == kNoTime || times.end == kNoTime) continue;
    most = std::max(most, times.end - times.start);
  }
  return most;
}

TEST(Stream, NoVerdictRestsOnWhenTransactionsAreSaidToTakeEffect) {
  const std::uint64_t cases = support::case_count(2500);
  Counts counts;
  std::uint64_t forgetful = 0;
  std::uint64_t others = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    stream::RoundsOptions options;
    History whole;
    const bool is_simulated = rng.chance(0.3);
    const std::deque<Part> parts = is_simulated
                                       ? simulated_parts(rng, whole, options.clock_error_ns)
                                       : random_parts(rng, whole);
    if (!whole.has_times()) continue;
    options.level = random_level(rng);
    options.left_open = rng.below(6);
    options.kept_ops = rng.below(200);
    if (!is_simulated && rng.chance(0.3)) {
      options.clock_error_ns = static_cast<std::int64_t>(rng.below(30));
    }
    const std::string kept = outcome(parts, options);
    const auto most = static_cast<std::uint64_t>(longest(whole));
    options.takes_effect_within_ns = static_cast<std::int64_t>(rng.below(1 + most));
    ASSERT_EQ(complaint(whole, parts, options, counts), "") << "case " << i;
    std::uint64_t forgotten = 0;
    const std::string forgot = outcome(parts, options, &forgotten);
    forgetful += forgotten > 0 ? 1 : 0;
    if (kept == forgot) continue;
    ++others;
    ASSERT_TRUE(kept.starts_with("unknown") || forgot.starts_with("unknown"))
        << "case " << i << ": " << kept << " or " << forgot;
  }
  counts.print("deadlines");
  std::printf("%llu end otherwise with all kept, %llu forgot somebody\n",
              Counts::number(others), Counts::number(forgetful));
  EXPECT_TRUE(support::met(forgetful, 4, cases));
  EXPECT_TRUE(support::met(counts.holds, 10, cases));
  EXPECT_TRUE(support::met(counts.violated, 20, cases));
}

TEST(Stream, ToForgetCostsNothingWhereTransactionsTakeEffectInTime) {
  const std::uint64_t cases = support::case_count(300);
  std::uint64_t forgotten = 0;
  std::uint64_t decided = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    stream::RoundsOptions options;
    History whole;
    const std::deque<Part> parts = simulated_parts(rng, whole, options.clock_error_ns);
    options.level = random_level(rng);
    options.left_open = rng.below(6);
    const auto verdict = [](const std::string& outcome) {
      return outcome.substr(0, outcome.find(':'));
    };
    const std::string kept = verdict(outcome(parts, options));
    // A reply is lost when the transaction has had its effect.
    options.takes_effect_within_ns = 2 * longest(whole);
    std::uint64_t these = 0;
    ASSERT_EQ(verdict(outcome(parts, options, &these)), kept) << "case " << i;
    forgotten += these;
    decided += kept == "unknown" ? 0 : 1;
  }
  std::printf("%llu forgotten, %llu decided\n", Counts::number(forgotten),
              Counts::number(decided));
  EXPECT_GT(forgotten, cases);
  EXPECT_TRUE(support::met(decided, 2, cases));
}

/// The history without the first transactions of that order: what somebody records who comes
/// later.
History without_first(const History& whole, const std::vector<TxnId>& order,
                      std::size_t count) {
  std::vector<bool> is_missing(whole.txn_count());
  for (std::size_t i = 0; i < count; ++i) is_missing[order[i].raw()] = true;
  stream::Joiner joiner;
  joiner.add(
      whole, 0, [&](std::size_t i) { return !is_missing[i]; }, stream::kEnterNothing);
  Result<History> rest = joiner.finish();
  EXPECT_TRUE(rest.ok()) << rest.error().message;
  return std::move(rest).value();
}

void expect_that_it_may_begin_in_use(std::uint64_t cases, std::string_view workload) {
  std::uint64_t holds = 0;
  std::uint64_t violated = 0;
  std::uint64_t unknown = 0;
  std::uint64_t by_contents = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    const sim::SimulationOptions simulation = random_simulation(rng, workload);
    const Result<History> whole = sim::simulate(simulation);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    CheckOptions checking;
    checking.levels = {Level::kStrictSerializable};
    checking.clock_error_ns = 2 * simulation.clock_error_ns;
    base::Budget budget;
    CheckReport report = check(*whole, checking, budget);
    const LevelReport& level = report.levels.front();
    const auto* const witness = level.verdict == Verdict::kHolds
                                    ? std::get_if<Witness>(&report.proofs[level.proof])
                                    : nullptr;
    const History rest =
        witness == nullptr
            ? *whole
            : without_first(*whole, witness->order, rng.below(witness->order.size() / 2 + 1));
    const std::deque<Part> parts = cut(rest, rng);
    stream::RoundsOptions options;
    options.initial_is_unknown = true;
    options.clock_error_ns = checking.clock_error_ns;
    options.left_open = rng.below(40);
    options.kept_ops = rng.below(400);
    Rounds rounds(options, budget);
    certify::SegmentReplay replay(order_level(options), options.clock_error_ns, true);
    std::string objected;
    rounds.on_settled = [&](std::span<const TxnNumber> order, std::uint64_t sum) {
      if (objected.empty()) objected = replay.place(order);
      if (objected.empty() && replay.state() != sum) objected = "the states differ";
    };
    std::size_t taken = 0;
    rounds.reread = reread_of(parts, taken);
    for (const Part& part : parts) {
      ++taken;
      if (objected.empty()) objected = replay.take(part.history);
      rounds.take(History(part.history), part.open_since);
    }
    rounds.finish();
    ASSERT_EQ(objected, "") << "case " << i;
    if (rounds.verdict() == Verdict::kHolds) {
      ++holds;
      ASSERT_EQ(replay.finish(), "") << "case " << i;
      // What a fault made may have been there at the start, as far as anybody can tell.
      by_contents += level.verdict == Verdict::kHolds ? 0 : 1;
    } else if (rounds.verdict() == Verdict::kViolated) {
      ++violated;
      ASSERT_EQ(level.verdict, Verdict::kViolated) << "case " << i;
    } else {
      ++unknown;
    }
  }
  std::printf("in use: %llu hold, %llu violated, %llu unknown\n", Counts::number(holds),
              Counts::number(violated), Counts::number(unknown));
  EXPECT_TRUE(support::met(holds, 4, cases));
  EXPECT_LE(by_contents, cases / 50);
  EXPECT_TRUE(support::met(violated, 40, cases));
}

TEST(Stream, AHistoryMayBeginInADatabaseInUse) {
  expect_that_it_may_begin_in_use(support::case_count(600), {});
}

TEST(Stream, AHistoryOfListsMayBeginInADatabaseInUse) {
  expect_that_it_may_begin_in_use(support::case_count(600), "list-append");
}

/// What somebody records of the history who does not see some sessions, or comes later.
History as_recorded(const History& whole, base::Rng& rng) {
  std::vector<bool> is_missing(whole.session_count());
  if (rng.chance(0.7)) is_missing[rng.below(is_missing.size())] = true;
  std::int64_t begin = kNoTime;
  if (rng.chance(0.5)) begin = whole.times(TxnId::at(rng.below(whole.txn_count()))).start;
  stream::Joiner joiner;
  joiner.add(
      whole, 0,
      [&](std::size_t i) {
        const TxnId txn = TxnId::at(i);
        return !is_missing[whole.session_of(txn).raw()] && whole.times(txn).start >= begin;
      },
      stream::kEnterNothing);
  Result<History> rest = joiner.finish();
  EXPECT_TRUE(rest.ok()) << rest.error().message;
  return std::move(rest).value();
}

/// What is wrong with what rounds say of parts of the history, of which some writers are not
/// recorded; empty: nothing.
std::string complaint_of_incomplete(const History& whole, const std::deque<Part>& parts,
                                    const stream::RoundsOptions& options, bool can_reread,
                                    Counts& counts, std::uint64_t& incomplete) {
  base::Budget budget;
  Rounds rounds(options, budget);
  Orders orders;
  rounds.on_settled = [&](std::span<const TxnNumber> order, std::uint64_t) {
    orders.emplace_back(order.begin(), order.end());
  };
  std::size_t taken = 0;
  const auto reread = reread_of(parts, taken);
  if (can_reread) rounds.reread = reread;
  for (const Part& part : parts) {
    ++taken;
    rounds.take(History(part.history), part.open_since);
  }
  rounds.finish();
  if (can_reread) {
    std::string restarted = complaint_of_restarts(parts, options, rounds, orders);
    if (!restarted.empty()) return restarted;
  }
  stream::RoundsOptions of_whole = options;
  of_whole.initial_is_unknown = false;
  const Verdict truth = verdict_of(whole, of_whole);
  incomplete += rounds.incomplete_keys().empty() ? 0 : 1;
  if (rounds.verdict() == Verdict::kViolated) {
    ++counts.violated;
    return truth == Verdict::kViolated ? "" : "the whole holds";
  }
  if (rounds.verdict() == Verdict::kUnknown) {
    ++(truth == Verdict::kHolds ? counts.unknown_of_holds : counts.unknown_of_violated);
    return "";
  }
  ++counts.holds;
  // The order is one of all that was recorded of the other keys.
  std::set<std::string> left_out;
  for (const stream::IncompleteKey& key : rounds.incomplete_keys()) left_out.insert(key.name);
  certify::SegmentReplay replay(order_level(options), options.clock_error_ns,
                                options.initial_is_unknown);
  for (const Part& part : parts) {
    Result<History> rest = stream::restricted(
        part.history, [&](KeyId key) { return !left_out.contains(part.history.text(key)); });
    if (!rest) return rest.error().message;
    if (std::string what = replay.take(std::move(rest).value()); !what.empty()) return what;
  }
  for (const std::vector<TxnNumber>& order : orders) {
    if (std::string what = replay.place(order); !what.empty()) return what;
  }
  return replay.finish();
}

void expect_that_writers_may_be_missing(std::uint64_t cases, std::string_view workload) {
  Counts counts;
  std::uint64_t incomplete = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    const sim::SimulationOptions simulation = random_simulation(rng, workload);
    const Result<History> whole = sim::simulate(simulation);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    const History recorded = as_recorded(*whole, rng);
    const std::deque<Part> parts = cut(recorded, rng);
    stream::RoundsOptions options;
    options.is_incomplete = true;
    options.initial_is_unknown = rng.chance(0.5);
    options.clock_error_ns = 2 * simulation.clock_error_ns;
    options.left_open = rng.below(40);
    options.kept_ops = rng.below(400);
    ASSERT_EQ(
        complaint_of_incomplete(*whole, parts, options, rng.chance(0.8), counts, incomplete),
        "")
        << "case " << i << ", fault " << sim::info(simulation.fault).name;
  }
  counts.print("not all recorded");
  std::printf("%llu with incomplete keys\n", Counts::number(incomplete));
  EXPECT_TRUE(support::met(counts.holds, 4, cases));
  EXPECT_TRUE(support::met(counts.violated, 100, cases));
  EXPECT_TRUE(support::met(incomplete, 4, cases));
}

TEST(Stream, SaysOfRecordedKeysAloneWhatHoldsWhereWritersAreMissing) {
  expect_that_writers_may_be_missing(support::case_count(800), {});
}

TEST(Stream, SaysOfRecordedListsAloneWhatHoldsWhereWritersAreMissing) {
  expect_that_writers_may_be_missing(support::case_count(800), "list-append");
}

}  // namespace
}  // namespace isolde::prop
