// Blocks of a native text file, parsed by several threads. A block is a range of whole lines;
// each is parsed into a history of its own by the one parser that there is, and the reader
// joins these in order. A block in which anything is out of the ordinary is left for the reader
// to go through line by line, so that messages, and what is made of a torn end, are the same
// however many threads there are. Few blocks are in flight at a time, so that memory stays
// bounded.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "io/reader.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {

struct NativeBlock {
  std::size_t begin = 0;  ///< in the file's bytes
  std::size_t end = 0;
  bool is_plain = false;  ///< all lines are whole and right; otherwise nothing below counts
  HistoryBuilder transactions;
  std::uint64_t line_count = 0;
  bool has_line = false;                ///< other than blank ones
  bool ends_history = false;            ///< the last of those is the event "end"
  std::int64_t end_error_ns = kNoTime;  ///< LineEvent::clock_error_ns of that
};

/// Parses the lines from `begin` to `end`, which are the beginnings of lines or the file's end.
NativeBlock parse_native_block(const Input& file, std::size_t begin, std::size_t end);

class NativeBlocks {
 public:
  /// Blocks of about `block_bytes` from `begin` to the end of the file, which outlives this.
  /// REQUIRES: a line begins at `begin`. Uses threads - 1 threads of its own.
  NativeBlocks(const Input& file, std::size_t begin, std::size_t block_bytes, unsigned threads);
  ~NativeBlocks();
  NativeBlocks(const NativeBlocks&) = delete;
  NativeBlocks& operator=(const NativeBlocks&) = delete;

  bool at_end() const { return next_out_ == count_; }
  /// The next block in order. The calling thread parses too while it has to wait.
  /// REQUIRES: !at_end().
  NativeBlock take();

 private:
  std::size_t cut(std::size_t number) const;
  std::size_t line_end(std::size_t at) const;
  NativeBlock parse(std::size_t number) const;
  bool may_begin() const { return next_in_ < count_ && next_in_ < next_out_ + in_flight_; }
  void help();

  const Input& file_;
  std::size_t begin_;
  std::size_t block_bytes_;
  std::size_t count_;
  std::size_t in_flight_;
  mutable std::mutex last_mutex_;
  mutable std::size_t last_begin_ =
      0;  // from here to last_end_ there is one newline, at the end
  mutable std::size_t last_end_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_in_ = 0;   // first block that no thread has begun
  std::size_t next_out_ = 0;  // first block that was not taken
  bool stopping_ = false;
  // Block n has place n % in_flight_: helpers, who can tell nobody, need no memory to hand it
  // over.
  std::vector<std::optional<NativeBlock>> done_;
  std::vector<std::thread> helpers_;
};

}  // namespace isolde::io
