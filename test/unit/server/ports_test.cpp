// Goal: ports are different, free, and not such as the system gives to clients. Method: many of
// them, compared with the system's range.
#include "server/ports.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace isolde::server {
namespace {

TEST(Ports, AreDifferentAndOutsideTheRangeForClients) {
  const Result<std::vector<std::uint16_t>> ports = free_ports(200);
  ASSERT_TRUE(ports.ok());
  EXPECT_EQ(std::set<std::uint16_t>(ports->begin(), ports->end()).size(), 200U);
  int first = 0;
  int last = 0;
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  file >> first >> last;
  for (const std::uint16_t port : *ports) {
    EXPECT_GE(port, 10000);
    EXPECT_TRUE(port < first || port > last) << port;
  }
}

TEST(Ports, SayWhenThereAreNotEnough) {
  const Result<std::vector<std::uint16_t>> ports = free_ports(60000);
  ASSERT_FALSE(ports.ok());
  EXPECT_EQ(ports.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(ports.error().message.find("but 60000 are needed"), std::string::npos);
}

}  // namespace
}  // namespace isolde::server
