#include "cli/watch_child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/process_groups.hpp"
#include "cli/command.hpp"

namespace isolde::cli {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

/// The error of the system; 0: it runs.
int spawn(std::vector<std::string> words, int output, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const base::GroupStart start;
  const int failed =
      posix_spawn(&pid, kThisProgram, &actions, &attributes, argv.data(), environ);
  if (failed == 0) base::add_process_group(pid);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

}  // namespace

Result<WatchChild> WatchChild::start(const std::vector<std::string>& arguments) {
  const auto failed = [](int reason) {
    return Error{ErrorCode::kEnvironment,
                 std::string("isolde watch cannot be started: ") + std::strerror(reason)};
  };
  const int output = memfd_create("isolde-watch", MFD_CLOEXEC);
  if (output < 0) return failed(errno);
  std::vector<std::string> words{"isolde"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  pid_t pid = 0;
  if (const int reason = spawn(std::move(words), output, pid); reason != 0) {
    close(output);
    return failed(reason);
  }
  return WatchChild(pid, output);
}

WatchChild::WatchChild(WatchChild&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::exchange(other.output_, -1)),
      code_(other.code_) {}

WatchChild::~WatchChild() {
  if (pid_ > 0 && !code_) {
    kill(-pid_, SIGKILL);
    base::remove_process_group(pid_);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (output_ >= 0) close(output_);
}

std::optional<int> WatchChild::ended() {
  if (code_) return code_;
  // As long as it has not been waited for, its number, and the group's, is not another's.
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid_);
  const bool is_over =
      waitid(P_PID, id, &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_pid != 0;
  if (!is_over) return std::nullopt;
  base::remove_process_group(pid_);
  int how = 0;
  while (waitpid(pid_, &how, 0) < 0 && errno == EINTR) {
  }
  code_ = WIFEXITED(how) ? WEXITSTATUS(how) : static_cast<int>(ExitCode::kEnvironment);
  return code_;
}

void WatchChild::interrupt() const {
  if (pid_ > 0 && !code_) kill(pid_, SIGINT);
}

std::string WatchChild::output() const {
  std::string text;
  std::array<char, 1 << 14> piece{};
  while (true) {
    const ssize_t count =
        pread(output_, piece.data(), piece.size(), static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace isolde::cli
