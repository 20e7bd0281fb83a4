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

  /// What stood before all transactions stands again.
  void begin() {
    for (Index& index : indexes_) std::ranges::fill(index.stands, 0);
    standing_.assign(history_.key_count(), kNone);
    for (auto* const by_version : {&replaced_, &replaced_by_, &put_at_}) {
      by_version->assign(versions_.size(), kNone);
    }
    for (Number at = 0; at < initial_; ++at) put(at, 0);
  }

  /// Memory for what stands where is given back until begin().
  void end() {
    for (auto* const by_version : {&replaced_, &replaced_by_, &put_at_}) *by_version = {};
  }

  /// The row's present version becomes that one. Moments ascend.
  void put(Number number, std::uint32_t moment) {
    Number& standing = standing_[versions_[number].key.raw()];
    if (standing != kNone) {
      set(standing, false);
      replaced_by_[standing] = number;
    }
    replaced_[number] = standing;
    replaced_by_[number] = kNone;
    put_at_[number] = moment;
    standing = number;
    set(number, true);
  }
  Number standing(KeyId key) const { return standing_[key.raw()]; }
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

  /// Visits those that stand, or all, and may be selected by that predicate, until `visit`
  /// returns false; returns how many steps that took. The second time it knows where to look.
  template <typename Visit>
  std::uint64_t find(std::uint32_t predicate, bool all, const Visit& visit) {
    if (found_at_[predicate].index == kNone) look_for(predicate);
    const FoundAt& found = found_at_[predicate];
    const Index& index = indexes_[found.index];
    std::uint64_t steps = 1;
    for (const Range& range : std::span(ranges_).subspan(found.first, found.count)) {
      for (std::size_t at = range.begin; at < range.end;) {
        ++steps;
        const std::uint64_t bits =
            (all ? ~std::uint64_t{0} : index.stands[at / 64]) & (~std::uint64_t{0} << at % 64);
        if (bits == 0) {
          at = (at / 64 + 1) * 64;
          continue;
        }
        at = at / 64 * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (at >= range.end) break;
        if (!visit(versions_[index.versions[at]])) return steps;
        ++at;
      }
    }
    return steps;
  }

 private:
  static constexpr Number kNone = 0xffffffffU;
  static constexpr int kMostVersions = 16;
  struct Index {
    std::vector<Value> held;  // ascending
    std::size_t stride = base::ways().value_stride;
    std::vector<Value> samples;         // every stride-th of them, which stay in the cache
    std::vector<Number> versions;       // which version holds it
    std::vector<std::uint32_t> places;  // by version: the place; kNone: it has no such column
    std::vector<std::uint64_t> stands;  // bit by place
  };
  /// Where to look for what a predicate selects.
  struct FoundAt {
    Number index = kNone;  ///< kNone: not looked for yet
    Number first = 0;      ///< of ranges_
    Number count = 0;
  };

  void note_versions();

  std::size_t count_writes() const;

  /// All by which some selection can be answered.
  void find_columns();

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
        return history_.selects(history_.predicates()[predicate], versions_[at].value);
      };
      if (!is_final(at) || std::ranges::any_of(predicates, is_selected)) {
        near = at;
        continue;
      }
      if (at < initial_ || versions_[at].value.is_dead()) break;
      return {versions_[at].value, put_at_[back ? near : at]};
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

  void set(Number number, bool stands) {
    for (Index& index : indexes_) {
      const std::uint32_t place = index.places[number];
      if (place == kNone) continue;
      const std::uint64_t bit = std::uint64_t{1} << place % 64;
      if (stands) {
        index.stands[place / 64] |= bit;
      } else {
        index.stands[place / 64] &= ~bit;
      }
    }
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

  /// Notes the least ranges that hold all that the predicate selects.
  void look_for(std::uint32_t number);

  const History& history_;
  const Predicate::Bounds keys_;
  std::vector<Version> versions_;  // initial ones first
  Number initial_ = 0;
  std::vector<Number> first_write_;  // by transaction
  std::vector<Column> columns_;
  std::vector<Index> indexes_;     // by column
  std::vector<FoundAt> found_at_;  // by predicate
  std::vector<Range> ranges_;
  std::vector<Number> standing_;       // by key: the present version
  std::vector<Number> replaced_;       // by version so far: the one before it, and
  std::vector<Number> replaced_by_;    // the one after it
  std::vector<std::uint32_t> put_at_;  // its moment
};

}  // namespace isolde::checker
