// Goal: which reads keep an execution from explaining a session. Method: on random histories
// with selections, and random orders, none do exactly where the session is served; and served
// it is once nothing counts but reads that are not among them.
#include "session/session_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>

#include "base/rng.hpp"
#include "support/proved.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::checker {
namespace {

using Read = SessionTest::Read;

/// None: an own write that the order has too late, and no read, is what is wrong.
std::optional<std::vector<Read>> reads_in_the_way(const infer::Observations& seen,
                                                  BaseLevel base, std::span<const TxnId> order,
                                                  SessionId session) {
  base::Budget budget;
  const std::array sessions = {session};
  return SessionTest(seen, base).in_the_way(order, sessions, budget);
}

TEST(SessionTest, ReadsAreInTheWayWhereASessionIsNotServed) {
  constexpr std::array kBases = {BaseLevel::kReadYourWrites, BaseLevel::kMonotonicReads,
                                 BaseLevel::kMonotonicWrites};
  const std::uint64_t cases = support::case_count(4000);
  std::uint64_t served_count = 0;
  std::uint64_t other_count = 0;
  std::uint64_t named_count = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i * 0x9e3779b97f4a7c15ULL);
    const History history = support::build(
        support::random_history(rng, support::random_selection_options(rng, true)));
    base::Budget budget;
    const infer::Observations seen = infer::observe_open(history, budget);
    if (seen.finding() || !seen.ambiguity().empty()) continue;
    std::vector<TxnId> order;
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      if (seen.is_included(TxnId::at(t))) order.push_back(TxnId::at(t));
    }
    // Not far from the order in which they stand.
    for (std::size_t at = 1; at < order.size(); ++at) {
      if (rng.chance(0.4)) std::swap(order[at - 1], order[at]);
    }
    for (const BaseLevel base : kBases) {
      const std::vector<bool> served = SessionTest(seen, base).served(order, budget);
      for (std::size_t s = 0; s < served.size(); ++s) {
        const SessionId session = SessionId::at(s);
        const auto reads = reads_in_the_way(seen, base, order, session);
        ASSERT_EQ(reads && reads->empty(), served[s]) << support::to_text(history);
        ++(served[s] ? served_count : other_count);
        named_count += reads && !reads->empty() ? 1 : 0;
      }
    }
  }
  EXPECT_TRUE(support::met(served_count, 2, cases));
  EXPECT_TRUE(support::met(other_count, 4, cases));
  EXPECT_TRUE(support::met(named_count, 4, cases));
}

std::string told(const History& history, const std::vector<Read>& reads) {
  std::set<std::string> all;
  for (const Read& read : reads) {
    all.insert(history.txn_name(read.txn) + "#" + std::to_string(read.step) + ":" +
               history.text(history.key_name(read.key)));
  }
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : " ") + each;
  return text;
}

// A read that finds no version, and the one before it that moved its session too far.
TEST(SessionTest, OfTwoReadsThatDoNotGoTogetherBothAreInTheWay) {
  const auto in_the_way = [](std::string_view text, BaseLevel base) {
    const History history = support::parse(text);
    base::Budget budget;
    const infer::Observations seen = infer::observe_open(history, budget);
    std::vector<TxnId> order;
    for (std::size_t t = 0; t < history.txn_count(); ++t) order.push_back(TxnId::at(t));
    const SessionId reader = history.session_of(order.back());
    return told(history, reads_in_the_way(seen, base, order, reader).value());
  };
  // What was left out may have been the initial version.
  constexpr std::string_view kFits = "A: w(1=1) | w(1=2) ; B: s(keys=1..9 equal=1:) | r(1=1)";
  EXPECT_EQ(in_the_way(kFits, BaseLevel::kMonotonicReads), "");
  constexpr std::string_view kMoves =
      "A: w(1=1) | w(1=2) ; B: r(1=1) | s(keys=1..9 equal=1:) | r(1=1)";
  EXPECT_EQ(in_the_way(kMoves, BaseLevel::kMonotonicReads), "B:1#0:1 B:2#0:1");
  EXPECT_EQ(in_the_way(kMoves, BaseLevel::kReadYourWrites), "");
}

}  // namespace
}  // namespace isolde::checker
