// Bytes as a file, for what reads a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "fuzz_input.hpp"

namespace isolde::fuzz {

/// In memory, while this object lives.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    require(file_ >= 0 &&
                write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "this machine has files in memory");
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Whoever opens it begins at its beginning.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

/// An error of a reader is one line that begins with the name of what it read.
inline void require_readers_error(const Error& error, std::string_view name) {
  require(error.code == ErrorCode::kBadInput || error.code == ErrorCode::kLimit,
          "bad bytes are bad input", error.message);
  require(error.message.starts_with(name), "errors say where", error.message);
  require(error.message.find('\n') == std::string::npos, "errors are one line", error.message);
}

}  // namespace isolde::fuzz
