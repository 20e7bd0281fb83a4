// Viper's JSON logs.
#include "fuzz_input.hpp"
#include "io/foreign.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isolde::fuzz::exercise(isolde::fuzz::directory_of(data, size, "J", ".log"),
                         isolde::io::detect_viper, isolde::io::read_viper);
  return 0;
}
