#include "server/proxy.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <list>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace isolde::server {
namespace {

/// How much waits in each direction of a connection.
constexpr std::size_t kMostBytes = 65536;
constexpr int kBacklog = 64;

class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// A port of 127.0.0.1, or the path of a socket.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  bool is_path = false;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

/// Nothing when the path is too long.
std::optional<Address> address_of(const std::string& text) {
  Address address;
  address.is_path = text.starts_with('/');
  if (address.is_path) {
    sockaddr_un un{};
    if (text.size() >= sizeof un.sun_path) return std::nullopt;
    un.sun_family = AF_UNIX;
    std::memcpy(un.sun_path, text.c_str(), text.size() + 1);
    std::memcpy(&address.storage, &un, sizeof un);
    address.size = sizeof un;
    return address;
  }
  std::uint16_t port = 0;
  std::from_chars(text.data(), text.data() + text.size(), port);
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = htons(port);
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::memcpy(&address.storage, &in, sizeof in);
  address.size = sizeof in;
  return address;
}

Socket new_socket(const Address& address) {
  return Socket(socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

void set_nonblocking(const Socket& socket) {
  fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) | O_NONBLOCK);
}

Error failed(const std::string& where) {
  const std::string why = errno == EADDRINUSE ? "address in use" : std::strerror(errno);
  return {ErrorCode::kEnvironment, "cannot listen at " + where + " for a node: " + why};
}

Result<Socket> listen_at(const std::string& where, const std::optional<Owner>& owner) {
  const std::optional<Address> address = address_of(where);
  if (!address) {
    errno = ENAMETOOLONG;
    return failed(where);
  }
  if (address->is_path) unlink(where.c_str());
  Socket socket = new_socket(*address);
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(socket.get(), address->get(), address->size) != 0 ||
      listen(socket.get(), kBacklog) != 0) {
    return failed(where);
  }
  if (address->is_path && owner && chown(where.c_str(), owner->uid, owner->gid) != 0) {
    return failed(where);
  }
  set_nonblocking(socket);
  return socket;
}

/// Whom the system names at the other end of a unix socket; 0: nobody.
pid_t process_behind(const Socket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool told = getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return told ? peer.pid : 0;
}

/// One connection: two ends, and what is on its way from each.
struct Channel {
  struct End {
    Socket socket;
    std::string received;  ///< not handed on yet
    bool has_ended = false;
    bool is_told = false;  ///< the other end knows that
  };
  std::array<End, 2> ends;
  std::size_t to = 0;
  std::optional<std::size_t> from;
  pid_t process = 0;  ///< while `from` is not known

  bool is_over() const { return ends[0].is_told && ends[1].is_told; }
};

