#include "io/native_blocks.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace isolde::io {

NativeBlocks::NativeBlocks(const Input& file, std::size_t begin, std::size_t block_bytes,
                           unsigned threads)
    : file_(file),
      begin_(begin),
      block_bytes_(std::max<std::size_t>(block_bytes, 1)),
      count_((file.view().size() - begin + block_bytes_ - 1) / block_bytes_),
      in_flight_(std::size_t{threads} * 2),
      done_(in_flight_) {
  try {
    for (unsigned helper = 1; helper < threads; ++helper) {
      helpers_.emplace_back([this] { help(); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads; those that there are do it all.
  } catch (const std::bad_alloc&) {
    // Near a limit of memory there is none for another thread either.
  }
}

NativeBlocks::~NativeBlocks() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

/// Where block `number` begins: with the first line that begins at or behind its share.
std::size_t NativeBlocks::cut(std::size_t number) const {
  if (number == 0) return begin_;
  if (number == count_) return file_.view().size();
  return line_end(begin_ + number * block_bytes_ - 1);
}

/// Behind the line in which `at` lies. A line of many blocks is gone through once.
std::size_t NativeBlocks::line_end(std::size_t at) const {
  {
    const std::lock_guard<std::mutex> lock(last_mutex_);
    if (last_begin_ <= at && at < last_end_) return last_end_;
  }
  const std::size_t newline = file_.view().find('\n', at);
  const std::size_t end = newline == std::string::npos ? file_.view().size() : newline + 1;
  const std::lock_guard<std::mutex> lock(last_mutex_);
  last_begin_ = at;
  last_end_ = end;
  return end;
}

NativeBlock NativeBlocks::parse(std::size_t number) const {
  const std::size_t begin = cut(number);
  const std::size_t end = cut(number + 1);
  // What memory does not suffice for the reader meets again, in the thread where it can be
  // told.
  try {
    return parse_native_block(file_, begin, end);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  NativeBlock block;
  block.begin = begin;
  block.end = end;
  return block;
}

void NativeBlocks::help() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || may_begin() || next_in_ == count_; });
    if (stopping_ || next_in_ == count_) return;
    const std::size_t number = next_in_++;
    lock.unlock();
    NativeBlock block = parse(number);
    lock.lock();
    done_[number % in_flight_] = std::move(block);
    changed_.notify_all();
  }
}

NativeBlock NativeBlocks::take() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    std::optional<NativeBlock>& next = done_[next_out_ % in_flight_];
    if (next) {
      NativeBlock block = std::move(*next);
      next.reset();
      ++next_out_;
      changed_.notify_all();
      return block;
    }
    if (may_begin()) {
      const std::size_t number = next_in_++;
      lock.unlock();
      NativeBlock block = parse(number);
      lock.lock();
      done_[number % in_flight_] = std::move(block);
    } else {
      changed_.wait(lock);
    }
  }
}

}  // namespace isolde::io
