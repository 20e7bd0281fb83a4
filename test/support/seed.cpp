#include "support/seed.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>

namespace isolde::support {
namespace {

std::optional<std::uint64_t> from_environment(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text, &end, 10);
  if (*end != '\0') {
    std::fprintf(stderr, "%s=%s is not a number\n", name, text);
    std::abort();
  }
  return number;
}

std::uint64_t make_run_seed() {
  std::optional<std::uint64_t> seed = from_environment("ISOLDE_SEED");
  if (!seed) seed = std::random_device{}();
  std::printf("ISOLDE_SEED=%" PRIu64 " repeats this run\n", *seed);
  std::fflush(stdout);
  return *seed;
}

}  // namespace

std::uint64_t run_seed() {
  static const std::uint64_t seed = make_run_seed();
  return seed;
}

std::uint64_t case_count(std::uint64_t usual) {
  return from_environment("ISOLDE_CASES").value_or(usual);
}

}  // namespace isolde::support
