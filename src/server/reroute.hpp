// Other ports for the connections of a program that asks for ports of 127.0.0.1 (reroute.c).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace isolde::server {

/// A shared library to be preloaded, for the file that it needs.
std::string_view reroute_library();

/// What tells it, as a variable of the program's environment: port -> the one to connect to.
std::string reroute_variable(const std::map<std::uint16_t, std::uint16_t>& ways);

}  // namespace isolde::server
