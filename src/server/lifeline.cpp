#include "server/lifeline.hpp"

#include <utility>

namespace isolde::server {

LifeLine::LifeLine() : thread_([this] { serve(); }) {}

LifeLine::~LifeLine() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Result<Process> LifeLine::start(const Command& command) {
  const std::lock_guard turn(callers_);
  std::unique_lock lock(mutex_);
  request_ = &command;
  answer_.reset();
  changed_.notify_all();
  changed_.wait(lock, [this] { return answer_.has_value(); });
  Result<Process> result = *std::move(answer_);
  answer_.reset();
  return result;
}

void LifeLine::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return request_ != nullptr || ending_; });
    if (request_ == nullptr) return;
    answer_.emplace(Process::start(*request_));
    request_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace isolde::server
