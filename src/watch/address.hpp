// Where to listen: "9464" and "127.0.0.1:9464" are on this machine only, "[::]:9464" is not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isolde/status.hpp"

namespace isolde::watch {

struct Address {
  std::string host;  ///< in digits
  std::uint16_t port = 0;
  bool loopback = true;

  /// For people and URLs: "[::1]:9464".
  std::string text() const;
};

/// A port alone is of 127.0.0.1, and 0 is any that is free. No names but localhost, for they
/// may be any machine's. ERRORS: kUsage.
Result<Address> parse_address(std::string_view text);

/// Whether the header Host names this machine: any page of the web may ask a browser to fetch
/// from a name that leads to 127.0.0.1.
bool names_loopback(std::string_view host);

}  // namespace isolde::watch
