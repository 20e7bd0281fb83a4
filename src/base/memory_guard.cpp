#include "base/memory_guard.hpp"

#include <new>
#include <stdexcept>

#include "base/assert.hpp"
#include "base/budget.hpp"

namespace isolde::base {

// An allocation function has no other way to reach the budget.
constinit std::atomic<Budget*> MemoryGuard::budget_{nullptr};
constinit bool MemoryGuard::looks_at_time_ = false;
constinit thread_local std::size_t MemoryGuard::unlooked_ = 0;
constinit thread_local bool MemoryGuard::deferred_ = false;

MemoryGuard::MemoryGuard(Budget& budget, Refuses what) {
  ISOLDE_CHECK(budget_.load() == nullptr);
  looks_at_time_ = what == Refuses::kTooMuchOrTooLate;
  budget_.store(&budget);
}

MemoryGuard::~MemoryGuard() { budget_.store(nullptr); }

void MemoryGuard::ask() {
  if (unlooked_ >= kStep && !look(0)) throw std::bad_alloc();
}

void MemoryGuard::require(bool succeeded) {
  if (!succeeded) throw std::bad_alloc();
}

bool MemoryGuard::look(std::size_t size) {
  unlooked_ = 0;
  Budget* const budget = budget_.load(std::memory_order_relaxed);
  if (budget == nullptr) return true;
  if (looks_at_time_ && !budget->look()) return false;
  return budget->admits(size);
}

bool fits_memory(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const std::length_error&) {
    return false;
  }
}

}  // namespace isolde::base
