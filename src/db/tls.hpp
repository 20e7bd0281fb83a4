// Encryption of connections to servers: what the parameters of a data source name ask for, by
// the names that libpq gave them and for all servers alike.
//
//   sslmode      disable; require: encrypted, whoever the server may be; verify-ca: its
//                certificate comes from a known authority; verify-full: and is for this host
//   sslrootcert  file with the certificates of known authorities; without it the system's
//   sslcert, sslkey  files with the client's own certificate and its key
//
// Who names one of the files and no mode means verify-full.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/dsn.hpp"

namespace isolde::db {

struct Tls {
  enum class Mode : std::uint8_t { kOff, kRequire, kVerifyCa, kVerifyFull };

  Mode mode = Mode::kOff;
  std::string authorities;  ///< files, or empty
  std::string certificate;
  std::string key;

  bool is_on() const { return mode != Mode::kOff; }
};

/// For the message of a connection that was lost before the server had said anything: servers
/// that ask for a client's certificate often hang up without a word. Empty where one was sent.
std::string hint_at_client_certificate(const Tls& tls);

/// The parameters' names, for check_parameters().
std::vector<std::string_view> with_tls_parameters(std::vector<std::string_view> others);

/// `otherwise`: the mode where neither a mode nor a file is named. ERRORS: kUsage for an
/// unknown mode, a file that cannot be read, or a key without certificate, or the other way
/// round.
Result<Tls> tls_of(const Dsn& dsn, Tls::Mode otherwise = Tls::Mode::kOff);

}  // namespace isolde::db
