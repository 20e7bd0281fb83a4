#include "io/mapped_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace isolde::io {
namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

std::size_t MappedFile::whole_pages(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

std::optional<MappedFile> MappedFile::map(int descriptor, std::size_t size,
                                          std::size_t padding) {
  // The file goes over the first pages of a block of zeros. Its last page is filled up with
  // zeros by the system, and the padding may reach into the pages behind.
  const std::size_t reserved = whole_pages(size + padding);
  void* const block =
      mmap(nullptr, reserved, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return std::nullopt;
  if (mmap(block, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0) == MAP_FAILED) {
    munmap(block, reserved);
    return std::nullopt;
  }
  return MappedFile(static_cast<char*>(block), size, reserved, true);
}

MappedFile::~MappedFile() {
  if (begin_ != nullptr) munmap(begin_, reserved_);
}

void MappedFile::forget(std::size_t begin, std::size_t end) const {
  if (!is_file_) return;
  const std::size_t first = whole_pages(begin);
  const std::size_t last = end / page_size() * page_size();
  if (first < last) madvise(begin_ + first, last - first, MADV_DONTNEED);
}

}  // namespace isolde::io
