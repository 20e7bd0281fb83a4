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
  const SeenAndMissed found = seen_and_missed(history, view(EdgeKind::kAtomicView, 0, 0, 1, 1));
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
  const Edge missed = seen_and_missed(history, view(EdgeKind::kAtomicView, 0, 1, 1, 2)).missed;
  EXPECT_EQ(missed.kind, EdgeKind::kReadFrom);
  EXPECT_EQ(missed.from, txn(1));
  EXPECT_EQ(missed.to, txn(2));
}

// Goal: without a read the session makes visible, or real time, or others do.
TEST(Sight, FindsWhatElseMadeVisible) {
  const History history = support::parse("A: w(x=1) @0,1 | r(x=_) @2,3 ; B: r(x=_) @4,5");
  const auto seen = [&](EdgeKind kind, std::uint32_t viewer) {
    return seen_and_missed(history, view(kind, 0, 0, 0, viewer)).seen.kind;
  };
  EXPECT_EQ(seen(EdgeKind::kCausalView, 1), EdgeKind::kSessionOrder);
  EXPECT_EQ(seen(EdgeKind::kAtomicView, 2), EdgeKind::kRealTime);
  EXPECT_EQ(seen(EdgeKind::kCausalView, 2), EdgeKind::kCausalView);
}

}  // namespace
}  // namespace isolde::explain
