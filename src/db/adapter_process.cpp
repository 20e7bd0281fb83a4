#include "db/adapter_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "base/printable.hpp"
#include "base/process_groups.hpp"
#include "base/secrets.hpp"

extern char** environ;

namespace isolde::db {
namespace {

constexpr std::size_t kLineMax = std::size_t{16} << 20;
/// How long a program may take to end after its input was closed, and after SIGTERM.
constexpr std::chrono::milliseconds kPatience(1000);

Error cannot(const char* step, int reason) {
  return {ErrorCode::kEnvironment,
          std::string("cannot start the adapter: ") + step + ": " + std::strerror(reason)};
}

Error misbehaved(std::string what) { return {ErrorCode::kBadInput, std::move(what)}; }

/// At most some words of a line, printable.
std::string shown(std::string_view line) {
  return base::printable_line(base::shortened(base::without_secrets(std::string(line)), 120));
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::string no_answer(std::string_view line) {
  return "expected one JSON object a line with the request's \"id\", got " + shown(line);
}

bool is_program(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

/// Where the shell looks for it.
bool is_in_path(const std::string& name) {
  const char* const path = getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    if (is_program(std::string(folders.substr(0, end)) + "/" + name)) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

/// Outside of quotes there is nothing that makes several commands of it.
bool is_one_command(std::string_view command) {
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (std::string_view(";&|()\n").find(c) != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

/// A program with its arguments takes the place of the shell, which would else wait for it and
/// hold the output that it has closed.
std::string without_shell(const std::string& command) {
  const std::size_t begin = std::min(command.find_first_not_of(" \t"), command.size());
  const std::size_t end = std::min(command.find_first_of(" \t", begin), command.size());
  const std::string word = command.substr(begin, end - begin);
  const bool is_plain = std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_./+-").find(c) != std::string_view::npos;
  });
  if (!is_plain || !is_one_command(command)) return command;
  const bool is_there =
      word.find('/') == std::string::npos ? is_in_path(word) : is_program(word);
  return is_there ? "exec " + command : command;
}

int poll_until(int descriptor, short events, std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  pollfd wait = {descriptor, events, 0};
  const int milliseconds = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
  return poll(&wait, 1, milliseconds);
}

/// Both ends of a connection, closed unless taken. No pipe, because sending to a program that
/// has ended must not raise SIGPIPE.
struct Channel {
  std::array<int, 2> ends = {-1, -1};
  ~Channel() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  bool open() { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0; }
  int take(std::size_t end) { return std::exchange(ends[end], -1); }
};

}  // namespace

AdapterProcess::AdapterProcess(pid_t pid, int input, int output)
    : pid_(pid), input_(input), output_(output) {
  fcntl(input_, F_SETFL, O_NONBLOCK);
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

Result<std::unique_ptr<AdapterProcess>> AdapterProcess::start(const std::string& command) {
  Channel in;
  Channel out;
  if (!in.open() || !out.open()) return cannot("socketpair", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own: Ctrl-C is for us, and all that it starts can be ended.
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string shell = "sh";
  std::string option = "-c";
  std::string text = without_shell(command);
  const std::array<char*, 4> argv = {shell.data(), option.data(), text.data(), nullptr};
  pid_t pid = 0;
  int failed = 0;
  {
    const base::GroupStart start;
    failed = posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv.data(), environ);
    if (failed == 0) base::add_process_group(pid);
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return cannot("/bin/sh", failed);
  return std::make_unique<AdapterProcess>(pid, in.take(1), out.take(0));
}

AdapterProcess::~AdapterProcess() {
  close(input_);
  const auto ended_within = [this](std::chrono::milliseconds time) {
    const Clock::time_point deadline = Clock::now() + time;
    siginfo_t info;
    do {
      info.si_pid = 0;
      // It stays a zombie, so that its number and its group's are not given to others.
      waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
      if (info.si_pid == pid_) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (Clock::now() < deadline);
    return false;
  };
  if (!ended_within(is_waited_for_ ? std::chrono::milliseconds(0) : kPatience)) {
    kill(-pid_, SIGTERM);
    ended_within(kPatience);
  }
  kill(-pid_, SIGKILL);
  base::remove_process_group(pid_);
  waitpid(pid_, nullptr, 0);
  close(output_);
}

bool AdapterProcess::is_over() {
  const std::lock_guard lock(mutex_);
  return is_told_;
}

std::uint64_t AdapterProcess::next_id() {
  const std::lock_guard lock(mutex_);
  return ++last_id_;
}

Result<std::string> AdapterProcess::ask(std::uint64_t id, std::string_view line,
                                        std::chrono::nanoseconds timeout,
                                        const Cancelled& cancelled) {
  const Clock::time_point deadline = Clock::now() + timeout;
  {
    const std::lock_guard lock(mutex_);
    awaited_.insert(id);
  }
  const Status sent = send(line, deadline);
  // What it has written last tells more than that it has ended.
  if (!sent) hear_to_its_end();
  std::unique_lock lock(mutex_);
  if (!sent) {
    end_with(sent.error());
    return tell_end();
  }
  while (true) {
    if (const auto found = answers_.find(id); found != answers_.end()) {
      std::string answer = std::move(found->second);
      answers_.erase(found);
      return answer;
    }
    if (end_) return tell_end();
    const bool given_up = asks(cancelled);
    if (given_up || Clock::now() >= deadline) {
      awaited_.erase(id);
      abandoned_.insert(id);
      return given_up ? waited_no_longer() : Error{ErrorCode::kLimit, "no answer in time"};
    }
    if (listening_) {
      heard_.wait_until(lock, next_look(cancelled, deadline));
      continue;
    }
    hear(lock, next_look(cancelled, deadline));
  }
}

/// Listens for all threads. REQUIRES: nobody else does.
void AdapterProcess::hear(std::unique_lock<std::mutex>& lock, Clock::time_point deadline) {
  listening_ = true;
  lock.unlock();
  listen(deadline);
  lock.lock();
  listening_ = false;
  take_lines();
  heard_.notify_all();
}

void AdapterProcess::hear_to_its_end() {
  const Clock::time_point deadline = Clock::now() + kPatience;
  std::unique_lock lock(mutex_);
  while (!end_ && Clock::now() < deadline) {
    if (listening_) {
      heard_.wait_until(lock, deadline);
    } else {
      hear(lock, deadline);
    }
  }
}

Error AdapterProcess::tell_end() {
  is_told_ = true;
  return *end_;
}

Status AdapterProcess::end() {
  shutdown(input_, SHUT_WR);
  hear_to_its_end();
  is_waited_for_ = true;
  const std::lock_guard lock(mutex_);
  if (is_told_) return ok_status();
  if (end_ && end_->code == ErrorCode::kBadInput) return tell_end();
  return is_blank(buffer_) ? ok_status() : misbehaved(no_answer(buffer_));
}

Status AdapterProcess::send(std::string_view line, Clock::time_point deadline) {
  const std::lock_guard lock(sending_);
  std::string text(line);
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t done = ::send(input_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (done > 0) {
      rest.remove_prefix(static_cast<std::size_t>(done));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN && Clock::now() < deadline) {
      poll_until(input_, POLLOUT, deadline);
      continue;
    }
    if (errno != EAGAIN) {
      return Error{ErrorCode::kEnvironment, ending("it has closed its input")};
    }
    const std::lock_guard state(mutex_);
    // Half a line is on its way now, which nobody can take back.
    end_with({ErrorCode::kEnvironment, "it does not read its input"});
    return *end_;
  }
  return ok_status();
}

/// Waits for bytes and takes what is there, for all threads.
void AdapterProcess::listen(Clock::time_point deadline) {
  if (poll_until(output_, POLLIN, deadline) <= 0) return;
  std::array<char, 65536> bytes;
  const ssize_t size = read(output_, bytes.data(), bytes.size());
  if (size > 0) {
    buffer_.append(bytes.data(), static_cast<std::size_t>(size));
    return;
  }
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  const std::string half =
      is_blank(buffer_) ? "" : ", and its last line has no end: " + shown(buffer_);
  const std::lock_guard lock(mutex_);
  end_with({ErrorCode::kEnvironment, ending("it has closed its output") + half});
}

void AdapterProcess::take_lines() {
  std::size_t begin = 0;
  for (std::size_t end = buffer_.find('\n'); end != std::string::npos;
       end = buffer_.find('\n', begin)) {
    take_line(buffer_.substr(begin, end - begin));
    begin = end + 1;
  }
  buffer_.erase(0, begin);
  if (buffer_.size() > kLineMax) {
    end_with(misbehaved("it has sent a line of more than 16 MB"));
  }
}

void AdapterProcess::take_line(const std::string& line) {
  if (is_blank(line)) return;
  const nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
  const bool is_answer =
      answer.is_object() && answer.contains("id") && answer["id"].is_number_unsigned();
  if (!is_answer) return end_with(misbehaved(no_answer(line)));
  const std::uint64_t id = answer["id"].get<std::uint64_t>();
  if (abandoned_.erase(id) > 0) return;
  if (awaited_.erase(id) > 0) {
    answers_.emplace(id, line);
    return;
  }
  end_with(misbehaved(
      (id > 0 && id <= last_id_ ? "answered twice: " : "nobody has asked what this answers: ") +
      shown(line)));
}

void AdapterProcess::end_with(Error why) {
  if (!end_) end_ = std::move(why);
}

/// How the program has ended, which may take it a moment after what was seen of it.
std::string AdapterProcess::ending(std::string_view seen) {
  siginfo_t info;
  for (int attempt = 0; attempt < 100; ++attempt) {
    info.si_pid = 0;
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == pid_) {
      return info.si_code == CLD_EXITED
                 ? "it has ended with exit status " + std::to_string(info.si_status)
                 : "it was ended by signal " + std::to_string(info.si_status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return std::string(seen);
}

}  // namespace isolde::db
