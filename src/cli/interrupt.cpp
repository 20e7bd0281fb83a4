#include "cli/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "cli/command.hpp"

namespace isolde::cli {
namespace {

constexpr std::array<int, 3> kInterrupts = {SIGINT, SIGTERM, SIGHUP};
constexpr std::int64_t kOneWishNs = 1'000'000'000;

// The mutable globals: a signal handler has no other way to reach the budget.
std::atomic<base::Budget*> current_budget{nullptr};
std::atomic<std::int64_t> heeded_at{0};  // by the monotonic clock; 0: never
static_assert(std::atomic<base::Budget*>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

void set_handler(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

/// The first one cancels. What comes within a second of it is the same wish: timeout(1), shells
/// and terminals signal a program and its group, which are two signals for it. Later ones do
/// what they do to any program.
extern "C" void isolde_on_interrupt(int signal) {
  const int error = errno;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  std::int64_t heeded = heeded_at.load();
  const bool is_new = heeded == 0 || now - heeded >= kOneWishNs;
  // Another thread may get the twin at this moment; one of them heeds it.
  if (is_new && heeded_at.compare_exchange_strong(heeded, now)) {
    base::Budget* const budget = current_budget.exchange(nullptr);
    if (budget != nullptr) {
      budget->cancel();
    } else {
      set_handler(signal, SIG_DFL);
      raise(signal);  // once this handler has returned
    }
  }
  errno = error;
}

// In a signal handler only a few functions of the system may be called.
extern "C" void isolde_on_bus_error(int) {
  constexpr std::string_view kMessage =
      "isolde: a file was shortened, or its disk failed, while it was read; if it is a "
      "history, "
      "check a copy that nothing changes\n";
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(static_cast<int>(ExitCode::kEnvironment));
}

/// nohup(1) has asked for signals of lost terminals to be ignored, and gets it.
bool is_ignored_for_good(int signal) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  return signal == SIGHUP && before.sa_handler == SIG_IGN;
}

}  // namespace

InterruptGuard::InterruptGuard(base::Budget& budget)
    : outer_(current_budget.exchange(&budget)) {
  for (const int signal : kInterrupts) {
    if (!is_ignored_for_good(signal)) set_handler(signal, isolde_on_interrupt);
  }
}

// The handler stays: the signal's twin may come when the work is over already.
InterruptGuard::~InterruptGuard() { current_budget.store(outer_); }

bool was_interrupted() { return heeded_at.load() != 0; }

Error before_first_transaction(const Error& error, base::Budget& budget) {
  if (exit_code(error) == ExitCode::kUsage || budget.look()) return error;
  return {ErrorCode::kLimit, budget.reason() + " before the first transaction"};
}

void handle_file_signals() {
  set_handler(SIGBUS, isolde_on_bus_error, static_cast<int>(SA_RESETHAND));
  // A file beyond the limit of ulimit -f is then an error of the write, told like any other.
  set_handler(SIGXFSZ, SIG_IGN);
}

}  // namespace isolde::cli
