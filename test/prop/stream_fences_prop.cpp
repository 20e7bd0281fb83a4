// Goal: where fences settle, rounds never say what a check of the whole does not say, and what
// they settle is a witness of the whole. Method: simulated histories with fences, with times
// and without, and random ones in which some key is that of fences; the orders and violations
// against both verifiers and a check of the whole. How often rounds say `unknown` is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <string_view>

#include "base/rng.hpp"
#include "prop/stream_judge.hpp"
#include "sim/simulate.hpp"
#include "stream/fences.hpp"
#include "stream/rounds.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

sim::SimulationOptions with_fences(base::Rng& rng, std::string_view name) {
  sim::SimulationOptions options = random_simulation(rng, name);
  options.workload.fence_every = static_cast<std::uint32_t>(1 + rng.below(6));
  options.times = rng.chance(0.3);
  if (options.fault == sim::Fault::kNone && rng.chance(0.5)) {
    const auto levels = sim::all_store_levels();
    options.level = levels[rng.below(levels.size())].level;
  }
  return options;
}

void expect_agreement_with_fences(std::uint64_t cases, std::string_view workload) {
  Counts counts;
  std::uint64_t early = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    const sim::SimulationOptions simulation = with_fences(rng, workload);
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
    options.fence = "fence";
    options.level = random_level_by_fences(rng);
    options.left_open = rng.below(40);
    options.kept_ops = rng.below(400);
    options.verifies = rng.chance(0.5);
    const std::uint64_t before = counts.violated;
    ASSERT_EQ(complaint(*whole, parts, options, counts), "")
        << "case " << i << ", fault " << sim::info(simulation.fault).name << " at "
        << info(options.level).name;
    base::Budget budget;
    stream::Rounds rounds(options, budget);
    std::size_t taken = 0;
    rounds.reread = reread_of(parts, taken);
    for (const Part& part : parts) {
      ++taken;
      rounds.take(History(part.history), part.open_since);
    }
    early += rounds.settled() > 0 || counts.violated > before ? 1 : 0;
  }
  counts.print(workload.empty() ? "simulated fences" : "simulated fences and lists");
  std::printf("%llu settled or violated before the end\n", Counts::number(early));
  EXPECT_TRUE(support::met(counts.holds, 4, cases));
  EXPECT_TRUE(support::met(counts.violated, 40, cases));
  EXPECT_TRUE(support::met(early, 3, cases));
}

TEST(StreamFences, AgreeWithACheckOfTheWholeOnSimulatedHistories) {
  expect_agreement_with_fences(support::case_count(800), {});
}

TEST(StreamFences, AgreeWithACheckOfTheWholeOnSimulatedLists) {
  expect_agreement_with_fences(support::case_count(300), "list-append");
}

// Hardly any of them has sessions that begin with a fence: what holds must hold all the same,
// and a violation is told at the end alone.
TEST(StreamFences, AgreeWithACheckOfTheWholeOnRandomHistories) {
  const std::uint64_t cases = support::case_count(5000);
  Counts counts;
  std::uint64_t well = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    support::RandomHistoryOptions random = support::random_options(rng);
    random.txn_count = 3 + rng.below(10);
    random.list_share = rng.chance(0.8) ? 0 : 0.5;
    random.key_count = 1 + rng.below(3);
    if (rng.chance(0.3)) random.duplicate_share = 0.2;
    const support::PlainHistory plain = support::random_history(rng, random);
    const History whole = support::build(plain);
    if (whole.key_count() == 0) continue;
    const std::deque<Part> parts = cut(whole, rng);
    stream::RoundsOptions options;
    options.fence = whole.text(KeyId::at(rng.below(whole.key_count())));
    options.level = random_level_by_fences(rng);
    options.left_open = rng.below(3);
    options.kept_ops = rng.below(20);
    stream::Fences fences(options.fence, 0);
    bool keeps_rules = true;
    for (const Part& part : parts) keeps_rules = fences.take(part.history) && keeps_rules;
    const Counts before = counts;
    const std::string wrong = complaint(whole, parts, options, counts);
    well += !fences.has_strays() && keeps_rules ? 1 : 0;
    // Before a session came that breaks the rule, a violation rested on it.
    if (fences.has_strays() && counts.violated > before.violated) continue;
    ASSERT_EQ(wrong, "") << "case " << i << " at " << info(options.level).name << ", fence "
                         << options.fence << "\n"
                         << support::to_text(plain);
  }
  counts.print("random, with fences");
  std::printf("%llu keep the rules\n", Counts::number(well));
  EXPECT_TRUE(support::met(counts.holds, 10, cases));
  EXPECT_TRUE(support::met(counts.violated, 20, cases));
}

}  // namespace
}  // namespace isolde::prop
