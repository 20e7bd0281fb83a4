#include "io/page_watch.hpp"

#include <chrono>
#include <system_error>

#include "base/memory.hpp"

namespace isolde::io {
namespace {

constexpr std::uint64_t kMany = std::uint64_t{64} << 20;
/// Some megabytes are read in this time.
constexpr std::chrono::milliseconds kInterval{4};

}  // namespace

PageWatch::PageWatch(const Inputs& inputs) : inputs_(inputs) {
  std::uint64_t bytes = 0;
  for (const Input& file : inputs.files) bytes += file.view().size();
  if (bytes < kMany) return;
  // Else what was read of them until now would count as the program's own.
  give_back();
  most_ = base::mapped_bytes() + kMany;
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    // The system gives no more threads; then it takes the pages back itself.
  }
}

PageWatch::~PageWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PageWatch::give_back() const {
  for (const Input& file : inputs_.files) file.forget(0, file.view().size());
}

void PageWatch::watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, kInterval, [this] { return stopping_; })) {
    if (base::mapped_bytes() >= most_) give_back();
  }
}

}  // namespace isolde::io
