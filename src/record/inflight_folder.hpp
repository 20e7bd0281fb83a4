// The recorder's side of FILE.inflight (layout: history/inflight.hpp): makes the folder and its
// files, maps them, and takes them away when the history is complete.
//
// Files are filled with blocks before they are mapped, so that a full disk is an error of a
// call and not a signal in the middle of a store. Their descriptors are closed again: a
// recorder of a thousand sessions would otherwise hold a thousand of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "history/inflight.hpp"
#include "isolde/status.hpp"

namespace isolde::record {

class InflightFolder;

/// A file of the folder in memory. Addresses change when it grows.
class MappedFile {
 public:
  MappedFile() = default;
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  char* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Maps the first `size` bytes of the file, which have blocks; returns 0 or errno. The bytes
  /// mapped before stay as they are.
  int map(int descriptor, std::size_t size);

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The line that one session is writing. One thread at a time.
class Slot {
 public:
  Slot(InflightFolder& folder, std::uint64_t number) : folder_(folder), number_(number) {}

  /// Sees to room behind the text; the text may move. Returns 0 or errno.
  int reserve(std::size_t bytes) {
    return sizeof(inflight::SlotHeader) + length_ + bytes <= file_.size() ? 0 : grow(bytes);
  }
  /// Where the next byte of the text goes.
  char* end() const { return text_begin() + length_; }
  std::size_t length() const { return length_; }
  std::string_view text() const { return {text_begin(), length_}; }

  /// Text up to `end` counts from now on. REQUIRES: room for it was reserved.
  void publish(const char* end) { set_length(static_cast<std::size_t>(end - text_begin())); }
  /// Takes back what is behind.
  void shorten(std::size_t length) { set_length(length); }
  /// Whose it is, for messages. Nothing that a reader of the folder sees.
  void lend_to(std::string_view session) { session_ = session; }
  const std::string& session() const { return session_; }

  /// Before the start of a transaction is taken from the clock. What the clock tells after it
  /// must not have been read before.
  void open() { tell_open(inflight::kOpening, std::memory_order_seq_cst); }
  /// That start.
  void opened(std::int64_t start) {
    tell_open(inflight::kOpened + static_cast<std::uint64_t>(start), std::memory_order_release);
  }
  /// Its line is in the history.
  void close() { tell_open(inflight::kNotOpen, std::memory_order_release); }

  /// Nothing is under way; the next text is about the transaction of that position.
  void clear(std::uint64_t position) {
    set_length(0);
    header().position = position;
  }

 private:
  friend class InflightFolder;
  inflight::SlotHeader& header() const {
    return *reinterpret_cast<inflight::SlotHeader*>(file_.data());
  }
  char* text_begin() const { return file_.data() + sizeof(inflight::SlotHeader); }
  int grow(std::size_t bytes);

  void tell_open(std::uint64_t value, std::memory_order order) {
    std::atomic_ref<std::uint64_t>(header().open).store(value, order);
  }

  void set_length(std::size_t length) {
    // Only the death of this very process interrupts these stores, at some instruction, with
    // everything before it done. So it is the compiler alone that must not reorder them.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    std::atomic_ref<std::uint64_t>(header().length).store(length, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    length_ = length;
  }

  InflightFolder& folder_;
  std::uint64_t number_;
  MappedFile file_;
  std::size_t length_ = 0;
  std::string session_;
};

/// The folder. Not thread-safe but for mark_stopped().
class InflightFolder {
 public:
  /// For create().
  explicit InflightFolder(std::string path) : path_(std::move(path)) {}
  ~InflightFolder();
  InflightFolder(const InflightFolder&) = delete;
  InflightFolder& operator=(const InflightFolder&) = delete;

  /// Makes the folder beside the history, which is at work until this object ends. ERRORS:
  /// kUsage when it is already there, kEnvironment when it cannot be made.
  static Result<std::unique_ptr<InflightFolder>> create(const std::string& history);

  /// Lets others tell the time of the history, from the machine's monotonic clock.
  void tell_clock(std::int64_t origin);

  /// A new slot. ERRORS: kEnvironment.
  Result<Slot*> add_slot();
  const std::vector<std::unique_ptr<Slot>>& slots() const { return slots_; }

  /// From now on transactions are missing. Never fails.
  void mark_stopped();

  /// The history is complete. Never fails: what stays behind is not looked at any more.
  void remove();

  const std::string& path() const { return path_; }

 private:
  friend class Slot;
  inflight::Ledger& ledger() const {
    return *reinterpret_cast<inflight::Ledger*>(ledger_file_.data());
  }
  Status make_ledger();
  /// Gives the file blocks for `size` bytes and maps it; returns 0 or errno.
  int extend(std::uint64_t number, MappedFile& file, std::size_t size, int flags) const;
  Error refused(std::uint64_t number, int reason) const;

  std::string path_;
  int folder_ = -1;
  int ledger_ = -1;  // stays open for its lock, which tells readers that we are at work
  MappedFile ledger_file_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace isolde::record
