// Goal: the line that tells why. Method: logs as the servers write them.
#include "server/log_line.hpp"

#include <gtest/gtest.h>

namespace isolde::server {
namespace {

TEST(TellingLine, PostgreSql) {
  EXPECT_EQ(
      telling_line("2026-11-21 04:31:08.513 GMT [4] LOG:  starting\n"
                   "2026-11-21 04:31:08.520 GMT [4] FATAL:  could not create sockets\n"
                   "2026-11-21 04:31:08.521 GMT [4] LOG:  database system is shut down\n"),
      "FATAL: could not create sockets");
}

TEST(TellingLine, MariaDb) {
  EXPECT_EQ(telling_line("2026-11-21  4:14:41 0 [ERROR] mariadbd: unknown variable 'nope=1'\n"
                         "2026-11-21  4:14:41 0 [ERROR] Aborting\n"),
            "[ERROR] mariadbd: unknown variable 'nope=1'");
}

TEST(TellingLine, HasNoDoubleBlanks) {
  EXPECT_EQ(telling_line("2026-11-21 04:08:30.123 GMT [17] FATAL:  terminating connection\n"),
            "FATAL: terminating connection");
}

TEST(TellingLine, RedisQuotesTheSettingFirst) {
  EXPECT_EQ(telling_line("*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***\n"
                         "Reading the configuration file, at line 9\n"
                         ">>> 'nope \"1\"'\n"
                         "Bad directive or wrong number of arguments\n"),
            "'nope \"1\"': Bad directive or wrong number of arguments");
}

TEST(TellingLine, EtcdAddsItsHelpText) {
  EXPECT_EQ(telling_line("flag provided but not defined: -nope\nUsage:\n\n  etcd [flags]\n"
                         "  --x  fatal error: what to do if it cannot\n"),
            "flag provided but not defined: -nope");
}

TEST(TellingLine, WithoutAProblemTheLastLine) {
  EXPECT_EQ(telling_line("one\ntwo\n\n"), "two");
  EXPECT_EQ(telling_line(""), "");
  EXPECT_EQ(telling_line(std::string(400, 'x')).size(), 303U);
}

}  // namespace
}  // namespace isolde::server
