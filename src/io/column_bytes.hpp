// The bytes of one column of the native binary format, raw or unpacked piece by piece.
#pragma once

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "io/native_binary.hpp"

namespace isolde::io {

/// The raw bytes of one column from begin to end, in pieces.
class ColumnBytes {
 public:
  ColumnBytes() = default;
  ColumnBytes(std::string_view file, const binary::Section& section)
      : section_(section),
        stored_(file.substr(section.offset, section.stored_bytes)),
        left_(section.raw_bytes) {}

  /// The next element; false at the end and on broken data.
  template <typename T>
  bool next(T& value) {
    if (at_ == piece_.size() && !refill()) return false;
    std::memcpy(&value, piece_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }
  /// How many elements next() would give without unpacking more; they lie at peek().
  template <typename T>
  std::size_t at_hand() const {
    return (piece_.size() - at_) / sizeof(T);
  }
  template <typename T>
  T peek(std::size_t index) const {
    T value;
    std::memcpy(&value, piece_.data() + at_ + index * sizeof(T), sizeof(T));
    return value;
  }
  /// REQUIRES: count <= at_hand<T>().
  template <typename T>
  void skip(std::size_t count) {
    at_ += count * sizeof(T);
  }
  /// Appends the next `count` bytes.
  bool take(std::uint64_t count, std::string& out);

  /// Bytes not yet taken.
  std::uint64_t left() const { return left_ + (piece_.size() - at_); }
  /// Where in the file the trouble is: the element taken last where the column is raw, else the
  /// section.
  std::uint64_t offset() const {
    if (section_.encoding != binary::Encoding::kRaw) return section_.offset;
    const std::uint64_t taken = section_.raw_bytes - left();
    const std::uint64_t width = section_.column == 0 ? 1 : binary::kWidths[section_.column];
    return section_.offset + (taken < width ? 0 : taken - width);
  }
  /// Why next() or take() failed, when it was not the end.
  const std::string& problem() const { return problem_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  bool refill();
  bool unpack(std::size_t count);
  bool unpack_end();
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  binary::Section section_;
  std::string_view stored_;  // not yet consumed
  std::uint64_t left_ = 0;   // raw bytes behind the piece
  std::string_view piece_;
  std::size_t at_ = 0;
  std::vector<char> buffer_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{nullptr, ZSTD_freeDCtx};
  bool frame_is_open_ = false;
  std::string problem_;
};

}  // namespace isolde::io
