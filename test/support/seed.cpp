#include "support/seed.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>

namespace isolde::support {
namespace {

struct Setting {
  std::uint64_t number = 0;
  bool is_percentage = false;
};

std::optional<Setting> from_environment(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  Setting setting{std::strtoull(text, &end, 10)};
  if (*end == '%') {
    setting.is_percentage = true;
    ++end;
  }
  if (*end != '\0') {
    std::fprintf(stderr, "%s=%s is not a number\n", name, text);
    std::abort();
  }
  return setting;
}

std::uint64_t make_run_seed() {
  const std::optional<Setting> setting = from_environment("ISOLDE_SEED");
  const std::uint64_t seed = setting ? setting->number : std::random_device{}();
  std::printf("ISOLDE_SEED=%" PRIu64 " repeats this run\n", seed);
  std::fflush(stdout);
  return seed;
}

}  // namespace

std::uint64_t run_seed() {
  static const std::uint64_t seed = make_run_seed();
  return seed;
}

std::uint64_t case_count(std::uint64_t usual, std::uint64_t least) {
  const std::optional<Setting> setting = from_environment("ISOLDE_CASES");
  if (!setting) return usual;
  return std::max(least,
                  setting->is_percentage ? usual * setting->number / 100 : setting->number);
}

bool is_full_run() {
  const std::optional<Setting> setting = from_environment("ISOLDE_FULL");
  return setting && setting->number == 1;
}

bool met(std::uint64_t count, std::uint64_t one_in, std::uint64_t cases) {
  return count > 0 || cases < 21 * one_in;
}

}  // namespace isolde::support
