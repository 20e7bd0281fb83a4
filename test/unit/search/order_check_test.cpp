// Goal: the commit test finds exactly the neighbours in a version order that the positions get
// wrong, and looks again at keys only when they are touched. Method: hand-made positions.
#include "search/order_check.hpp"

#include <gtest/gtest.h>

#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using infer::Encoding;
using test::Observed;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Checked {
  Checked(std::string_view text, const Encoding& encoding)
      : observed(text), events(observed.seen, encoding, budget), check(events) {}

  /// Broken pairs when the events come in this order.
  Pairs broken(const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> position(events.graph().node_count(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      position[order[i]] = static_cast<std::uint32_t>(i);
    }
    std::vector<BrokenPair> found;
    check.find_broken([&](NodeId node) { return position[node.raw()]; }, found, budget);
    Pairs pairs;
    for (const BrokenPair& pair : found) {
      pairs.emplace_back(pair.first.raw(), pair.second.raw());
    }
    return pairs;
  }

  base::Budget budget;
  Observed observed;
  EventGraph events;
  OrderCheck check;
};

TEST(OrderCheck, FindsOverwrittenReads) {
  const char* const text = "A: w(x=1) ; B: w(x=2) ; C: r(x=1)";
  EXPECT_EQ(Checked(text, {}).broken({0, 2, 1}), Pairs{});
  EXPECT_EQ(Checked(text, {}).broken({1, 0, 2}), Pairs{});
  EXPECT_EQ(Checked(text, {}).broken({0, 1, 2}), (Pairs{{0, 1}}));
}

TEST(OrderCheck, LooksAtNeighboursOnly) {
  Checked checked("A: w(x=1) ; B: w(x=2) ; C: w(x=3) ; D: r(x=1)", {});
  EXPECT_EQ(checked.broken({0, 1, 2, 3}), (Pairs{{0, 1}}));
}

TEST(OrderCheck, TheOverwriterMayBeTheReader) {
  EXPECT_EQ(Checked("A: w(x=1) ; B: r(x=1) w(x=2)", {}).broken({0, 1}), Pairs{});
}

TEST(OrderCheck, SnapshotsOfWritersMustNotOverlap) {
  // Events 2t and 2t + 1 are begin and commit of transaction t.
  const char* const text = "A: w(x=1) ; B: w(x=2)";
  const Encoding snapshot{.role = {.snapshot = true}};
  EXPECT_EQ(Checked(text, snapshot).broken({0, 1, 2, 3}), Pairs{});
  EXPECT_EQ(Checked(text, snapshot).broken({0, 2, 1, 3}), (Pairs{{0, 1}}));
  EXPECT_EQ(Checked(text, snapshot).broken({0, 2, 3, 1}), (Pairs{{1, 0}}));
  // A reader's snapshot may lie before the commit of the overwriter.
  EXPECT_EQ(Checked("A: w(x=1) ; B: w(x=2) ; C: r(x=1)", snapshot).broken({0, 1, 2, 4, 3, 5}),
            Pairs{});
  EXPECT_EQ(Checked("A: w(x=1) ; B: w(x=2) ; C: r(x=1)", snapshot).broken({0, 1, 2, 3, 4, 5}),
            (Pairs{{0, 1}}));
}

TEST(OrderCheck, LooksAgainWhereSomethingWasBrokenOrTouched) {
  Checked checked("A: w(x=1) ; B: w(x=2) ; C: r(x=1)", {});
  EXPECT_EQ(checked.broken({0, 1, 2}), (Pairs{{0, 1}}));
  EXPECT_EQ(checked.broken({0, 1, 2}), (Pairs{{0, 1}}));
  EXPECT_EQ(checked.broken({0, 2, 1}), Pairs{});
  EXPECT_EQ(checked.broken({0, 1, 2}), Pairs{});  // nobody said that anything moved
  checked.check.touch(NodeId(2));
  EXPECT_EQ(checked.broken({0, 1, 2}), (Pairs{{0, 1}}));
}

TEST(OrderCheck, AuxiliaryNodesHaveNoKeys) {
  Checked checked("A: r(x=_) ; B: w(x=1)", {});
  ASSERT_GT(checked.events.graph().node_count(), checked.events.event_count());
  checked.check.touch(NodeId::at(checked.events.event_count()));
  EXPECT_EQ(checked.broken({0, 1}), Pairs{});
}

}  // namespace
}  // namespace isolde::checker
