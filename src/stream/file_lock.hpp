// FileLock: who holds it is the only one, on all machines that share the disk, until it ends,
// however it ends.
#pragma once

#include <string>

#include "isolde/status.hpp"

namespace isolde::stream {

/// A file of that name is made and stays; a lock of the system on it is what counts.
class FileLock {
 public:
  FileLock() = default;
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// False: somebody else has it. ERRORS: kEnvironment.
  Result<bool> take(const std::string& path);

 private:
  int file_ = -1;
};

}  // namespace isolde::stream
