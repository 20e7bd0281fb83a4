// Work for several threads: numbered tasks, done when the call returns. There is no thread
// pool: a thread costs some ten microseconds, and callers have milliseconds of work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace isolde::base {

/// As many threads as this process has cores, at most eight: beyond that memory is the limit.
unsigned default_threads();

/// That a caller may ask for.
inline constexpr unsigned kMostThreads = 1024;

/// Calls work(task, worker) once for each task below `count`, on at most `threads` threads. The
/// calling thread is worker 0 and takes part; tasks start in ascending order. With one thread
/// or one task all runs in the calling thread. Returns when every task is done. When memory
/// runs out in a task, those not started are skipped and the exception is passed on.
void run_tasks(unsigned threads, std::size_t count,
               const std::function<void(std::size_t task, unsigned worker)>& work);

/// The begin of part `part` of `count` things cut into `parts` consecutive parts of equal size;
/// part `parts` begins at `count`.
inline std::size_t part_begin(std::size_t count, std::size_t parts, std::size_t part) {
  return count / parts * part + count % parts * part / parts;
}

/// More parts than threads, because some take longer.
inline std::size_t part_count(unsigned threads) {
  return threads <= 1 ? 1 : std::size_t{threads} * 4;
}

/// Calls work(part, first, one past the last) for each of `parts` parts of `count` things.
template <typename Work>
void run_parts(unsigned threads, std::size_t parts, std::size_t count, const Work& work) {
  run_tasks(threads, parts, [&](std::size_t part, unsigned) {
    work(part, part_begin(count, parts, part), part_begin(count, parts, part + 1));
  });
}

/// Concatenates the lists; each is emptied as soon as it has been copied.
template <typename Item>
std::vector<Item> concatenate(unsigned threads, std::vector<std::vector<Item>>& lists) {
  if (lists.size() == 1) return std::move(lists.front());
  std::vector<std::size_t> begin = {0};
  for (const std::vector<Item>& list : lists) begin.push_back(begin.back() + list.size());
  std::vector<Item> all(begin.back());
  run_tasks(threads, lists.size(), [&](std::size_t i, unsigned) {
    std::copy(lists[i].begin(), lists[i].end(),
              all.begin() + static_cast<std::ptrdiff_t>(begin[i]));
    lists[i] = {};
  });
  return all;
}

/// As concatenate(), for rows of items that each part has put into its list. The ends of rows
/// in `begin` (one more than rows, from 0), which count from the begin of the part's list, then
/// count from the begin of the whole list. REQUIRES: lists cut the rows as part_begin() does.
template <typename Item>
std::vector<Item> concatenate_rows(unsigned threads, std::vector<std::vector<Item>>& lists,
                                   std::vector<std::uint32_t>& begin) {
  std::vector<std::uint32_t> offsets = {0};
  for (const std::vector<Item>& list : lists) {
    offsets.push_back(offsets.back() + static_cast<std::uint32_t>(list.size()));
  }
  run_parts(threads, lists.size(), begin.size() - 1,
            [&](std::size_t part, std::size_t first, std::size_t last) {
              for (std::size_t row = first; row < last; ++row) begin[row + 1] += offsets[part];
            });
  begin[0] = 0;
  return concatenate(threads, lists);
}

}  // namespace isolde::base
