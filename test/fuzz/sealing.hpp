// Checksums would stop nearly every mutation at the door, so targets of formats that have them
// make them right before they read.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "io/native_binary.hpp"

namespace isolde::fuzz {

/// The native binary format, from that group of that number on.
inline void seal_groups(std::string& whole, std::size_t begin = 0, std::uint32_t group = 0) {
  using io::binary::Header;
  using io::binary::Section;
  Header header;
  std::string file = whole.substr(begin);
  if (file.size() < sizeof header) return;
  std::memcpy(&header, file.data(), sizeof header);
  // The last group may be torn; a length that cannot be is the rest.
  const bool has_more = header.group_bytes >= sizeof header && header.group_bytes < file.size();
  if (has_more) file.resize(header.group_bytes);
  if (!has_more && header.group_bytes % 8 != 0) header.group_bytes = file.size();
  header.group = group;
  if (header.section_count > (file.size() - sizeof header) / sizeof(Section)) return;
  for (std::uint32_t i = 0; i < header.section_count; ++i) {
    char* const entry = file.data() + sizeof header + i * sizeof(Section);
    Section section;
    std::memcpy(&section, entry, sizeof section);
    if (section.offset > file.size() || section.stored_bytes > file.size() - section.offset) {
      continue;
    }
    section.hash = XXH3_64bits(file.data() + section.offset, section.stored_bytes);
    std::memcpy(entry, &section, sizeof section);
  }
  std::memcpy(file.data(), &header, sizeof header);
  const std::size_t from = io::binary::kHashedFrom;
  header.hash = XXH3_64bits(file.data() + from,
                            sizeof header + header.section_count * sizeof(Section) - from);
  std::memcpy(file.data(), &header, sizeof header);
  whole.replace(begin, file.size(), file);
  if (has_more) seal_groups(whole, begin + file.size(), group + 1);
}

/// Lines that end with a chain; `digest` of (the chain before, the line) is the next one. Lines
/// without one get it.
template <typename Digest>
std::string seal_lines(std::string_view text, const Digest& digest) {
  constexpr std::string_view kSeal = R"(,"chain":")";
  std::string sealed;
  std::string chain;
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return sealed.append(text);
    std::string line(text.substr(0, end));
    text.remove_prefix(end + 1);
    const std::size_t seal = line.rfind(kSeal);
    if (seal != std::string::npos) {
      line.resize(seal);
    } else if (line.ends_with('}')) {
      line.pop_back();
    }
    chain = digest(chain, line);
    (((sealed += line) += kSeal) += chain) += "\"}\n";
  }
}

/// Segments.
inline std::string seal_segments(std::string_view text) {
  std::uint64_t sum = 0;
  return seal_lines(text, [&](const std::string&, const std::string& line) {
    sum = XXH3_64bits_withSeed(line.data(), line.size(), sum);
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
    return std::string(digits);
  });
}

}  // namespace isolde::fuzz
