// Pages of mapped files stay in this process until the system needs them, so that a reader of
// a large file seems to have as much memory as the file is large, and counts as such where
// memory is shared out. A thread looks at that now and then, and gives the pages back when they
// have become many; those that are still needed come back by themselves. It does so for all
// readers, however they go through their files.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "io/reader.hpp"

namespace isolde::io {

class PageWatch {
 public:
  /// Begins when the files are large enough. They must outlive the watch and stay what they
  /// are.
  explicit PageWatch(const Inputs& inputs);
  ~PageWatch();
  PageWatch(const PageWatch&) = delete;
  PageWatch& operator=(const PageWatch&) = delete;

 private:
  void watch();
  void give_back() const;

  const Inputs& inputs_;
  std::uint64_t most_ = 0;  // bytes of mapped files, the program's own among them
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace isolde::io
