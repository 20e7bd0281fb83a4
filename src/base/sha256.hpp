// SHA-256 (FIPS 180-4): digests that nobody can make another text for.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::base {

/// Takes a text piece by piece. COST: about 10 cycles a byte.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// 64 hexadecimal digits, of all that was added. Once, last.
  std::string digest();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::uint64_t size_ = 0;
  std::array<unsigned char, 64> rest_{};  // of the block that is not complete
};

std::string sha256(std::string_view bytes);

}  // namespace isolde::base
