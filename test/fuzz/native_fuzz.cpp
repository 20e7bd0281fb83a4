// The native text reader, and its two ways through a line against each other: an unknown field
// in each line forces the way by the book.
#include "fuzz_input.hpp"

namespace {

/// The text with a field that nobody knows behind each opening brace of a line.
std::string with_unknown_fields(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    const bool begins = at == 0 || text[at - 1] == '\n';
    if (begins && text[at] == '{' && at + 1 < text.size() && text[at + 1] == '"') {
      out += "\"unknown\":[],";
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using isolde::fuzz::require;
  const isolde::io::Inputs inputs = isolde::fuzz::file_of(data, size);
  isolde::fuzz::exercise(inputs, isolde::io::detect_native, isolde::io::read_native);

  isolde::base::Budget budget;
  const auto quick = isolde::io::read_native(inputs, budget);
  const std::string odd = with_unknown_fields(inputs.files[0].view());
  const auto by_the_book = isolde::io::read_native(
      isolde::fuzz::file_of(reinterpret_cast<const std::uint8_t*>(odd.data()), odd.size()),
      budget);
  if (quick.ok() && by_the_book.ok()) {
    require(quick->digest() == by_the_book->digest(), "both ways read the same", odd);
  }
  // The reverse may differ only where the header is cut, which the unknown field hides.
  require(!quick.ok() || by_the_book.ok() || quick->origin().truncated,
          "the quick way accepts nothing that the book rejects",
          by_the_book.ok() ? "" : by_the_book.error().message);
  return 0;
}
