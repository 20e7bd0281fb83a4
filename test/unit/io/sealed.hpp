// Forged files of the native binary format that no checksum gives away.
#pragma once

#include <xxhash.h>

#include <cstring>
#include <string>

#include "io/native_binary.hpp"

namespace isolde::io {

/// Makes all checksums right again.
inline void seal(std::string& file) {
  binary::Header header;
  std::memcpy(&header, file.data(), sizeof header);
  for (std::uint32_t i = 0; i < header.section_count; ++i) {
    char* const at = file.data() + sizeof header + i * sizeof(binary::Section);
    binary::Section section;
    std::memcpy(&section, at, sizeof section);
    if (section.offset > file.size() || section.stored_bytes > file.size() - section.offset) {
      continue;
    }
    section.hash = XXH3_64bits(file.data() + section.offset, section.stored_bytes);
    std::memcpy(at, &section, sizeof section);
  }
  const std::size_t front = sizeof header + header.section_count * sizeof(binary::Section);
  header.hash = XXH3_64bits(file.data() + binary::kHashedFrom, front - binary::kHashedFrom);
  std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace isolde::io
