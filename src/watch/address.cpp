#include "watch/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

namespace isolde::watch {
namespace {

struct Parts {
  std::string host;
  std::string_view port;  ///< empty: none
};

/// "host", "host:port", "[host]" or "[host]:port"; an address of IPv6 needs the brackets.
std::optional<Parts> split(std::string_view text) {
  Parts parts;
  std::string_view behind;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    parts.host = text.substr(1, end - 1);
    if (parts.host.find(':') == std::string::npos) return std::nullopt;
    behind = text.substr(end + 1);
  } else {
    const std::size_t end = std::min(text.find(':'), text.size());
    parts.host = text.substr(0, end);
    behind = text.substr(end);
  }
  if (behind.empty()) return parts;
  if (behind.front() != ':' || behind.size() == 1) return std::nullopt;
  parts.port = behind.substr(1);
  return parts;
}

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return port;
}

/// Whether it is an address in digits, and of this machine.
enum class Kind : std::uint8_t { kNone, kLoopback, kOther };

Kind kind(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) {
    constexpr std::uint32_t kLoopback = 127;
    return ntohl(four.s_addr) >> 24 == kLoopback ? Kind::kLoopback : Kind::kOther;
  }
  in6_addr six{};
  if (inet_pton(AF_INET6, host.c_str(), &six) != 1) return Kind::kNone;
  return IN6_IS_ADDR_LOOPBACK(&six) ? Kind::kLoopback : Kind::kOther;
}

}  // namespace

std::string Address::text() const {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Address> parse_address(std::string_view text) {
  const auto wrong = [&] {
    return Error{ErrorCode::kUsage,
                 "'" + std::string(text) +
                     "' is no place to listen at; it is a port or ADDRESS:PORT with an address "
                     "in digits, as in 9464, 127.0.0.1:9464 and [::1]:9464"};
  };
  if (const std::optional<std::uint16_t> port = port_of(text)) {
    return Address{"127.0.0.1", *port, true};
  }
  const std::optional<Parts> parts = split(text);
  if (!parts) return wrong();
  const std::optional<std::uint16_t> port = port_of(parts->port);
  const std::string host = parts->host == "localhost" ? "127.0.0.1" : parts->host;
  const Kind of = kind(host);
  if (!port || of == Kind::kNone) return wrong();
  return Address{host, *port, of == Kind::kLoopback};
}

bool names_loopback(std::string_view host) {
  const std::optional<Parts> parts = split(host);
  if (!parts || (!parts->port.empty() && !port_of(parts->port))) return false;
  std::string name = parts->host;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name == "localhost" || kind(name) == Kind::kLoopback;
}

}  // namespace isolde::watch
