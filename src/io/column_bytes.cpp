#include "io/column_bytes.hpp"

#include <algorithm>
#include <utility>

namespace isolde::io {

using binary::Encoding;

bool ColumnBytes::refill() {
  if (left_ == 0 || !problem_.empty()) return false;
  at_ = 0;
  piece_ = {};
  if (section_.encoding == Encoding::kRaw) {
    piece_ = std::exchange(stored_, {});
    left_ = 0;
    return true;
  }
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPiece));
  return unpack(count) && (left_ > 0 || unpack_end());
}

bool ColumnBytes::unpack(std::size_t count) {
  if (!context_) {
    constexpr int kWindowLog = 24;  // 16 MiB; our own writer stays far below
    context_.reset(ZSTD_createDCtx());
    if (!context_) return fail("not enough memory to unpack");
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLog);
    buffer_.resize(kPiece);
  }
  ZSTD_outBuffer out = {buffer_.data(), count, 0};
  ZSTD_inBuffer in = {stored_.data(), stored_.size(), 0};
  std::size_t state = 0;
  while (out.pos < count) {
    state = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(state) != 0U) {
      return fail(std::string("broken zstd data: ") + ZSTD_getErrorName(state));
    }
    if (out.pos < count && (state == 0 || in.pos == in.size)) {
      return fail("the section does not unpack to as many bytes as the table says");
    }
  }
  stored_.remove_prefix(in.pos);
  frame_is_open_ = state != 0;
  left_ -= count;
  piece_ = std::string_view(buffer_.data(), count);
  return true;
}

/// The frame must end where the column does.
bool ColumnBytes::unpack_end() {
  char more = 0;
  ZSTD_outBuffer out = {&more, 1, 0};
  ZSTD_inBuffer in = {stored_.data(), stored_.size(), 0};
  if (frame_is_open_) {
    const std::size_t state = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(state) != 0U) {
      return fail(std::string("broken zstd data: ") + ZSTD_getErrorName(state));
    }
    frame_is_open_ = state != 0;
  }
  return (!frame_is_open_ && in.pos == in.size && out.pos == 0) ||
         fail("the section does not unpack to as many bytes as the table says");
}

bool ColumnBytes::take(std::uint64_t count, std::string& out) {
  while (count > 0) {
    if (at_ == piece_.size() && !refill()) return false;
    const auto step =
        static_cast<std::size_t>(std::min<std::uint64_t>(count, piece_.size() - at_));
    out += piece_.substr(at_, step);
    at_ += step;
    count -= step;
  }
  return true;
}

}  // namespace isolde::io
