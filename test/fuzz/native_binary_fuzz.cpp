// The native binary reader.
#include <cstring>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "fuzz_input.hpp"
#include "io/native.hpp"
#include "io/native_binary.hpp"
#include "sealing.hpp"

namespace {

using isolde::io::binary::Header;

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
  isolde::fuzz::seal_groups(file);
  const isolde::io::Inputs inputs =
      isolde::fuzz::file_of(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  isolde::fuzz::exercise(inputs, isolde::io::detect_native_binary,
                         isolde::io::read_native_binary);
  compare_with_groups(file, inputs);
  return 0;
}
