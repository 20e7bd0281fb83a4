// Goal: each stage decides what it can and leaves the rest to the next one; the options switch
// stages off. Method: one hand history for each way through the stages; the verifier's word on
// every proof.
#include "search/event_level.hpp"

#include <gtest/gtest.h>

#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::Observed;
using test::proved;
using enum Level;

struct StageCase {
  const char* what;
  const char* text;
  Level level;
  bool skip_guess;
  bool skip_saturation;
  const char* path;  ///< of each stage: open, holds or violated
};

std::string run(const StageCase& given) {
  const Observed observed(given.text);
  CheckOptions options;
  options.skip_guess = given.skip_guess;
  options.skip_saturation = given.skip_saturation;
  CheckStatistics statistics;
  base::Budget budget;
  const LevelInfo& level = info(given.level);
  EventLevel engine(observed.seen, level, level.session_order, options, statistics, budget);
  std::string path;
  const auto closed = [&](const std::optional<Proof>& proof) {
    path += path.empty() ? "" : " ";
    path += proof ? proved(*observed.history, given.level, *proof) : "open";
    return proof.has_value();
  };
  if (!closed(engine.guess()) && !closed(engine.saturate(true))) closed(engine.search());
  return path;
}

TEST(EventLevel, StagesDecideWhatTheyCan) {
  const char* const serial = "A: w(x=1) | r(x=1) w(x=2) ; B: r(x=2)";
  const char* const causal = "A: w(x=1) | w(x=2) w(y=1) ; B: r(y=1) r(x=1)";
  const char* const fork =
      "A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2) ; D: r(x=2) r(y=1)";
  const char* const skew = "A: r(x=_) r(y=_) w(x=1) ; B: r(x=_) r(y=_) w(y=1)";
  const StageCase cases[] = {
      {"guessed", serial, kStrongSessionSerializable, false, false, "holds"},
      {"guessed for snapshots", serial, kSnapshotIsolation, false, false, "holds"},
      {"certain cycle", skew, kSerializable, false, false, "violated"},
      {"certain cycle, guessing off", skew, kSerializable, true, false, "violated"},
      {"no cycle for snapshots", skew, kSnapshotIsolation, false, false, "holds"},
      {"saturated", causal, kStrongSessionSerializable, false, false, "open violated"},
      {"saturated for snapshots", causal, kStrongSessionSnapshotIsolation, false, false,
       "open violated"},
      {"saturation off", causal, kStrongSessionSerializable, false, true, "open open violated"},
      {"no chains, no saturation", causal, kSerializable, false, false, "open open holds"},
      {"searched", fork, kSerializable, false, false, "open open violated"},
      {"searched for snapshots", fork, kSnapshotIsolation, false, false, "open open violated"},
      {"searched without any help", serial, kStrongSessionSerializable, true, true,
       "open open holds"},
      {"searched with saturation", serial, kStrongSessionSnapshotIsolation, true, false,
       "open open holds"},
      {"nothing", "A: nop !", kSerializable, false, false, "holds"},
  };
  for (const StageCase& each : cases) EXPECT_EQ(run(each), each.path) << each.what;
}

TEST(EventLevel, ReportsItsWork) {
  const Observed observed(
      "A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2) ; D: r(x=2) r(y=1)");
  CheckOptions options;
  options.skip_saturation = true;
  CheckStatistics statistics;
  base::Budget budget;
  EventLevel engine(observed.seen, info(kStrongSessionSerializable), true, options, statistics,
                    budget);
  EXPECT_FALSE(engine.guess().has_value());
  EXPECT_FALSE(engine.saturate(true).has_value());
  EXPECT_EQ(statistics.saturation_rounds, 0U);
  EXPECT_TRUE(engine.search().has_value());
  EXPECT_EQ(statistics.decided_pairs, 1U);
  EXPECT_EQ(statistics.conflicts, 2U);
}

TEST(EventLevel, StaysOpenWithoutBudget) {
  const Observed observed("A: w(x=1) ; B: r(x=1)");
  const CheckOptions options;
  CheckStatistics statistics;
  base::Budget budget;
  EventLevel engine(observed.seen, info(kSerializable), false, options, statistics, budget);
  budget.cancel();
  budget.look();
  EXPECT_FALSE(engine.guess().has_value());
  EXPECT_FALSE(engine.saturate(true).has_value());
  EXPECT_FALSE(engine.search().has_value());
}

}  // namespace
}  // namespace isolde::checker
