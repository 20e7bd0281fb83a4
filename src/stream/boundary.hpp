// Boundary: what each register holds behind all settled transactions, and of each list how long
// it is and a hash, by the contents of keys and values, which histories number each for itself.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/history_builder.hpp"
#include "isolde/status.hpp"

namespace isolde::stream {

/// What a list begins with, as docs/formats/segments.md says.
struct ListPrefix {
  std::uint64_t length = 0;
  std::uint64_t chain = 0;  ///< of hashes
  friend bool operator==(const ListPrefix&, const ListPrefix&) = default;
};

/// With these elements of the history behind it. COST: a hash of each.
ListPrefix extended(ListPrefix prefix, const History& history, std::span<const Value> elements);

/// COST: a look into a hash table for each call, and some 32 bytes a key besides texts.
class Boundary {
 public:
  /// A key by its contents; stays the same while this object lives.
  class Key {
   public:
    friend class Boundary;
    friend auto operator<=>(Key, Key) = default;

   private:
    std::uint32_t at_ = 0;
  };

  /// The key of that history, entered at its first use, when it holds nothing.
  Key key(const History& history, KeyId key);
  /// All keys of that history, by their numbers in it.
  std::vector<Key> keys(const History& history);
  /// Nobody has written it.
  bool holds_nothing(Key key) const { return held_[key.at_].is_null(); }
  /// What it holds, as a value of the builder.
  Value held(Key key, HistoryBuilder& builder) const;
  /// It is known what it holds, perhaps that it is nothing; of a list, what it began with.
  bool is_known(Key key) const { return !holds_nothing(key) || is_empty_[key.at_]; }
  /// It holds this value of that history, not null.
  void hold(Key key, const History& history, Value value);
  /// It is known to hold nothing, or what is going to be appended. REQUIRES: it holds nothing.
  void hold_nothing(Key key) { is_empty_[key.at_] = true; }

  /// Of a list all elements, but for those that it began with where it is not known what
  /// these are; of a register, and where nobody has appended any: none.
  ListPrefix list(Key key) const {
    return key.at_ < lists_.size() ? lists_[key.at_] : ListPrefix();
  }
  bool has_lists() const { return !lists_.empty(); }
  /// These elements of that history come behind those that were there. REQUIRES: the key holds
  /// nothing.
  void append(Key key, const History& history, std::span<const Value> elements);
  /// It is known from now on what the list began with: in all it is that. REQUIRES: it was
  /// not known.
  void begin_list(Key key, ListPrefix list);
  /// So many elements it began with, by begin_list().
  std::uint64_t start_length(Key key) const {
    return key.at_ < start_lengths_.size() ? start_lengths_[key.at_] : 0;
  }

  /// It is not known any more what keys hold; they stay entered.
  void forget();

  /// Its place in the order in which keys were entered.
  static std::uint32_t place(Key key) { return key.at_; }

  std::size_t key_count() const { return held_.size(); }
  /// Those that are known to hold nothing, and lists of which it is known what they began with,
  /// by the order in which they were entered, ascending.
  std::vector<std::uint32_t> known_empty() const;
  /// For restore(). False: there are not so many keys.
  bool restore_known_empty(const std::vector<std::uint32_t>& keys);
  /// start_length() by Key, up to the last one; for restore().
  const std::vector<std::uint64_t>& start_lengths() const { return start_lengths_; }
  /// False: there are not so many keys.
  bool restore_start_lengths(std::vector<std::uint64_t> lengths);
  /// A history without transactions, with the keys in the order in which they were entered and
  /// what they hold as initial contents; of lists three numbers, as the page says.
  Result<History> contents(const HistoryOrigin& origin) const;
  /// The same keys with the same contents. False: of a list it does not tell such numbers.
  /// REQUIRES: no key was entered.
  bool restore(const History& contents);

  /// A checksum of what all of them hold, as docs/formats/segments.md says.
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t share(std::uint32_t at) const;

  std::unordered_map<std::int64_t, std::uint32_t> numbers_;  // integer keys
  std::unordered_map<std::string, std::uint32_t> texts_;     // the others
  std::vector<Value> held_;                                  // pooled: in held_texts_
  std::vector<bool> is_empty_;                               // by key, as known_empty()
  std::vector<std::string> held_texts_;                      // by key, once one is a text
  std::vector<std::uint64_t> name_hashes_;                   // by key
  std::vector<ListPrefix> lists_;                            // by key, up to the last list
  std::vector<std::uint64_t> start_lengths_;                 // by key, up to the last one
  std::uint64_t sum_ = 0;
};

}  // namespace isolde::stream
