#include "support/private_kv.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>

namespace isolde::support {
namespace {

namespace fs = std::filesystem;

std::string temporary_folder(const char* name) {
  std::string pattern = (fs::temp_directory_path() / name).string() + "-XXXXXX";
  return mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
}

/// What comes back for the text, up to where `expected` is in it or the other side ends.
std::string exchange(int socket, const sockaddr* address, socklen_t size, std::string_view text,
                     std::string_view expected) {
  const timeval limit = {1, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  std::string got;
  if (connect(socket, address, size) == 0 &&
      send(socket, text.data(), text.size(), MSG_NOSIGNAL) > 0) {
    char buffer[4096];
    ssize_t bytes = 0;
    while (got.find(expected) == std::string::npos &&
           (bytes = recv(socket, buffer, sizeof buffer, 0)) > 0) {
      got.append(buffer, static_cast<std::size_t>(bytes));
    }
  }
  close(socket);
  return got;
}

std::string ask_redis(const std::string& path, const std::string& line) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return exchange(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address,
                  line + "\r\n", "\r\n");
}

bool etcd_answers(std::uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  constexpr std::string_view kHealthy = "\"true\"";
  return exchange(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address,
                  "GET /health HTTP/1.0\r\n\r\n", kHealthy)
             .find(kHealthy) != std::string::npos;
}

template <typename Test>
bool wait_for(double seconds, Test test) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (test()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> words;
  std::vector<std::string> copy = command;
  for (std::string& word : copy) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ != 0) return;
  // Tests start servers from the thread that lives as long as the test.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execvp(words[0], words.data());
  _exit(127);
}

void Child::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void Child::pause() {
  ::kill(pid_, SIGSTOP);
  waitpid(pid_, nullptr, WUNTRACED);
}

void Child::resume() { ::kill(pid_, SIGCONT); }

bool have_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, colon)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return true;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return false;
}

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  sockaddr* generic = reinterpret_cast<sockaddr*>(&address);
  const bool ok = bind(socket, generic, size) == 0 && getsockname(socket, generic, &size) == 0;
  close(socket);
  return ok ? ntohs(address.sin_port) : std::uint16_t{0};
}

PrivateRedis::PrivateRedis(const std::string& password)
    : folder_(temporary_folder("isolde-redis")) {
  std::vector<std::string> command = {
      "redis-server", "--port",       "0",  "--unixsocket", socket(), "--dir",
      folder_,        "--appendonly", "no", "--daemonize",  "no",     "--databases",
      "16",           "--save",       "",   "--loglevel",   "warning"};
  if (!password.empty()) command.insert(command.end(), {"--requirepass", password});
  child_ = std::make_unique<Child>(command, folder_ + "/log");
  ready_ = wait_for(20, [this] { return !talk("PING").empty(); });
}

std::string PrivateRedis::talk(const std::string& line) const {
  return ask_redis(socket(), line);
}

PrivateRedis::~PrivateRedis() {
  child_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PrivateRedis::dsn(const std::string& password, const std::string& user) const {
  std::string host;
  for (const char c : socket()) host += c == '/' ? std::string("%2F") : std::string(1, c);
  const bool login = !password.empty() || !user.empty();
  return "redis://" + (login ? user + ":" + password + "@" : "") + host;
}

PrivateEtcd::PrivateEtcd(int nodes) : folder_(temporary_folder("isolde-etcd")) {
  std::vector<std::string> peers;
  std::string cluster;
  for (int i = 0; i < nodes; ++i) {
    ports_.push_back(free_port());
    peers.push_back("http://127.0.0.1:" + std::to_string(free_port()));
    cluster += (i > 0 ? ",n" : "n") + std::to_string(i) + "=" + peers.back();
  }
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const std::string client = "http://127.0.0.1:" + std::to_string(ports_[i]);
    const std::string name = "n" + std::to_string(i);
    children_.push_back(
        std::make_unique<Child>(std::vector<std::string>{"etcd",
                                                         "--name",
                                                         name,
                                                         "--data-dir",
                                                         folder_ + "/" + name,
                                                         "--listen-client-urls",
                                                         client,
                                                         "--advertise-client-urls",
                                                         client,
                                                         "--listen-peer-urls",
                                                         peers[i],
                                                         "--initial-advertise-peer-urls",
                                                         peers[i],
                                                         "--initial-cluster",
                                                         cluster,
                                                         "--unsafe-no-fsync",
                                                         "--heartbeat-interval",
                                                         "20",
                                                         "--election-timeout",
                                                         "200",
                                                         "--log-level",
                                                         "error"},
                                folder_ + "/log"));
  }
  ready_ =
      wait_for(30, [this] { return std::all_of(ports_.begin(), ports_.end(), etcd_answers); });
}

PrivateEtcd::~PrivateEtcd() {
  children_.clear();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PrivateEtcd::dsn() const {
  std::string out = "etcd://";
  for (const std::uint16_t port : ports_) {
    out += (out.ends_with('/') ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(port);
  }
  return out;
}

}  // namespace isolde::support
