// Goal: what libpq says in several lines is one line that can be read. Method: its exact words,
// of version 15.
#include "db/postgres_words.hpp"

#include <gtest/gtest.h>

namespace isolde::db {
namespace {

TEST(PostgresWords, OfSeveralAddressesAreSentences) {
  const ConnectFailure failure = connect_failure(
      "connection to server at \"localhost\" (::1), port 1 failed: Connection refused\n"
      "\tIs the server running on that host and accepting TCP/IP connections?\n"
      "connection to server at \"localhost\" (127.0.0.1), port 1 failed: timeout expired\n",
      false);
  EXPECT_EQ(
      failure.message,
      "connection to server at \"localhost\" (::1), port 1 failed: Connection refused. "
      "Is the server running on that host and accepting TCP/IP connections? "
      "connection to server at \"localhost\" (127.0.0.1), port 1 failed: timeout expired");
  EXPECT_FALSE(failure.by_user);
  EXPECT_EQ(
      libpq_line("connection to server at \"a\", port 1 failed: FATAL:  too many clients\n"
                 "connection to server at \"b\", port 1 failed: timeout expired\n"),
      "connection to server at \"a\", port 1 failed: FATAL: too many clients; "
      "connection to server at \"b\", port 1 failed: timeout expired");
  EXPECT_EQ(libpq_line("server closed the connection unexpectedly\n"
                       "\tThis probably means the server terminated abnormally\n"
                       "\tbefore or while processing the request.\n"),
            "server closed the connection unexpectedly. This probably means the server "
            "terminated abnormally before or while processing the request");
  EXPECT_EQ(libpq_line(""), "");
  EXPECT_EQ(libpq_line("\n\n a\n"), "a");
  EXPECT_EQ(libpq_line(std::string(1000, 'x')), std::string(300, 'x') + "...");
}

TEST(PostgresWords, OfServersAreThoseThatCount) {
  const std::string refused =
      "connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  28000: pg_hba.conf "
      "rejects connection for host \"127.0.0.1\", user \"u\", database \"d\", ";
  const std::string where = "\nLOCATION:  ClientAuthentication, auth.c:476\n";
  const ConnectFailure twice = connect_failure(
      refused + "SSL encryption" + where + refused + "no encryption" + where, false);
  EXPECT_EQ(
      twice.message,
      "pg_hba.conf rejects connection for host \"127.0.0.1\", user \"u\", database \"d\", "
      "SSL encryption; pg_hba.conf rejects connection for host \"127.0.0.1\", user \"u\", "
      "database \"d\", no encryption");
  EXPECT_TRUE(twice.by_user);
  const std::string password =
      "connection to server at \"h\" (::1), port 5432 failed: FATAL:  28P01: password "
      "authentication failed for user \"u\"\nLOCATION:  auth_failed, auth.c:326\n";
  EXPECT_EQ(connect_failure(password + password, false).message,
            "password authentication failed for user \"u\"");
  const ConnectFailure full = connect_failure(
      "connection to server at \"h\", port 5432 failed: Connection refused\n"
      "\tIs the server running on that host and accepting TCP/IP connections?\n"
      "connection to server at \"h\", port 5433 failed: FATAL:  53300: sorry, too many clients "
      "already\nLOCATION:  InitProcess, proc.c:353\n",
      false);
  EXPECT_EQ(full.message, "sorry, too many clients already");
  EXPECT_FALSE(full.by_user);
}

TEST(PostgresWords, TellHowToGiveACertificate) {
  const std::string wanted =
      "connection to server at \"localhost\" (127.0.0.1), port 5432 failed: FATAL:  28000: "
      "connection requires a valid client certificate\nLOCATION:  ClientAuthentication, "
      "auth.c:410\n";
  EXPECT_EQ(connect_failure(wanted, false).message,
            "connection requires a valid client certificate (parameters sslcert and sslkey of "
            "the DSN give one)");
  EXPECT_EQ(connect_failure(wanted, true).message,
            "connection requires a valid client certificate");
}

}  // namespace
}  // namespace isolde::db
