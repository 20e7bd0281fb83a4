// Goal: what passes between nodes passes a proxy unharmed; of a parted node nothing arrives and
// nothing is refused; once it is joined, what was sent before arrives after all. Method:
// sockets of this process at both ends.
#include "server/proxy.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "server/folder.hpp"
#include "server/ports.hpp"

namespace isolde::server {
namespace {

constexpr int kSoonMs = 5000;
constexpr int kNotMs = 100;

class ProxyTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_.data()), nullptr); }
  void TearDown() override {
    for (const int fd : open_) close(fd);
    remove_all(folder_);
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  static sockaddr_un address(const std::string& path) {
    sockaddr_un un{};
    un.sun_family = AF_UNIX;
    path.copy(un.sun_path, sizeof un.sun_path - 1);
    return un;
  }
  static sockaddr_in loopback(const std::string& port) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return in;
  }
  int keep(int fd) {
    EXPECT_GE(fd, 0);
    open_.push_back(fd);
    return fd;
  }
  int listener(const std::string& path) {
    const int fd = keep(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un un = address(path);
    EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&un), sizeof un), 0);
    EXPECT_EQ(listen(fd, 8), 0);
    return fd;
  }
  int connected(const std::string& path) {
    const int fd = keep(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un un = address(path);
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&un), sizeof un), 0);
    return fd;
  }
  int accepted(int listener) {
    EXPECT_TRUE(is_readable(listener, kSoonMs));
    return keep(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  }
  static bool is_readable(int fd, int within_ms) {
    pollfd wait{fd, POLLIN, 0};
    return poll(&wait, 1, within_ms) == 1;
  }
  static void say(int fd, const std::string& text) {
    EXPECT_EQ(send(fd, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  /// So many bytes, or fewer where the connection ends.
  static std::string heard(int fd, std::size_t count) {
    std::string text;
    char buffer[65536];
    while (text.size() < count && is_readable(fd, kSoonMs)) {
      const ssize_t got = read(fd, buffer, std::min(sizeof buffer, count - text.size()));
      if (got <= 0) break;
      text.append(buffer, static_cast<std::size_t>(got));
    }
    return text;
  }

  std::unique_ptr<Proxy> started(std::vector<Link> links, Proxy::NodeOf node_of = {}) {
    Result<std::unique_ptr<Proxy>> proxy =
        Proxy::start(links, std::nullopt, std::move(node_of));
    if (proxy) return std::move(proxy).value();
    ADD_FAILURE() << proxy.error().message;
    return nullptr;
  }

  std::string folder_ = testing::TempDir() + "isolde-proxy-XXXXXX";
  std::vector<int> open_;
};

TEST_F(ProxyTest, HandsOnAllBytesBothWaysAndTheEnd) {
  const int node = listener(path("node"));
  const auto proxy = started({{path("way"), path("node"), 0, 1}});
  ASSERT_NE(proxy, nullptr);
  const int client = connected(path("way"));
  const int server = accepted(node);
  std::string much(3'000'000, 'x');
  for (std::size_t i = 0; i < much.size(); i += 7) much[i] = static_cast<char>(i);
  std::thread sender([&] { say(client, much); });
  std::thread answerer([&] { say(server, much); });
  EXPECT_TRUE(heard(server, much.size()) == much);
  EXPECT_TRUE(heard(client, much.size()) == much);
  sender.join();
  answerer.join();
  // One end is done, the other may go on.
  shutdown(client, SHUT_WR);
  EXPECT_EQ(heard(server, 1), "");
  say(server, "last words");
  EXPECT_EQ(heard(client, 10), "last words");
  shutdown(server, SHUT_WR);
  EXPECT_EQ(heard(client, 1), "");
}

TEST_F(ProxyTest, APartedNodeHearsNothingUntilItIsJoined) {
  const int node = listener(path("node"));
  const auto proxy = started({{path("way"), path("node"), 0, 1}});
  ASSERT_NE(proxy, nullptr);
  const int client = connected(path("way"));
  const int server = accepted(node);
  for (const std::size_t parted : {0U, 1U}) {
    say(client, "before");
    EXPECT_EQ(heard(server, 6), "before");
    proxy->part(parted);
    proxy->part(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    say(client, "during");
    say(server, "answer");
    const int late = connected(path("way"));
    say(late, "hello");
    EXPECT_FALSE(is_readable(server, kNotMs));
    EXPECT_FALSE(is_readable(client, kNotMs));
    EXPECT_FALSE(is_readable(node, kNotMs));
    proxy->join(parted);
    EXPECT_EQ(heard(server, 6), "during");
    EXPECT_EQ(heard(client, 6), "answer");
    EXPECT_EQ(heard(accepted(node), 5), "hello");
  }
}

// Where several nodes take one way.
TEST_F(ProxyTest, KnowsNodesByTheirProcess) {
  const int node = listener(path("node"));
  std::atomic<pid_t> asked = 0;
  const auto proxy =
      started({{path("way"), path("node"), 0, std::nullopt}}, [&](pid_t process) {
        asked = process;
        return std::optional<std::size_t>(5);
      });
  ASSERT_NE(proxy, nullptr);
  const int client = connected(path("way"));
  const int server = accepted(node);
  say(client, "before");
  EXPECT_EQ(heard(server, 6), "before");
  EXPECT_EQ(asked, getpid());
  proxy->part(4);
  say(client, "during");
  EXPECT_EQ(heard(server, 6), "during");
  proxy->part(5);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  say(client, "after");
  EXPECT_FALSE(is_readable(server, kNotMs));
  proxy->join(5);
  EXPECT_EQ(heard(server, 5), "after");
}

TEST_F(ProxyTest, AConnectionThatBreaksIsOver) {
  const auto proxy = started({{path("way"), path("node"), 0, 1}});
  ASSERT_NE(proxy, nullptr);
  EXPECT_EQ(heard(connected(path("way")), 1), "") << "nobody is there";
  const int node = listener(path("node"));
  const int client = connected(path("way"));
  const int server = accepted(node);
  say(client, "unread");
  EXPECT_TRUE(is_readable(server, kSoonMs));
  open_.erase(std::find(open_.begin(), open_.end(), server));
  close(server);
  EXPECT_EQ(heard(client, 1), "");
}

TEST_F(ProxyTest, ANodeThatAcceptsNobodyHoldsUpNoOther) {
  listener(path("busy"));
  const int node = listener(path("node"));
  const auto proxy =
      started({{path("to busy"), path("busy"), 0, 1}, {path("way"), path("node"), 2, 1}});
  ASSERT_NE(proxy, nullptr);
  // More than may wait there.
  for (int i = 0; i < 20; ++i) connected(path("to busy"));
  const int client = connected(path("way"));
  const int server = accepted(node);
  say(client, "hello");
  EXPECT_EQ(heard(server, 5), "hello");
}

TEST_F(ProxyTest, WhoeverANodeHasNoRoomForIsThereOnceItAccepts) {
  const std::string port = std::to_string(free_ports(1).value()[0]);
  const sockaddr_in in = loopback(port);
  const int node = keep(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(node, reinterpret_cast<const sockaddr*>(&in), sizeof in), 0);
  ASSERT_EQ(listen(node, 0), 0);
  const auto proxy = started({{path("way"), port, 0, 1}});
  ASSERT_NE(proxy, nullptr);
  constexpr int kClients = 4;
  for (int i = 0; i < kClients; ++i) say(connected(path("way")), "hello");
  // The proxy has asked for all of them, and not all could be taken.
  std::this_thread::sleep_for(std::chrono::milliseconds(kNotMs));
  for (int i = 0; i < kClients; ++i) EXPECT_EQ(heard(accepted(node), 5), "hello");
}

TEST_F(ProxyTest, EndsWithAllConnections) {
  const int node = listener(path("node"));
  auto proxy = started({{path("way"), path("node"), 0, 1}});
  ASSERT_NE(proxy, nullptr);
  const int client = connected(path("way"));
  const int server = accepted(node);
  proxy->part(0);
  proxy.reset();
  EXPECT_EQ(heard(client, 1), "");
  EXPECT_EQ(heard(server, 1), "");
  EXPECT_FALSE(std::filesystem::exists(path("way")));
}

TEST_F(ProxyTest, PortsWorkLikePathsAndMayBeInUse) {
  const int node = listener(path("node"));
  const std::string port = std::to_string(free_ports(1).value()[0]);
  const auto proxy = started({{port, path("node"), 0, 1}});
  ASSERT_NE(proxy, nullptr);
  const sockaddr_in in = loopback(port);
  const int client = keep(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(connect(client, reinterpret_cast<const sockaddr*>(&in), sizeof in), 0);
  say(client, "hello");
  EXPECT_EQ(heard(accepted(node), 5), "hello");
  const auto second = Proxy::start({{port, path("node"), 0, 1}}, std::nullopt, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message, "cannot listen at " + port + " for a node: address in use");
  const auto deep = Proxy::start({{path(std::string(200, 'x')), "", 0, 1}}, std::nullopt, {});
  ASSERT_FALSE(deep.ok());
  EXPECT_NE(deep.error().message.find("File name too long"), std::string::npos);
}

}  // namespace
}  // namespace isolde::server
