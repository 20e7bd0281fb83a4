#include "server/ports.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "base/rng.hpp"

namespace isolde::server {
namespace {

/// Below are ports of well-known services.
constexpr std::uint64_t kLowest = 10000;
constexpr std::uint64_t kHighest = 65535;
constexpr int kAttempts = 10000;

/// [first, last) from which to draw.
struct Range {
  std::uint64_t first = kLowest;
  std::uint64_t last = 32768;
};

Range usable_range() {
  Range range;
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (!(file >> first >> last)) return range;
  if (first >= kLowest + 2000) {
    range.last = std::min(first, kHighest);
  } else if (last + 2000 < kHighest) {
    range = {last + 1, kHighest};
  }
  return range;
}

bool is_free(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool free = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return free;
}

/// Programs that start at the same time should not draw the same ports.
std::uint64_t seed_of_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(now) ^ (static_cast<std::uint64_t>(getpid()) << 40);
}

}  // namespace

Result<std::vector<std::uint16_t>> free_ports(std::size_t count) {
  const Range range = usable_range();
  base::Rng rng(seed_of_now());
  std::vector<std::uint16_t> ports;
  for (int attempt = 0; attempt < kAttempts && ports.size() < count; ++attempt) {
    const auto port =
        static_cast<std::uint16_t>(range.first + rng.below(range.last - range.first));
    const bool drawn = std::find(ports.begin(), ports.end(), port) != ports.end();
    if (!drawn && is_free(port)) ports.push_back(port);
  }
  if (ports.size() == count) return ports;
  return Error{ErrorCode::kEnvironment,
               "found " + std::to_string(ports.size()) + " free ports on 127.0.0.1 from " +
                   std::to_string(range.first) + " to " + std::to_string(range.last - 1) +
                   ", but " + std::to_string(count) + " are needed"};
}

}  // namespace isolde::server
