#include "explain/furthest.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "isolde/history_builder.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

using Search = Furthest::Search;

std::vector<TxnId> furthest(std::string_view text, std::uint32_t until) {
  return find_furthest(support::parse(text), key(0), txn(until)).order;
}

Search search(std::string_view text, std::uint32_t until) {
  return find_furthest(support::parse(text), key(0), txn(until)).search;
}

// Goal: an order of what had returned before, and nothing of what had not started.
TEST(Furthest, OrdersWhatHadReturned) {
  EXPECT_EQ(furthest("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: r(x=1) @5,6 ; D: w(x=1) @7,8", 2),
            (std::vector{txn(0), txn(1)}));
  // B's read must come before A's write, although it ended later.
  EXPECT_EQ(furthest("A: w(x=1) @1,5 ; B: r(x=_) @2,6 ; C: r(x=_) @7,8", 2),
            (std::vector{txn(1), txn(0)}));
  // Both writes ran at once: the reads say which one came first.
  EXPECT_EQ(furthest("A: w(x=1) @1,9 ; B: w(x=2) @1,9 ; C: r(x=2) @2,4 ; D: r(x=1) @5,8 ; "
                     "E: r(x=2) @10,11",
                     4),
            (std::vector{txn(1), txn(2), txn(0), txn(3)}));
}

// Goal: what is of unknown outcome takes effect where that helps, and only there.
TEST(Furthest, UsesUnknownOutcomes) {
  EXPECT_EQ(furthest("A: w(x=1) ? @1,2 ; B: r(x=1) @3,4 ; C: r(x=2) @5,6", 2),
            (std::vector{txn(0), txn(1)}));
  EXPECT_EQ(furthest("A: r(x=2) w(x=1) ? @1,2 ; B: r(x=_) @3,4 ; C: r(x=2) @5,6", 2),
            (std::vector{txn(1)}));
}

// Goal: of a compare-and-set that failed it is only known what the register did not hold.
TEST(Furthest, PlacesFailedComparisons) {
  // B did not find 1, so it comes before A, although it ended later.
  EXPECT_EQ(furthest("A: w(x=1) @1,5 ; B: r(x=<>1) @2,6 ; C: r(x=2) @7,8", 2),
            (std::vector{txn(1), txn(0)}));
  EXPECT_EQ(furthest("A: w(x=1) @1,5 ; B: r(x=<>2) @2,6 ; C: r(x=2) @7,8", 2),
            (std::vector{txn(0), txn(1)}));
  EXPECT_EQ(search("A: w(x=1) @1,2 ; B: r(x=<>1) @3,4 ; C: r(x=2) @5,6", 2),
            Search::kExhausted);
}

// Goal: what was not searched for is not called searched for.
TEST(Furthest, TellsWhatWasSearched) {
  EXPECT_EQ(search("A: w(x=1) @1,2 ; B: r(x=1) @3,4 ; C: r(x=3) @5,6", 2), Search::kFound);
  EXPECT_EQ(search("A: w(x=1) @1,2 ; B: r(x=2) @3,4 ; C: r(x=3) @5,6", 2), Search::kExhausted);
  EXPECT_EQ(search("A: w(x=1) ; B: r(x=2)", 1), Search::kNone) << "no times";
  EXPECT_EQ(search("A: w(1=1) @1,2 ; B: s(keys=1..9: 1=1) @3,4 ; C: r(1=3) @5,6", 2),
            Search::kFound);
  EXPECT_EQ(search("A: w(1=1) @1,2 ; B: s(values=5..9: 1=1) @3,4 ; C: r(1=3) @5,6", 2),
            Search::kNone)
      << "a row that was not selected";
}

// Goal: lists are told apart by all of their elements.
TEST(Furthest, OrdersLists) {
  EXPECT_EQ(
      furthest("A: a(x=1) @1,9 ; B: a(x=2) @1,9 ; C: r(x=[2]) @2,4 ; D: r(x=[2 1]) @5,8 ; "
               "E: r(x=[1 2]) @10,11",
               4),
      (std::vector{txn(1), txn(2), txn(0), txn(3)}));
  EXPECT_EQ(search("A: a(x=1) @1,2 ; B: r(x=[2]) @3,4 ; C: r(x=[]) @5,6", 2),
            Search::kExhausted);
}

// Goal: where nobody says with whose end no order is left, that one is found, and an order of
// what had returned before.
TEST(Furthest, FindsWhoHasNoRoom) {
  const auto by = [](std::string_view text, std::int64_t limit) {
    return find_furthest_by(support::parse(text), key(0), limit);
  };
  const std::string_view stale =
      "A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: r(x=1) @5,6 ; D: r(x=2) @7,8";
  EXPECT_EQ(by(stale, 8).until, txn(2));
  EXPECT_EQ(by(stale, 8).order, (std::vector{txn(0), txn(1)}));
  EXPECT_EQ(by(stale, 6).until, txn(2));
  EXPECT_EQ(by(stale, 5).search, Search::kExhausted) << "an order of all that returned is left";
  EXPECT_EQ(by("A: r(x=7) @1,2 ; B: w(x=1) @3,4", 4).until, txn(0));
  EXPECT_TRUE(by("A: r(x=7) @1,2 ; B: w(x=1) @3,4", 4).order.empty());
}

// Goal: what an increment left whose sum is not known says of no order.
TEST(Furthest, DoesNotGuessSums) {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  builder.begin_txn(builder.session("A"));
  builder.increment(x, 1);
  builder.set_times({1, 2});
  builder.begin_txn(builder.session("B"));
  builder.read(x, Value::integer(7));
  builder.set_times({3, 4});
  const Result<History> history = builder.finish();
  ASSERT_TRUE(history.ok());
  EXPECT_EQ(find_furthest(*history, x, txn(1)).search, Search::kNone);
}

