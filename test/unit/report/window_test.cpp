#include "report/window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"

namespace isolde::report {
namespace {

/// `txns` transactions, dealt out to `sessions`; transaction i writes key i modulo 50. With
/// times, transaction i starts at -10 i: against the order of the input.
History large(std::size_t txns, std::size_t sessions, bool times) {
  HistoryBuilder builder;
  for (std::size_t i = 0; i < txns; ++i) {
    builder.begin_txn(builder.session("s" + std::to_string(i % sessions)));
    const auto number = static_cast<std::int64_t>(i);
    if (times) builder.set_times({-10 * number, -10 * number + 5});
    builder.write(builder.key(Value::integer(number % 50)), Value::integer(number));
  }
  return std::move(builder.finish()).value();
}

std::vector<TxnId> ids(std::initializer_list<std::size_t> numbers) {
  std::vector<TxnId> out;
  for (std::size_t number : numbers) out.push_back(TxnId::at(number));
  return out;
}

bool contains(const std::vector<TxnId>& window, std::size_t txn) {
  return std::binary_search(window.begin(), window.end(), TxnId::at(txn));
}

// Goal: small histories are shown as a whole, up to the very limit.
TEST(Window, ShowsSmallHistoriesWhole) {
  EXPECT_EQ(choose_window(large(kWholeTxns, 3, true), {}, {}).size(), kWholeTxns);
  EXPECT_EQ(choose_window(large(kWholeTxns + 1, 3, true), {}, {}).size(), kWindowTxns);
  EXPECT_TRUE(choose_window(support::parse(""), {}, {}).empty());
}

// Goal: of a large history, the transactions of the violation, however far apart, with their
// neighbours in their sessions and the ones around them.
TEST(Window, KeepsWhatMatters) {
  const History history = large(10000, 8, false);
  const std::vector<TxnId> focus = ids({17, 9000});
  const std::vector<TxnId> window = choose_window(history, focus, {});
  EXPECT_EQ(window.size(), kWindowTxns);
  EXPECT_TRUE(std::is_sorted(window.begin(), window.end()));
  EXPECT_EQ(std::set<TxnId>(window.begin(), window.end()).size(), window.size());
  for (const std::size_t txn : {17U, 9U, 25U, 9000U, 8992U, 9008U, 18U, 9001U, 8999U}) {
    EXPECT_TRUE(contains(window, txn)) << txn;
  }
  EXPECT_FALSE(contains(window, 5000));
}

// Goal: nothing of a violation is left out, however much it is.
TEST(Window, KeepsAllOfALargeFocus) {
  std::vector<TxnId> focus;
  for (std::size_t i = 0; i < 3 * kWindowTxns; i += 2) focus.push_back(TxnId::at(i));
  EXPECT_EQ(choose_window(large(5000, 8, false), focus, {}), focus);
}

// Goal: users of the violation's keys come before what is only near.
TEST(Window, PrefersTheKeysOfTheViolation) {
  const History history = large(20000, 8, false);
  const std::vector<TxnId> focus = ids({10000});
  const std::vector<KeyId> keys = {history.ops(focus[0])[0].key};
  const std::vector<TxnId> window = choose_window(history, focus, keys);
  // 50 apart: some 200 to each side use the key, far beyond the nearest thousand.
  EXPECT_TRUE(contains(window, 10000 + 50 * 150));
  EXPECT_FALSE(contains(choose_window(history, focus, {}), 10000 + 50 * 150));
  EXPECT_TRUE(contains(window, 10001));
}

// Goal: nearness is in time where there are times.
TEST(Window, GoesByTime) {
  HistoryBuilder builder;
  for (std::int64_t i = 0; i < 6000; ++i) {
    builder.begin_txn(builder.session(i % 2 == 0 ? "even" : "odd"));
    // Even ones run long before the odd ones.
    builder.set_times({i % 2 == 0 ? i : 1000000 + i, i % 2 == 0 ? i + 1 : 1000001 + i});
  }
  const History history = std::move(builder.finish()).value();
  const std::vector<TxnId> focus = ids({3000});
  const std::vector<TxnId> window = choose_window(history, focus, {});
  EXPECT_EQ(window.size(), kWindowTxns);
  EXPECT_TRUE(
      std::all_of(window.begin(), window.end(), [](TxnId txn) { return txn.raw() % 2 == 0; }));
}

// Goal: starts decide; a transaction without one stays behind the one before it in the input.
TEST(Window, OrdersByTime) {
  const History history =
      support::parse("A: w(x=1) @30,40 ; B: w(x=2) ; C: w(x=3) @10,20 ; D: w(x=4) @_,50");
  EXPECT_EQ(in_time_order(history), ids({2, 3, 0, 1}));
  EXPECT_EQ(in_time_order(support::parse("A: w(x=1) ; B: w(x=2)")), ids({0, 1}));
}

}  // namespace
}  // namespace isolde::report
