// Goal: a process lives as long as the line, not as the thread that asked for it. Method: a
// thread that ends; and the same without a line, which shows what it is for.
#include "server/lifeline.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "unit/server/test_processes.hpp"

namespace isolde::server {
namespace {

Command sleeper() { return {{"/bin/sleep", "30"}, "/", "/dev/null", std::nullopt, 0}; }

TEST(LifeLine, ProcessesSurviveTheThreadThatAskedForThem) {
  auto line = std::make_unique<LifeLine>();
  Process process;
  std::thread([&] {
    Result<Process> started = line->start(sleeper());
    if (started) process = std::move(started).value();
  }).join();
  ASSERT_TRUE(process.started());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(process.running());
  line.reset();
  EXPECT_TRUE(process.wait_until(Clock::now() + std::chrono::seconds(20)));
  EXPECT_EQ(process.ending(), "signal 9");
}

TEST(LifeLine, WithoutItProcessesDieWithTheThread) {
  Process process;
  std::thread([&] {
    Result<Process> started = Process::start(sleeper());
    if (started) process = std::move(started).value();
  }).join();
  ASSERT_TRUE(process.started());
  EXPECT_TRUE(process.wait_until(Clock::now() + std::chrono::seconds(20)));
}

TEST(LifeLine, PassesErrorsOn) {
  LifeLine line;
  Command command = sleeper();
  command.argv = {"/nowhere/program"};
  EXPECT_FALSE(line.start(command).ok());
  EXPECT_TRUE(line.start(sleeper()).ok());
}

}  // namespace
}  // namespace isolde::server
