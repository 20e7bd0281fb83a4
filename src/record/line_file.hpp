// A file that only grows by whole lines, from many threads.
//
// Each line is one write to a descriptor opened for appending. The kernel lets one writer at a
// time into a file anyway, so the lock here costs little, and it keeps what the kernel does not
// promise: when the disk is full in the middle of a line, no other line gets behind the half
// one, and the half one is taken back.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "isolde/status.hpp"

namespace isolde::record {

class LineFile {
 public:
  /// Takes over a descriptor opened for appending; `path` is for messages.
  LineFile(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// Thread-safe. After an error every later call fails in the same way. ERRORS: kEnvironment.
  Status append(std::string_view line);

 private:
  int write_all(std::string_view bytes);

  std::mutex mutex_;
  const int descriptor_;
  const std::string path_;
  int reason_ = 0;  // of the first error
};

}  // namespace isolde::record
