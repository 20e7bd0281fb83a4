// One HTTP connection to one server, for requests that must not be repeated.
//
// libcurl repeats a request by itself when a kept connection turns out to be dead, even one
// that the server may have carried out. Here each request is sent once: its body is handed to
// libcurl a single time, and rewinding it is refused.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "db/cancelled.hpp"
#include "db/tls.hpp"

namespace isolde::db {

struct HttpAnswer {
  bool arrived = false;  ///< there is an answer: status and body
  bool sent = false;     ///< the server may have received the request
  long status = 0;
  std::string body;
  std::string problem;  ///< why there is no answer
};

class HttpClient {
 public:
  /// `server`: "http://127.0.0.1:2379", or "https://..." with `tls`, or the path of a unix
  /// socket. Connects with the first request. A connection attempt or a request that takes
  /// longer than the timeout has failed, and so has one that is cancelled.
  HttpClient(std::string server, double timeout_seconds, const Tls& tls = {},
             Cancelled cancelled = {});
  HttpClient(HttpClient&&) noexcept;
  ~HttpClient();

  /// As given.
  const std::string& server() const;
  /// Sent with each request from now on: "Authorization: xyz".
  void add_header(const std::string& line);

  /// The socket of the connection that the last request left open; -1 when there is none.
  int socket() const;

  HttpAnswer get(const std::string& path);
  HttpAnswer post(const std::string& path, std::string_view body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolde::db
