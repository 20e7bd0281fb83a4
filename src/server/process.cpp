#include "server/process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "server/kernel_clock.hpp"

namespace isolde::server {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(1);
/// How long a stopped process may take to stop, and a killed one to be gone.
constexpr auto kPatience = std::chrono::seconds(5);

Error environment(std::string message) { return {ErrorCode::kEnvironment, std::move(message)}; }

// ---- starting

enum class Step : int { kFiles, kUser, kFolder, kClock, kProgram };

struct Failure {
  Step step;
  int error;
};

/// Everything the child needs, made before fork(): between fork() and exec() of a program with
/// threads, only async-signal-safe calls are allowed, which excludes memory allocation.
struct Launch {
  std::vector<char*> argv;
  std::vector<char*> envp;
  const char* folder;
  const Owner* owner;
  int death_signal;
  int input;
  int log;
  int clock;
  int failure;  ///< closed by a successful exec; receives a Failure otherwise
  pid_t parent;
};

[[noreturn]] void give_up(const Launch& launch, Step step) {
  const Failure failure{step, errno};
  [[maybe_unused]] const ssize_t written = write(launch.failure, &failure, sizeof failure);
  // Not exit(): neither handlers nor buffers of the parent are the child's business.
  for (;;) syscall(SYS_exit_group, 127);
}

/// Raw system calls: the C library's setuid() would look for the parent's other threads.
bool become(const Owner& owner) {
  return syscall(SYS_setgroups, 0, nullptr) == 0 &&
         syscall(SYS_setresgid, owner.gid, owner.gid, owner.gid) == 0 &&
         syscall(SYS_setresuid, owner.uid, owner.uid, owner.uid) == 0;
}

void reset_signals() {
  for (int number = 1; number < 32; ++number) {
    if (number != SIGKILL && number != SIGSTOP) std::signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void run_child(const Launch& launch) {
  setpgid(0, 0);
  reset_signals();
  if (dup2(launch.input, STDIN_FILENO) < 0 || dup2(launch.log, STDOUT_FILENO) < 0 ||
      dup2(launch.log, STDERR_FILENO) < 0) {
    give_up(launch, Step::kFiles);
  }
  if (launch.owner != nullptr && !become(*launch.owner)) give_up(launch, Step::kUser);
  prctl(PR_SET_PDEATHSIG, launch.death_signal);
  // The parent may have died before the line above; then nobody will tell us.
  if (getppid() != launch.parent) give_up(launch, Step::kProgram);
  umask(022);
  if (chdir(launch.folder) != 0) give_up(launch, Step::kFolder);
#ifdef SYS_close_range
  // What others opened without O_CLOEXEC: CLOSE_RANGE_CLOEXEC (4) keeps `failure` until exec.
  syscall(SYS_close_range, 3U, ~0U, 4U);
#endif
  if (launch.clock >= 0 && (fcntl(launch.clock, F_SETFD, 0) != 0 ||
                            ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)) {
    give_up(launch, Step::kClock);
  }
  execve(launch.argv[0], launch.argv.data(), launch.envp.data());
  give_up(launch, Step::kProgram);
}

/// Servers take options from variables such as ETCD_NAME or PGDATA, so few are passed on.
std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> result = {"LC_ALL=C", "HOME=" + command.folder,
                                     "TMPDIR=" + command.folder};
  const char* path = std::getenv("PATH");
  result.push_back("PATH=" + (command.programs.empty() ? "" : command.programs + ":") +
                   (path != nullptr ? std::string(path) + ":" : "") +
                   "/usr/sbin:/usr/bin:/sbin:/bin");
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH")) {
    result.push_back(std::string("LD_LIBRARY_PATH=") + libraries);
  }
  std::string preloads;
  for (const std::string& library : command.preloads) {
    preloads += (preloads.empty() ? "LD_PRELOAD=" : ":") + library;
  }
  if (!preloads.empty()) result.push_back(preloads);
  result.insert(result.end(), command.variables.begin(), command.variables.end());
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() { reset(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

std::string describe(const Command& command, const Failure& failure) {
  const std::string reason = std::strerror(failure.error);
  switch (failure.step) {
    case Step::kFiles:
      return "cannot redirect output to " + command.log + ": " + reason;
    case Step::kUser:
      return "cannot run as user " + command.owner->name + ": " + reason;
    case Step::kFolder:
      return "cannot enter " + command.folder + ": " + reason;
    case Step::kClock:
      return "cannot set the clock of " + command.argv.front() + ": ptrace: " + reason;
    case Step::kProgram:
      break;
  }
  return "cannot start " + command.argv.front() + ": " + reason;
}

/// To a program that is to be traced by us from its first instruction on. Returns nullptr, or
/// what did not work.
const char* give_clock(pid_t pid, int clock) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WEXITED | WNOWAIT) != 0 ||
      info.si_code != CLD_TRAPPED) {
    return "it ended at once";
  }
  if (const char* const reason = install_kernel_clock(pid, clock)) return reason;
  return ptrace(PTRACE_DETACH, pid, nullptr, nullptr) == 0 ? nullptr : "it cannot be resumed";
}

// ---- descendants

struct Stat {
  char state = 0;
  pid_t parent = 0;
};

/// Nothing when there is no such process.
std::optional<Stat> read_stat(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // The second field is the program's name in parentheses, with any characters inside.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > line.size()) return std::nullopt;
  Stat result;
  result.state = line[name_end + 2];
  std::from_chars(line.data() + name_end + 4, line.data() + line.size(), result.parent);
  return result;
}

bool has_stopped(pid_t pid) {
  const std::optional<Stat> stat = read_stat(std::to_string(pid));
  return !stat || std::strchr("TtZX", stat->state) != nullptr;
}

/// Processes whose parent is among `parents` and that are not in there themselves.
std::vector<pid_t> children_of(const std::vector<pid_t>& parents) {
  std::vector<pid_t> result;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return result;
  while (const dirent* entry = readdir(proc)) {
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, pid).ptr != end || pid <= 0) continue;
    const std::optional<Stat> stat = read_stat(entry->d_name);
    const auto among = [&](pid_t wanted) {
      return std::find(parents.begin(), parents.end(), wanted) != parents.end();
    };
    if (stat && stat->state != 'Z' && among(stat->parent) && !among(pid)) result.push_back(pid);
  }
  closedir(proc);
  return result;
}

