// A file as memory, without copying it, or memory in place of one (io/growing_block.hpp): the
// system fetches pages as they are read, by whatever thread reads them, and takes them back
// when asked to. Who shortens a file while it is mapped makes the rest unreadable (SIGBUS); the
// program says so and ends (cli/interrupt.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace isolde::io {

class MappedFile {
 public:
  static std::size_t whole_pages(std::size_t bytes);

  /// Memory of whole pages, mapped already, that begins with `size` bytes and is given back by
  /// this. `is_file`: the system can fetch the bytes again.
  MappedFile(char* begin, std::size_t size, std::size_t reserved, bool is_file)
      : begin_(begin), size_(size), reserved_(reserved), is_file_(is_file) {}
  /// The first `size` bytes, with `padding` bytes behind them at least. These are zeros, or
  /// what was appended to the file since its size was asked. None when the system does not map
  /// the file. REQUIRES: size > 0.
  static std::optional<MappedFile> map(int descriptor, std::size_t size, std::size_t padding);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)),
        size_(other.size_),
        reserved_(other.reserved_),
        is_file_(other.is_file_) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    std::swap(reserved_, other.reserved_);
    std::swap(is_file_, other.is_file_);
    return *this;
  }

  std::string_view bytes() const { return {begin_, size_}; }

  /// Takes these bytes out of this process's memory, if they are a file's. They may be read
  /// again.
  void forget(std::size_t begin, std::size_t end) const;

 private:
  char* begin_;  // null after it was moved from
  std::size_t size_;
  std::size_t reserved_;
  bool is_file_;
};

}  // namespace isolde::io
