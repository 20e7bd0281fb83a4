#include "stream/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace isolde::stream {

FileLock::~FileLock() {
  if (file_ >= 0) close(file_);
}

Result<bool> FileLock::take(const std::string& path) {
  const auto failed = [&](int reason) {
    return Error{ErrorCode::kEnvironment, path + ": " + std::strerror(reason)};
  };
  // Who begins another program does not hand it on.
  if (file_ < 0) file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file_ < 0) return failed(errno);
  int got = flock(file_, LOCK_EX | LOCK_NB);
  while (got != 0 && errno == EINTR) got = flock(file_, LOCK_EX | LOCK_NB);
  if (got == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  return failed(errno);
}

}  // namespace isolde::stream
