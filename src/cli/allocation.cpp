// How the program allocates memory: large blocks on huge pages. A history of ten million
// operations is hundreds of megabytes that are read in no particular order: with pages of four
// kilobytes the page table no longer fits the processor's caches either, and half the time goes
// into walking it. Linux gives huge pages to those who ask (its usual setting is "madvise"), so
// the program asks for all blocks of some megabytes. Where there are none nothing changes.
//
// What is freed goes back to the system at once where it was such a block. The C library would
// keep those of up to 32 megabytes once some were freed: of a history with many conditions a
// third of the memory was free and kept.
//
// And blocks that a memory limit has no room for are refused (base/memory_guard.hpp).
//
// This replaces the standard library's allocation function for the whole program and not its
// counterpart, which hands all blocks to free(), also those of the library's aligned
// allocation.
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "base/memory_guard.hpp"

// Sanitizers bring their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ISOLDE_KEEP_OPERATOR_NEW
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBCXX__)
#define ISOLDE_KEEP_OPERATOR_NEW
#endif

#ifndef ISOLDE_KEEP_OPERATOR_NEW

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 2 * kHugePage;

[[maybe_unused]] const bool kGivesBack = [] {
  return mallopt(M_MMAP_THRESHOLD, kLarge) != 0 && mallopt(M_TRIM_THRESHOLD, 2 * kLarge) != 0;
}();

}  // namespace

void* operator new(std::size_t size) {
  if (!isolde::base::MemoryGuard::admits(size)) throw std::bad_alloc();
  if (size < kLarge) {
    if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
  }
  // The library's own, which knows what to do when there is no memory.
  void* (*const allocate)(std::size_t, std::align_val_t) = operator new;
  void* const block = allocate(size, std::align_val_t{size < kLarge ? 64 : kHugePage});
  if (size >= kLarge) madvise(block, size / kHugePage * kHugePage, MADV_HUGEPAGE);  // a wish
  return block;
}

#endif
