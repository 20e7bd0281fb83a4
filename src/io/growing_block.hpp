// Bytes of which nobody knows how many will come: from a pipe, or out of a packed file. The
// block grows in place of a vector, without a copy and without old and new side by side, and
// only what was written takes memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "io/mapped_file.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde::io {

class GrowingBlock {
 public:
  /// What is read or unpacked at once.
  static constexpr std::size_t kStep = std::size_t{2} << 20;

  GrowingBlock() = default;
  ~GrowingBlock();
  GrowingBlock(const GrowingBlock&) = delete;
  GrowingBlock& operator=(const GrowingBlock&) = delete;

  /// Where kStep bytes may be written; nullptr when the budget is exhausted or has no room for
  /// them; also, and then the budget is not exhausted, when the system has none.
  char* room(base::Budget& budget);
  /// So many of them were.
  void add(std::size_t count) { size_ += count; }
  std::size_t size() const { return size_; }

  /// A copy, for what turned out to be small.
  std::string text() const { return {begin_, size_}; }
  /// Hands the bytes over, with `padding` zeros behind them. None when the system has no
  /// memory. REQUIRES: size() > 0.
  std::optional<MappedFile> finish(std::size_t padding);

 private:
  bool grow(std::size_t capacity);

  char* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace isolde::io