// Goal: so many operations are not put in order, and that is told.
TEST(Furthest, GivesUpWhereThereIsTooMuch) {
  std::string text;
  for (int i = 1; i <= 5'002; ++i) {
    text += "A: w(x=" + std::to_string(i) + ") @" + std::to_string(2 * i) + "," +
            std::to_string(2 * i + 1) + " ; ";
  }
  EXPECT_EQ(search(text + "Z: r(x=9) @20000,20001", 5'002), Search::kGivenUp);
}

/// The transactions can take effect in this order, each at a moment between its start and its
/// end.
bool is_order(const History& history, const std::vector<TxnId>& txns) {
  Value held;
  for (std::size_t i = 0; i < txns.size(); ++i) {
    for (std::size_t j = i + 1; j < txns.size(); ++j) {
      if (history.times(txns[j]).end < history.times(txns[i]).start) return false;
    }
    const Op& op = history.ops(txns[i])[0];
    if (op.kind == OpKind::kRead && op.value != held) return false;
    if (op.kind == OpKind::kReadExcept && !history.fits(op, held)) return false;
    if (op.kind == OpKind::kWrite) held = op.value;
  }
  return true;
}

/// The same by trying all permutations.
bool has_order(const History& history, TxnId until) {
  std::vector<TxnId> txns;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    if (TxnId::at(i) != until) txns.push_back(TxnId::at(i));
  }
  do {
    if (is_order(history, txns)) return true;
  } while (std::next_permutation(txns.begin(), txns.end()));
  return false;
}

// Goal: an order is found exactly where there is one.
TEST(Furthest, AgreesWithAllPermutations) {
  base::Rng random(7);
  std::size_t found = 0;
  constexpr std::size_t kRounds = 300;
  const std::vector<std::string> kinds = {"w(x=", "w(x=", "r(x=", "r(x=<>"};
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::string text;
    for (int i = 0; i < 6; ++i) {
      const auto start = static_cast<int>(random.below(12));
      const auto end = start + static_cast<int>(random.below(8));
      const std::string value = std::to_string(1 + random.below(2));
      text += std::string(1, static_cast<char>('A' + i)) + ": " +
              kinds[random.below(kinds.size())] + value + ") @" + std::to_string(start) + "," +
              std::to_string(end) + " ; ";
    }
    const History history = support::parse(text + "Z: r(x=9) @30,40");
    const auto order = find_furthest(history, key(0), txn(6));
    EXPECT_EQ(order.found(), has_order(history, txn(6))) << text;
    EXPECT_EQ(order.search, order.found() ? Search::kFound : Search::kExhausted) << text;
    found += order.found() ? 1 : 0;
  }
  EXPECT_GT(found, kRounds / 20);
  EXPECT_LT(found, kRounds);
}

/// Some order of some of the transactions explains all that ended by `limit`, each at a moment
/// between its start and its end, and of the others those that started by then.
bool explains(const History& history, std::int64_t limit) {
  std::vector<TxnId> txns;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    if (history.times(TxnId::at(i)).start <= limit) txns.push_back(TxnId::at(i));
  }
  for (std::uint32_t chosen = 0; chosen < (1U << txns.size()); ++chosen) {
    std::vector<TxnId> order;
    bool has_all = true;
    for (std::size_t i = 0; i < txns.size(); ++i) {
      const bool is_in = (chosen >> i & 1U) != 0;
      if (is_in) order.push_back(txns[i]);
      has_all = has_all && (is_in || history.times(txns[i]).end > limit);
    }
    if (!has_all) continue;
    do {
      if (is_order(history, order)) return true;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return false;
}

// Goal: it is who ends first of those with whose end no order is left; the order is one of all
// that ended before.
TEST(Furthest, FindsTheFirstWithoutRoom) {
  base::Rng random(11);
  std::size_t found = 0;
  constexpr std::size_t kRounds = 300;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::string text;
    for (int i = 0; i < 5; ++i) {
      // No two ends are equal.
      const auto end = 5 * static_cast<int>(random.below(8)) + i + 4;
      const auto start = std::max(0, end - static_cast<int>(random.below(16)));
      const std::string_view kind = random.below(2) == 0 ? "w(x=" : "r(x=";
      text += std::string(1, static_cast<char>('A' + i)) + ": " + std::string(kind) +
              std::to_string(1 + random.below(2)) + ") @" + std::to_string(start) + "," +
              std::to_string(end) + " ; ";
    }
    const History history = support::parse(text.substr(0, text.size() - 3));
    std::vector<TxnId> by_end;
    for (std::size_t i = 0; i < history.txn_count(); ++i) by_end.push_back(TxnId::at(i));
    std::ranges::sort(by_end, {}, [&](TxnId t) { return history.times(t).end; });
    const auto first = std::ranges::find_if(
        by_end, [&](TxnId t) { return !explains(history, history.times(t).end); });
    const Furthest furthest = find_furthest_by(history, key(0), 100);
    ASSERT_EQ(furthest.found(), first != by_end.end()) << text;
    if (!furthest.found()) continue;
    ++found;
    EXPECT_EQ(furthest.until, *first) << text;
    EXPECT_TRUE(is_order(history, furthest.order)) << text;
    for (auto before = by_end.begin(); before != first; ++before) {
      EXPECT_NE(std::ranges::find(furthest.order, *before), furthest.order.end()) << text;
    }
    EXPECT_EQ(std::ranges::find(furthest.order, *first), furthest.order.end()) << text;
  }
  EXPECT_GT(found, kRounds / 4);
  EXPECT_LT(found, kRounds);
}

}  // namespace
}  // namespace isolde::explain
