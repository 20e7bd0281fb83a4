#include "base/text.hpp"

#include <gtest/gtest.h>

namespace isolde::base {
namespace {

TEST(Text, CountsWithNouns) {
  EXPECT_EQ(plural(0, "key"), "0 keys");
  EXPECT_EQ(plural(1, "key"), "1 key");
  EXPECT_EQ(plural(2, "key"), "2 keys");
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

}  // namespace
}  // namespace isolde::base
