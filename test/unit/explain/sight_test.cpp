#include "explain/sight.hpp"

#include <gtest/gtest.h>

#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

Edge view(EdgeKind kind, std::uint32_t from, std::uint32_t to, std::uint32_t on,
          std::uint32_t viewer) {
  return {txn(from), txn(to), kind, key(on), txn(viewer)};
}

// Goal: what a reader saw of a transaction, and the write of it that it missed.
TEST(Sight, FindsWhatWasSeenAndMissed) {
  const History history = support::parse("A: w(x=1) w(y=1); B: r(x=1) r(y=_)");
  const SeenAndMissed found =
      seen_and_missed(Writers(history), view(EdgeKind::kAtomicView, 0, 0, 1, 1));
  EXPECT_EQ(found.seen.kind, EdgeKind::kReadFrom);
  EXPECT_EQ(found.seen.from, txn(0));
  EXPECT_EQ(found.seen.to, txn(1));
  EXPECT_EQ(found.seen.key, key(0));
  EXPECT_EQ(found.missed.kind, EdgeKind::kAntiDependency);
  EXPECT_EQ(found.missed.from, txn(1));
  EXPECT_EQ(found.missed.to, txn(0));
  EXPECT_EQ(found.missed.key, key(1));
}

// Goal: another one's version that was read in place of the write is told by its writer.
TEST(Sight, FindsWhoseVersionWasReadInstead) {
  const History history = support::parse("A: w(x=1) w(y=1); C: w(y=2); B: r(x=1) r(y=2)");
  const Edge missed =
      seen_and_missed(Writers(history), view(EdgeKind::kAtomicView, 0, 1, 1, 2)).missed;
  EXPECT_EQ(missed.kind, EdgeKind::kReadFrom);
  EXPECT_EQ(missed.from, txn(1));
  EXPECT_EQ(missed.to, txn(2));
}

// Goal: without a read the session makes visible, or real time, or others do.
TEST(Sight, FindsWhatElseMadeVisible) {
  const History history = support::parse("A: w(x=1) @0,1 | r(x=_) @2,3 ; B: r(x=_) @4,5");
  const auto seen = [&](EdgeKind kind, std::uint32_t viewer) {
    return seen_and_missed(Writers(history), view(kind, 0, 0, 0, viewer)).seen.kind;
  };
  EXPECT_EQ(seen(EdgeKind::kCausalView, 1), EdgeKind::kSessionOrder);
  EXPECT_EQ(seen(EdgeKind::kAtomicView, 2), EdgeKind::kRealTime);
  EXPECT_EQ(seen(EdgeKind::kCausalView, 2), EdgeKind::kCausalView);
}

// Goal: clocks and sessions need not agree; only an earlier transaction of the session was
// visible by its order.
TEST(Sight, LooksAtTheOrderOfTheSession) {
  const History history = support::parse("A: r(x=_) @4,5 | w(x=1) @0,1");
  const Edge edge = view(EdgeKind::kAtomicView, 1, 1, 0, 0);
  EXPECT_EQ(seen_and_missed(Writers(history), edge).seen.kind, EdgeKind::kRealTime);
  EXPECT_EQ(sight_of(Writers(history), edge), Sight::kRealTime);
}

// Goal: paths of causes go over reads whose source is known, by transactions that took effect.
TEST(Sight, FollowsSureCauses) {
  const auto steps = [](const char* text, std::uint32_t cause, std::uint32_t effect) {
    return causal_path(Writers(support::parse(text)), txn(cause), txn(effect)).size();
  };
  EXPECT_EQ(steps("A: w(x=1); B: r(x=1)", 0, 1), 1U);
  EXPECT_EQ(steps("A: w(x=1); C: w(x=1); B: r(x=1)", 0, 2), 0U) << "two writers";
  EXPECT_EQ(steps("A: w(x=1); C: w(x=1) !; B: r(x=1)", 0, 2), 1U) << "one was undone";
  EXPECT_EQ(steps("A: w(x=1) w(x=2); B: r(x=1)", 0, 1), 0U) << "not its last write";
  EXPECT_EQ(steps("A: w(x=1); B: w(x=2) w(x=1) r(x=1)", 0, 1), 0U) << "its own write";
  EXPECT_EQ(steps("A: w(x=1); B: r(x=1) ! | r(y=_)", 0, 2), 0U) << "by one that was undone";
  const ReadSource taken{txn(2), 0, txn(0)};
  const History two = support::parse("A: w(x=1); C: w(x=1); B: r(x=1)");
  EXPECT_EQ(causal_path(Writers(two), txn(0), txn(2), {{&taken, 1}}).size(), 1U) << "supposed";
}

// Goal: where real time binds, it makes causes: what had ended before one of them started. Not
// within the error of the clocks, and not where the outcome is unknown.
TEST(Sight, FollowsCausesThroughRealTime) {
  const auto path = [](const char* text, std::optional<std::int64_t> clock_error_ns) {
    return causal_path(Writers(support::parse(text)), txn(0), txn(2), {{}, clock_error_ns});
  };
  const char* const through = "A: w(x=1) @1,2 ; B: w(y=1) @9,10 ; C: r(y=1) @0,20";
  EXPECT_TRUE(path(through, std::nullopt).empty());
  EXPECT_TRUE(path(through, 7).empty());
  const std::vector<CausalStep> steps = path(through, 6);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_TRUE(steps[0].by_time);
  EXPECT_EQ(steps[0].to, txn(1));
  EXPECT_FALSE(steps[1].by_time);
  EXPECT_EQ(steps[1].key, key(1));
  EXPECT_TRUE(path("A: w(x=1) @1,2 ? ; B: w(y=1) @9,10 ; C: r(y=1) @0,20", 0).empty());
  EXPECT_EQ(path("A: w(x=1) @1,2 ; B: w(y=1) @3,4 ; C: r(z=_) @5,6", 0).size(), 1U)
      << "straight on";
  const char* const sessions = "A: w(x=1) @1,9 | r(z=_) @10,11 ; C: r(z=_) @12,20";
  EXPECT_EQ(path(sessions, 0).size(), 1U) << "what had ended, before the order of sessions";
}

}  // namespace
}  // namespace isolde::explain
