#include "server/probe.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace isolde::server {
namespace {

constexpr int kTimeoutMs = 1000;

/// A connection; every failure, and every pause of a second, ends it.
class Line {
 public:
  explicit Line(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }

  explicit Line(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    open(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }

  ~Line() { hang_up(); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void send(std::string_view bytes) {
    while (fd_ >= 0 && !bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return hang_up();
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// Exactly that many bytes; fewer when the connection ended.
  std::string receive(std::size_t count) {
    std::string bytes;
    while (fd_ >= 0 && bytes.size() < count) {
      char buffer[4096];
      const ssize_t got = recv(fd_, buffer, std::min(count - bytes.size(), sizeof buffer), 0);
      if (got <= 0) {
        hang_up();
        break;
      }
      bytes.append(buffer, static_cast<std::size_t>(got));
    }
    return bytes;
  }

 private:
  void open(const sockaddr* address, socklen_t size) {
    fd_ = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return;
    const timeval timeout{kTimeoutMs / 1000, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    // Also limits connect().
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    if (connect(fd_, address, size) != 0) hang_up();
  }

  void hang_up() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

  int fd_ = -1;
};

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>((value >> shift) & 0xff);
  }
  return bytes;
}

std::string little_endian(std::uint32_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

std::size_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

// ---- MariaDB's protocol: packets with a length of three bytes and a sequence number.

constexpr std::size_t kLongestPacket = 1U << 20;

/// Empty when there was none.
std::string receive_packet(Line& line) {
  const std::string head = line.receive(4);
  const std::size_t size = byte_at(head, 0) | byte_at(head, 1) << 8 | byte_at(head, 2) << 16;
  return head.size() == 4 && size <= kLongestPacket ? line.receive(size) : std::string();
}

void send_packet(Line& line, std::string_view payload, unsigned sequence) {
  line.send(little_endian(static_cast<std::uint32_t>(payload.size()), 3) +
            static_cast<char>(sequence) + std::string(payload));
}

bool is_end_of_rows(std::string_view packet) {
  return packet.empty() || byte_at(packet, 0) == 0xff ||
         (byte_at(packet, 0) == 0xfe && packet.size() < 9);
}

/// As root without a password. The server may ask for another way of proving it, to which an
/// empty packet is the right answer as well.
bool log_in(Line& line) {
  constexpr std::uint32_t kProtocol41 = 0x200;
  constexpr std::uint32_t kSecureConnection = 0x8000;
  constexpr std::uint32_t kPluginAuth = 0x80000;
  constexpr std::uint32_t kUtf8 = 33;
  const std::string greeting = receive_packet(line);
  if (byte_at(greeting, 0) != 10) return false;
  const std::string user("root\0", 5);
  const std::string no_password(1, '\0');
  const std::string plugin("mysql_native_password\0", 22);
  send_packet(line,
              little_endian(kProtocol41 | kSecureConnection | kPluginAuth, 4) +
                  little_endian(kLongestPacket, 4) + little_endian(kUtf8, 1) +
                  std::string(23, '\0') + user + no_password + plugin,
              1);
  std::string reply = receive_packet(line);
  if (byte_at(reply, 0) == 0xfe) {
    send_packet(line, "", 3);
    reply = receive_packet(line);
  }
  return !reply.empty() && byte_at(reply, 0) == 0;
}

/// The last of a row's columns, for values of at most 250 bytes; nothing when it is null.
std::optional<std::string> last_column(std::string_view row) {
  std::optional<std::string> value;
  while (!row.empty()) {
    const std::size_t size = byte_at(row, 0);
    row.remove_prefix(1);
    if (size > 250) {
      value.reset();
      if (size > 251) return value;
      continue;
    }
    value = std::string(row.substr(0, size));
    row.remove_prefix(std::min(size, row.size()));
  }
  return value;
}

}  // namespace

bool postgres_answers(std::uint16_t port, std::string_view user, std::string_view database) {
  constexpr std::uint32_t kProtocol3 = 3U << 16;
  Line line(port);
  std::string message = big_endian(kProtocol3);
  for (const std::string_view part :
       {std::string_view("user"), user, std::string_view("database"), database}) {
    message += std::string(part) + '\0';
  }
  message += '\0';
  line.send(big_endian(static_cast<std::uint32_t>(message.size() + 4)) + message);
  // 'R' with code 0: authenticated; an 'E' (error) says for example that it still recovers.
  const std::string reply = line.receive(9);
  const bool in = reply == "R" + big_endian(8) + big_endian(0);
  if (in) line.send("X" + big_endian(4));
  return in;
}

std::optional<std::string> mariadb_query(std::uint16_t port, std::string_view sql) {
  Line line(port);
  if (!log_in(line)) return std::nullopt;
  send_packet(line, "\x03" + std::string(sql), 0);
  const std::string head = receive_packet(line);
  const std::size_t columns = byte_at(head, 0);
  if (columns == 0 || columns > 250) return std::nullopt;
  for (std::size_t i = 0; i <= columns; ++i) {
    if (receive_packet(line).empty()) return std::nullopt;
  }
  const std::string row = receive_packet(line);
  if (is_end_of_rows(row)) return std::nullopt;
  while (!is_end_of_rows(receive_packet(line))) {
  }
  send_packet(line, "\x01", 0);
  return last_column(row);
}

bool redis_answers(const std::string& socket_path) {
  Line line(socket_path);
  line.send("PING\r\n");
  return line.receive(7) == "+PONG\r\n";
}

bool etcd_answers(std::uint16_t port) {
  Line line(port);
  line.send("GET /health HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
  return line.receive(kLongestPacket).find("\"health\":\"true\"") != std::string::npos;
}

}  // namespace isolde::server
