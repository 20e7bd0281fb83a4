// Rows as they stand while an execution is played, found by what they hold: all versions,
// sorted by what a column holds, once for the whole history, and a bit for each that stands
// now. A condition on a column is a range of bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "base/parallel.hpp"
#include "base/ways.hpp"
#include "history/selections.hpp"
#include "isolde/history.hpp"

namespace isolde::checker {

/// Which versions stand, found by what they hold.
class StandingRows {
  /// What rows hold in one column, or their keys, or registers their values.
  struct Column {
    enum class Of : std::uint8_t { kKey, kValue, kColumn };
    Of of = Of::kKey;
    Value name = {};
    friend bool operator==(const Column&, const Column&) = default;
  };

  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::size_t size() const { return end - begin; }
  };

 public:
  using Number = std::uint32_t;  ///< of a version, in the order of their writes
  struct Version {
    KeyId key;
    Value value;
  };

  StandingRows(const History& history, unsigned threads, base::Budget& budget);

  /// What stands at some moment of an execution. Several threads may have one each.
  class State {
    friend class StandingRows;
    std::vector<std::vector<std::uint64_t>> stands_;  // by column: bit by place
    std::vector<Number> standing_;                    // by key: the present version
  };

  /// Nothing has been put. Where all predicates look is known from here on, and their columns'
  /// values are not.
  void begin();
  /// Memory is given back until begin(): for what was put when, and for what begin() finds
  /// again.
  void end() {
    for (auto* const by_version : {&replaced_, &replaced_by_, &put_at_}) *by_version = {};
    for (Index& index : indexes_) index.versions = {};
  }

  /// What stood before all transactions, and then what these have left, the last one last.
  template <typename Txns>
  State state_after(const Txns& txns) const {
    State state;
    state.standing_.assign(history_.key_count(), kNone);
    for (Number at = 0; at < initial_; ++at) state.standing_[keys_of_[at].raw()] = at;
    for (const TxnId txn : txns) {
      Number number = first_write_[txn.raw()];
      for (const Op& op : history_.ops(txn)) {
        if (op.kind == OpKind::kWrite) state.standing_[op.key.raw()] = number++;
      }
    }
    for (const Index& index : indexes_) {
      state.stands_.emplace_back(index.size / 64 + 1, 0);
    }
    for (const Number standing : state.standing_) {
      if (standing != kNone) set(state, standing, true);
    }
    return state;
  }

  /// The row's present version becomes that one. Moments ascend. Threads: each version is put
  /// once after begin(), whichever state it is put in.
  void put(State& state, Number number, std::uint32_t moment) {
    Number& standing = state.standing_[keys_of_[number].raw()];
    if (standing != kNone) {
      set(state, standing, false);
      replaced_by_[standing] = number;
    }
    replaced_[number] = standing;
    put_at_[number] = moment;
    standing = number;
    set(state, number, true);
  }
  /// The versions on one side of a row's that none of some predicates selects.
  struct Aside {
    Value nearest = {};        ///< null: there is none near, or a read cannot name it
    std::uint32_t moment = 0;  ///< from which on they stand, or until when
  };
  /// Those before that version. Call when all have been put.
  Aside before(Number number, std::span<const std::uint32_t> predicates) const {
    return aside(number, predicates, replaced_);
  }
  Aside after(Number number, std::span<const std::uint32_t> predicates) const {
    return aside(number, predicates, replaced_by_);
  }
  /// Of the transaction's first write; its others follow.
  Number first_write(TxnId txn) const { return first_write_[txn.raw()]; }
  Version version(Number number) const { return {keys_of_[number], value(number)}; }

  /// Visits those that stand and may be selected by that predicate, as (key, number); returns
  /// how many steps that took. REQUIRES: begin().
  template <typename Visit>
  std::uint64_t find(const State& state, std::uint32_t predicate, const Visit& visit) const {
    const Index& index = indexes_[index_for_[predicate]];
    const std::vector<std::uint64_t>& stands = state.stands_[index_for_[predicate]];
    std::uint64_t steps = 1;
    for (const Range& range : ranges_of(predicate)) {
      for (std::size_t at = range.begin; at < range.end;) {
        ++steps;
        const std::uint64_t bits = stands[at / 64] & (~std::uint64_t{0} << at % 64);
        if (bits == 0) {
          at = (at / 64 + 1) * 64;
          continue;
        }
        at = at / 64 * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (at >= range.end) break;
        visit(keys_of_[index.versions[at]], index.versions[at]);
        ++at;
      }
    }
    return steps;
  }
  /// Of all versions, whenever they stand, until `visit` returns false. Not after end().
  template <typename Visit>
  std::uint64_t find_ever(std::uint32_t predicate, const Visit& visit) const {
    std::vector<Range> ranges;
    const bool is_known = !index_for_.empty();
    const Index& index =
        indexes_[is_known ? index_for_[predicate] : look_for(predicate, ranges)];
    std::uint64_t steps = 1;
    for (const Range& range :
         is_known ? ranges_of(predicate) : std::span(std::as_const(ranges))) {
      for (std::size_t at = range.begin; at < range.end; ++at) {
        ++steps;
        if (!visit(keys_of_[index.versions[at]], index.versions[at])) return steps;
      }
    }
    return steps;
  }
  /// Whether find() would visit the version if it stood.
  bool may_select(std::uint32_t predicate, Number number) const {
    const std::uint32_t place = indexes_[index_for_[predicate]].places[number];
    return std::ranges::any_of(ranges_of(predicate), [&](const Range& range) {
      return range.begin <= place && place < range.end;
    });
  }

