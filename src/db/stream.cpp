#include "db/stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace isolde::db {
namespace {

class PlainStream final : public Stream {
 public:
  PlainStream(int socket, Cancelled cancelled)
      : socket_(socket), cancelled_(std::move(cancelled)) {
    fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
  }

  Status send(std::string_view bytes, Clock::time_point deadline) override {
    while (!bytes.empty()) {
      const ssize_t done = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (done >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(done));
      } else if (const Status again = wait_after(errno, POLLOUT, deadline); !again) {
        return again.error();
      }
    }
    return ok_status();
  }

  Result<std::size_t> receive(std::span<char> bytes, Clock::time_point deadline) override {
    while (true) {
      const ssize_t done = ::recv(socket_, bytes.data(), bytes.size(), 0);
      if (done > 0) return static_cast<std::size_t>(done);
      if (done == 0) return Error{ErrorCode::kEnvironment, "Server closed the connection"};
      if (const Status again = wait_after(errno, POLLIN, deadline); !again) {
        return again.error();
      }
    }
  }

 private:
  /// After a call that did nothing: until the socket is ready for another one.
  Status wait_after(int reason, short events, Clock::time_point deadline) const {
    if (reason == EINTR) return ok_status();
    if (reason != EAGAIN && reason != EWOULDBLOCK) {
      return Error{ErrorCode::kEnvironment, std::strerror(reason)};
    }
    if (asks(cancelled_)) return waited_no_longer();
    const Clock::time_point now = Clock::now();
    if (deadline <= now) return Error{ErrorCode::kLimit, "no answer in time"};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(next_look(cancelled_, deadline) - now);
    pollfd wait{socket_, events, 0};
    poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
    return ok_status();
  }

  const int socket_;
  const Cancelled cancelled_;
};

}  // namespace

std::unique_ptr<Stream> plain_stream(int socket, Cancelled cancelled) {
  return std::make_unique<PlainStream>(socket, std::move(cancelled));
}

}  // namespace isolde::db
