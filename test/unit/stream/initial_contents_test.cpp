// What reads show of what keys held at the start. What rounds make of it is the subject of
// rounds_test.cpp and test/prop/stream_prop.cpp.
#include "stream/initial_contents.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

/// By key, in the order of their first uses; all are open.
std::vector<std::string> contents(const std::string& text, std::int64_t clock_error_ns = 0) {
  const History history = support::parse(text);
  const std::vector<bool> is_open(history.key_count(), true);
  std::vector<std::string> result;
  for (const Value value : initial_contents(history, is_open, clock_error_ns)) {
    result.push_back(history.json(value));
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST(InitialContents, AreOfTheReadThatEndedFirst) {
  EXPECT_EQ(contents("A: r(x=1) r(y=a) @0,9\nB: r(x=2) r(y=_) @0,8\nC: r(z=7) @0,1"),
            (Texts{"2", "null", "7"}));
  EXPECT_EQ(contents("A: r(x=1) ? @0,1\nB: r(x=2) @0,8"), Texts{"2"});
  EXPECT_EQ(contents("A: r(x=1) ? @0,_\nB: w(x=2) @0,8"), Texts{"1"});
}

TEST(InitialContents, AreOfNoReadThatTellsOrCountsNothing) {
  EXPECT_EQ(contents("A: r(x=1) ! @0,1\nB: r(x=?) w(x=3) r(x=3) @0,8"), Texts{});
  EXPECT_EQ(contents("A: r(x=_) @0,1\nB: r(x=1) @0,8"), Texts{});
  const History history = support::parse("A: r(x=1) @0,1");
  EXPECT_TRUE(initial_contents(history, {false}, 0).empty());
}

TEST(InitialContents, AreWrittenByNobodyWhoMayHaveComeBefore) {
  EXPECT_EQ(contents("A: r(x=1) @2,4\nB: w(x=1) @4,8"), Texts{});
  EXPECT_EQ(contents("A: r(x=1) @2,4\nB: w(x=1) @5,8"), Texts{"1"});
  EXPECT_EQ(contents("A: r(x=1) @2,4\nB: w(x=1) @5,8", 1), Texts{});
  EXPECT_EQ(contents("A: r(x=1) @2,4\nB: w(x=1) ! @0,8"), Texts{"1"});
  EXPECT_EQ(contents("A: r(x=1) ? @2,_\nB: w(x=1) @50,80"), Texts{});
  // Its own write comes behind its read.
  EXPECT_EQ(contents("A: r(x=1) w(x=1) @2,4"), Texts{"1"});
}

/// Of the key x, of which the list is settled; empty: none is told.
std::string front(const std::string& text, const std::string& settled = "",
                  std::int64_t clock_error_ns = 0) {
  const History history = support::parse(text);
  const History before = support::parse("A: r(x=[" + settled + "])");
  const ListPrefix prefix = extended({}, before, before.seen_list(before.all_ops().front()));
  const std::vector<ListFront> fronts =
      list_fronts(history, {true}, std::vector{prefix}, clock_error_ns);
  EXPECT_EQ(fronts.front().must_fit, prefix.length > 0 || fronts.front().is_told);
  std::string out = fronts.front().is_told ? "told" : "";
  for (const Value element : fronts.front().elements) out += " " + history.json(element);
  return out;
}

TEST(InitialContents, OfListsAreWhatNobodyAppended) {
  EXPECT_EQ(front("A: r(x=[7 8 1]) @2,9\nB: a(x=1) @0,9\nC: r(x=[7 1]) @2,10"), "told 7 8");
  EXPECT_EQ(front("A: r(x=[7 1]) ? @2,9\nB: a(x=1) @0,9\nC: r(x=[1]) @2,10"), "told");
  EXPECT_EQ(front("A: r(x=[7 1]) ! @2,9\nB: a(x=1) @0,9"), "");
  EXPECT_EQ(front("A: r(x=[7 1]) @2,4\nB: a(x=1) @5,9"), "told 7 1");
  EXPECT_EQ(front("A: r(x=[7 1]) @2,4\nB: a(x=1) @5,9", "", 1), "told 7");
  EXPECT_EQ(front("A: r(x=[]) @2,4\nB: a(x=1) @5,9"), "told");
  EXPECT_EQ(front("A: a(x=1) r(x=[7 1]) @2,4"), "told 7");
}

TEST(InitialContents, OfListsStandBeforeWhatIsSettled) {
  EXPECT_EQ(front("A: r(x=[7 1 2 3]) @2,9\nB: a(x=3) @0,9", "1 2"), "told 7 1 2");
  EXPECT_EQ(front("A: r(x=[1 2]) @2,9", "1 2"), "told 1 2");
  EXPECT_EQ(front("A: r(x=[7 2 1]) @2,9", "1 2"), "");
  EXPECT_EQ(front("A: r(x=[2]) @2,9", "1 2"), "");
  EXPECT_EQ(front("A: r(x=[2]) @2,9\nB: r(x=[7 1 2]) @2,10", "1 2"), "told 7 1 2");
  EXPECT_EQ(front("A: r(x=[]) a(x=3) @2,9", "1 2"), "");
}

std::vector<bool> early(const std::string& text, std::int64_t clock_error_ns = 0) {
  return may_be_initial(support::parse(text), clock_error_ns);
}

TEST(InitialContents, MayBeReadUntilSomebodyHasWrittenAndEnded) {
  EXPECT_EQ(early("A: w(x=1) @0,4\nB: r(x=1) r(y=1) @5,6"),
            (std::vector<bool>{false, false, true}));
  EXPECT_EQ(early("A: w(x=1) @0,4\nB: r(x=1) @4,6"), (std::vector<bool>{false, true}));
  EXPECT_EQ(early("A: w(x=1) @0,4\nB: r(x=1) @5,6", 1), (std::vector<bool>{false, true}));
  EXPECT_EQ(early("A: w(x=1) @0,4\nB: r(x=1) @6,6", 1), (std::vector<bool>{false, false}));
  // Whoever wrote must have taken effect by then.
  EXPECT_EQ(early("A: w(x=1) ? @0,4\nB: r(x=1) @5,6"), (std::vector<bool>{false, true}));
  EXPECT_EQ(early("A: w(x=1) ! @0,4\nB: r(x=1) @5,6"), (std::vector<bool>{false, true}));
  EXPECT_EQ(early("A: w(x=1) @0,_\nB: r(x=1) @5,6"), (std::vector<bool>{false, true}));
  EXPECT_EQ(early("A: w(x=1) @0,4\nB: r(x=1) @_,6"), (std::vector<bool>{false, true}));
  // It reads its own write.
  EXPECT_EQ(early("B: w(x=1) r(x=1) r(x=?) @5,6"), (std::vector<bool>{false, false, false}));
}

}  // namespace
}  // namespace isolde::stream
