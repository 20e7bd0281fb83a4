#include "base/text.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

namespace isolde::base {
namespace {

TEST(Text, CountsWithNouns) {
  EXPECT_EQ(plural(0, "key"), "0 keys");
  EXPECT_EQ(plural(1, "key"), "1 key");
  EXPECT_EQ(plural(2, "key"), "2 keys");
  EXPECT_EQ(plural(132'514, "key"), "132,514 keys");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(9'999), "9999");
  EXPECT_EQ(grouped(10'000), "10,000");
  EXPECT_EQ(grouped(1'000'000), "1,000,000");
  EXPECT_EQ(grouped(18'446'744'073'709'551'615U), "18,446,744,073,709,551,615");
}

TEST(Text, FillsColumns) {
  EXPECT_EQ(padded("ab", 4), "ab  ");
  EXPECT_EQ(padded("abcde", 4), "abcde");
}

TEST(Text, WrapsParagraphs) {
  EXPECT_EQ(wrapped("short"), "  short\n");
  EXPECT_EQ(wrapped(""), "  \n");
  const std::string word(50, 'w');
  EXPECT_EQ(wrapped(word + " " + word, 2), "  " + word + "\n    " + word + "\n");
  const std::string longer(200, 'x');
  EXPECT_EQ(wrapped(longer), "  " + longer + "\n");  // words are never cut
}

TEST(ShellWord, IsInQuotesWhereAShellWouldSeeMore) {
  EXPECT_EQ(shell_word("postgres://user@host:5432/db"), "postgres://user@host:5432/db");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("sqlite:x?journal=wal&upsert=1"), "'sqlite:x?journal=wal&upsert=1'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Text, NamesInOneSpelling) {
  EXPECT_EQ(plain_name("Read Committed"), "read-committed");
  EXPECT_EQ(plain_name("SNAPSHOT_ISOLATION"), "snapshot-isolation");
}

TEST(Text, SuggestsWhatComesClose) {
  const std::string_view names[] = {"strong-snapshot-isolation",
                                    "serializable",
                                    "snapshot-isolation",
                                    "si",
                                    "causal",
                                    "prefix"};
  EXPECT_EQ(did_you_mean("seralizable", names), " (did you mean serializable?)");
  EXPECT_EQ(did_you_mean("serialziable", names), " (did you mean serializable?)");
  EXPECT_EQ(did_you_mean("snapshot", names),
            " (did you mean snapshot-isolation or strong-snapshot-isolation?)");
  EXPECT_EQ(did_you_mean("cuasal", names), " (did you mean causal?)");
  EXPECT_EQ(did_you_mean("nothing", names), "");
  EXPECT_EQ(did_you_mean("s", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean(std::string(1000, 's'), names), "");
}

TEST(Text, NumbersHaveAsManyDigitsAsAskedFor) {
  EXPECT_EQ(fixed(12.5, 2), "12.50");
  EXPECT_EQ(fixed(0.0951, 1), "0.1");
  EXPECT_EQ(fixed(-1, 0), "-1");
  EXPECT_EQ(fixed(1e308, 1).size(), 311U);
}

TEST(Text, PartsAreJoinedAsInASentence) {
  const std::vector<std::string> parts = {"a", "b", "c"};
  EXPECT_EQ(joined({}, "and"), "");
  EXPECT_EQ(joined(std::span(parts).first(1), "and"), "a");
  EXPECT_EQ(joined(std::span(parts).first(2), "or"), "a or b");
  EXPECT_EQ(joined(parts, "and"), "a, b and c");
  EXPECT_EQ(capitalised("lost updates"), "Lost updates");
  EXPECT_EQ(capitalised(""), "");
}

}  // namespace
}  // namespace isolde::base
