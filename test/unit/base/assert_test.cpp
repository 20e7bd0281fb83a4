// Goal: a failed check stops the program and names condition and place; a
// passed one does nothing. Method: death tests.
#include "base/assert.hpp"

#include <gtest/gtest.h>

namespace isolde::base {
namespace {

TEST(Assert, PassesSilently) {
  int evaluated = 0;
  ISOLDE_CHECK(++evaluated == 1);
  ISOLDE_ASSERT(evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(AssertDeathTest, NamesConditionAndPlace) {
  const int count = 2;
  EXPECT_DEATH(ISOLDE_CHECK(count == 3), "check `count == 3` failed at .*assert_test.cpp:");
  EXPECT_DEATH(ISOLDE_ASSERT(count < 2), "check `count < 2` failed at .*assert_test.cpp:");
}

}  // namespace
}  // namespace isolde::base
