// Goal: who is read from comes back, with those whom it read from, whichever heap they are in,
// and stays as it came. Method: hand histories, and random ones against a list.
#include "stream/possible_writers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "support/history_dsl.hpp"
#include "support/seed.hpp"

namespace isolde::stream {
namespace {

constexpr std::size_t kNone = 1000;

/// As "-x" for two of which the second is unread. `goes_on`: the place of one that does.
std::string unread(std::string_view text, std::vector<bool> stays = {},
                   std::size_t goes_on = kNone) {
  const History open = support::parse(text);
  if (stays.empty()) stays.assign(open.txn_count(), true);
  std::string marks;
  for (const bool each : unread_among(open, stays, [&](std::size_t i) { return i == goes_on; }))
    marks += each ? 'x' : '-';
  return marks;
}

TEST(PossibleWriters, AreUnreadByThoseWhoCount) {
  EXPECT_EQ(unread("A: w(x=1) ?\nB: w(x=2) ?\nC: r(x=2)\nD: w(x=1)\nE: r(x=3) ?"), "x---x");
  // Whom one read from that counts, and whom nobody read from that does.
  EXPECT_EQ(unread("A: w(x=1) ?\nB: r(x=1) w(y=1) ?\nC: r(y=1)"), "---");
  EXPECT_EQ(unread("A: w(x=1) ?\nB: r(x=1) w(y=1) ?\nC: r(y=2)"), "xx-");
  // Its own reads, and those of whoever is not there.
  EXPECT_EQ(unread("A: w(x=1) r(x=1) ?\nB: r(x=1)", {true, false}), "x-");
  EXPECT_EQ(unread("A: w(x=1) ?\nB: r(x=1)", {false, true}), "--");
  EXPECT_EQ(unread("A: w(x=1) ?\nB: r(x=1) !"), "--");
  // Values that were there before, or that several wrote; and such that one overwrote itself.
  EXPECT_EQ(unread("start(x=1)\nA: w(x=1) ?\nB: w(x=1) w(x=2) ?\nC: r(x=1)"), "---");
  // Whom one read from that goes on, whatever its own outcome.
  EXPECT_EQ(unread("A: w(x=1) ?\nB: r(x=1) w(y=1) ?\nC: w(z=1)"), "xx-");
  EXPECT_EQ(unread("A: w(x=1) ?\nB: r(x=1) w(y=1) ?\nC: w(z=1)", {}, 1), "---");
  // What tells no value.
  EXPECT_EQ(unread("A: w(x=1) ?\nB: w(y=1) ?\nC: r(x=<>7)\nD: r(y=?)"), "-x--");
}

/// What rounds do with them.
class Keeper {
 public:
  Keeper() : apart_(boundary_, budget_) {}

  /// Their numbers are those from `first` on.
  void add(std::string_view text, TxnNumber first) {
    Joiner joiner;
    joiner.add(support::parse(text), first, kAll, kEnterNothing);
    const Result<History> open = joiner.finish();
    ASSERT_TRUE(open);
    ASSERT_TRUE(apart_.add(*open, std::vector<bool>(open->txn_count(), true)));
  }
  /// Their numbers, ascending.
  std::vector<TxnNumber> give(std::string_view text) {
    const Result<History> given = apart_.give_read_in(support::parse(text));
    EXPECT_TRUE(given);
    std::vector<TxnNumber> numbers;
    for (std::size_t t = 0; t < given->txn_count(); ++t) {
      numbers.push_back(given->position_in_input(TxnId::at(t)) - 1);
    }
    std::ranges::sort(numbers);
    return numbers;
  }
  /// As if another process went on.
  void restart() {
    Joiner joiner(Joiner::Labels::kNumbers);
    const std::vector<std::size_t> sizes = apart_.add_to(joiner);
    const Result<History> all = joiner.finish();
    ASSERT_TRUE(all);
    PossibleWriters other(boundary_, budget_);
    ASSERT_TRUE(other.restore(*all, sizes));
    ASSERT_EQ(other.size(), apart_.size());
    apart_ = std::move(other);
  }
  std::size_t size() const { return apart_.size(); }

 private:
  Boundary boundary_;
  base::Budget budget_;
  PossibleWriters apart_;
};

using Numbers = std::vector<TxnNumber>;

TEST(PossibleWriters, ComeBackWithThoseWhomTheyReadFrom) {
  Keeper apart;
  apart.add("A: w(x=1) ? @1,_\nB: w(y=word) r(x=1) ? @2,_\nC: r(y=word) w(z=1) ? @3,_", 10);
  apart.add("A: w(x=word) ? @1,_\nB: w(a=1) ? @2,_\nC: w(c=5) ? @3,_", 20);
  EXPECT_EQ(apart.size(), 6U);
  EXPECT_EQ(apart.give("D: r(x=2) r(x=_) r(y=1) r(a=?) w(c=5)"), Numbers{});
  EXPECT_EQ(apart.give("D: r(x=word) r(q=5)"), Numbers{20});
  EXPECT_EQ(apart.give("D: r(x=word)"), Numbers{});
  EXPECT_EQ(apart.give("D: r(z=1)"), (Numbers{10, 11, 12}));
  EXPECT_EQ(apart.size(), 2U);
  apart.restart();
  EXPECT_EQ(apart.give("D: r(a=1) ! "), Numbers{21});
  EXPECT_EQ(apart.give("D: r(c=<>1)"), Numbers{22});
  EXPECT_EQ(apart.size(), 0U);
}

TEST(PossibleWriters, MayHaveWrittenNothing) {
  Keeper apart;
  apart.add("A: r(x=1) ? @1,_", 0);
  EXPECT_EQ(apart.give("D: r(x=1)"), Numbers{});
  apart.restart();
  EXPECT_EQ(apart.give("D: r(x=<>1)"), Numbers{});
  EXPECT_EQ(apart.size(), 1U);
}

TEST(PossibleWriters, AreThoseOfAList) {
  for (std::uint64_t i = 0; i < support::case_count(300); ++i) {
    base::Rng rng(support::run_seed() + i);
    Keeper apart;
    std::multimap<std::pair<std::uint64_t, std::uint64_t>, TxnNumber> list;  // by key and value
    TxnNumber number = 0;
    for (int step = 0; step < 40; ++step) {
      const std::uint64_t count = rng.below(20);
      std::string text;
      for (std::uint64_t t = 0; t < count; ++t) {
        const auto cell = std::pair(rng.below(9), rng.below(300));
        text += "S" + std::to_string(t) + ": w(" + std::to_string(cell.first) + "=" +
                std::to_string(cell.second) + ") ? @1,_\n";
        list.emplace(cell, number + t);
      }
      apart.add(text, number);
      number += count;
      Numbers expected;
      std::string reads = "R:";
      for (std::uint64_t reader = rng.below(60); reader > 0; --reader) {
        const auto cell = std::pair(rng.below(9), rng.below(300));
        reads += " r(" + std::to_string(cell.first) + "=" + std::to_string(cell.second) + ")";
        const auto [begin, end] = list.equal_range(cell);
        for (auto at = begin; at != end; ++at) expected.push_back(at->second);
        list.erase(begin, end);
      }
      std::ranges::sort(expected);
      ASSERT_EQ(apart.give(reads + " w(9=1)"), expected) << "case " << i;
      ASSERT_EQ(apart.size(), list.size());
      if (rng.chance(0.1)) apart.restart();
    }
  }
}

}  // namespace
}  // namespace isolde::stream
