// Jepsen's log of an etcd test.
#include "fuzz_input.hpp"
#include "io/foreign.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isolde::fuzz::exercise(isolde::fuzz::file_of(data, size), isolde::io::detect_porcupine,
                         isolde::io::read_porcupine);
  return 0;
}
