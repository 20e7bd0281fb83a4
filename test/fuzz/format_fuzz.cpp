// The reader of one format, ISOLDE_FUZZ_FORMAT. A format of folders gets the bytes as one where
// it takes files of the usual names.
#include "fuzz_input.hpp"

namespace isolde::io {
const Format& ISOLDE_FUZZ_FORMAT();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const isolde::io::Format& format = isolde::io::ISOLDE_FUZZ_FORMAT();
  const bool takes_logs = format.takes != nullptr && format.takes("fuzz/J0.log");
  isolde::fuzz::exercise(takes_logs ? isolde::fuzz::directory_of(data, size, "J", ".log")
                                    : isolde::fuzz::file_of(data, size),
                         format.detect, format.read);
  return 0;
}