void wait_until_stopped(pid_t pid) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (!has_stopped(pid) && Clock::now() < deadline) {
    std::this_thread::sleep_for(kPollInterval);
  }
}

/// Stops `root` and its descendants, parents first, and returns them in this order.
std::vector<pid_t> freeze_tree(pid_t root) {
  std::vector<pid_t> tree;
  std::vector<pid_t> level = {root};
  while (!level.empty()) {
    for (const pid_t pid : level) kill(pid, SIGSTOP);
    for (const pid_t pid : level) wait_until_stopped(pid);
    tree.insert(tree.end(), level.begin(), level.end());
    level = children_of(tree);
  }
  return tree;
}

/// The C library's header for this cannot be used from C++ in Debian 12. Negative on failure.
int open_pidfd(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

/// One that has ended is readable.
void wait_until_gone(int pidfd) {
  pollfd entry{pidfd, POLLIN, 0};
  poll(&entry, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count()));
}

}  // namespace

Result<Owner> find_owner(const std::string& name) {
  std::array<char, 16384> buffer;
  passwd entry{};
  passwd* found = nullptr;
  getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) return environment("there is no user '" + name + "' on this system");
  return Owner{name, entry.pw_uid, entry.pw_gid};
}

Process::Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    finish();
    pid_ = std::exchange(other.pid_, 0);
  }
  return *this;
}

Process::~Process() { finish(); }

Result<Process> Process::start(const Command& command) {
  ISOLDE_CHECK(!command.argv.empty());
  std::vector<std::string> argv = command.argv;
  std::vector<std::string> variables = environment_of(command);
  const File input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const File log(open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (input.get() < 0 || log.get() < 0) {
    return environment("cannot write " + command.log + ": " + std::strerror(errno));
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return environment(std::string("cannot create a pipe: ") + std::strerror(errno));
  }
  const File reader(ends[0]);
  File writer(ends[1]);
  const Launch launch{pointers(argv),
                      pointers(variables),
                      command.folder.c_str(),
                      command.owner ? &*command.owner : nullptr,
                      command.death_signal != 0 ? command.death_signal : SIGKILL,
                      input.get(),
                      log.get(),
                      command.clock,
                      writer.get(),
                      getpid()};
  Process process;
  process.pid_ = fork();
  if (process.pid_ == 0) run_child(launch);
  if (process.pid_ < 0) {
    process.pid_ = 0;
    return environment(std::string("cannot create a process: ") + std::strerror(errno));
  }
  // Here too, so that the group exists whoever runs first.
  setpgid(process.pid_, process.pid_);
  writer.reset();
  Failure failure{};
  ssize_t got = 0;
  do {
    got = read(reader.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof failure)) {
    process.finish();
    return environment(describe(command, failure));
  }
  if (command.clock >= 0) {
    if (const char* const reason = give_clock(process.pid_, command.clock)) {
      process.finish();
      return environment("cannot set the clock of " + command.argv.front() + ": " + reason);
    }
  }
  return process;
}

bool Process::running() const { return started() && ending().empty(); }

std::string Process::ending() const {
  if (!started()) return "never started";
  siginfo_t info{};
  // WNOWAIT leaves the zombie, and so the number, in place.
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    return "exit status unknown";
  }
  if (info.si_pid == 0) return {};
  return (info.si_code == CLD_EXITED ? "exit status " : "signal ") +
         std::to_string(info.si_status);
}

void Process::signal(int number) const {
  if (started()) kill(pid_, number);
}

void Process::freeze() const {
  if (started()) freeze_tree(pid_);
}

void Process::thaw() const {
  if (!started()) return;
  // Children first: their numbers are certain as long as their parent is stopped.
  std::vector<pid_t> tree = freeze_tree(pid_);
  std::reverse(tree.begin(), tree.end());
  for (const pid_t pid : tree) kill(pid, SIGCONT);
}

void Process::kill_tree() const {
  if (!started()) return;
  const std::vector<pid_t> tree = freeze_tree(pid_);
  std::vector<int> descriptors;
  for (const pid_t pid : tree) {
    const int descriptor = pid == pid_ ? -1 : open_pidfd(pid);
    if (descriptor >= 0) descriptors.push_back(descriptor);
  }
  // Children first, as in thaw(): the death of the parent gives theirs to init, which reaps.
  for (auto pid = tree.rbegin(); pid != tree.rend(); ++pid) kill(*pid, SIGKILL);
  wait_until(Clock::now() + kPatience);
  for (const int descriptor : descriptors) {
    wait_until_gone(descriptor);
    close(descriptor);
  }
}

bool Process::wait_until(Clock::time_point deadline) const {
  while (running()) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}

void Process::finish() {
  if (!started()) return;
  if (running()) kill_tree();
  // Orphans of the group, as long as the zombie holds the group's number.
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) == 0) {
    kill(-pid_, SIGKILL);
  }
  pid_t reaped = 0;
  do {
    reaped = waitpid(pid_, nullptr, 0);
  } while (reaped < 0 && errno == EINTR);
  pid_ = 0;
}

}  // namespace isolde::server
