// Whole lines of a text that grows, in pieces of which each fits into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "isolde/status.hpp"

namespace isolde::io {

class LinePieces {
 public:
  /// `file` is a descriptor of the text, which stays the caller's; `path` is for messages.
  LinePieces(std::string path, int file, std::size_t most_bytes)
      : path_(std::move(path)), file_(file), most_bytes_(most_bytes) {}

  /// Lines that stand in front of byte `size`, where the text is to be looked at no further: at
  /// most `most_bytes`, and one line at least. Empty: there is no whole line. ERRORS:
  /// kEnvironment.
  Result<std::string> next(std::uint64_t size);
  /// The last call has looked at everything in front of that byte.
  bool has_looked_up_to(std::uint64_t size) const { return looked_ >= size; }

  std::uint64_t bytes() const { return at_; }
  /// In front of what the next call gives.
  std::uint64_t lines() const { return lines_; }
  /// In front of what the last call gave.
  std::uint64_t lines_before() const { return lines_before_; }

 private:
  const std::string path_;
  const int file_;
  const std::size_t most_bytes_;
  std::uint64_t at_ = 0;
  std::uint64_t looked_ = 0;
  std::uint64_t lines_ = 0;
  std::uint64_t lines_before_ = 0;
};

}  // namespace isolde::io
