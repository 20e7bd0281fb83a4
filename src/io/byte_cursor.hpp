// A place in binary data. A read beyond the end gives zero and marks the cursor as overrun, so
// that a reader can take the fields of a record one after the other and ask once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::io {

class ByteCursor {
 public:
  /// REQUIRES: bytes outlive the cursor.
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t offset() const { return at_; }
  std::size_t remaining() const { return bytes_.size() - at_; }
  /// True when a read went beyond the end. Stays so.
  bool overrun() const { return overrun_; }

  std::uint8_t u8() {
    if (remaining() < 1) return static_cast<std::uint8_t>(fail());
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint32_t u32_little() { return static_cast<std::uint32_t>(little(4)); }
  std::uint64_t u64_little() { return little(8); }
  std::uint32_t u32_big() { return static_cast<std::uint32_t>(big(4)); }
  std::int64_t i64_big() { return static_cast<std::int64_t>(big(8)); }

  std::string_view bytes(std::uint64_t count) {
    if (remaining() < count) {
      fail();
      return {};
    }
    const std::string_view found = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += found.size();
    return found;
  }

 private:
  std::uint64_t fail() {
    overrun_ = true;
    at_ = bytes_.size();
    return 0;
  }

  std::uint64_t little(std::size_t count) {
    if (remaining() < count) return fail();
    std::uint64_t word = 0;
    for (std::size_t i = count; i-- > 0;) word = (word << 8) | octet(at_ + i);
    at_ += count;
    return word;
  }

  std::uint64_t big(std::size_t count) {
    if (remaining() < count) return fail();
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) word = (word << 8) | octet(at_ + i);
    at_ += count;
    return word;
  }

  std::uint64_t octet(std::size_t at) const { return static_cast<unsigned char>(bytes_[at]); }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool overrun_ = false;
};

}  // namespace isolde::io
