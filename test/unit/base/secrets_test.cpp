#include "base/secrets.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace isolde::base {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

const Pairs kMessages = {
    {"at postgres://u:s3;c@r,3t@h/x: no", "at postgres://u:***@h/x: no"},
    {"redis://:s3cr3t@h and redis://me@h:1", "redis://:***@h and redis://me@h:1"},
    {"host=h password = 's3 \\' cr3t' dbname=x", "host=h password = *** dbname=x"},
    {"'PGPASSWORD=s3cr3t' is no name", "'PGPASSWORD=***' is no name"},
    {"postgres:x?user=u&password=s3,cr3t", "postgres:x?user=u&password=***"},
    {"--api-Token=s3cr3t", "--api-Token=***"},
    {"password=", "password=***"},
};

const Pairs kNothing = {
    {"no password was given; --password needs one", ""},
    {"token_file=/run/token --password-file=p", ""},
    {"http://h:1/a?b=c and x@y", ""},
    {"password", ""},
    {"write SCHEME://USER:PASSWORD@HOST:PORT", ""},
};

TEST(Secrets, AreTakenOutOfMessages) {
  for (const auto& [text, shown] : kMessages) EXPECT_EQ(without_secrets(text), shown);
  for (const auto& [text, none] : kNothing) EXPECT_EQ(without_secrets(text), text);
}

TEST(Secrets, AreTakenOutOfCommands) {
  for (const auto& [text, shown] : kMessages) EXPECT_EQ(command_without_secrets(text), shown);
  const Pairs commands = {
      {"./a --password s3cr3t --port 1", "./a --password *** --port 1"},
      {"./a --password 's3 cr3t' x", "./a --password *** x"},
      {"PGPASSWORD=s3'cr 3t'x ./a b", "PGPASSWORD=*** ./a b"},
      {"sh -c 'MYSQL_PWD=s3cr3t ./a' b", "sh -c 'MYSQL_PWD=*** ./a' b"},
      {"sh -c './a --secret s3cr3t'", "sh -c './a --secret ***'"},
      {"PASSWD=s3\\ cr3t ./a", "PASSWD=*** ./a"},
      {"./a --url=https://u:s3cr3t@h/x", "./a --url=https://u:***@h/x"},
      {"./a --no-password --port 1", "./a --no-password --port 1"},
      {"./a secret of --token", "./a secret of --token"},
      {"./a --token-file t x", "./a --token-file t x"},
  };
  for (const auto& [text, shown] : commands) EXPECT_EQ(command_without_secrets(text), shown);
}

TEST(Secrets, StayTakenOut) {
  for (const auto& [text, shown] : kMessages) {
    EXPECT_EQ(without_secrets(shown), shown);
    EXPECT_EQ(command_without_secrets(shown), shown);
  }
  const std::string odd = "password='\\";  // no end of what is quoted
  EXPECT_EQ(command_without_secrets(odd), "password=***");
  EXPECT_EQ(without_secrets(odd), "password=***");
}

}  // namespace
}  // namespace isolde::base
