#include "explain/statement.hpp"

#include <gtest/gtest.h>

#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

std::string statement(const std::string& history, const Certificate& proof) {
  return make_scenario(support::parse(history), proof).statement;
}

// Goal: a cycle is told round, operation by operation.
TEST(Statement, TellsACycle) {
  EXPECT_EQ(
      make_scenario(write_skew(), write_skew_proof()).statement,
      "write skew: A:0 read the initial value of y, which B:0 replaced by 2, but B:0 read the "
      "initial value of x, which A:0 replaced by 1");
  EXPECT_EQ(statement("A: w(x=1); B: r(x=1) w(y=1); C: r(y=1) r(x=_)",
                      cycle_certificate(Level::kSerializable,
                                        {wr(0, 1, 0), wr(1, 2, 1), rw(2, 0, 0)})),
            "causality violation: B:0 read x = 1, which A:0 wrote; C:0 read y = 1, which B:0 "
            "wrote; but C:0 read the initial value of x, which A:0 replaced by 1");
}

// Goal: of a long cycle the beginning.
TEST(Statement, CutsLongCycles) {
  std::string text = "A: w(k0=1) r(k5=1)";
  std::vector<Edge> cycle;
  for (std::uint32_t t = 1; t <= 5; ++t) {
    text += "; S" + std::to_string(t) + ": r(k" + std::to_string(t - 1) + "=1) w(k" +
            std::to_string(t) + "=1)";
  }
  const History history = support::parse(text);
  for (std::uint32_t t = 0; t <= 5; ++t) {
    // A uses k0 and k5 first, which are therefore keys 0 and 1.
    const std::uint32_t key = t == 0 ? 0 : t == 5 ? 1 : t + 1;
    cycle.push_back(wr(t, (t + 1) % 6, key));
  }
  EXPECT_EQ(make_scenario(history, cycle_certificate(Level::kReadCommitted, cycle)).statement,
            "cyclic information flow: in a cycle of 6 transactions, S1:0 read k0 = 1, which "
            "A:0 wrote; S2:0 read k1 = 1, which S1:0 wrote; S3:0 read k2 = 1, which S2:0 "
            "wrote; and so on");
}

// Goal: an argument in several steps comes down to the reads that nothing explains, not to the
// number of its steps.
TEST(Statement, NamesTheReadsOfALongArgument) {
  const VersionOrder first{txn(0), txn(1)};
  const VersionOrder second{txn(1), txn(0)};
  const Certificate proof =
      certificate(Level::kSerializable, {{{second}, {wr(1, 2, 1), rw(2, 1, 0, txn(0))}, {}},
                                         {{first}, {wr(0, 2, 0), rw(2, 0, 1, txn(1))}, {}},
                                         {{}, {}, {0, 1}}});
  EXPECT_EQ(
      statement("A: w(x=1) w(y=1) ; B: w(x=2) w(y=2) ; C: r(x=1) r(y=2)", proof),
      "fractured read: no order of B:0, C:0 and A:0 explains that C:0 read x = 1 and y = 2");
}

}  // namespace
}  // namespace isolde::explain
