// Goal: a program with the library connects to other ports, where it was told so, and to the
// same ones otherwise; so do the programs that it runs. Method: a real shell, which connects by
// itself, and sockets that see who comes.
#include "server/reroute.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>

#include "server/folder.hpp"
#include "server/process.hpp"

namespace isolde::server {
namespace {

/// Listens at a port of its own.
class Door {
 public:
  explicit Door(const char* host = "127.0.0.1")
      : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, host, &address.sin_addr);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, plain, size), 0);
    EXPECT_EQ(listen(socket_, 8), 0);
    EXPECT_EQ(getsockname(socket_, plain, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Door() { close(socket_); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  std::uint16_t port() const { return port_; }
  /// How many have come since the last call.
  int visitors() const {
    int count = 0;
    for (int end = 0; (end = accept(socket_, nullptr, nullptr)) >= 0; ++count) close(end);
    return count;
  }

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

class Reroute : public testing::Test {
 protected:
  Reroute() : folder_(make_cluster_folder("", std::nullopt).value()) {
    EXPECT_TRUE(write_file(folder_ + "/reroute.so", reroute_library(), std::nullopt).ok());
  }
  ~Reroute() override { remove_all(folder_); }

  /// The shell connects to the port. Returns how it ended and what it said.
  std::string connects(const std::string& host, std::uint16_t port,
                       const std::map<std::uint16_t, std::uint16_t>& ways,
                       const std::string& shells = "") const {
    Command command;
    command.argv = {"/bin/bash", "-c",
                    shells + "exec 3<>/dev/tcp/" + host + "/" + std::to_string(port)};
    if (!shells.empty()) command.argv.back() += "'";
    command.folder = folder_;
    command.log = folder_ + "/log";
    command.preloads = {folder_ + "/reroute.so"};
    command.variables = {reroute_variable(ways)};
    remove_all(command.log);
    const Result<Process> process = Process::start(command);
    if (!process) return process.error().message;
    process->wait_until(Clock::now() + std::chrono::seconds(20));
    return process->ending() + ": " + read_file(command.log);
  }

  const std::string folder_;
};

constexpr std::string_view kWell = "exit status 0: ";

TEST_F(Reroute, ConnectionsGoToOtherPorts) {
  const Door door;
  const Door other;
  const Door third;
  const std::map<std::uint16_t, std::uint16_t> ways = {{door.port(), other.port()},
                                                       {other.port(), third.port()}};
  EXPECT_EQ(connects("127.0.0.1", door.port(), ways), kWell);
  EXPECT_EQ(door.visitors(), 0);
  EXPECT_EQ(other.visitors(), 1);
  EXPECT_EQ(connects("127.0.0.1", other.port(), ways), kWell);
  EXPECT_EQ(other.visitors(), 0);
  EXPECT_EQ(third.visitors(), 1);
  EXPECT_EQ(connects("127.0.0.1", door.port(), ways, "/bin/bash -c '"), kWell);
  EXPECT_EQ(other.visitors(), 1);
}

TEST_F(Reroute, OthersGoWhereTheyWould) {
  const Door door;
  const Door other;
  const Door far("127.0.0.2");
  EXPECT_EQ(connects("127.0.0.1", door.port(), {{far.port(), other.port()}}), kWell);
  EXPECT_EQ(connects("127.0.0.1", door.port(), {}), kWell);
  EXPECT_EQ(door.visitors(), 2);
  EXPECT_EQ(connects("127.0.0.2", far.port(), {{far.port(), other.port()}}), kWell);
  EXPECT_EQ(far.visitors(), 1);
  EXPECT_EQ(other.visitors(), 0);
}

TEST_F(Reroute, ARefusalIsTold) {
  std::uint16_t closed = 0;
  const Door door;
  {
    const Door gone;
    closed = gone.port();
  }
  EXPECT_NE(connects("127.0.0.1", door.port(), {{door.port(), closed}}).find("refused"),
            std::string::npos);
  EXPECT_EQ(door.visitors(), 0);
}

}  // namespace
}  // namespace isolde::server
