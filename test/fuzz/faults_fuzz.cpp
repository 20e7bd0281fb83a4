// Specifications of faults, as --nemesis takes them: what is accepted can be written down and
// read again.
#include <string>

#include "fuzz_input.hpp"
#include "server/nemesis.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using isolde::fuzz::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto specs = isolde::server::parse_faults(text);
  if (!specs) {
    require(!specs.error().message.empty(), "a refusal has words");
    return 0;
  }
  require(!specs->empty(), "some fault");
  std::string written;
  for (const isolde::server::FaultSpec& spec : *specs) {
    require(spec.every_ns > 0, "a time between faults");
    written += (written.empty() ? "" : ";") + fault_text(spec);
  }
  const auto again = isolde::server::parse_faults(written);
  require(again.ok() && again->size() == specs->size(), "reads what it writes", written);
  for (std::size_t i = 0; i < specs->size(); ++i) {
    require(fault_text((*again)[i]) == fault_text((*specs)[i]), "the same faults", written);
  }
  return 0;
}
