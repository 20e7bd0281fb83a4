// In place of key_pair.cpp, where OpenSSL is not there at build time.
#include "server/key_pair.hpp"

namespace isolde::server {

Result<KeyPair> make_key_pair() {
  return Error{
      ErrorCode::kEnvironment,
      "this isolde was built without OpenSSL (Debian: libssl-dev), which makes the key "
      "by which the nodes of a Galera cluster know one another"};
}

}  // namespace isolde::server
