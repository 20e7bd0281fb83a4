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

/// REQUIRES: the file has the column.
inline binary::Section section_of(const std::string& file, binary::Column column) {
  binary::Section section;
  for (std::size_t at = sizeof(binary::Header);
       section.column != static_cast<std::uint32_t>(column); at += sizeof section) {
    std::memcpy(&section, file.data() + at, sizeof section);
  }
  return section;
}

/// Overwrites element `row` of a column that is not packed and seals the file.
template <typename T>
std::string with_element_in(std::string file, binary::Column column, std::size_t row, T value) {
  const std::size_t offset = section_of(file, column).offset + row * sizeof(T);
  std::memcpy(file.data() + offset, &value, sizeof value);
  seal(file);
  return file;
}

}  // namespace isolde::io
