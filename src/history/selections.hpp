// Which rows a selection could have returned. HistoryBuilder asks once all keys and values of
// the history are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::history {

class RowIndex {
 public:
  /// `writes`: those that a selection may have seen. REQUIRES: the names and kinds of the
  /// history's keys are known. COST: sorts the written keys and values.
  RowIndex(const History& history, std::span<const Op> writes);

  /// Registers that the history's predicate of that number selects with some value written to
  /// them or held at the start, ascending by name. Valid until the next call. COST:
  /// logarithmic, and linear in the smallest of the writes whose key fits, those whose value
  /// fits, and for each column that it asks for those that hold a fitting value there. Answers
  /// that were given before are kept, up to some megabytes.
  std::span<const KeyId> find(std::uint32_t predicate);

  /// How many rows find() examines.
  std::size_t cost(const Predicate& predicate) const;

  /// A list whose name the predicate selects, or none.
  KeyId find_list(const Predicate& predicate) const;

 private:
  using Rank = std::uint32_t;  // place of a written key among all by name
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
  };
  /// A value of a key, written or initial.
  struct Version {
    Value value;
    Rank rank = 0;
  };
  /// What a column of a version holds.
  struct Held {
    Value column;
    Value held;
    Version version;
  };
  /// Where find() looks.
  struct Plan {
    enum class By { kKeys, kNames, kValues, kColumn };
    By by = By::kKeys;
    Range keys;                 ///< ranks that fit, as far as their order tells
    std::vector<Range> ranges;  ///< of by_value_ or by_column_
    const std::vector<Value>* names = nullptr;
    std::size_t cost = 0;
    bool is_exact = false;  ///< all versions in the ranges whose ranks fit are selected
  };

  void index_columns();
  void find(const Predicate& predicate, std::vector<KeyId>& keys) const;
  Plan plan(const Predicate& predicate) const;
  Range ranks(const Predicate& predicate) const;
  Range values(const Predicate& predicate) const;
  std::vector<Range> columns(const Predicate::Test& test) const;
  std::optional<Rank> rank_of(Value name) const;
  bool selects_key(const Predicate& predicate, Rank rank) const;
  bool selects_some(const Predicate& predicate, Rank rank) const;

  const History& history_;
  std::vector<KeyId> keys_;         // by rank
  std::size_t integer_count_ = 0;   // these come first
  std::vector<std::size_t> begin_;  // by rank: CSR into values_
  std::vector<Value> values_;       // written to the key
  std::vector<std::pair<Value, Rank>> by_value_;
  std::vector<Held> by_column_;  // by column and what it holds; empty unless asked for
  std::vector<KeyId> lists_;     // by name, those named by integers
  std::vector<KeyId> all_lists_;
  std::vector<std::vector<KeyId>> known_;  // by predicate: answers that were given
  std::vector<std::uint8_t> is_known_;     // by predicate
  std::size_t known_count_ = 0;            // keys in all of them
  std::vector<KeyId> found_;               // the last answer, where it is not kept
};

}  // namespace isolde::history
