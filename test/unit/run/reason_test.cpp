// Goal: equal reasons count as one, and the codes that people look up stay. Method: what the
// databases' libraries say, with numbers that differ from one transaction to the next.
#include "run/reason.hpp"

#include <gtest/gtest.h>

namespace isolde::run {
namespace {

TEST(ReasonClass, LeavesOutNumbersAndNames) {
  EXPECT_EQ(reason_class("Deadlock on 17 of \"t1\" at 5.3 s"),
            "Deadlock on # of \"...\" at #.# s");
  EXPECT_EQ(reason_class("two\nlines"), "two lines");
  EXPECT_EQ(reason_class(""), "");
}

TEST(ReasonClass, KeepsCodes) {
  for (const char* message : {
           "could not serialize access due to concurrent update (SQLSTATE 40001)",
           "deadlock detected (SQLSTATE 40P01)",
           "terminating connection due to administrator command (SQLSTATE 57P01)",
           "Deadlock found when trying to get lock; try restarting transaction (error 1213)",
           "WSREP has not yet prepared node for application use (error 1047)",
           "Lost connection to server during query (error 2013)",
           "database is locked (5)",
           "database is locked (517)",
           "disk I/O error (5386)",
           "MDB_MAP_FULL: Environment mapsize limit reached",
           "etcd: HTTP status 503",
           "Dynamic SQL Error; SQL error code = -104; Token unknown (SQLSTATE 42000)",
           "Redis: MISCONF Errors writing to the AOF file",
           "Unable to create shared memory; gdscode 335544344",
           "exit status 7",
           "SQLSTATE[HY000]",
       }) {
    EXPECT_EQ(reason_class(message), message);
  }
}

TEST(ReasonClass, GroupsWhatDiffersBesideTheCode) {
  EXPECT_EQ(reason_class("deadlock; update conflicts with concurrent update; concurrent "
                         "transaction number is 1234 (SQLSTATE 40001)"),
            "deadlock; update conflicts with concurrent update; concurrent transaction number "
            "is # (SQLSTATE 40001)");
  EXPECT_EQ(reason_class("duplicate key value violates unique constraint \"isolde_pkey\" "
                         "(SQLSTATE 23505)"),
            "duplicate key value violates unique constraint \"...\" (SQLSTATE 23505)");
  EXPECT_EQ(reason_class("could not obtain lock on row in tuple (0,17) of 16384"),
            "could not obtain lock on row in tuple (#,#) of #");
  EXPECT_EQ(reason_class("Key (k)=(17) already exists"), "Key (k)=(#) already exists");
  EXPECT_EQ(reason_class("Duplicate entry '17' for key 'PRIMARY' (error 1062)"),
            "Duplicate entry '#' for key 'PRIMARY' (error 1062)");
  EXPECT_EQ(reason_class("Can't connect to server on '127.0.0.1' (115) (error 2002)"),
            "Can't connect to server on '#.#.#.#' (115) (error 2002)");
  EXPECT_EQ(reason_class("no Redis at 127.0.0.1:6379: Connection refused"),
            "no Redis at #.#.#.#:#: Connection refused");
  EXPECT_EQ(reason_class("Operation timed out after 10001 milliseconds with 0 bytes received"),
            "Operation timed out after # milliseconds with # bytes received");
  EXPECT_EQ(reason_class("process 4711 waits; error: 17 rows; transaction (1234567)"),
            "process # waits; error: # rows; transaction (#)");
  EXPECT_EQ(reason_class("terror 17, isolde_register17"), "terror #, isolde_register#");
}

// A message that was cut short may end within quotes; the code comes after.
TEST(ReasonClass, AQuoteThatIsNotClosedTakesNothingAlong) {
  EXPECT_EQ(reason_class("syntax error at \"sel... (SQLSTATE 42601)"),
            "syntax error at \"sel... (SQLSTATE 42601)");
}

TEST(ReasonClass, WhatOnlyLooksLikeACodeIsANumber) {
  EXPECT_EQ(reason_class("SQLSTATE 12"), "SQLSTATE #");
  EXPECT_EQ(reason_class("SQLSTATE"), "SQLSTATE");
  EXPECT_EQ(reason_class("(17) 5"), "(#) #");
  EXPECT_EQ(reason_class("1 2"), "# #");
}

// Goal: what is always said in the same words is told in these.
TEST(ReasonCounts, TellsTheMessageWhereThereIsOne) {
  ReasonCounts counts;
  for (int i = 0; i < 3; ++i) counts.add("no row 7 in\n\"t1\" (SQLSTATE 02000)");
  counts.add("key 1 is locked");
  counts.add("key 2 is locked");
  counts.add("key 1 is locked");
  using Counts = std::vector<std::pair<std::string, std::uint64_t>>;
  EXPECT_EQ(counts.counts(),
            (Counts{{"key # is locked", 3}, {"no row 7 in \"t1\" (SQLSTATE 02000)", 3}}));
  ReasonCounts all;
  all.add(counts);
  EXPECT_EQ(all.counts(), counts.counts());
  ReasonCounts other;
  other.add("no row 8 in\n\"t2\" (SQLSTATE 02000)");
  EXPECT_EQ(other.counts(), (Counts{{"no row 8 in \"t2\" (SQLSTATE 02000)", 1}}));
  all.add(other);
  EXPECT_EQ(all.counts(),
            (Counts{{"key # is locked", 3}, {"no row # in \"...\" (SQLSTATE 02000)", 4}}));
}

}  // namespace
}  // namespace isolde::run
