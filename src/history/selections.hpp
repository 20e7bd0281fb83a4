// Which rows a selection could have returned. HistoryBuilder asks once all keys and values of
// the history are known.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::history {

/// Ranks, each once. Made for being filled and emptied often.
class RankSet {
 public:
  using Rank = std::uint32_t;
  explicit RankSet(std::size_t end) : words_(end / 64 + 1), blocks_(words_.size() / 64 + 1) {}

  /// REQUIRES: rank < end.
  void insert(Rank rank) {
    words_[rank / 64] |= std::uint64_t{1} << (rank % 64);
    blocks_[rank / 4096] |= std::uint64_t{1} << (rank / 64 % 64);
  }
  /// Visits the ranks, ascending, and takes them out. COST: linear in the ranks, and a step for
  /// 2^18 numbers.
  template <typename Visit>
  void drain(const Visit& visit) {
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (; blocks_[block] != 0; blocks_[block] &= blocks_[block] - 1) {
        const std::size_t word = 64 * block + lowest(blocks_[block]);
        for (; words_[word] != 0; words_[word] &= words_[word] - 1) {
          visit(static_cast<Rank>(64 * word + lowest(words_[word])));
        }
      }
    }
  }

 private:
  static std::size_t lowest(std::uint64_t bits) {
    return static_cast<std::size_t>(std::countr_zero(bits));
  }

  std::vector<std::uint64_t> words_;   // bit by rank
  std::vector<std::uint64_t> blocks_;  // bit by word that is not 0
};

/// Integers first, by number; the others in any fixed order.
bool comes_before(Value a, Value b);

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
  std::size_t cost(std::uint32_t predicate) const;

  /// A list whose name the predicate of that number selects, or none.
  KeyId find_list(std::uint32_t number) const;

 private:
  using Rank = RankSet::Rank;  // place of a written key among all by name
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
    std::span<const Value> names;
    std::size_t cost = 0;
    bool is_exact = false;  ///< all versions in the ranges whose ranks fit are selected
  };

  void index_columns();
  void find(const PredicateView& predicate, std::vector<KeyId>& keys);
  Plan plan(const PredicateView& predicate) const;
  Range ranks(const PredicateView& predicate) const;
  Range values(const PredicateView& predicate) const;
  std::vector<Range> columns(const PredicateView::Test& test) const;
  std::optional<Rank> rank_of(Value name) const;
  bool selects_key(const PredicateView& predicate, Rank rank) const;
  bool selects_some(const PredicateView& predicate, Rank rank) const;

  const History& history_;
  std::vector<KeyId> keys_;         // by rank
  std::size_t integer_count_ = 0;   // these come first
  std::vector<std::size_t> begin_;  // by rank: CSR into values_
  std::vector<Value> values_;       // written to the key
  std::vector<std::pair<Value, Rank>> by_value_;
  std::vector<Held> by_column_;  // of columns that are asked for, by them and what they hold
  std::vector<Rank> by_column_ranks_;  // of by_column_, which is read without the rest
  RankSet ranks_found_{0};
  std::vector<KeyId> lists_;  // by name, those named by integers
  std::vector<KeyId> all_lists_;
  std::vector<std::vector<KeyId>> known_;  // by predicate: answers that were given
  std::vector<std::uint8_t> is_known_;     // by predicate
  std::size_t known_count_ = 0;            // keys in all of them
  std::vector<KeyId> found_;               // the last answer, where it is not kept
};

}  // namespace isolde::history
