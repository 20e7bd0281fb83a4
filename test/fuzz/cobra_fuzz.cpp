// Cobra's binary logs.
#include "fuzz_input.hpp"
#include "io/foreign.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isolde::fuzz::exercise(isolde::fuzz::directory_of(data, size, "T", ".log"),
                         isolde::io::detect_cobra, isolde::io::read_cobra);
  return 0;
}
