// What a transaction has read, or written: at most one entry for a key, in the order in which
// the keys came. Statements with conditions read each row of a table, so that to look through
// the entries for each of them took time by the square of the rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace isolde::sim {

/// `Entry` has a member `key`. COST: find() and add() constant on average; clear() linear.
template <typename Entry>
class Entries {
 public:
  /// nullptr: there is none.
  const Entry* find(std::uint32_t key) const {
    if (slots_.empty()) {
      const auto at = std::ranges::find(entries_, key, &Entry::key);
      return at == entries_.end() ? nullptr : &*at;
    }
    for (std::size_t slot = first_slot(key); slots_[slot] != 0; slot = next(slot)) {
      const Entry& entry = entries_[slots_[slot] - 1];
      if (entry.key == key) return &entry;
    }
    return nullptr;
  }
  Entry* find(std::uint32_t key) { return const_cast<Entry*>(std::as_const(*this).find(key)); }

  /// REQUIRES: there is none of that key. It stays where it is until the next one comes.
  Entry& add(std::uint32_t key) {
    Entry& entry = entries_.emplace_back();
    entry.key = key;
    if (slots_.size() >= 2 * entries_.size()) {
      enter(entries_.size());
    } else if (entries_.size() > kLookedThrough) {
      slots_.assign(std::max(4 * kLookedThrough, 2 * slots_.size()), 0);
      for (std::size_t number = 1; number <= entries_.size(); ++number) enter(number);
    }
    return entry;
  }

  void clear() {
    entries_.clear();
    slots_.clear();
  }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  /// So many are found sooner without a table.
  static constexpr std::size_t kLookedThrough = 16;

 private:
  std::size_t first_slot(std::uint32_t key) const {
    constexpr std::uint32_t kSpread = 0x9e3779b1U;  // Knuth's multiplicative hashing
    const std::uint32_t hash = key * kSpread;
    return (hash ^ (hash >> 15U)) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  void enter(std::size_t number) {
    std::size_t slot = first_slot(entries_[number - 1].key);
    while (slots_[slot] != 0) slot = next(slot);
    slots_[slot] = static_cast<std::uint32_t>(number);
  }

  std::vector<Entry> entries_;
  /// By hash: 1 and above for an entry, 0 for none; a power of two, at most half of them in
  /// use. Empty while there are few entries.
  std::vector<std::uint32_t> slots_;
};

}  // namespace isolde::sim
