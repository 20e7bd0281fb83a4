// Goal: with known sources each level is decided by its own method, and with proofs. Method:
// hand histories with unique values, whose sources need no choice; the verifier.
#include "source/chosen.hpp"

#include <gtest/gtest.h>

#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::proved;
using enum Level;

std::optional<Proof> decide_with(const History& history, Level level, const Effort& effort) {
  base::Budget budget;
  CheckStatistics statistics;
  CheckOptions options;
  options.skip_guess = !effort.guess_only;
  const infer::Observations seen = infer::observe(history, budget);
  EXPECT_EQ(seen.ambiguity(), "");
  return decide_chosen(seen, Question{info(level)}, options, statistics, effort, budget);
}

std::string decide_known(std::string_view text, Level level) {
  const History history = support::parse(text);
  const std::optional<Proof> proof = decide_with(history, level, {});
  return proof ? proved(history, level, *proof) : "open";
}

TEST(Chosen, EachLevelByItsMethod) {
  const char* fork = "A: w(x=1) ; B: w(y=1) ; C: r(x=1) r(y=_) ; D: r(x=_) r(y=1)";
  EXPECT_EQ(decide_known(fork, kParallelSnapshotIsolation), "holds");
  EXPECT_EQ(decide_known(fork, kSnapshotIsolation), "violated");
  EXPECT_EQ(decide_known(fork, kReadAtomic), "holds");
  const char* torn = "A: w(x=1) w(y=1) ; B: r(x=1) r(y=_)";
  EXPECT_EQ(decide_known(torn, kParallelSnapshotIsolation), "violated");
  EXPECT_EQ(decide_known(torn, kReadAtomic), "violated");
  const char* old = "A: w(x=1) ~1,3 ; B: r(x=1) ~2,4";
  EXPECT_EQ(decide_known(old, kAnsiSnapshotIsolation), "violated");
  EXPECT_EQ(decide_known("A: w(x=1) ~1,3 ; B: r(x=1) ~4,5", kAnsiSnapshotIsolation), "holds");
}

TEST(Chosen, LostUpdatesAndTwoSourcesOfOneKey) {
  for (const char* text : {
           "A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)",
           "A: w(x=1) ; B: r(x=_) r(x=1)",
           "A: w(x=1) ; B: r(x=1) r(x=_)",
           "A: w(x=1) ; B: w(x=2) ; C: r(x=1) r(x=2)",
           "A: w(x=1) ; B: w(x=2) ; C: r(x=2) r(y=_) r(x=2) r(x=1)",
           "A: w(x=1) ; B: w(x=2) ; D: w(y=1) ; C: r(y=1) r(x=1) r(x=2)",
       }) {
    for (const Level level : {kSerializable, kSnapshotIsolation, kParallelSnapshotIsolation}) {
      EXPECT_EQ(decide_known(text, level), "violated") << text;
    }
  }
}

TEST(Chosen, AGuessDoesNotSearch) {
  const History torn = support::parse("A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2)");
  EXPECT_FALSE(decide_with(torn, kSerializable, {.guess_only = true}).has_value());
  EXPECT_TRUE(decide_with(torn, kSerializable, {}).has_value());
}

}  // namespace
}  // namespace isolde::checker