/// Hands on what one end has sent. False when the connection is broken.
bool hand_on(Channel::End& from, const Channel::End& to) {
  if (from.received.empty() && !from.has_ended) {
    std::array<char, kMostBytes> bytes;
    const ssize_t count = read(from.socket.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (count == 0) from.has_ended = true;
    if (count > 0) from.received.assign(bytes.data(), static_cast<std::size_t>(count));
  }
  if (!from.received.empty()) {
    const ssize_t count =
        send(to.socket.get(), from.received.data(), from.received.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (count > 0) from.received.erase(0, static_cast<std::size_t>(count));
  }
  if (from.received.empty() && from.has_ended && !from.is_told) {
    shutdown(to.socket.get(), SHUT_WR);
    from.is_told = true;
  }
  return true;
}

}  // namespace

class Proxy::Loop {
 public:
  struct Entrance {
    Link link;
    Socket socket;
  };

  Loop(std::vector<Entrance> entrances, NodeOf node_of)
      : entrances_(std::move(entrances)),
        node_of_(std::move(node_of)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this] { run(); }) {}

  ~Loop() {
    change([this] { ending_ = true; });
    thread_.join();
    for (const Entrance& entrance : entrances_) {
      if (entrance.link.listen.starts_with('/')) unlink(entrance.link.listen.c_str());
    }
  }

  void part(std::size_t node) {
    change([&] { parted_.insert(node); });
  }
  void join(std::size_t node) {
    change([&] { parted_.erase(node); });
  }

 private:
  template <typename Change>
  void change(Change make) {
    {
      const std::lock_guard lock(mutex_);
      make();
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
  }

  void run() {
    while (true) {
      std::set<std::size_t> parted;
      {
        const std::lock_guard lock(mutex_);
        if (ending_) return;
        parted = parted_;
      }
      wait_and_act(parted);
    }
  }

  static bool passes(const std::set<std::size_t>& parted, std::size_t to,
                     const std::optional<std::size_t>& from) {
    return !parted.contains(to) && (!from || !parted.contains(*from));
  }

  void wait_and_act(const std::set<std::size_t>& parted) {
    std::vector<pollfd> waits = {{wake_.get(), POLLIN, 0}};
    for (const Entrance& entrance : entrances_) {
      const bool open = passes(parted, entrance.link.to, entrance.link.from);
      waits.push_back({open ? entrance.socket.get() : -1, POLLIN, 0});
    }
    for (Channel& channel : channels_) {
      if (!channel.from && channel.process != 0) channel.from = node_of_(channel.process);
      const bool open = passes(parted, channel.to, channel.from);
      for (const std::size_t side : {0U, 1U}) {
        const Channel::End& end = channel.ends[side];
        const Channel::End& other = channel.ends[1 - side];
        short events = 0;
        if (end.received.empty() && !end.has_ended) events |= POLLIN;
        if (!other.received.empty()) events |= POLLOUT;
        waits.push_back({open && events != 0 ? end.socket.get() : -1, events, 0});
      }
    }
    if (poll(waits.data(), waits.size(), -1) < 0) return;
    drain(waits[0]);
    move_on(waits);
    for (std::size_t i = 0; i < entrances_.size(); ++i) {
      if (waits[i + 1].revents != 0) let_in(entrances_[i]);
    }
  }

  void drain(const pollfd& wait) const {
    std::uint64_t count = 0;
    if (wait.revents == 0) return;
    [[maybe_unused]] const ssize_t got = read(wake_.get(), &count, sizeof count);
  }

  void move_on(const std::vector<pollfd>& waits) {
    std::size_t at = 1 + entrances_.size();
    for (auto channel = channels_.begin(); channel != channels_.end(); at += 2) {
      bool good = true;
      if (waits[at].revents != 0 || waits[at + 1].revents != 0) {
        good = hand_on(channel->ends[0], channel->ends[1]) &&
               hand_on(channel->ends[1], channel->ends[0]);
      }
      channel = good && !channel->is_over() ? std::next(channel) : channels_.erase(channel);
    }
  }

  /// A node that does not answer at its own address does not answer here.
  void let_in(const Entrance& entrance) {
    Socket client(accept4(entrance.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const std::optional<Address> target = address_of(entrance.link.target);
    if (!client.is_open() || !target) return;
    Socket node = new_socket(*target);
    set_nonblocking(client);
    // Before it connects: one that is paused may have no room for more who wait.
    set_nonblocking(node);
    if (connect(node.get(), target->get(), target->size) != 0 && errno != EINPROGRESS) return;
    Channel channel;
    channel.to = entrance.link.to;
    channel.from = entrance.link.from;
    if (!channel.from) channel.process = process_behind(client);
    channel.ends[0].socket = std::move(client);
    channel.ends[1].socket = std::move(node);
    channels_.push_back(std::move(channel));
  }

  std::vector<Entrance> entrances_;
  NodeOf node_of_;
  Socket wake_;
  std::list<Channel> channels_;  ///< of the thread alone
  std::mutex mutex_;             ///< guards what follows
  std::set<std::size_t> parted_;
  bool ending_ = false;
  std::thread thread_;
};

Result<std::unique_ptr<Proxy>> Proxy::start(const std::vector<Link>& links,
                                            const std::optional<Owner>& owner, NodeOf node_of) {
  std::vector<Loop::Entrance> entrances;
  for (const Link& link : links) {
    Result<Socket> socket = listen_at(link.listen, owner);
    if (!socket) return socket.error();
    entrances.push_back({link, std::move(socket).value()});
  }
  return std::make_unique<Proxy>(
      Passkey(), std::make_unique<Loop>(std::move(entrances), std::move(node_of)));
}

Proxy::Proxy(Passkey, std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Proxy::~Proxy() = default;

void Proxy::part(std::size_t node) { loop_->part(node); }
void Proxy::join(std::size_t node) { loop_->join(node); }

}  // namespace isolde::server
