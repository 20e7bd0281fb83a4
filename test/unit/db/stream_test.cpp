// Goal: bytes arrive, limits of time are kept, and a lost connection is told from a slow one,
// with encryption and without. Method: pairs of sockets; for the other end of TLS, test/tls.
#include "db/stream.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

namespace isolde::db {
namespace {

using std::chrono::milliseconds;

class StreamTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    stream_ = plain_stream(ends_[0]);
  }
  void TearDown() override {
    stream_.reset();
    for (const int end : ends_) close(end);
  }
  static Stream::Clock::time_point soon(int ms) {
    return Stream::Clock::now() + milliseconds(ms);
  }

  std::array<int, 2> ends_ = {-1, -1};
  std::unique_ptr<Stream> stream_;
  std::array<char, 100> bytes_;
};

TEST_F(StreamTest, SendsMoreThanTheSystemKeeps) {
  const std::string all(3'000'000, 'x');
  std::size_t received = 0;
  std::thread reader([&] {
    std::array<char, 65536> bytes;
    while (received < all.size()) {
      const ssize_t count = read(ends_[1], bytes.data(), bytes.size());
      if (count <= 0) return;
      received += static_cast<std::size_t>(count);
    }
  });
  EXPECT_TRUE(stream_->send(all, soon(10'000)));
  reader.join();
  EXPECT_EQ(received, all.size());
}

TEST_F(StreamTest, KeepsToItsTime) {
  const Result<std::size_t> nothing = stream_->receive(bytes_, soon(20));
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ErrorCode::kLimit);
  const Status full = stream_->send(std::string(30'000'000, 'x'), soon(50));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kLimit);
}

TEST_F(StreamTest, TellsOfALostConnection) {
  ASSERT_EQ(shutdown(ends_[1], SHUT_RDWR), 0);
  const Result<std::size_t> gone = stream_->receive(bytes_, soon(1000));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(gone.error().message, "Server closed the connection");
  const Status sent = stream_->send("x", soon(1000));  // and no signal ends the test
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kEnvironment);
}

// Who answers a handshake with silence, with something else or not at all is no server.
TEST_F(StreamTest, AHandshakeEnds) {
  const Tls tls{Tls::Mode::kRequire, {}, {}, {}};
  auto silent = tls_stream(std::move(stream_), tls, "localhost", soon(50));
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code, ErrorCode::kLimit);
  ASSERT_GT(write(ends_[1], "-ERR unknown command\r\n", 22), 0);
  auto other = tls_stream(plain_stream(ends_[0]), tls, "localhost", soon(1000));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "TLS: wrong version number");
  ASSERT_EQ(shutdown(ends_[1], SHUT_RDWR), 0);
  auto gone = tls_stream(plain_stream(ends_[0]), tls, "localhost", soon(1000));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kEnvironment);
}

TEST_F(StreamTest, AFileThatIsNoCertificateIsTheUsersMistake) {
  const Tls tls{Tls::Mode::kVerifyFull, "/dev/null", {}, {}};
  auto stream = tls_stream(std::move(stream_), tls, "localhost", soon(1000));
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::kUsage);
  EXPECT_NE(stream.error().message.find("sslrootcert: /dev/null: "), std::string::npos);
}

}  // namespace
}  // namespace isolde::db
