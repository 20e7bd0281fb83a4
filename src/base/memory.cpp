#include "base/memory.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

namespace isolde::base {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

File open_to_read(const char* path) { return File(std::fopen(path, "re")); }

struct Pages {
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;  // of files, or shared memory
};

/// Called often: no library in between.
Pages pages_in_memory() {
  Pages pages;
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return pages;
  std::array<char, 128> text{};
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  const char* at = text.data();
  const char* const end = at + std::max<ssize_t>(size, 0);
  std::uint64_t total = 0;
  for (std::uint64_t* const field : {&total, &pages.resident, &pages.shared}) {
    while (at != end && *at == ' ') ++at;
    const auto [rest, error] = std::from_chars(at, end, *field);
    if (error != std::errc()) return {};
    at = rest;
  }
  return pages;
}

std::uint64_t bytes_of(std::uint64_t pages) {
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return pages * size;
}

/// The number that a file begins with; none for "max", or when there is no such file.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::uint64_t machine_bytes(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  std::string rest;
  while (file >> name >> kilobytes) {
    if (name == "MemTotal:") return kilobytes * 1024;
    std::getline(file, rest);
  }
  return kNone;
}

/// The lowest limit of a group and its ancestors. Inside a container the group may have another
/// name than outside, and the container's own group may be the topmost one.
std::uint64_t least_limit(const std::string& top, std::string group, const char* file) {
  std::uint64_t least = kNone;
  while (true) {
    if (group.ends_with('/')) group.pop_back();
    least = std::min(least, number_in(top + group + "/" + file).value_or(kNone));
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

bool lists(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const std::string_view name = controllers.substr(0, controllers.find(','));
    if (name == wanted) return true;
    controllers.remove_prefix(std::min(name.size() + 1, controllers.size()));
  }
  return false;
}

/// Lines are "NUMBER:CONTROLLERS:GROUP"; version 2 has number 0 and no controllers.
std::uint64_t group_bytes(const std::string& root) {
  const std::string groups = root + "/sys/fs/cgroup";
  std::ifstream file(root + "/proc/self/cgroup");
  std::uint64_t least = kNone;
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers(line.data() + first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (line.starts_with("0::")) {
      least = std::min(least, least_limit(groups, group, "memory.max"));
      least = std::min(least, least_limit(groups + "/unified", group, "memory.max"));
    } else if (lists(controllers, "memory")) {
      least = std::min(least, least_limit(groups + "/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace

std::uint64_t anonymous_bytes() {
  const Pages pages = pages_in_memory();
  return bytes_of(pages.resident - std::min(pages.shared, pages.resident));
}

void give_back_memory() { malloc_trim(0); }

std::uint64_t mapped_bytes() { return bytes_of(pages_in_memory().shared); }

std::uint64_t resident_bytes() { return bytes_of(pages_in_memory().resident); }

// Avoids the peak of getrusage() where possible: that one includes the peak of the program that
// started this one.
std::uint64_t peak_resident_bytes() {
  if (const File file = open_to_read("/proc/self/status")) {
    char line[256];
    unsigned long long kilobytes = 0;
    while (std::fgets(line, sizeof line, file.get()) != nullptr) {
      if (std::sscanf(line, "VmHWM: %llu", &kilobytes) == 1) return kilobytes * 1024;
    }
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::uint64_t available_bytes(const std::string& root) {
  const std::uint64_t least = std::min(machine_bytes(root), group_bytes(root));
  return least == kNone ? 0 : least;
}

}  // namespace isolde::base
