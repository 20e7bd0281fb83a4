// In place of tls_stream.cpp, where OpenSSL is not there at build time.
#include "db/stream.hpp"

namespace isolde::db {

Result<std::unique_ptr<Stream>> tls_stream(std::unique_ptr<Stream>, const Tls&,
                                           const std::string&, Stream::Clock::time_point) {
  return Error{ErrorCode::kEnvironment,
               "this isolde was built without OpenSSL (Debian: libssl-dev), which encrypts "
               "connections to Redis; use sslmode=disable"};
}

}  // namespace isolde::db
