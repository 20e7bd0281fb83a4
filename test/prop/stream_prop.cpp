// Goal: rounds never say what a check of the whole does not say, and what they settle is a
// witness of the whole. Method: simulated and random histories, cut into parts at random; the
// order that was settled against the verifier, the violation against the verifier, both against
// check() of the whole. How often rounds say `unknown` is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "certify/certificate_io.hpp"
#include "certify/segment_replay.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "history/copier.hpp"
#include "io/native.hpp"
#include "io/sink.hpp"
#include "prop/stream_parts.hpp"
#include "sim/simulate.hpp"
#include "stream/checkpoint.hpp"
#include "stream/gatherer.hpp"
#include "stream/restriction.hpp"
#include "stream/rounds.hpp"
#include "stream/source.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::prop {
namespace {

using stream::Rounds;
using stream::TxnNumber;

struct ForgedOrders {
  std::uint64_t proved = 0;
  std::uint64_t refused = 0;
};

struct Counts {
  std::uint64_t holds = 0;
  std::uint64_t violated = 0;
  std::uint64_t unknown_of_holds = 0;
  std::uint64_t unknown_of_violated = 0;
  ForgedOrders forgeries;

  void print(const char* of) const {
    std::printf("%s: %llu hold, %llu violated, unknown: %llu that hold, %llu violated\n", of,
                number(holds), number(violated), number(unknown_of_holds),
                number(unknown_of_violated));
    std::printf("other orders: %llu proved, %llu refused by both verifiers\n",
                number(forgeries.proved), number(forgeries.refused));
  }
  static unsigned long long number(std::uint64_t count) { return count; }
};

Level order_level(const stream::RoundsOptions& options) {
  return stream::level_of_rounds(options.level).value();
}

int mentions_at(const stream::RoundsOptions& options) {
  return order_level(options) == Level::kStrictSerializable ? 1 : 2;
}

Verdict verdict_at(const History& whole, const stream::RoundsOptions& rounds) {
  CheckOptions options;
  options.levels = {rounds.level};
  options.clock_error_ns = rounds.clock_error_ns;
  base::Budget budget;
  return check(whole, options, budget).levels.front().verdict;
}

/// The history for each choice of what the keys of which it tells nothing held at the start:
/// nothing, or some value that is read of it. What nobody reads is as good as nothing, unless
/// somebody reads that; then it explains less.
std::vector<History> with_each_start(const History& whole) {
  const support::PlainHistory plain = support::to_plain(whole);
  std::map<std::string, std::vector<std::string>> values;
  for (const support::PlainTxn& txn : plain) {
    for (const support::PlainOp& op : txn.ops) {
      if (op.kind != OpKind::kRead || op.value.empty()) continue;
      std::vector<std::string>& known = values[op.key];
      if (std::ranges::find(known, op.value) == known.end()) known.push_back(op.value);
    }
  }
  for (const support::PlainOp& told : plain.start) values.erase(told.key);
  std::vector<support::PlainHistory> all{plain};
  for (const auto& [key, each] : values) {
    for (std::size_t i = all.size(); i > 0; --i) {
      for (const std::string& value : each) {
        all.push_back(all[i - 1]);
        all.back().start.push_back({OpKind::kWrite, key, value, {}});
      }
    }
  }
  std::vector<History> built;
  for (const support::PlainHistory& each : all) built.push_back(support::build(each));
  return built;
}

/// Of the history if it tells what keys held at the start, or else for some choice of that.
Verdict verdict_of(const History& whole, const stream::RoundsOptions& options) {
  if (!options.initial_is_unknown) return verdict_at(whole, options);
  Verdict best = Verdict::kViolated;
  for (const History& each : with_each_start(whole)) {
    const Verdict verdict = verdict_at(each, options);
    if (verdict == Verdict::kHolds) return verdict;
    if (verdict == Verdict::kUnknown) best = verdict;
  }
  return best;
}

/// Why the order is no witness of the history, for any choice of what is not told; empty: it
/// is.
std::string objection(const History& whole, const Witness& witness,
                      const stream::RoundsOptions& options) {
  std::string reason;
  const auto proves = [&](const History& history) {
    const Certificate certificate{order_level(options), history.digest(),
                                  options.clock_error_ns, witness};
    const certify::VerifyResult verified = certify::verify(history, certificate);
    if (!verified.proves) reason = verified.reason;
    return verified.proves;
  };
  if (!options.initial_is_unknown) return proves(whole) ? "" : reason;
  return std::ranges::any_of(with_each_start(whole), proves) ? "" : reason;
}

/// A verifier that takes parts and orders as they come, against the one that takes the whole.
std::string objection(const std::deque<Part>& parts, const Witness& witness,
                      const stream::RoundsOptions& options) {
  certify::SegmentReplay replay(order_level(options), options.clock_error_ns,
                                options.initial_is_unknown);
  std::string objection;
  for (const Part& part : parts) {
    if (objection.empty()) objection = replay.take(part.history);
  }
  for (const TxnId txn : witness.order) {
    const std::uint64_t number = txn.raw();
    if (objection.empty()) objection = replay.place({&number, 1});
  }
  return objection.empty() ? replay.finish() : objection;
}

Witness forged(Witness witness, std::size_t txn_count, base::Rng& rng) {
  std::vector<TxnId>& order = witness.order;
  if (order.empty() || rng.chance(0.1)) return witness;
  for (std::size_t changes = 1 + rng.below(2); changes > 0 && !order.empty(); --changes) {
    const std::size_t at = rng.below(order.size());
    switch (rng.below(4)) {
      case 0:
        std::swap(order[at], order[rng.below(order.size())]);
        break;
      case 1:
        std::swap(order[at], order[std::min(at + 1, order.size() - 1)]);
        break;
      case 2:
        order[at] = TxnId::at(rng.below(txn_count));
        break;
      default:
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
        break;
    }
  }
  return witness;
}

/// Whether both verifiers of an order say the same of it and of others like it.
std::string disagreement(const History& whole, const std::deque<Part>& parts,
                         const Witness& witness, const stream::RoundsOptions& options,
                         ForgedOrders& forgeries) {
  base::Rng rng(whole.digest());
  for (int i = 0; i < 8; ++i) {
    const Witness other = forged(witness, whole.txn_count(), rng);
    const std::string reason = objection(whole, other, options);
    const std::string found = objection(parts, other, options);
    ++(reason.empty() ? forgeries.proved : forgeries.refused);
    if (reason.empty() == found.empty()) continue;
    // With one choice of initial contents somebody was read from, with another not, who may
    // have taken effect all the same.
    if (options.initial_is_unknown && reason.ends_with("did not take effect")) continue;
    return "one verifier says '" + reason + "', the other '" + found + "'";
  }
  return "";
}

/// Half of the time a level whose own order rounds look for.
Level random_level(base::Rng& rng) {
  constexpr std::array kOwn{Level::kStrictSerializable, Level::kStrongSnapshotIsolation,
                            Level::kStrongPrefixConsistency};
  if (rng.chance(0.5)) return kOwn[rng.below(kOwn.size())];
  while (true) {
    const Level level = all_levels()[rng.below(all_levels().size())].level;
    if (stream::level_of_rounds(level)) return level;
  }
}

using Orders = std::vector<std::vector<TxnNumber>>;

/// The same rounds in processes that end after some parts and leave a checkpoint.
std::string complaint_of_restarts(const std::deque<Part>& parts,
                                  const stream::RoundsOptions& options, const Rounds& whole,
                                  const Orders& orders) {
  base::Rng rng(parts.size() + whole.txn_count());
  // Writing takes much longer than a round of so few.
  const double stays = rng.chance(0.7) ? 1.0 : 0.9;
  base::Budget budget;
  Orders settled;
  const auto note = [&](std::span<const TxnNumber> order, std::uint64_t) {
    settled.emplace_back(order.begin(), order.end());
  };
  std::size_t taken = 0;
  const auto reread = reread_of(parts, taken);
  std::optional<Rounds> rounds;
  const auto begin = [&] {
    rounds.emplace(options, budget);
    rounds->on_settled = note;
    rounds->reread = reread;
  };
  begin();
  for (const Part& part : parts) {
    ++taken;
    rounds->take(History(part.history), part.open_since);
    if (rounds->verdict() != Verdict::kHolds || rng.chance(stays)) continue;
    Result<stream::RoundsState> state = rounds->state();
    if (!state) return "no state: " + state.error().message;
    const Result<std::string> text =
        stream::checkpoint_text({.options = options,
                                 .rounds = std::move(state).value(),
                                 .position = {},
                                 .segments = {}});
    if (!text) return "no checkpoint: " + text.error().message;
    Result<stream::Checkpoint> read = stream::parse_checkpoint(*text, "checkpoint", budget);
    if (!read) return "not read: " + read.error().message;
    begin();
    if (const Status restored = rounds->restore(std::move(read->rounds)); !restored) {
      return "not restored: " + restored.error().message;
    }
  }
  rounds->finish();
  if (settled != orders) return "restarts settle something else";
  if (rounds->verdict() != whole.verdict() || rounds->reason() != whole.reason()) {
    return "restarts end otherwise: " + rounds->reason();
  }
  if (rounds->settled() != whole.settled() || rounds->rounds() != whole.rounds()) {
    return "restarts count otherwise";
  }
  if (!whole.violation()) return "";
  const stream::Violation& one = *whole.violation();
  const stream::Violation& other = *rounds->violation();
  const bool is_same = certify::certificate_text(one.history, one.certificate) ==
                       certify::certificate_text(other.history, other.certificate);
  return is_same ? "" : "restarts find another violation";
}

/// What is wrong with what rounds say of the history, of which they settled that order; empty:
/// nothing.
std::string complaint(const History& whole, const Rounds& rounds, const Witness& witness,
                      const stream::RoundsOptions& options, Counts& counts) {
  const Verdict truth = verdict_of(whole, options);
  if (rounds.txn_count() != whole.txn_count()) return "transactions are missing";
  if (rounds.verdict() == Verdict::kHolds) {
    ++counts.holds;
    const std::string reason = objection(whole, witness, options);
    if (!reason.empty()) return "the order is no witness: " + reason;
    if (truth != Verdict::kViolated) return "";
    return std::string("the whole violates ") + std::string(info(options.level).name);
  }
  if (rounds.verdict() == Verdict::kViolated) {
    ++counts.violated;
    const stream::Violation& violation = *rounds.violation();
    if (violation.certificate.level != options.level)
      return "the violation is of another level";
    const certify::VerifyResult verified =
        certify::verify(violation.history, violation.certificate);
    if (!verified.proves) return "the violation is none: " + verified.reason;
    if (options.initial_is_unknown &&
        verdict_of(violation.history, options) != Verdict::kViolated) {
      return "the violation is none for some contents at the start";
    }
    // A check of the whole may not decide it where elements of a list repeat.
    if (truth != Verdict::kHolds) return "";
    return "the whole is " + std::string(name(truth)) + " at " +
           std::string(info(options.level).name) + ", not so " +
           support::to_text(violation.history);
  }
  if (rounds.reason().empty()) return "no reason";
  if (truth == Verdict::kHolds) ++counts.unknown_of_holds;
  if (truth == Verdict::kViolated) ++counts.unknown_of_violated;
  return "";
}

/// The same of rounds of these parts.
std::string complaint(const History& whole, const std::deque<Part>& parts,
                      const stream::RoundsOptions& options, Counts& counts) {
  base::Budget budget;
  Rounds rounds(options, budget);
  Witness witness;
  witness.mentions = mentions_at(options);
  Orders orders;
  certify::SegmentReplay replay(order_level(options), options.clock_error_ns,
                                options.initial_is_unknown);
  std::string objected;
  const auto object = [&](std::string what) {
    if (objected.empty()) objected = std::move(what);
  };
  rounds.on_settled = [&](std::span<const TxnNumber> order, std::uint64_t sum) {
    orders.emplace_back(order.begin(), order.end());
    for (const TxnNumber number : order) {
      witness.order.push_back(TxnId::at(static_cast<std::size_t>(number)));
    }
    if (objected.empty()) object(replay.place(order));
    if (objected.empty() && replay.state() != sum) object("the states differ");
  };
  std::size_t taken = 0;
  rounds.reread = reread_of(parts, taken);
  for (const Part& part : parts) {
    ++taken;
    if (objected.empty()) object(replay.take(part.history));
    rounds.take(History(part.history), part.open_since);
  }
  rounds.finish();
  std::string restarted = complaint_of_restarts(parts, options, rounds, orders);
  if (!restarted.empty()) return restarted;
  if (!objected.empty()) return "a segment is not proved: " + objected;
  if (rounds.verdict() == Verdict::kHolds) {
    if (const std::string rest = replay.finish(); !rest.empty()) return "not all: " + rest;
    std::string differ = disagreement(whole, parts, witness, options, counts.forgeries);
    if (!differ.empty()) return differ;
  }
  return complaint(whole, rounds, witness, options, counts);
}

/// `name`: of the workload; empty: any.
sim::SimulationOptions random_simulation(base::Rng& rng, std::string_view name = {}) {
  sim::SimulationOptions options;
  options.workload = gen::default_options(gen::Workload(!name.empty()     ? name
                                                        : rng.chance(0.5) ? "general"
                                                        : rng.chance(0.5) ? "blindw-rw"
                                                                          : "rmw"));
  options.workload.seed = rng.next();
  options.workload.sessions = static_cast<std::uint32_t>(2 + rng.below(7));
  options.workload.txns = 20 + rng.below(180);
  options.workload.ops = static_cast<std::uint32_t>(2 + rng.below(4));
  options.workload.keys = 2 + rng.below(30);
  options.lost_reply_rate = rng.chance(0.5) ? 0.03 : 0;
  options.clock_error_ns = rng.chance(0.3) ? 20'000 : 0;
  if (rng.chance(0.5)) return options;
  const auto faults = sim::all_faults();
  const auto& fault = faults[rng.below(faults.size())];
  options.fault = fault.fault;
  options.fault_rate = 0.02;
  options.fault_after = 0.5;
  if (!sim::validate(options).ok()) options.fault = sim::Fault::kNone;
  return options;
}

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

TEST(Stream, WhatHoldsForSomeInitialContentsHoldsAndWhatIsViolatedIsForAll) {
  const std::uint64_t cases = support::case_count(2000);
  Counts counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    support::RandomHistoryOptions random = support::random_options(rng);
    random.txn_count = 3 + rng.below(8);
    random.times = support::TimeSource::kExecution;
    random.list_share = 0;
    random.key_count = 1 + rng.below(3);
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
  counts.print("unknown initial contents");
  EXPECT_TRUE(support::met(counts.holds, 10, cases));
  EXPECT_TRUE(support::met(counts.violated, 100, cases));
}

/// Verdict and reason.
std::string outcome(const std::deque<Part>& parts, const stream::RoundsOptions& options) {
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

TEST(Stream, AHistoryMayBeginInADatabaseInUse) {
  const std::uint64_t cases = support::case_count(600);
  std::uint64_t holds = 0;
  std::uint64_t violated = 0;
  std::uint64_t unknown = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    const sim::SimulationOptions simulation = random_simulation(rng);
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
      ASSERT_EQ(level.verdict, Verdict::kHolds) << "case " << i;
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
  EXPECT_TRUE(support::met(violated, 40, cases));
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

TEST(Stream, SaysOfRecordedKeysAloneWhatHoldsWhereWritersAreMissing) {
  const std::uint64_t cases = support::case_count(800);
  Counts counts;
  std::uint64_t incomplete = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    const sim::SimulationOptions simulation = random_simulation(rng);
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

/// Of each transaction which file has it: those of a session are in one.
std::vector<std::uint32_t> deal(const History& whole, std::uint32_t files, base::Rng& rng) {
  std::vector<std::uint32_t> of_session(whole.session_count());
  for (std::uint32_t& file : of_session) {
    file = static_cast<std::uint32_t>(rng.below(files));
  }
  std::vector<std::uint32_t> dealt;
  for (std::size_t t = 0; t < whole.txn_count(); ++t) {
    dealt.push_back(of_session[whole.session_of(TxnId::at(t)).raw()]);
  }
  return dealt;
}

/// Puts those transactions into the file in groups, each with its own open_since; or into
/// several files of a folder of that name.
void write_groups(const History& whole, const std::vector<std::size_t>& txns,
                  const std::string& path, base::Rng& rng) {
  const bool is_folder = rng.chance(0.3);
  const bool ends = rng.chance(0.5);
  const std::size_t most = 1 + rng.below(40);
  if (is_folder) std::filesystem::create_directory(path);
  std::string file = is_folder ? path + "/h1.isob" : path;
  std::string text;
  std::uint32_t number = 0;
  for (std::size_t begin = 0, end = 0; begin == 0 || begin < txns.size(); begin = end) {
    end = std::min(txns.size(), begin + 1 + rng.below(most));
    const std::vector<std::size_t> group(txns.begin() + static_cast<std::ptrdiff_t>(begin),
                                         txns.begin() + static_cast<std::ptrdiff_t>(end));
    stream::Joiner joiner;
    joiner.add(
        whole, 0, [&](std::size_t i) { return std::ranges::binary_search(group, i); },
        stream::kEnterNothing);
    std::int64_t open_since = std::numeric_limits<std::int64_t>::max() - 1;
    for (std::size_t i = end; i < txns.size(); ++i) {
      open_since = std::min(open_since, whole.times(TxnId::at(txns[i])).start);
    }
    if (rng.chance(0.1)) open_since = kNoTime;
    const bool is_cut = is_folder && end < txns.size() && rng.chance(0.1);
    const bool is_last = ends && (end == txns.size() || is_cut);
    const Result<History> part = joiner.finish();
    ASSERT_TRUE(part.ok()) << part.error().message;
    io::StringSink sink;
    ASSERT_TRUE(
        io::write_native_binary(*part, sink, true, {number++, ends, is_last, open_since}).ok());
    text += sink.text();
    if (!is_cut && end < txns.size()) continue;
    std::ofstream(file, std::ios::binary) << text;
    text.clear();
    number = 0;
    if (is_folder) file = path + "/h" + std::to_string(end + 10) + ".isob";
    if (end == txns.size()) break;
  }
}

/// The number of each transaction in the whole, in the order in which the source gave them.
std::vector<TxnId> given_order(const History& whole, const stream::Source& source) {
  std::map<std::string, std::deque<TxnId>> of_session;
  for (std::size_t t = 0; t < whole.txn_count(); ++t) {
    of_session[whole.session_name(whole.session_of(TxnId::at(t)))].push_back(TxnId::at(t));
  }
  std::vector<TxnId> order;
  base::Budget budget;
  const auto visit = [&](const History& part, TxnNumber first) {
    EXPECT_EQ(first, order.size());
    for (std::size_t t = 0; t < part.txn_count(); ++t) {
      std::string name = part.session_name(part.session_of(TxnId::at(t)));
      // Without the name of the file.
      while (!of_session.contains(name) && name.find('/') != name.npos) {
        name = name.substr(name.find('/') + 1);
      }
      if (of_session[name].empty()) continue;
      order.push_back(of_session[name].front());
      of_session[name].pop_front();
    }
  };
  const Status visited = source.visit_again(visit, budget);
  EXPECT_TRUE(visited.ok()) << visited.error().message;
  return order;
}

/// All that comes from the files. The order that is settled, by numbers of the whole.
Witness take_all(const History& whole, stream::Source& source,
                 const stream::GathererOptions& gathering, Rounds& rounds) {
  Witness witness;
  std::vector<TxnNumber> settled;
  base::Budget budget;
  rounds.on_settled = [&](std::span<const TxnNumber> order, std::uint64_t) {
    settled.insert(settled.end(), order.begin(), order.end());
  };
  rounds.reread = [&](const stream::Visit& visit) { return source.visit_again(visit, budget); };
  stream::Gatherer gatherer(source, gathering);
  while (true) {
    Result<std::optional<stream::Part>> part = gatherer.next(rounds.open_count(), budget);
    EXPECT_TRUE(part.ok()) << part.error().message;
    if (!part.ok() || !*part) break;
    rounds.take(std::move((*part)->history), (*part)->open_since);
  }
  EXPECT_EQ(source.cut_off(), "");
  rounds.finish();
  const std::vector<TxnId> order = given_order(whole, source);
  for (const TxnNumber number : settled) {
    witness.order.push_back(order.at(static_cast<std::size_t>(number)));
  }
  return witness;
}

TEST(Stream, SeveralFilesAgreeWithACheckOfTheWhole) {
  const std::uint64_t cases = support::case_count(600);
  Counts counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    const sim::SimulationOptions simulation = random_simulation(rng);
    const Result<History> whole = sim::simulate(simulation);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    const auto files = static_cast<std::uint32_t>(1 + rng.below(3));
    const std::vector<std::uint32_t> dealt = deal(*whole, files, rng);
    const io::TemporaryFolder folder;
    std::vector<std::string> paths;
    for (std::uint32_t file = 0; file < files; ++file) {
      std::vector<std::size_t> txns;
      for (std::size_t t = 0; t < dealt.size(); ++t) {
        if (dealt[t] == file) txns.push_back(t);
      }
      paths.push_back(folder.path("f" + std::to_string(file)));
      write_groups(*whole, txns, paths.back(), rng);
    }
    Result<std::unique_ptr<stream::Source>> source = stream::open_sources(paths, {});
    ASSERT_TRUE(source.ok()) << source.error().message;
    stream::RoundsOptions options;
    options.level = random_level(rng);
    options.clock_error_ns = 2 * simulation.clock_error_ns;
    options.left_open = rng.below(40);
    options.kept_ops = rng.below(400);
    base::Budget budget;
    Rounds rounds(options, budget);
    Witness witness =
        take_all(*whole, **source, {1 + rng.below(60), 1 + rng.below(300)}, rounds);
    witness.mentions = mentions_at(options);
    ASSERT_EQ(complaint(*whole, rounds, witness, options, counts), "")
        << "case " << i << ", fault " << sim::info(simulation.fault).name;
  }
  counts.print("files");
  EXPECT_TRUE(support::met(counts.holds, 4, cases));
  EXPECT_TRUE(support::met(counts.violated, 20, cases));
}

}  // namespace
}  // namespace isolde::prop
