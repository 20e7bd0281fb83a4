// The native binary reader. Checksums would stop nearly every mutation at the door, so that the
// target makes them right before it reads.
#include <xxhash.h>

#include <cstring>

#include "fuzz_input.hpp"
#include "io/native_binary.hpp"

namespace {

using isolde::io::binary::Header;
using isolde::io::binary::Section;

void seal(std::string& whole, std::size_t begin, std::uint32_t group) {
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
  const std::size_t from = isolde::io::binary::kHashedFrom;
  header.hash = XXH3_64bits(file.data() + from,
                            sizeof header + header.section_count * sizeof(Section) - from);
  std::memcpy(file.data(), &header, sizeof header);
  whole.replace(begin, file.size(), file);
  if (has_more) seal(whole, begin + file.size(), group + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  seal(file, 0, 0);
  const isolde::io::Inputs inputs =
      isolde::fuzz::file_of(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  isolde::fuzz::exercise(inputs, isolde::io::detect_native_binary,
                         isolde::io::read_native_binary);
  return 0;
}
