// Sources: the possible sources of a read where values repeat. Reads of a key with the same
// result share one list, so that all lists together are no longer than the history's writes,
// however many reads there are. Reads differ only in the transaction's own write, which is
// skipped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/numbering.hpp"
#include "infer/write_numbers.hpp"
#include "isolde/history.hpp"

namespace isolde::infer {

/// A register read that may have returned a written value.
inline bool may_show_a_write(const Op& op) {
  return op.is_partial() || (op.kind == OpKind::kRead && !op.value.is_null());
}

/// A shared list that skips one place.
class Sources {
 public:
  static constexpr std::uint32_t kNowhere = 0xffffffffU;

  class Iterator {
   public:
    using value_type = WriteId;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using pointer = const WriteId*;
    using reference = WriteId;

    Iterator(const Sources& sources, std::size_t at) : sources_(&sources), at_(at) {}
    WriteId operator*() const { return (*sources_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const Sources* sources_;
    std::size_t at_;
  };

  /// `all` ascends; `own` is a place in it, or kNowhere.
  Sources(std::span<const WriteId> all, std::uint32_t own) : all_(all), own_(own) {}

  std::size_t size() const { return all_.size() - (own_ == kNowhere ? 0 : 1); }
  bool empty() const { return size() == 0; }
  WriteId operator[](std::size_t at) const { return all_[at < own_ ? at : at + 1]; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  /// COST: logarithmic.
  bool contains(WriteId write) const {
    const auto at = std::lower_bound(all_.begin(), all_.end(), write);
    return at != all_.end() && *at == write && at - all_.begin() != std::ptrdiff_t{own_};
  }
  friend bool operator==(const Sources& a, const Sources& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  std::span<const WriteId> all_;
  std::uint32_t own_;
};

/// The shared lists, by key and what the reads returned: a value, or what a partial read tells.
class SourceLists {
 public:
  static constexpr std::uint32_t kEmpty = 0;  ///< the list without writes

  std::span<const WriteId> list(std::uint32_t number) const {
    return std::span<const WriteId>(writes_).subspan(begin_[number],
                                                     begin_[number + 1] - begin_[number]);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  /// Length of all lists together.
  std::size_t write_count() const { return writes_.size(); }

  /// The number of the list for these reads; `fill(writes)` appends its writes, ascending, on
  /// the first request. REQUIRES: op is a register read with a value.
  template <typename Fill>
  std::uint32_t find(const Op& op, const Fill& fill) {
    const std::uint32_t form = !op.is_partial() ? 0 : op.is_exclusion() ? 1 : 2;
    const Name name{op.key, op.value.bits(), form};
    const auto [place, is_new] = numbers_.find(name);
    if (is_new) {
      fill(writes_);
      begin_.push_back(writes_.size());
    }
    return place + 1;  // after the list without writes
  }

  /// No more lists will be requested: drops the index.
  void close() { numbers_ = Numbers(); }

 private:
  struct Name {
    KeyId key;
    std::uint64_t bits;
    std::uint32_t form;  // of the bits: a value, or one of two kinds of knowledge
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const {
      return base::mix(name.bits +
                       (std::uint64_t{name.key.raw()} * 4 + name.form) * 0x9e3779b97f4a7c15ULL);
    }
  };

  using Numbers = base::Numbering<Name, NameHash>;

  Numbers numbers_;
  std::vector<std::size_t> begin_ = {0, 0};
  std::vector<WriteId> writes_;
};

}  // namespace isolde::infer
