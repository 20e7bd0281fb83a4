// TCP ports that nobody uses, for servers on the loopback address.
//
// The system's own choice (binding to port 0) comes from the range for outgoing connections.
// There, while a server is down, a client that keeps trying to reconnect can be given the
// server's port as its own and then talks to itself, and the server cannot come back. So ports
// are drawn from below that range, and tried out by binding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::server {

/// `count` different ports on 127.0.0.1 that were free a moment ago. Another program may still
/// take one before it is used. ERRORS: kEnvironment.
Result<std::vector<std::uint16_t>> free_ports(std::size_t count);

}  // namespace isolde::server
