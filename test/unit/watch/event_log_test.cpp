#include "watch/event_log.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace isolde::watch {
namespace {

std::vector<nlohmann::json> lines_of(const std::string& path) {
  std::vector<nlohmann::json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(EventLog, AppendsWholeLines) {
  const std::string path = testing::TempDir() + "events.jsonl";
  std::remove(path.c_str());
  for (int run = 0; run < 2; ++run) {
    EventLog log([] { return std::int64_t{1'500'000'000}; });
    log.write("before", {});
    ASSERT_TRUE(log.open(path).ok());
    log.write("start", {{"source", "a\nb\xff\x1b[31m"}});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&log] {
        for (int j = 0; j < 50; ++j) log.write("round", {{"text", std::string(200, 'x')}});
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(log.status().ok());
  }
  const std::vector<nlohmann::json> lines = lines_of(path);
  ASSERT_EQ(lines.size(), 402U);
  EXPECT_EQ(lines[0]["time"], "1970-01-01T00:00:01.500000000Z");
  EXPECT_EQ(lines[0]["event"], "start");
  EXPECT_EQ(lines[0]["source"], "a\nb\xef\xbf\xbd\x1b[31m");
  EXPECT_EQ(lines[201]["event"], "start");
}

TEST(EventLog, TellsOfADiskThatIsFull) {
  EventLog log([] { return std::int64_t{0}; });
  ASSERT_TRUE(log.open("/dev/full").ok());
  log.write("start", {});
  log.write("end", {});
  ASSERT_FALSE(log.status().ok());
  EXPECT_EQ(log.status().error().message, "/dev/full: No space left on device");
  EventLog none([] { return std::int64_t{0}; });
  EXPECT_FALSE(none.open(testing::TempDir() + "no/such/folder").ok());
  EXPECT_FALSE(none.is_open());
}

}  // namespace
}  // namespace isolde::watch
