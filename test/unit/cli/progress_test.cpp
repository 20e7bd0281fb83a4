#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include "cli/run_progress.hpp"

namespace isolde::cli {
namespace {

// Goal: the rest of the work is estimated from what is done, and not before that means
// anything.
TEST(Progress, EstimatesTheRest) {
  EXPECT_EQ(rest_of_work(10, 0.5), ", 10s left");
  EXPECT_EQ(rest_of_work(1, 0.02), ", 49s left");
  EXPECT_EQ(rest_of_work(2, 0.999), ", 1s left");
  EXPECT_EQ(rest_of_work(100, 0.1), ", 15m left");
  EXPECT_EQ(rest_of_work(0.9, 0.5), "");
  EXPECT_EQ(rest_of_work(10, 0.01), "");
  EXPECT_EQ(rest_of_work(10, 0), "");
  EXPECT_EQ(rest_of_work(10, 1), "");
}

TEST(Progress, TellsTimesInTheUnitThatFits) {
  EXPECT_EQ(rest_of_time(0), "");
  EXPECT_EQ(rest_of_time(-3), "");
  EXPECT_EQ(rest_of_time(0.2), ", 1s left");
  EXPECT_EQ(rest_of_time(100), ", 100s left");
  EXPECT_EQ(rest_of_time(101), ", 2m left");
  EXPECT_EQ(rest_of_time(6001), ", 2h left");
  EXPECT_EQ(rest_of_time(1e9), ", 277778h left");
}

TEST(RunProgress, TellsWhatIsLeftOfTheTimeOrOfTheTransactions) {
  run::RunStatistics statistics;
  statistics.committed = 400;
  statistics.aborted = 3;
  statistics.seconds = 2;
  run::ExecutorOptions options;
  options.workload.txns = 1000;
  EXPECT_EQ(run_progress(statistics, options, 0),
            "running, 3s left: 400 committed (200/s), 3 aborted");
  options.duration_seconds = 60;
  EXPECT_EQ(run_progress(statistics, options, 0),
            "running, 58s left: 400 committed (200/s), 3 aborted");
  options.duration_seconds = 2;
  EXPECT_EQ(run_progress(statistics, options, 0), "running: 400 committed (200/s), 3 aborted");
}

TEST(RunProgress, CountsFaultsOfServersAndConnections) {
  run::RunStatistics statistics;
  statistics.ending = true;
  statistics.cuts = 2;
  statistics.unknown = 4;
  statistics.reconnects = 1;
  EXPECT_EQ(run_progress(statistics, {}, 3),
            "ending: 0 committed (0/s), 0 aborted, 5 faults, 4 unknown, 1 reconnect");
  statistics.cuts = 0;
  EXPECT_NE(run_progress(statistics, {}, 1).find(", 1 fault, "), std::string::npos);
}

}  // namespace
}  // namespace isolde::cli
