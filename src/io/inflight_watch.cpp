#include "io/inflight_watch.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "history/inflight.hpp"

namespace isolde::io {
namespace {

constexpr std::size_t kPage = 4096;

std::uint64_t told_in(const std::uint64_t& told) {
  // atomic_ref takes what can be changed; it does not.
  return std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(told)).load();
}

std::int64_t monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

class InflightWatch::Page {
 public:
  explicit Page(void* begin) : begin_(begin) {}
  ~Page() { munmap(begin_, kPage); }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  /// Nothing where there is no such file, or another.
  static std::unique_ptr<const Page> map(const std::string& path, std::string_view magic) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return nullptr;
    struct stat about {};
    const bool fits = fstat(file, &about) == 0 && about.st_size >= static_cast<off_t>(kPage);
    void* const begin =
        fits ? mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    ::close(file);
    if (begin == MAP_FAILED) return nullptr;
    auto page = std::make_unique<const Page>(begin);
    if (std::memcmp(begin, magic.data(), magic.size()) != 0) return nullptr;
    return page;
  }

  template <typename T>
  const T& at(std::size_t offset) const {
    return *reinterpret_cast<const T*>(static_cast<const char*>(begin_) + offset);
  }

 private:
  void* begin_;
};

InflightWatch::InflightWatch(std::string folder) : folder_(std::move(folder)) {}
InflightWatch::InflightWatch(InflightWatch&& other) noexcept
    : folder_(std::move(other.folder_)),
      ledger_(std::exchange(other.ledger_, -1)),
      pages_(std::move(other.pages_)) {}
InflightWatch& InflightWatch::operator=(InflightWatch&& other) noexcept {
  folder_.swap(other.folder_);
  std::swap(ledger_, other.ledger_);
  pages_.swap(other.pages_);
  return *this;
}
InflightWatch::~InflightWatch() {
  if (ledger_ >= 0) close(ledger_);
}

Result<InflightWatch> InflightWatch::open(const std::string& recording) {
  InflightWatch watch(recording + std::string(inflight::kSuffix));
  std::unique_ptr<const Page> ledger = Page::map(watch.folder_ + "/0", inflight::kLedgerMagic);
  if (ledger == nullptr ||
      told_in(ledger->at<inflight::LedgerClock>(sizeof(inflight::Ledger)).is_told) == 0) {
    return Error{ErrorCode::kEnvironment,
                 watch.folder_ + ": no recorder tells there what is under way"};
  }
  watch.pages_.push_back(std::move(ledger));
  watch.ledger_ = ::open((watch.folder_ + "/0").c_str(), O_RDONLY | O_CLOEXEC);
  return watch;
}

bool InflightWatch::is_at_work() const {
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  return ledger_ >= 0 && fcntl(ledger_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool InflightWatch::map_slots() {
  const std::uint64_t slots = told_in(pages_.front()->at<inflight::Ledger>(0).slots);
  while (pages_.size() <= slots) {
    std::unique_ptr<const Page> page =
        Page::map(folder_ + "/" + std::to_string(pages_.size()), inflight::kSlotMagic);
    if (page == nullptr) return false;
    pages_.push_back(std::move(page));
  }
  return true;
}

std::optional<std::int64_t> InflightWatch::open_since() {
  // Nothing orders the reading of the clock before the loads that follow, which may be early by
  // some nanoseconds.
  constexpr std::int64_t kEarlyNs = 1'000'000;
  constexpr int kTries = 1000;
  const auto& clock = pages_.front()->at<inflight::LedgerClock>(sizeof(inflight::Ledger));
  std::int64_t since = monotonic_now() - clock.origin - kEarlyNs;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!map_slots()) return std::nullopt;
  for (std::size_t i = 1; i < pages_.size(); ++i) {
    const std::uint64_t& told = pages_[i]->at<inflight::SlotHeader>(0).open;
    std::uint64_t open = told_in(told);
    for (int tries = 0; open == inflight::kOpening; ++tries) {
      if (tries == kTries) return std::nullopt;
      std::this_thread::yield();
      open = told_in(told);
    }
    if (open == inflight::kNotOpen) continue;
    since = std::min(since, static_cast<std::int64_t>(open - inflight::kOpened));
  }
  return since;
}

}  // namespace isolde::io
