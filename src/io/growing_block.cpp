#include "io/growing_block.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/budget.hpp"

namespace isolde::io {

GrowingBlock::~GrowingBlock() {
  if (begin_ != nullptr) munmap(begin_, capacity_);
}

/// Moves pages to other addresses instead of bytes to other pages.
bool GrowingBlock::grow(std::size_t capacity) {
  void* const block = begin_ == nullptr
                          ? mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                          : mremap(begin_, capacity_, capacity, MREMAP_MAYMOVE);
  if (block == MAP_FAILED) return false;
  madvise(block, capacity, MADV_HUGEPAGE);  // a wish
  begin_ = static_cast<char*>(block);
  capacity_ = capacity;
  return true;
}

char* GrowingBlock::room(base::Budget& budget) {
  if (!budget.look() || !budget.admits(kStep)) return nullptr;
  if (capacity_ - size_ < kStep && !grow(std::max(capacity_ * 2, 2 * kStep))) return nullptr;
  return begin_ + size_;
}

std::optional<MappedFile> GrowingBlock::finish(std::size_t padding) {
  const std::size_t needed = MappedFile::whole_pages(size_ + padding);
  if (!grow(needed)) return std::nullopt;
  std::memset(begin_ + size_, 0, needed - size_);
  capacity_ = 0;
  return MappedFile(std::exchange(begin_, nullptr), std::exchange(size_, 0), needed, false);
}

}  // namespace isolde::io
