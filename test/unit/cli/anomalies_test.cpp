// Goal: the list of anomalies. Method: a history with three of two types, checked for real.
#include "cli/anomalies.hpp"

#include <gtest/gtest.h>

#include "explain/report_text.hpp"
#include "support/history_dsl.hpp"

namespace isolde::cli {
namespace {

constexpr const char* kThree =
    "A: r(x=_) w(x=1) ; B: r(x=_) w(x=2) ; C: r(x=3) w(x=4) ; D: w(x=3) ; E: r(x=3) w(x=5)"
    " ; F: w(y=1) ! ; G: r(y=1)";

std::optional<explain::AnomaliesReport> anomalies_of(const char* text, std::size_t limit) {
  const History history = support::parse(text);
  base::Budget budget;
  CheckOptions options;
  options.levels = {Level::kSerializable};
  const CheckReport report = check(history, options, budget);
  auto found = find_anomalies(history, report, options, limit, budget);
  EXPECT_TRUE(found.ok());
  return std::move(found).value();
}

TEST(Anomalies, OfOneTypeOnTheSameKeysAreCountedTogether) {
  const auto all = anomalies_of(kThree, 10);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->level, Level::kSerializable);
  EXPECT_EQ(all->count, 3U);
  ASSERT_EQ(all->groups.size(), 2U);
  EXPECT_EQ(all->groups[0].anomaly.name, "aborted read");
  EXPECT_EQ(all->groups[0].transactions, (std::vector<std::string>{"F:0", "G:0"}));
  EXPECT_EQ(all->groups[1].keys, std::vector<std::string>{"x"});
  EXPECT_EQ(all->groups[1].count, 2U);
  EXPECT_EQ(explain::to_text(*all),
            "\nAnomalies at serializable: 3 found\n"
            "  1 x aborted read (G1a), key y: F:0, G:0\n"
            "  2 x lost update (G-single), key x; the first: A:0, B:0\n"
            "  Not searched: anomalies that share a read with one of these\n");
}

TEST(Anomalies, SaysWhereItStopped) {
  const auto one = anomalies_of(kThree, 1);
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->count, 1U);
  EXPECT_EQ(one->not_searched, (std::vector<std::string>{
                                   "more anomalies at serializable: the limit of 1 was reached",
                                   "anomalies that share a read with one of these"}));
  EXPECT_FALSE(anomalies_of("A: w(x=1)", 5).has_value());
}

}  // namespace
}  // namespace isolde::cli
