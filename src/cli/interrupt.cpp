#include "cli/interrupt.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string_view>

#include "base/process_groups.hpp"
#include "cli/command.hpp"

namespace isolde::cli {
namespace {

constexpr std::array<int, 3> kInterrupts = {SIGINT, SIGTERM, SIGHUP};
constexpr std::int64_t kOneWishNs = 1'000'000'000;

/// Who ends the program without any of its handlers: faults, and Ctrl-\ of a terminal.
constexpr std::array<int, 5> kEnds = {SIGQUIT, SIGABRT, SIGSEGV, SIGILL, SIGFPE};

// The mutable globals: a signal handler has no other way to reach the budget.
std::atomic<base::Budget*> current_budget{nullptr};
std::atomic<const char*> current_news{nullptr};  // for the next interruption
std::atomic<const char*> current_waiting{
    "isolde: interrupted: what is under way ends first; who interrupts again ends it at once, "
    "with no report\n"};
std::atomic<std::int64_t> heeded_at{0};    // by the monotonic clock; 0: never
std::atomic<bool> reader_is_gone{false};   // of standard output
std::atomic<bool> may_end_by_pipe{false};  // as any program whose reader is gone
static_assert(std::atomic<base::Budget*>::is_always_lock_free);
static_assert(std::atomic<const char*>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

void set_handler(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

/// In place of a line of progress, where there may be one.
void tell(const char* line) {
  constexpr std::string_view kClear = "\r\x1b[K";
  if (isatty(STDERR_FILENO) == 1) {
    [[maybe_unused]] const ssize_t cleared = write(STDERR_FILENO, kClear.data(), kClear.size());
  }
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, std::strlen(line));
}

/// What the signal does to any program, once the handler has returned.
void end_by(int signal) {
  base::kill_process_groups();
  set_handler(signal, SIG_DFL);
  raise(signal);
}

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The first one cancels, or tells the news. What comes within a second of it is the same wish:
/// timeout(1), shells and terminals signal a program and its group, which are two signals for
/// it. One that has nothing more to cancel ends the program at once.
extern "C" void isolde_on_interrupt(int signal) {
  const int error = errno;
  const std::int64_t now = now_ns();
  std::int64_t heeded = heeded_at.load();
  const bool is_new = heeded == 0 || now - heeded >= kOneWishNs;
  // Another thread may get the twin at this moment; one of them heeds it.
  if (is_new && heeded_at.compare_exchange_strong(heeded, now)) {
    if (const char* const news = current_news.exchange(nullptr); news != nullptr) {
      tell(news);
    } else if (base::Budget* const budget = current_budget.exchange(nullptr);
               budget != nullptr) {
      budget->cancel();
      // Who waits for longer is told why, when the next one has become another wish.
      alarm(1);
    } else {
      if (heeded != 0) tell("isolde: interrupted again, and ended at once, with no report\n");
      end_by(signal);
    }
  }
  errno = error;
}

extern "C" void isolde_on_alarm(int) {
  const int error = errno;
  tell(current_waiting.load());
  errno = error;
}

extern "C" void isolde_on_end(int signal) { end_by(signal); }

// In a signal handler only a few functions of the system may be called.
extern "C" void isolde_on_bus_error(int) {
  constexpr std::string_view kMessage =
      "isolde: a file was shortened, or its disk failed, while it was read; if it is a "
      "history, "
      "check a copy that nothing changes\n";
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, kMessage.data(), kMessage.size());
  base::kill_process_groups();
  _exit(static_cast<int>(ExitCode::kEnvironment));
}

bool does(int signal, void (*what)(int)) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == what;
}

/// nohup(1) has asked for signals of lost terminals to be ignored, and gets it.
bool is_ignored_for_good(int signal) { return signal == SIGHUP && does(signal, SIG_IGN); }

/// Nobody holds the other end any more.
bool is_broken(int descriptor) {
  pollfd end = {descriptor, 0, 0};
  return poll(&end, 1, 0) == 1 && (end.revents & POLLERR) != 0;
}

}  // namespace

InterruptGuard::InterruptGuard(base::Budget& budget, const char* news)
    : outer_(current_budget.exchange(&budget)), outer_news_(current_news.exchange(news)) {
  for (const int signal : kInterrupts) {
    if (!is_ignored_for_good(signal)) set_handler(signal, isolde_on_interrupt);
  }
  set_handler(SIGALRM, isolde_on_alarm, SA_RESTART);
}

// The handler stays: the signal's twin may come when the work is over already.
InterruptGuard::~InterruptGuard() {
  current_budget.store(outer_);
  current_news.store(outer_news_);
}

WaitingNotice::WaitingNotice(const char* line) : outer_(current_waiting.exchange(line)) {
  if (was_interrupted()) alarm(1);
}

WaitingNotice::~WaitingNotice() { current_waiting.store(outer_); }

bool was_interrupted() { return heeded_at.load() != 0; }

bool heed_lost_reader(int descriptor) {
  if (!may_end_by_pipe.load() || !is_broken(descriptor)) return false;
  reader_is_gone = true;
  heeded_at = now_ns();
  if (base::Budget* const budget = current_budget.exchange(nullptr)) budget->cancel();
  return true;
}

void end_as_without_reader() {
  if (!reader_is_gone.load()) return;
  set_handler(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
}

Error before_first_transaction(const Error& error, base::Budget& budget) {
  if (exit_code(error) == ExitCode::kUsage || budget.look()) return error;
  return {ErrorCode::kLimit, budget.reason() + " before the first transaction"};
}

void handle_other_signals() {
  // Programs that check for memory errors have handlers of their own.
  for (const int signal : kEnds) {
    if (does(signal, SIG_DFL)) set_handler(signal, isolde_on_end);
  }
  may_end_by_pipe = does(SIGPIPE, SIG_DFL);
  set_handler(SIGPIPE, SIG_IGN);
  set_handler(SIGBUS, isolde_on_bus_error, static_cast<int>(SA_RESETHAND));
  // A file beyond the limit of ulimit -f is then an error of the write, told like any other.
  set_handler(SIGXFSZ, SIG_IGN);
}

}  // namespace isolde::cli
