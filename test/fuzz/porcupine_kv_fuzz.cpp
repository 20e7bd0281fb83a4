// Porcupine's key-value logs.
#include "fuzz_input.hpp"
#include "io/foreign.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isolde::fuzz::exercise(isolde::fuzz::file_of(data, size), isolde::io::detect_porcupine_kv,
                         isolde::io::read_porcupine_kv);
  return 0;
}
