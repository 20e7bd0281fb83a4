// A key of a launch's own, for servers that know one another by certificates.
#pragma once

#include <string>

#include "isolde/status.hpp"

namespace isolde::server {

/// Both in PEM.
struct KeyPair {
  std::string key;
  /// Signed by the key itself, so it is its own authority: who demands a certificate of that
  /// authority lets in nobody but owners of the key. Valid at all times, since clocks of
  /// servers are set as faults.
  std::string certificate;
};

/// A fresh one. ERRORS: kEnvironment, as where this program was built without OpenSSL.
Result<KeyPair> make_key_pair();

}  // namespace isolde::server
