// Ctrl-C ends the work in hand and lets the partial result be printed; a second one ends the
// program.
#pragma once

#include "base/budget.hpp"

namespace isolde::cli {

/// While it lives, SIGINT and SIGTERM cancel the budget. One at a time.
class InterruptGuard {
 public:
  explicit InterruptGuard(base::Budget& budget);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

}  // namespace isolde::cli
