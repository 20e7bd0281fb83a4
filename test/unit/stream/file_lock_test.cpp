#include "stream/file_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "unit/io/temporary_folder.hpp"

namespace isolde::stream {
namespace {

bool takes(FileLock& lock, const std::string& path) {
  const Result<bool> taken = lock.take(path);
  EXPECT_TRUE(taken.ok());
  return taken.ok() && *taken;
}

TEST(FileLock, HasOneHolderUntilItsEnd) {
  const io::TemporaryFolder folder;
  const std::string path = folder.path("lock");
  std::optional<FileLock> first(std::in_place);
  FileLock second;
  EXPECT_TRUE(takes(*first, path));
  EXPECT_FALSE(takes(second, path));
  EXPECT_FALSE(takes(second, path));
  first.reset();
  EXPECT_TRUE(takes(second, path));
}

TEST(FileLock, IsFreeWhenItsHolderIsKilled) {
  const io::TemporaryFolder folder;
  const std::string path = folder.path("lock");
  FileLock lock;
  const pid_t child = fork();
  if (child == 0) {
    FileLock held;
    const Result<bool> taken = held.take(path);
    if (taken.ok() && *taken) raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(takes(lock, path));
}

TEST(FileLock, NeedsAFolder) {
  const io::TemporaryFolder folder;
  FileLock lock;
  const Result<bool> taken = lock.take(folder.path("none/lock"));
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().code, ErrorCode::kEnvironment);
}

}  // namespace
}  // namespace isolde::stream
