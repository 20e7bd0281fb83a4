// Memory that runs out at a chosen moment. Replaces the allocation function of the whole test
// program, so that one of its files includes this.
#pragma once

#include <cstdlib>
#include <new>

namespace isolde::support {

/// This thread's: how many allocations succeed until one fails; negative: all do.
inline thread_local int allocations_left = -1;

/// While it lives, one allocation of this thread fails, after `count` that do not.
class OneLackOfMemory {
 public:
  explicit OneLackOfMemory(int count) { allocations_left = count; }
  ~OneLackOfMemory() { allocations_left = -1; }
  OneLackOfMemory(const OneLackOfMemory&) = delete;
  OneLackOfMemory& operator=(const OneLackOfMemory&) = delete;
};

}  // namespace isolde::support

// Not inline, or compilers see new meet free().
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (isolde::support::allocations_left >= 0 && isolde::support::allocations_left-- == 0) {
    throw std::bad_alloc();
  }
  if (void* const block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}
// Sanitizers have one of their own, whose blocks would not go with the functions below.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }
