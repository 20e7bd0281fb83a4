// Data source names: SCHEME://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?PARAMETER=VALUE&... for
// servers, SCHEME:PATH?... for databases in this process. Characters can be written as %XX.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::db {

struct Endpoint {
  std::string host;        ///< name, address, or the path of a unix socket (begins with /)
  std::uint16_t port = 0;  ///< 0: the database's usual one
};

/// "127.0.0.1:5432", "[::1]:5432", or the path of a socket.
std::string address_text(const Endpoint& endpoint);

struct Dsn {
  std::string scheme;
  std::string user;
  std::string password;
  std::vector<Endpoint> endpoints;  ///< empty for SCHEME:PATH and when left out
  std::string path;                 ///< without the leading slash after endpoints
  std::map<std::string, std::string> parameters;

  /// Without the password, for messages and the history's header.
  std::string display() const;
};

/// ERRORS: kUsage, telling what is wrong where.
Result<Dsn> parse_dsn(std::string_view text);

/// ERRORS: kUsage for parameters that are not among `known`, listing these.
Status check_parameters(const Dsn& dsn, const std::vector<std::string_view>& known);

}  // namespace isolde::db
