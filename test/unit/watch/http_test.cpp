// That there is a module or a reason; what it answers is tested through the program
// (test/cli/outside_test.py).
#include "watch/http.hpp"

#include <gtest/gtest.h>

namespace isolde::watch {
namespace {

TEST(Http, IsThereOrTellsWhatBringsIt) {
  const Status can = can_use_http();
  if (can) return;
  EXPECT_EQ(can.error().code, ErrorCode::kUsage);
  EXPECT_NE(can.error().message.find("libcpp-httplib-dev"), std::string::npos);
  EXPECT_FALSE(http_module().ok());
}

}  // namespace
}  // namespace isolde::watch
