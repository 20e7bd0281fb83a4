// Against a server in this test that breaks connections at chosen moments, which no real server
// can be made to do.
#include "db/http_client.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace isolde::db {
namespace {

enum class Act { kAnswer, kAnswerAndClose, kCloseUnanswered, kBeSilent };

/// Takes requests one after the other and does with each what the script says.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<Act> script) : script_(std::move(script)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    sockaddr* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, generic, size), 0);
    EXPECT_EQ(listen(listener_, 5), 0);
    EXPECT_EQ(getsockname(listener_, generic, &size), 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { serve(); });
  }

  ~ScriptedServer() { stop(); }

  void stop() {
    if (listener_ < 0) return;
    shutdown(listener_, SHUT_RDWR);
    {
      const std::lock_guard lock(mutex_);
      if (connection_ >= 0) shutdown(connection_, SHUT_RDWR);
      stopped_ = true;
    }
    thread_.join();
    close(listener_);
    listener_ = -1;
  }

  const std::string& url() const { return url_; }
  /// Requests that came in whole; after stop().
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  void serve() {
    for (;;) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      if (!hold(connection)) {
        close(connection);
        return;
      }
      while (serve_one(connection)) {
      }
      hold(-1);
      close(connection);
    }
  }

  /// Lets stop() end the connection. False when it has come already.
  bool hold(int connection) {
    const std::lock_guard lock(mutex_);
    connection_ = connection;
    return !stopped_;
  }

  bool serve_one(int connection) {
    std::string request;
    while (!is_whole(request)) {
      char buffer[4096];
      const ssize_t bytes = recv(connection, buffer, sizeof buffer, 0);
      if (bytes <= 0) return false;
      request.append(buffer, static_cast<std::size_t>(bytes));
    }
    requests_.push_back(request);
    const Act act =
        requests_.size() <= script_.size() ? script_[requests_.size() - 1] : Act::kAnswer;
    if (act == Act::kCloseUnanswered) return false;
    if (act == Act::kBeSilent) {
      char byte = 0;
      return recv(connection, &byte, 1, 0) > 0;
    }
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
    return act == Act::kAnswer;
  }

  static bool is_whole(const std::string& request) {
    const std::size_t end = request.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    const std::size_t at = request.find("Content-Length: ");
    const std::size_t length = at < end ? std::stoul(request.substr(at + 16)) : 0;
    return request.size() >= end + 4 + length;
  }

  std::vector<Act> script_;
  int listener_ = -1;
  std::mutex mutex_;
  int connection_ = -1;
  bool stopped_ = false;
  std::string url_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

TEST(HttpClient, KeepsTheConnection) {
  ScriptedServer server({});
  HttpClient client(server.url(), 5);
  client.add_header("Authorization: abc");
  for (int i = 0; i < 3; ++i) {
    const HttpAnswer answer = client.post("/p", "body " + std::to_string(i));
    EXPECT_TRUE(answer.arrived) << answer.problem;
    EXPECT_TRUE(answer.sent);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "ok");
  }
  EXPECT_TRUE(client.get("/g").arrived);
  server.stop();
  ASSERT_EQ(server.requests().size(), 4U);
  EXPECT_NE(server.requests()[2].find("\r\n\r\nbody 2"), std::string::npos);
  EXPECT_NE(server.requests()[2].find("Authorization: abc"), std::string::npos);
  EXPECT_EQ(server.requests()[3].find("GET /g"), 0U);
}

TEST(HttpClient, NeverSendsAPostTwice) {
  // The second request arrives on a kept connection and gets no answer.
  ScriptedServer server({Act::kAnswer, Act::kCloseUnanswered});
  HttpClient client(server.url(), 5);
  EXPECT_TRUE(client.post("/p", "one").arrived);
  const HttpAnswer answer = client.post("/p", "two");
  EXPECT_FALSE(answer.arrived);
  EXPECT_TRUE(answer.sent);
  EXPECT_NE(answer.problem, "");
  // The client goes on with a new connection.
  EXPECT_TRUE(client.post("/p", "three").arrived);
  server.stop();
  ASSERT_EQ(server.requests().size(), 3U);
  EXPECT_NE(server.requests()[2].find("three"), std::string::npos);
}

TEST(HttpClient, UsesANewConnectionWhenTheServerClosedTheOldOne) {
  ScriptedServer server({Act::kAnswerAndClose, Act::kAnswerAndClose, Act::kAnswer});
  HttpClient client(server.url(), 5);
  for (int i = 0; i < 3; ++i) {
    const HttpAnswer answer = client.post("/p", "x");
    // A request that meets the end of the connection halfway is not repeated.
    EXPECT_TRUE(answer.arrived || answer.sent) << answer.problem;
  }
}

TEST(HttpClient, GivesUpAfterTheTimeout) {
  ScriptedServer server({Act::kBeSilent});
  HttpClient client(server.url(), 0.2);
  const HttpAnswer answer = client.post("/p", "x");
  EXPECT_FALSE(answer.arrived);
  EXPECT_TRUE(answer.sent);
}

TEST(HttpClient, TellsThatNothingWasSent) {
  std::string url;
  {
    const ScriptedServer server({});
    url = server.url();
  }
  HttpClient client(url, 1);
  const HttpAnswer answer = client.post("/p", "x");
  EXPECT_FALSE(answer.arrived);
  EXPECT_FALSE(answer.sent);
  EXPECT_NE(answer.problem, "");
}

}  // namespace
}  // namespace isolde::db
