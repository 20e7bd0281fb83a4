// When transactions ran, as the text for people tells it.
#include "explain/times.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "explain/narrate.hpp"
#include "history/copier.hpp"
#include "isolde/history_builder.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

/// A stale read whose clock stood at 0 at that moment.
std::string tell_by_clock(std::int64_t origin, const std::string& dsl) {
  HistoryBuilder builder;
  const History plain = support::parse(dsl);
  history::Copier copier(plain, builder);
  for (std::size_t t = 0; t < plain.txn_count(); ++t) {
    copier.begin_txn(TxnId::at(t));
    if (t == 1) builder.set_server(builder.string("db1:5432 backend 7"));
    for (const Op& op : plain.ops(TxnId::at(t))) copier.op(op, copier.key(op.key));
  }
  builder.origin().clock_origin = origin;
  const History history = std::move(builder.finish()).value();
  return narrate(history,
                 make_scenario(history, cycle_certificate(Level::kStrictSerializable,
                                                          {rt(0, 1), rw(1, 0, 0)})),
                 {});
}

// Goal: with a clock of known origin, times are told as a server's log has them.
TEST(Times, TellsTheTimeOfDayAndTheServer) {
  constexpr std::int64_t kOrigin = 1'795'183'402'500'000'000;  // 2026-11-20T14:03:22.5Z
  const std::string text =
      tell_by_clock(kOrigin, "A: w(x=1) @1000000,2000000; B: r(x=_) @3500000,4000000");
  expect_contains(text, "\n\nTimes are of 2026-11-20, in UTC.\n\nLet:\n");
  expect_contains(text, "T1 = A:0, 14:03:22.501000 to 14:03:22.502000\n");
  expect_contains(text,
                  "T2 = B:0, 14:03:22.503500 to 14:03:22.504000, on db1:5432 backend 7\n");
  // Digits that tell apart what microseconds do not, and days where there are two.
  expect_contains(tell_by_clock(kOrigin, "A: w(x=1) @1000,1200; B: r(x=_) @1300,9000"),
                  "T1 = A:0, 14:03:22.500001000 to 14:03:22.500001200\n");
  const std::string night =
      tell_by_clock(kOrigin, "A: w(x=1) @1000,2000; B: r(x=_) @3000,86400000000000");
  expect_contains(night, "\n\nTimes are in UTC.\n\nLet:\n");
  expect_contains(night, "T2 = B:0, 2026-11-20 14:03:22.500003 to 2026-11-21 14:03:22.500000");
}

// Goal: a clock without times, or whose moments leave the calendar, is as good as none.
TEST(Times, IgnoresAClockThatHelpsNobody) {
  EXPECT_EQ(tell_by_clock(5, "A: w(x=1); B: r(x=_)").find("Times are"), std::string::npos);
  const std::string text = tell_by_clock(std::numeric_limits<std::int64_t>::max() - 5,
                                         "A: w(x=1) @10,20; B: r(x=_) @30,40");
  expect_contains(text, "T1 = A:0, from 0 ns to 10 ns\n");
}

}  // namespace
}  // namespace isolde::explain
