// Data source names: SCHEME://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?PARAMETER=VALUE&... for
// servers, SCHEME:PATH?... for databases in this process. Characters can be written as %XX.
#pragma once

#include <cstdint>
#include <map>
#include <span>
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
  /// A password is there, which may be empty (USER:@HOST): no other one is looked for.
  bool names_password = false;
  std::vector<Endpoint> endpoints;  ///< empty for SCHEME:PATH and when left out
  std::string path;                 ///< without the leading slash after endpoints
  /// SCHEME:///PATH: the slash is part of a file's path, as in file:.
  bool third_slash = false;
  std::map<std::string, std::string> parameters;

  /// Without the password, for messages and the history's header. Parsed, it is all but that.
  std::string display() const;
  /// The path is that of a file.
  void take_third_slash() {
    if (third_slash) path.insert(0, "/");
    third_slash = false;
  }
};

/// ERRORS: kUsage, telling what is wrong where.
Result<Dsn> parse_dsn(std::string_view text);

/// With one more parameter, "index=1". Of a name that parse_dsn() takes, or its display().
std::string with_parameter(std::string_view dsn, std::string_view parameter);

/// "host=h user=u dbname=x", as libpq's programs and ODBC have it.
bool is_keyword_form(std::string_view text);

/// Of a server's. ERRORS: kUsage where the server or the database has that form, which would be
/// taken for a name; how to write it.
Status refuse_keywords(const Dsn& dsn);

// Parameters; `otherwise` is the value of one that is not given. ERRORS: kUsage for any other
// value than those described.

/// On (1, on, yes) or off (0, off, no).
Result<bool> flag_in(const Dsn& dsn, const std::string& name, bool otherwise);

/// A number from `least` to `most`.
Result<std::uint32_t> number_in(const Dsn& dsn, const std::string& name, std::uint32_t least,
                                std::uint32_t most, std::uint32_t otherwise);

/// One of a few words.
Result<std::string> word_in(const Dsn& dsn, const std::string& name,
                            std::span<const std::string_view> words,
                            std::string_view otherwise);

/// ERRORS: kUsage for parameters that are not among `known`, listing these.
Status check_parameters(const Dsn& dsn, const std::vector<std::string_view>& known);

}  // namespace isolde::db
