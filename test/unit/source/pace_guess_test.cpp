// Goal: a guess at the pace of sessions finds executions that nothing else tells, and nothing
// but executions. Method: a serial execution with few values of each key, which saturation
// leaves open; random histories, in which every witness is put to the verifier.
#include "source/pace_guess.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "gen/workload.hpp"
#include "history/base_levels.hpp"
#include "isolde/history_builder.hpp"
#include "sim/simulate.hpp"
#include "support/proved.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::checker {
namespace {

using test::proved;
using enum Level;

std::optional<Witness> guess(const History& history, Level level, CheckStatistics& statistics) {
  base::Budget budget;
  const CheckOptions options;
  const infer::Observations seen = infer::observe_open(history, budget);
  if (seen.finding() || !seen.ambiguity().empty()) return std::nullopt;
  if (seen.non_repeatable() && reads_repeatably(info(level).base)) return std::nullopt;
  const Groups groups(seen, budget);
  return guess_by_pace(seen, groups, Question{info(level)}, options, statistics, budget);
}

std::optional<Witness> guess(const History& history, Level level) {
  CheckStatistics statistics;
  return guess(history, level, statistics);
}

constexpr std::size_t kSessions = 8;
constexpr std::size_t kTxns = 1500;

/// Which session runs the transaction with this number.
using Turn = std::size_t (*)(base::Rng& rng, std::size_t txn);

std::size_t any_session(base::Rng& rng, std::size_t) { return rng.below(kSessions); }

/// The first four sessions run 70 % of the transactions, from half time on the others do.
std::size_t faster_ones_first(base::Rng& rng, std::size_t txn) {
  const bool is_fast = rng.below(10) < 7;
  const bool is_early = txn < kTxns / 2;
  return rng.below(kSessions / 2) + (is_fast == is_early ? 0 : kSessions / 2);
}

/// One transaction after the other.
History serial_execution(std::size_t key_count, Turn turn) {
  base::Rng rng(7);
  HistoryBuilder builder;
  std::vector<SessionId> sessions;
  for (std::size_t s = 0; s < kSessions; ++s) {
    sessions.push_back(builder.session("s" + std::to_string(s)));
  }
  std::vector<KeyId> keys(key_count);
  std::vector<Value> values(key_count);
  for (std::size_t k = 0; k < key_count; ++k) {
    keys[k] = builder.key(Value::integer(static_cast<std::int64_t>(k)));
  }
  for (std::size_t t = 0; t < kTxns; ++t) {
    builder.begin_txn(sessions[turn(rng, t)]);
    builder.set_status(TxnStatus::kCommitted);
    for (std::size_t i = 0; i < 10; ++i) {
      const std::size_t at = rng.below(key_count);
      if (i < 5) {
        builder.read(keys[at], values[at]);
      } else {
        values[at] = Value::integer(static_cast<std::int64_t>(1 + rng.below(10)));
        builder.write(keys[at], values[at]);
      }
    }
  }
  return std::move(builder.finish()).value();
}

TEST(PaceGuess, FindsAnExecutionThatNothingTells) {
  const History history = serial_execution(50, any_session);
  for (const Level level : {kStrongSessionSerializable, kSerializable}) {
    const std::optional<Witness> witness = guess(history, level);
    ASSERT_TRUE(witness.has_value());
    EXPECT_EQ(witness->order.size(), history.txn_count());
    EXPECT_EQ(proved(history, level, *witness), "holds");
  }
}

/// At equal pace, transactions of the fast sessions would be up to 300 places late.
TEST(PaceGuess, AlignsSessionsThatSpeedUpAndSlowDown) {
  const History history = serial_execution(100, faster_ones_first);
  const std::optional<Witness> witness = guess(history, kStrongSessionSerializable);
  ASSERT_TRUE(witness.has_value());
  EXPECT_EQ(proved(history, kStrongSessionSerializable, *witness), "holds");
}

/// What a store of snapshots does, without times.
History simulated(std::uint32_t sessions, std::uint32_t txns) {
  sim::SimulationOptions options;
  options.workload = gen::default_options(gen::Workload("general"));
  options.workload.sessions = sessions;
  options.workload.txns = txns;
  options.workload.ops = 10;
  options.workload.keys = 100;
  options.workload.values = 10;
  options.level = sim::StoreLevel::kSnapshotIsolation;
  options.times = false;
  return std::move(sim::simulate(options)).value();
}

/// Some stretches of sessions run hundreds of places before or after where equal pace puts
/// them.
TEST(PaceGuess, AlignsManySessionsByWhatTheyReadAndWrote) {
  const History history = simulated(30, 3000);
  const std::optional<Witness> witness = guess(history, kStrongSessionSnapshotIsolation);
  ASSERT_TRUE(witness.has_value());
  EXPECT_EQ(proved(history, kStrongSessionSnapshotIsolation, *witness), "holds");
}

/// Somebody counts at the end, and the result is that of some state or of none.
void add_count(support::PlainHistory& plain, base::Rng& rng, const std::string& result) {
  support::PlainOp count;
  count.kind = OpKind::kReadAbsent;
  count.selection.values = "1..4";
  count.selection.get = "count";
  count.selection.result = result;
  plain[rng.below(plain.size())].ops.push_back(count);
}

TEST(PaceGuess, WitnessesAreTrue) {
  base::Rng rng(support::run_seed());
  support::RandomHistoryOptions shape;
  shape.txn_count = 8;
  shape.session_count = 3;
  shape.duplicate_share = 0.7;
  shape.indeterminate_share = 0.1;
  shape.stale_share = 0.2;
  std::size_t found = 0;
  std::size_t counted = 0;
  for (int run = 0; run < 2000; ++run) {
    shape.reads = run % 2 == 0 ? support::ReadSource::kSerial : support::ReadSource::kSnapshot;
    support::PlainHistory plain = support::random_history(rng, shape);
    if (run % 4 < 2) add_count(plain, rng, std::to_string(rng.below(4)));
    const History history = support::build(plain);
    for (const Level level :
         {kSerializable, kStrongSessionSnapshotIsolation, kPrefixConsistency}) {
      const std::optional<Witness> witness = guess(history, level);
      if (!witness) continue;
      ++found;
      counted += history.has_aggregates() ? 1 : 0;
      ASSERT_EQ(proved(history, level, *witness), "holds");
    }
  }
  EXPECT_GT(found, 500U);
  EXPECT_GT(counted, 100U);
}

/// No execution gives this count, so each is refused, however well its order is known. Then the
/// supposed times are shortened as long as that helps, and not until the limit on work.
TEST(PaceGuess, EndsWhereShorterTimesTellNoMore) {
  base::Rng rng(support::run_seed());
  support::RandomHistoryOptions shape;
  shape.txn_count = 8;
  shape.session_count = 3;
  shape.duplicate_share = 0.7;
  std::uint64_t most = 0;
  for (int run = 0; run < 200; ++run) {
    shape.reads = run % 2 == 0 ? support::ReadSource::kSerial : support::ReadSource::kSnapshot;
    support::PlainHistory plain = support::random_history(rng, shape);
    add_count(plain, rng, "99");
    const History history = support::build(plain);
    CheckStatistics statistics;
    EXPECT_FALSE(guess(history, kSerializable, statistics).has_value());
    most = std::max(most, statistics.saturation_rounds);
  }
  EXPECT_GT(most, 5U);
  EXPECT_LT(most, 150U);
}

}  // namespace
}  // namespace isolde::checker
