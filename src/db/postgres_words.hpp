// What libpq says when it cannot connect or has lost the connection, for messages.
#pragma once

#include <string>
#include <string_view>

namespace isolde::db {

/// PQerrorMessage() as one line of bounded length. It has a line for each attempt, by another
/// address or without encryption, and lines that begin with a tab go on with what is before.
std::string libpq_line(std::string_view text);

struct ConnectFailure {
  std::string message;   ///< one line: what the servers have said, or else what libpq says
  bool by_user = false;  ///< the user can do something about it
};

/// Of an attempt with PQERRORS_VERBOSE: the server's SQLSTATE is only in the text, as in
/// "...FATAL:  28P01: password authentication failed". `has_certificate`: the client has one.
ConnectFailure connect_failure(std::string_view text, bool has_certificate);

}  // namespace isolde::db
