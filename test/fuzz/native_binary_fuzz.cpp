// The native binary reader. Checksums would stop nearly every mutation at the door, so that the
// target makes them right before it reads.
#include <xxhash.h>

#include <cstring>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "fuzz_input.hpp"
#include "io/native.hpp"
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

/// Group by group the file is what it is as a whole: as many transactions, or an error.
void compare_with_groups(const std::string& file, const isolde::io::Inputs& inputs) {
  isolde::base::Budget budget;
  const auto whole = isolde::io::read_native_binary(inputs, budget);
  isolde::io::GroupsBefore before;
  std::size_t txns = 0;
  bool is_whole = true;
  while (is_whole && before.bytes < file.size()) {
    Header header;
    const std::string rest = file.substr(before.bytes);
    if (rest.size() < sizeof header) break;
    std::memcpy(&header, rest.data(), sizeof header);
    const isolde::io::Input group("h", rest.substr(0, header.group_bytes));
    const auto part = isolde::io::read_native_binary_group(group, before, budget);
    is_whole = part.ok();
    if (is_whole) txns += part->txn_count();
  }
  // The whole leaves out a group that is torn, and keys may be lists in one group alone.
  if (is_whole && before.bytes == file.size() && whole.ok()) {
    ISOLDE_CHECK(whole->txn_count() == txns);
  }
  if (whole.ok() && !whole->origin().truncated) ISOLDE_CHECK(is_whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  seal(file, 0, 0);
  const isolde::io::Inputs inputs =
      isolde::fuzz::file_of(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  isolde::fuzz::exercise(inputs, isolde::io::detect_native_binary,
                         isolde::io::read_native_binary);
  compare_with_groups(file, inputs);
  return 0;
}
