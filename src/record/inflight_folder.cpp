#include "record/inflight_folder.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace isolde::record {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// Stays zero where the machine does not tell.
void read_boot_id(std::array<char, inflight::kBootIdSize>& out) {
  const int file = open(inflight::kBootIdPath, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, inflight::kBootIdSize> id{};
  if (read(file, id.data(), id.size()) == static_cast<ssize_t>(id.size())) out = id;
  close(file);
}

/// A lock that ends with this process, however it ends. It belongs to the descriptor, so that a
/// reader in the same process sees it as well.
bool lock_whole_file(int file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

}  // namespace

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

int MappedFile::map(int descriptor, std::size_t size) {
  void* const data =
      data_ == nullptr ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                       : mremap(data_, size_, size, MREMAP_MAYMOVE);
  if (data == MAP_FAILED) return errno;
  data_ = static_cast<char*>(data);
  size_ = size;
  return 0;
}

int Slot::grow(std::size_t bytes) {
  const std::size_t needed = sizeof(inflight::SlotHeader) + length_ + bytes;
  return folder_.extend(number_, file_, whole_pages(std::max(needed, file_.size() * 2)), 0);
}

InflightFolder::~InflightFolder() {
  slots_.clear();
  if (ledger_ >= 0) close(ledger_);
  if (folder_ >= 0) close(folder_);
}

Error InflightFolder::refused(std::uint64_t number, int reason) const {
  return {ErrorCode::kEnvironment,
          path_ + "/" + std::to_string(number) + ": cannot create: " + std::strerror(reason)};
}

int InflightFolder::extend(std::uint64_t number, MappedFile& file, std::size_t size,
                           int flags) const {
  const int descriptor =
      openat(folder_, std::to_string(number).c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
  if (descriptor < 0) return errno;
  int reason = EINTR;
  while (reason == EINTR) {
    reason = posix_fallocate(descriptor, 0, static_cast<off_t>(size));
  }
  if (reason == 0) reason = file.map(descriptor, size);
  close(descriptor);
  return reason;
}

Status InflightFolder::make_ledger() {
  if (const int reason = extend(0, ledger_file_, kPage, O_CREAT | O_EXCL); reason != 0) {
    return refused(0, reason);
  }
  std::copy(inflight::kLedgerMagic.begin(), inflight::kLedgerMagic.end(),
            ledger().magic.begin());
  read_boot_id(ledger().boot_id);
  ledger_ = openat(folder_, "0", O_RDWR | O_CLOEXEC);
  if (ledger_ < 0) return refused(0, errno);
  if (!lock_whole_file(ledger_)) {
    return Error{ErrorCode::kEnvironment, path_ +
                                              "/0: cannot be locked: " + std::strerror(errno) +
                                              "; record to a local file system"};
  }
  return ok_status();
}

Result<std::unique_ptr<InflightFolder>> InflightFolder::create(const std::string& history) {
  auto folder = std::make_unique<InflightFolder>(history + std::string(inflight::kSuffix));
  const std::string& path = folder->path_;
  if (mkdir(path.c_str(), 0700) != 0) {
    if (errno == EEXIST) {
      return Error{ErrorCode::kUsage,
                   path +
                       ": holds the transactions that were under way when an "
                       "earlier recorder died; move it together with that "
                       "recording, or remove it"};
    }
    return Error{ErrorCode::kEnvironment, path + ": cannot create: " + std::strerror(errno)};
  }
  folder->folder_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Status made = folder->folder_ < 0
                    ? Status(Error{ErrorCode::kEnvironment,
                                   path + ": cannot be opened: " + std::strerror(errno)})
                    : folder->make_ledger();
  if (!made) {
    folder->remove();
    return made.error();
  }
  return folder;
}

void InflightFolder::tell_clock(std::int64_t origin) {
  auto& clock =
      *reinterpret_cast<inflight::LedgerClock*>(ledger_file_.data() + sizeof(inflight::Ledger));
  clock.origin = origin;
  std::atomic_ref<std::uint64_t>(clock.is_told).store(1);
}

Result<Slot*> InflightFolder::add_slot() {
  const std::uint64_t number = slots_.size() + 1;
  auto slot = std::make_unique<Slot>(*this, number);
  const int reason = extend(number, slot->file_, kPage, O_CREAT | O_EXCL);
  if (reason != 0) return refused(number, reason);
  std::copy(inflight::kSlotMagic.begin(), inflight::kSlotMagic.end(),
            slot->header().magic.begin());
  slots_.push_back(std::move(slot));
  std::atomic_ref<std::uint64_t>(ledger().slots).store(number);
  return slots_.back().get();
}

void InflightFolder::mark_stopped() {
  std::atomic_ref<std::uint64_t>(ledger().stopped).store(1);
}

void InflightFolder::remove() {
  for (std::size_t number = 0; number <= slots_.size() + 1 && folder_ >= 0; ++number) {
    unlinkat(folder_, std::to_string(number).c_str(), 0);
  }
  rmdir(path_.c_str());
}

}  // namespace isolde::record
