// Goal: a guess at the pace of sessions finds executions that nothing else tells, and nothing
// but executions. Method: a serial execution with few values of each key, which saturation
// leaves open; random histories, in which every witness is put to the verifier.
#include "source/pace_guess.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "isolde/history_builder.hpp"
#include "support/proved.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::checker {
namespace {

using test::proved;
using enum Level;

std::optional<Witness> guess(const History& history, Level level) {
  base::Budget budget;
  CheckStatistics statistics;
  const CheckOptions options;
  const infer::Observations seen = infer::observe_open(history, budget);
  if (seen.finding() || !seen.ambiguity().empty()) return std::nullopt;
  if (seen.non_repeatable() && reads_repeatably(info(level).base)) return std::nullopt;
  return guess_by_pace(seen, Question{info(level)}, options, statistics, budget);
}

/// One transaction after the other, each of a session by chance.
History serial_execution() {
  constexpr std::size_t kSessions = 8;
  constexpr std::size_t kKeys = 50;
  base::Rng rng(7);
  HistoryBuilder builder;
  std::vector<SessionId> sessions;
  for (std::size_t s = 0; s < kSessions; ++s) {
    sessions.push_back(builder.session("s" + std::to_string(s)));
  }
  std::array<KeyId, kKeys> keys;
  std::array<Value, kKeys> values;
  for (std::size_t k = 0; k < kKeys; ++k) {
    keys[k] = builder.key(Value::integer(static_cast<std::int64_t>(k)));
  }
  for (std::size_t t = 0; t < 1500; ++t) {
    builder.begin_txn(sessions[rng.below(kSessions)]);
    builder.set_status(TxnStatus::kCommitted);
    for (std::size_t i = 0; i < 10; ++i) {
      const std::size_t at = rng.below(kKeys);
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
  const History history = serial_execution();
  for (const Level level : {kStrongSessionSerializable, kSerializable}) {
    const std::optional<Witness> witness = guess(history, level);
    ASSERT_TRUE(witness.has_value());
    EXPECT_EQ(witness->order.size(), history.txn_count());
    EXPECT_EQ(proved(history, level, *witness), "holds");
  }
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
  for (int run = 0; run < 2000; ++run) {
    shape.reads = run % 2 == 0 ? support::ReadSource::kSerial : support::ReadSource::kSnapshot;
    const History history = support::build(support::random_history(rng, shape));
    for (const Level level :
         {kSerializable, kStrongSessionSnapshotIsolation, kPrefixConsistency}) {
      const std::optional<Witness> witness = guess(history, level);
      if (!witness) continue;
      ++found;
      ASSERT_EQ(proved(history, level, *witness), "holds");
    }
  }
  EXPECT_GT(found, 500U);
}

}  // namespace
}  // namespace isolde::checker
