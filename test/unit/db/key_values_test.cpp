#include "db/key_values.hpp"

#include <gtest/gtest.h>

namespace isolde::db::kv {
namespace {

TEST(KeyValues, NamesTellKeysApart) {
  EXPECT_EQ(register_name(17), "isolde:register:17");
  EXPECT_EQ(list_name(-1, '/'), "isolde/list/-1");
  EXPECT_EQ(owner_name(), "isolde:owner");
}

TEST(KeyValues, KnowsItsOwnNames) {
  for (const char* name : {"isolde:register:0", "isolde:list:-5", "isolde:owner"}) {
    EXPECT_TRUE(is_own_name(name)) << name;
  }
  for (const char* name : {"isolde:register:", "isolde:register:x", "isolde:list:5:6",
                           "isolde:", "isolde:owners", "register:1", "isolde/register/1", ""}) {
    EXPECT_FALSE(is_own_name(name)) << name;
  }
}

TEST(KeyValues, NumbersAreWholeTexts) {
  EXPECT_EQ(parse_number("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_number("0"), 0);
  for (const char* text : {"", "-", "1 ", " 1", "1.0", "9223372036854775808", "abc", "+1"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(KeyValues, ListsSurviveAsText) {
  std::vector<std::int64_t> elements = {9};
  const std::vector<std::vector<std::int64_t>> lists = {{}, {1}, {3, -1, 2}};
  for (const std::vector<std::int64_t>& list : lists) {
    EXPECT_TRUE(parse_list(list_text(list), elements));
    EXPECT_EQ(elements, list);
  }
  for (const char* text : {",", "1,", ",1", "1,,2", "1,x"}) {
    EXPECT_FALSE(parse_list(text, elements)) << text;
  }
}

}  // namespace
}  // namespace isolde::db::kv
