// Bytes to and from a server over a connected socket, plain or encrypted, with time limits: for
// client libraries that know the protocol and leave the connection to others.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string_view>

#include "db/cancelled.hpp"
#include "db/tls.hpp"
#include "isolde/status.hpp"

namespace isolde::db {

/// For one thread at a time. The socket belongs to somebody else, who closes it later. Raises
/// no SIGPIPE.
class Stream {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Stream() = default;
  /// All of it. ERRORS: kLimit when the time is up; kEnvironment when the connection is lost.
  virtual Status send(std::string_view bytes, Clock::time_point deadline) = 0;
  /// Waits for bytes; how many came. ERRORS: as send().
  virtual Result<std::size_t> receive(std::span<char> bytes, Clock::time_point deadline) = 0;
};

/// Makes the socket non-blocking. ERRORS of the stream: kLimit when it is cancelled, too.
std::unique_ptr<Stream> plain_stream(int socket, Cancelled cancelled = {});

/// Over another stream, with OpenSSL. `host`: the server's name or address, as its certificate
/// has to have it. ERRORS: kLimit; kEnvironment, for a server that is not to be trusted as
/// well; kUsage when one of the files is not what it should be.
Result<std::unique_ptr<Stream>> tls_stream(std::unique_ptr<Stream> under, const Tls& tls,
                                           const std::string& host,
                                           Stream::Clock::time_point deadline);

}  // namespace isolde::db
