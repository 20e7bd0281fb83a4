// Whether a history is a part of a larger one, in such a way that what is wrong with it is
// wrong with the larger one, too: how a violation that stands by itself is held against all
// that came (docs/formats/archive.md).
//
// An order that explains the whole, restricted to some of its transactions, explains these, as
// long as each read that tells something has all who may have written that among them, and the
// keys held the same at the start. So a part may have lost the results of reads, and of lists
// the elements of transactions that are not in it, and nothing else. It shares no code with
// src/stream, which makes such parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::certify {

/// Use: take_start() where the beginning of the whole was not kept, then take() for all that
/// was, then finish(). Nothing is looked at behind the first objection. Memory: linear in the
/// part.
class PartOfWhole {
 public:
  /// Labels of its transactions are their numbers in the whole, from 1. `part` outlives this
  /// object.
  explicit PartOfWhole(const History& part);

  /// Of the whole, operations on keys whose names are not like this pattern are left out, as in
  /// segments; empty: all count. REQUIRES: nothing was taken.
  void set_keys(std::string pattern) { pattern_ = std::move(pattern); }
  /// What came before that number was not kept; the registers hold these initial contents
  /// behind it. REQUIRES: nothing was taken.
  void take_start(const History& registers, std::uint64_t first);
  /// The transactions that come next, the first one with that number, from 0. REQUIRES: they
  /// follow one another. What comes with number 0 tells what keys held at the start. COST:
  /// linear, with a look into a table for each write to a key of the part.
  void take(const History& whole, std::uint64_t first);
  /// Nothing more comes.
  void finish();

  /// Why it is no part of the whole, one line; empty: nothing is known against it.
  const std::string& objection() const { return objection_; }
  /// How many of its transactions were found in what was taken.
  std::size_t found() const { return found_; }
  /// How many of them came before what was kept.
  std::size_t not_kept() const { return not_kept_; }

 private:
  struct Key {
    std::string name;                  ///< for people
    std::vector<std::string> initial;  ///< as JSON; of a register one, or none
    bool is_list = false;
    std::map<std::string, std::uint64_t> read = {};  ///< as JSON, by which transaction
    std::set<std::string> written = {};              ///< as JSON
  };

  void note_txn(TxnId txn);
  void note_op(std::uint64_t number, const Op& op);
  void compare_initial(const History& whole, const std::vector<const Key*>& keys);
  void compare(std::uint64_t number, TxnId txn, const History& whole, TxnId other);
  std::string difference(TxnId txn, const History& whole, TxnId other) const;
  bool is_same(const Op& op, const History& whole, const Op& other) const;
  bool is_less_of_list(const Key& key, const std::vector<std::string>& all,
                       const std::vector<std::string>& some) const;
  void look_for_writers(const History& whole, TxnId txn, std::uint64_t number,
                        const std::vector<const Key*>& keys);
  std::vector<const Key*> keys_of(const History& whole) const;
  void object(std::string what) {
    if (objection_.empty()) objection_ = std::move(what);
  }

  bool counts(const History& whole, const Op& op) const;

  const History& part_;
  std::string pattern_;
  std::vector<Key> keys_;  // by those of the part
  std::unordered_map<std::string, std::size_t> by_name_;
  std::map<std::uint64_t, TxnId> numbers_;
  std::uint64_t came_ = 0;
  std::size_t found_ = 0;
  std::size_t not_kept_ = 0;
  std::string objection_;
};

}  // namespace isolde::certify
