// Goal: sessions of simulated histories are those that a recorder would tell of.
// Method: histories in which replies are lost.
#include <gtest/gtest.h>

#include <set>
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

// Each session that did anything began with a fence that committed, or was a fence at most
// once more; and all fences that took effect are one chain.
TEST(SimulatedSessions, BeginWithAFence) {
  SimulationOptions options = with_lost_replies();
  options.workload.fence_every = 4;
  options.user_abort_rate = 0.2;
  const Result<History> history = simulate(options, nullptr);
  ASSERT_TRUE(history.ok());
  std::set<std::int64_t> seen;
  std::size_t fences = 0;
  for (std::size_t s = 0; s < history->session_count(); ++s) {
    std::size_t between = 0;
    bool has_begun = false;
    for (const TxnId txn : history->session_txns(SessionId::at(s))) {
      const auto ops = history->ops(txn);
      const bool commits = history->status(txn) == TxnStatus::kCommitted;
      if (history->text(ops[0].key) != "fence") {
        EXPECT_TRUE(has_begun);
        // What was refused is no transaction of its own.
        if (commits) ++between;
        EXPECT_LE(between, 4U);
        continue;
      }
      ASSERT_EQ(ops.size(), 2U);
      if (!commits) continue;
      has_begun = true;
      between = 0;
      ++fences;
      const Value value = ops[0].value;
      EXPECT_TRUE(seen.insert(value.is_null() ? 0 : value.as_integer()).second);
    }
  }
  EXPECT_GT(fences, 100U);
}

}  // namespace
}  // namespace isolde::sim
