#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace isolde::base {
namespace {

class TaskRun {
 public:
  TaskRun(std::size_t count, const std::function<void(std::size_t, unsigned)>& work)
      : count_(count), work_(work) {}

  void take_tasks(unsigned worker) {
    try {
      for (std::size_t task = next_++; task < count_; task = next_++) work_(task, worker);
    } catch (const std::bad_alloc&) {
      keep(std::current_exception());
    } catch (const std::length_error&) {
      keep(std::current_exception());
    }
  }

  void pass_on() const {
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  void keep(std::exception_ptr problem) {
    next_ = count_;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!problem_) problem_ = std::move(problem);
  }

  const std::size_t count_;
  const std::function<void(std::size_t, unsigned)>& work_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr problem_;
};

}  // namespace

unsigned default_threads() {
  constexpr unsigned kMost = 8;
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
}

void run_tasks(unsigned threads, std::size_t count,
               const std::function<void(std::size_t, unsigned)>& work) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t task = 0; task < count; ++task) work(task, 0);
    return;
  }
  TaskRun run(count, work);
  std::vector<std::thread> helpers;
  const std::size_t helper_count = std::min<std::size_t>(threads, count) - 1;
  helpers.reserve(helper_count);
  try {
    for (unsigned worker = 1; worker <= helper_count; ++worker) {
      helpers.emplace_back([&run, worker] { run.take_tasks(worker); });
    }
  } catch (const std::system_error&) {
    // The system grants no more threads; the existing ones do all the work.
  } catch (const std::bad_alloc&) {
    // Near a memory limit there is none for another thread either.
  }
  run.take_tasks(0);
  for (std::thread& helper : helpers) helper.join();
  run.pass_on();
}

}  // namespace isolde::base
