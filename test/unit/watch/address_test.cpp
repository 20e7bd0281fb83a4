#include "watch/address.hpp"

#include <gtest/gtest.h>

namespace isolde::watch {
namespace {

TEST(Address, PortAloneIsOfThisMachine) {
  const Result<Address> address = parse_address("9464");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->text(), "127.0.0.1:9464");
  EXPECT_TRUE(address->loopback);
}

TEST(Address, KnowsWhatOthersCanReach) {
  struct Case {
    const char* text;
    const char* told;
    bool loopback;
  };
  for (const Case& c :
       {Case{"localhost:1", "127.0.0.1:1", true},
        Case{"127.9.9.9:65535", "127.9.9.9:65535", true}, Case{"[::1]:80", "[::1]:80", true},
        Case{"0.0.0.0:80", "0.0.0.0:80", false}, Case{"128.0.0.1:80", "128.0.0.1:80", false},
        Case{"10.0.0.7:0", "10.0.0.7:0", false}, Case{"[::]:80", "[::]:80", false},
        Case{"[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", false}}) {
    const Result<Address> address = parse_address(c.text);
    ASSERT_TRUE(address.ok()) << c.text;
    EXPECT_EQ(address->text(), c.told);
    EXPECT_EQ(address->loopback, c.loopback) << c.text;
  }
}

TEST(Address, RefusesNamesAndHalves) {
  for (const char* const text : {"", ":", "x", "65536", "-1", "9464 ", "127.0.0.1",
                                 "127.0.0.1:", "example.org:80", "127.1:80", "::1:80", "[::1]",
                                 "[::1]80", "[127.0.0.1]:80", "1:2:3", "127.0.0.1:http"}) {
    const Result<Address> address = parse_address(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().code, ErrorCode::kUsage);
  }
}

TEST(Address, HostsThatNameThisMachine) {
  for (const char* const host :
       {"localhost", "LocalHost:9464", "127.0.0.1", "127.0.0.1:9464", "[::1]:9464", "[::1]"}) {
    EXPECT_TRUE(names_loopback(host)) << host;
  }
  for (const char* const host : {"", "example.org", "localhost.example.org:9464", "10.0.0.1:1",
                                 "127.0.0.1.example.org", "[::2]", "localhost:80:80"}) {
    EXPECT_FALSE(names_loopback(host)) << host;
  }
}

}  // namespace
}  // namespace isolde::watch
