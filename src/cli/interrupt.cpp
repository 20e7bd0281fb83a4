#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "base/assert.hpp"
#include "cli/command.hpp"

namespace isolde::cli {
namespace {

// The one mutable global: a signal handler has no other way to reach the budget.
std::atomic<base::Budget*> current_budget{nullptr};
static_assert(std::atomic<base::Budget*>::is_always_lock_free);

extern "C" void isolde_on_interrupt(int) {
  if (base::Budget* budget = current_budget.load()) budget->cancel();
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

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard(base::Budget& budget) {
  ISOLDE_CHECK(current_budget.load() == nullptr);
  current_budget.store(&budget);
  set_handler(SIGINT, isolde_on_interrupt);
  set_handler(SIGTERM, isolde_on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  set_handler(SIGINT, SIG_DFL);
  set_handler(SIGTERM, SIG_DFL);
  current_budget.store(nullptr);
}

void end_at_lost_file() { set_handler(SIGBUS, isolde_on_bus_error); }

}  // namespace isolde::cli
