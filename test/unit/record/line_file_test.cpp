#include "record/line_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "unit/io/temporary_folder.hpp"

namespace isolde::record {
namespace {

TEST(LineFile, AppendsLines) {
  const io::TemporaryFolder folder;
  const std::string path = folder.put("lines", "first\n");
  LineFile file(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), path);
  EXPECT_TRUE(file.append("second\n").ok());
  EXPECT_TRUE(file.append("third\n").ok());
  EXPECT_EQ(folder.get("lines"), "first\nsecond\nthird\n");
}

TEST(LineFile, StaysFullWhenTheDiskIsFull) {
  LineFile file(open("/dev/full", O_WRONLY | O_APPEND | O_CLOEXEC), "full");
  for (int i = 0; i < 2; ++i) {
    const Status status = file.append("line\n");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kEnvironment);
    EXPECT_EQ(status.error().message,
              "full: cannot be written: No space left on device; what the clients do from here "
              "on is not recorded");
  }
}

}  // namespace
}  // namespace isolde::record
