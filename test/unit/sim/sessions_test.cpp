// Goal: sessions of simulated histories are those that a recorder would tell of.
// Method: histories in which replies are lost.
#include <gtest/gtest.h>

#include <string>

#include "isolde/history.hpp"
#include "sim/simulate.hpp"

namespace isolde::sim {
namespace {

SimulationOptions with_lost_replies() {
  SimulationOptions options;
  options.workload = gen::default_options(gen::Workload("mini"));
  options.workload.sessions = 8;
  options.workload.txns = 600;
  options.lost_reply_rate = 0.05;
  return options;
}

TEST(SimulatedSessions, EndWithALostReply) {
  const Result<History> history = simulate(with_lost_replies(), nullptr);
  ASSERT_TRUE(history.ok());
  std::size_t lost = 0;
  for (std::size_t s = 0; s < history->session_count(); ++s) {
    const auto txns = history->session_txns(SessionId::at(s));
    EXPECT_FALSE(txns.empty()) << history->session_name(SessionId::at(s));
    for (std::size_t i = 0; i < txns.size(); ++i) {
      if (history->status(txns[i]) != TxnStatus::kIndeterminate) continue;
      EXPECT_EQ(i + 1, txns.size());
      ++lost;
    }
  }
  EXPECT_GT(lost, 10U);
  EXPECT_GE(history->session_count(), lost);
}

}  // namespace
}  // namespace isolde::sim
