// Goal: each probe consists of exactly the transactions that its anomaly needs.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

// "r(x) w(y)" for each form of transaction, with how often it came.
std::map<std::string, int> forms(Workload workload, std::uint32_t ops = 0) {
  WorkloadOptions options = default_options(workload);
  options.keys = 1;
  if (ops != 0) options.ops = ops;
  SerialRun run(options);
  std::map<std::string, int> result;
  for (int i = 0; i < 10'000; ++i) {
    std::string form;
    for (const PlannedOp& op : run.step().ops) {
      form += (op.is_read() ? "r(" : "w(") + run.planner().key_name(op.key) + ")";
    }
    ++result[form];
  }
  return result;
}

std::set<std::string> names(const std::map<std::string, int>& forms) {
  std::set<std::string> result;
  for (const auto& [form, count] : forms) result.insert(form);
  return result;
}

using Names = std::set<std::string>;

TEST(Probes, HaveTheTransactionsOfTheirAnomaly) {
  EXPECT_EQ(names(forms(Workload("lost-update"))), (Names{"r(x/0)", "r(x/0)w(x/0)"}));
  EXPECT_EQ(names(forms(Workload("write-skew"))),
            (Names{"r(x/0)r(y/0)", "r(x/0)r(y/0)w(x/0)", "r(x/0)r(y/0)w(y/0)"}));
  EXPECT_EQ(names(forms(Workload("read-skew"))), (Names{"r(x/0)r(y/0)", "w(x/0)w(y/0)"}));
  EXPECT_EQ(names(forms(Workload("causality"))),
            (Names{"w(x/0)", "r(x/0)w(y/0)", "r(y/0)r(x/0)"}));
  EXPECT_EQ(names(forms(Workload("long-fork"), 2)),
            (Names{"w(fork/0/0)", "w(fork/0/1)", "r(fork/0/0)r(fork/0/1)",
                   "r(fork/0/1)r(fork/0/0)"}));
  EXPECT_EQ(forms(Workload("long-fork"), 3).size(), 3U + 6U);
}

TEST(Probes, KeepTheirShareOfReads) {
  EXPECT_NEAR(forms(Workload("lost-update"))["r(x/0)"], 2'000, 200);
  EXPECT_NEAR(forms(Workload("read-skew"))["r(x/0)r(y/0)"], 5'000, 200);
  EXPECT_NEAR(forms(Workload("causality"))["r(y/0)r(x/0)"], 4'000, 200);
}

}  // namespace
}  // namespace isolde::gen
