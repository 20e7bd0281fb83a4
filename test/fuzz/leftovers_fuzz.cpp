// The native text reader with what a dead recorder left: the history, then behind each "%%%%"
// a file of FILE.inflight.
#include <iterator>

#include "fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isolde::io::Inputs inputs = isolde::fuzz::directory_of(data, size, "", "");
  inputs.is_directory = false;
  inputs.leftovers.state = isolde::io::Leftovers::State::kRead;
  inputs.leftovers.name = "fuzz.inflight";
  inputs.leftovers.files.assign(std::make_move_iterator(inputs.files.begin() + 1),
                                std::make_move_iterator(inputs.files.end()));
  inputs.files.resize(1);
  isolde::fuzz::exercise(inputs, isolde::io::detect_native, isolde::io::read_native);
  return 0;
}
