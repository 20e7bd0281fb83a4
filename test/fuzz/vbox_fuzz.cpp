// Vbox's binary logs.
#include "fuzz_input.hpp"
#include "io/foreign.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isolde::fuzz::exercise(isolde::fuzz::directory_of(data, size, "", ".log"),
                         isolde::io::detect_vbox, isolde::io::read_vbox);
  return 0;
}