 private:
  static constexpr Number kNone = 0xffffffffU;
  static constexpr int kMostVersions = 16;
  struct Index {
    std::vector<Value> held;  // ascending; empty once begun
    std::size_t stride = base::ways().value_stride;
    std::vector<Value> samples;         // every stride-th of them, which stay in the cache
    std::size_t size = 0;               // number of places
    std::vector<Number> versions;       // by place: which version holds it
    std::vector<std::uint32_t> places;  // by version: the place; kNone: it has no such column
  };
  void note_versions();
  Value value(Number number) const {
    return number < initial_ ? history_.initial(keys_of_[number])
                             : history_.all_ops()[op_of_[number]].value;
  }

  std::size_t count_writes() const;

  /// All by which some selection can be answered.
  void find_columns();
  static void add_new(const Column& column, std::vector<Column>& columns);

  /// Visits what rows may be found by, and the test that says of which values.
  template <typename Visit>
  void for_each_way(const PredicateView& predicate, const Visit& visit) const;

  /// They say nothing that would spare a look at a row.
  bool holds_all_keys(const Predicate::Bounds& bounds) const;
  /// Of all keys that are numbers.
  static Predicate::Bounds bounds_of_keys(const History& history);

  Value held(const Version& version, const Column& column) const;

  Index index(const Column& column) const;

  Aside aside(Number number, std::span<const std::uint32_t> predicates,
              const std::vector<Number>& next) const {
    const bool back = &next == &replaced_;
    Number near = number;  // the last one that does not fit
    Number at = number;
    for (int i = 0; i < kMostVersions && at != kNone; ++i, at = next[at]) {
      const auto is_selected = [&](std::uint32_t predicate) {
        return history_.selects(history_.predicates()[predicate], value(at));
      };
      if (!is_final(at) || std::ranges::any_of(predicates, is_selected)) {
        near = at;
        continue;
      }
      if (at < initial_ || value(at).is_dead()) break;
      return {value(at), put_at_[back ? near : at]};
    }
    return {};
  }

  /// The last write of its transaction to the row: nobody else may have read another one.
  bool is_final(Number number) const;

  /// As history::comes_before(), at once where both are numbers.
  static bool before(Value a, Value b) {
    if (a.kind() == Value::Kind::kInteger && b.kind() == Value::Kind::kInteger) {
      return a.as_integer() < b.as_integer();
    }
    return history::comes_before(a, b);
  }

  void set(State& state, Number number, bool stands) const {
    for (std::size_t column = 0; column < indexes_.size(); ++column) {
      const std::uint32_t place = indexes_[column].places[number];
      if (place == kNone) continue;
      const std::uint64_t bit = std::uint64_t{1} << place % 64;
      std::uint64_t& word = state.stands_[column][place / 64];
      word = stands ? word | bit : word & ~bit;
    }
  }

  std::span<const Range> ranges_of(std::uint32_t predicate) const {
    if (ranges_begin_.empty()) return std::span(ranges_).subspan(predicate, 1);
    return std::span(ranges_).subspan(ranges_begin_[predicate],
                                      ranges_begin_[predicate + 1] - ranges_begin_[predicate]);
  }

  /// Where a value within the bounds, or equal to that one, may be.
  static Range places(const Index& index, const Predicate::Bounds& bounds);
  static Range places(const Index& index, Value wanted);
  /// Where those that come before end.
  template <typename ComesBefore>
  static std::vector<Value>::const_iterator first_behind(const Index& index,
                                                         const ComesBefore& comes_before);
  /// Where those that fit end, which begin at `first`. Mostly they are few, near each other.
  template <typename Fits>
  static std::vector<Value>::const_iterator end_of(const Index& index,
                                                   std::vector<Value>::const_iterator first,
                                                   const Fits& fits);
  static Range range(const Index& index, std::vector<Value>::const_iterator first,
                     std::vector<Value>::const_iterator last) {
    return {static_cast<Number>(first - index.held.begin()),
            static_cast<Number>(last - index.held.begin())};
  }

  Number index_of(const Column& column) const;

  /// Appends the least ranges that hold all that the predicate selects, and returns of which
  /// index.
  Number look_for(std::uint32_t number, std::vector<Range>& ranges) const;
  void look_for_all();

  const History& history_;
  const unsigned threads_;
  const Predicate::Bounds keys_;
  std::vector<KeyId> keys_of_;  // by version, initial ones first
  std::vector<std::uint32_t>
      op_of_;  // by version: among all operations; initial ones have none
  Number initial_ = 0;
  std::vector<Number> first_write_;  // by transaction
  std::vector<Column> columns_;
  std::vector<Index> indexes_;  // by column
  // By predicate, once begun: where to look for what it selects.
  std::vector<Number> index_for_;
  std::vector<Range> ranges_;
  std::vector<Number> ranges_begin_;   // CSR into ranges_; empty where each has one
  std::vector<Number> replaced_;       // by version so far: the one before it, and
  std::vector<Number> replaced_by_;    // the one after it
  std::vector<std::uint32_t> put_at_;  // its moment
};

}  // namespace isolde::checker
