#include "watch/hook.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>

#include "base/duration.hpp"
#include "base/process_groups.hpp"

namespace isolde::watch {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> environment(const Hook& hook) {
  std::vector<std::string> out;
  const auto is_ours = [&](std::string_view entry) {
    for (const auto& [name, value] : hook.variables) {
      if (entry.starts_with(name + "=")) return true;
    }
    return false;
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_ours(*entry)) out.emplace_back(*entry);
  }
  for (const auto& [name, value] : hook.variables) out.push_back(name + "=" + value);
  return out;
}

/// The error of the system; 0: it runs.
int spawn(const Hook& hook, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
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
  std::vector<std::string> texts = environment(hook);
  std::vector<char*> variables;
  variables.reserve(texts.size() + 1);
  for (std::string& text : texts) variables.push_back(text.data());
  variables.push_back(nullptr);
  std::string shell = "sh";
  std::string option = "-c";
  std::string command = hook.command;
  const std::array<char*, 4> argv = {shell.data(), option.data(), command.data(), nullptr};
  const base::GroupStart start;
  const int failed =
      posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv.data(), variables.data());
  if (failed == 0) base::add_process_group(pid);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

/// As long as it has not been waited for, its number, and the group's, is not another's.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | WNOHANG) != 0 ||
         info.si_pid != 0;
}

Error failed(const std::string& why) {
  return {ErrorCode::kEnvironment, "the command on the violation " + why};
}

}  // namespace

Status run_hook(const Hook& hook) {
  pid_t pid = 0;
  if (const int error = spawn(hook, pid); error != 0) {
    return failed(std::string("cannot be started: ") + std::strerror(error));
  }
  const Clock::time_point deadline = Clock::now() + hook.limit;
  constexpr std::chrono::milliseconds kPause(5);
  bool in_time = has_ended(pid);
  for (; !in_time && Clock::now() < deadline; in_time = has_ended(pid)) {
    std::this_thread::sleep_for(kPause);
  }
  if (!in_time) kill(-pid, SIGKILL);
  base::remove_process_group(pid);
  int how = 0;
  while (waitpid(pid, &how, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    const std::chrono::nanoseconds limit = hook.limit;
    return failed("did not end within " + base::duration_text(limit.count()) +
                  " and was killed");
  }
  if (WIFSIGNALED(how)) return failed("was ended by signal " + std::to_string(WTERMSIG(how)));
  if (WEXITSTATUS(how) == 0) return ok_status();
  return failed("ended with exit code " + std::to_string(WEXITSTATUS(how)));
}

}  // namespace isolde::watch
