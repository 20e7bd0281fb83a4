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
      {"./a '{\"user\":\"u\",\"password\":\"s3 cr3t\",\"port\":1}' b",
       "./a '{\"user\":\"u\",\"password\":***,\"port\":1}' b"},
      {"./a \"{\\\"password\\\":\\\"s3cr3t\\\"}\" b", "./a \"{\\\"password\\\":***\" b"},
      {"./a 'password: s3cr3t' b", "./a 'password: ***' b"},
      {"./a --pass s3cr3t --pwd=s3cr3t --auth s3cr3t --api-key=s3cr3t --api_key s3cr3t",
       "./a --pass *** --pwd=*** --auth *** --api-key=*** --api_key ***"},
      {"./a 'Server=h;Pwd=s3cr3t;' b", "./a 'Server=h;Pwd=***' b"},
      {"curl -u bob:s3cr3t h", "curl -u bob:*** h"},
      {"curl --user 'bob:s3 cr3t' -ubob:s3cr3t", "curl --user 'bob:***' -ubob:***"},
      {"mysql -u root -ps3cr3t -h h", "mysql -u root -p*** -h h"},
      {"mysql -p'$ecret x' db", "mysql -p*** db"},
      {"x -p 5432 -p5432 --passive --author me --port 1 -path /x -port=1 -pv", ""},
      {"docker run -u 1000:1000 -p 80:80 --no-auth x --bypass y --pass-file f", ""},
      {"x --url http://h:80/ -u http://h/", ""},
  };
  for (const auto& [text, shown] : commands) {
    const std::string& expected = shown.empty() ? text : shown;
    EXPECT_EQ(command_without_secrets(text), expected);
    EXPECT_EQ(command_without_secrets(expected), expected);
  }
}

/// Wherever a program quotes what it was given.
TEST(Secrets, ThatAreKeptAreTakenOutOfMessages) {
  EXPECT_EQ(without_secrets("no login with Quoted1 or Longer-Quoted1"),
            "no login with Quoted1 or Longer-Quoted1");
  keep_secrets_of("./a --password 'Quoted1' --token Longer-Quoted1 --auth abc");
  EXPECT_EQ(without_secrets("no login with Quoted1, Quoted1Quoted1 or Longer-Quoted1 abc"),
            "no login with ***, ****** or *** abc");
  keep_secret("***");
  EXPECT_EQ(without_secrets("Quoted1 ***"), "*** ***");
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
