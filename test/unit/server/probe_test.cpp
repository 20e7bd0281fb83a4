// Goal: only a right answer counts as one. Method: nobody there; and a listener that says the
// wrong thing, nothing, or too little. (Right answers: cluster_test.cpp.)
#include "server/probe.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "server/ports.hpp"

namespace isolde::server {
namespace {

/// Takes one connection, says `words`, and hangs up.
class Impostor {
 public:
  explicit Impostor(std::string words) : words_(std::move(words)) {
    port_ = free_ports(1)->front();
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    thread_ = std::thread([this] {
      const int line = accept(listener_, nullptr, nullptr);
      EXPECT_EQ(::send(line, words_.data(), words_.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(words_.size()));
      shutdown(line, SHUT_WR);
      char rest[1024];
      while (recv(line, rest, sizeof rest, 0) > 0) {
      }
      close(line);
    });
  }
  ~Impostor() {
    thread_.join();
    close(listener_);
  }
  std::uint16_t port() const { return port_; }

 private:
  std::string words_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::thread thread_;
};

TEST(Probe, NobodyThere) {
  const std::uint16_t port = free_ports(1)->front();
  EXPECT_FALSE(postgres_answers(port, "postgres", "postgres"));
  EXPECT_FALSE(mariadb_query(port, "SELECT 1").has_value());
  EXPECT_FALSE(etcd_answers(port));
  EXPECT_FALSE(redis_answers("/nowhere/redis.sock"));
  EXPECT_FALSE(redis_answers(std::string(200, 'x')));
}

TEST(Probe, PostgresMustLetTheUserIn) {
  // Authentication asked for, an error, and half an answer.
  for (const std::string& words :
       {std::string("R\0\0\0\x8\0\0\0\x3", 9), std::string("E\0\0\0\x8SFA\0", 9),
        std::string("R\0\0", 3)}) {
    const Impostor impostor(words);
    EXPECT_FALSE(postgres_answers(impostor.port(), "postgres", "postgres"));
  }
  const Impostor good(std::string("R\0\0\0\x8\0\0\0\0", 9));
  EXPECT_TRUE(postgres_answers(good.port(), "postgres", "postgres"));
}

TEST(Probe, MariaDbSurvivesNonsense) {
  const std::string greeting("\x1\0\0\0\x0a", 5);
  const std::string ok("\x1\0\0\x2\0", 5);
  const std::string ask("\x1\0\0\x2\xfe", 5);
  // An error at once; a packet of 16 MB; no columns; a row that ends inside a value.
  for (const std::string& words :
       {std::string("\x1\0\0\0\xff", 5), std::string("\xff\xff\xff\0", 4), greeting + ok,
        greeting + ask, greeting + ok + std::string("\x1\0\0\1\0", 5)}) {
    const Impostor impostor(words);
    EXPECT_FALSE(mariadb_query(impostor.port(), "SELECT 1").has_value());
  }
  const std::string one("\x1\0\0\1\1", 5);
  const Impostor cut(greeting + ok + one + one + one + std::string("\x2\0\0\1\x9z", 6) +
                     std::string("\x1\0\0\1\xfe", 5));
  EXPECT_EQ(mariadb_query(cut.port(), "SELECT 1"), "z");
}

TEST(Probe, EtcdMustBeHealthy) {
  const Impostor ill("HTTP/1.0 503 x\r\n\r\n{\"health\":\"false\"}");
  EXPECT_FALSE(etcd_answers(ill.port()));
  const Impostor well("HTTP/1.0 200 OK\r\n\r\n{\"health\":\"true\"}");
  EXPECT_TRUE(etcd_answers(well.port()));
}

}  // namespace
}  // namespace isolde::server
