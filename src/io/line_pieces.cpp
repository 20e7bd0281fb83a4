#include "io/line_pieces.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace isolde::io {

Result<std::string> LinePieces::next(std::uint64_t size) {
  std::string piece;
  for (std::uint64_t most = most_bytes_; at_ + piece.size() < size; most *= 2) {
    const std::size_t begun = piece.size();
    piece.resize(std::min(begun + most, size - at_));
    const ssize_t count = pread(file_, piece.data() + begun, piece.size() - begun,
                                static_cast<off_t>(at_ + begun));
    if (count < 0 && errno != EINTR) {
      return Error{ErrorCode::kEnvironment,
                   path_ + ": cannot be read: " + std::strerror(errno)};
    }
    // A line that could not be written as a whole was taken back.
    piece.resize(begun + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0) continue;
    looked_ = at_ + piece.size();
    const std::size_t newline = piece.rfind('\n');
    if (newline != std::string::npos) {
      piece.resize(newline + 1);
      at_ += piece.size();
      lines_before_ = lines_;
      lines_ += static_cast<std::uint64_t>(std::ranges::count(piece, '\n'));
      return piece;
    }
    if (piece.size() == begun) break;
  }
  return std::string();
}

}  // namespace isolde::io
