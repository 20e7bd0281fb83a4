#include "base/memory_guard.hpp"

#include "base/assert.hpp"
#include "base/budget.hpp"

namespace isolde::base {

// An allocation function has no other way to reach the budget.
constinit std::atomic<Budget*> MemoryGuard::budget_{nullptr};
constinit thread_local std::size_t MemoryGuard::unlooked_ = 0;

MemoryGuard::MemoryGuard(Budget& budget) {
  ISOLDE_CHECK(budget_.load() == nullptr);
  budget_.store(&budget);
}

MemoryGuard::~MemoryGuard() { budget_.store(nullptr); }

bool MemoryGuard::look(std::size_t size) {
  unlooked_ = 0;
  Budget* const budget = budget_.load(std::memory_order_relaxed);
  return budget == nullptr || budget->admits(size);
}

}  // namespace isolde::base
