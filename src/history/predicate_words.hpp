// How a condition is kept in words (PredicateTable): in front of it, and of each of its tests,
// a word says what follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isolde/predicates.hpp"

namespace isolde::history {

/// Then come the bounds of keys and of values, two words each, and the value that is asked for.
struct PredicateHead {
  bool has_keys = false;
  bool has_values = false;
  bool has_equal = false;
  std::size_t tests = 0;

  explicit PredicateHead(Value word)
      : has_keys((word.bits() & 1) != 0),
        has_values((word.bits() & 2) != 0),
        has_equal((word.bits() & 4) != 0),
        tests(static_cast<std::size_t>(word.bits() >> 3)) {}
  explicit PredicateHead(const PredicateView& of)
      : has_keys(of.keys.has_value()),
        has_values(of.values.has_value()),
        has_equal(!of.equal.is_null()),
        tests(of.tests.size()) {}

  Value word() const {
    return Value::from_bits((has_keys ? 1U : 0U) | (has_values ? 2U : 0U) |
                            (has_equal ? 4U : 0U) | (std::uint64_t{tests} << 3));
  }
  /// With this word.
  std::size_t size() const {
    return 1U + (has_keys ? 2U : 0U) + (has_values ? 2U : 0U) + (has_equal ? 1U : 0U);
  }
};

/// With the column, whose name takes 34 bits. Then come the sizes of the lists, if there are
/// any, the bounds, and both lists.
struct TestHead {
  Value column;
  bool is_null = false;
  bool has_bounds = false;
  bool has_in = false;
  std::size_t in = 0;
  std::size_t not_in = 0;

  /// REQUIRES: a test begins there.
  explicit TestHead(const Value* words)
      : column(Value::from_bits(words[0].bits() & kColumn)),
        is_null((words[0].bits() & kIsNull) != 0),
        has_bounds((words[0].bits() & kHasBounds) != 0) {
    if ((words[0].bits() & kHasLists) == 0) return;
    has_in = (words[1].bits() & 1) != 0;
    in = static_cast<std::size_t>((words[1].bits() & 0xffffffffU) >> 1);
    not_in = static_cast<std::size_t>(words[1].bits() >> 32);
  }
  explicit TestHead(const PredicateView::Test& of)
      : column(of.column),
        is_null(of.is_null),
        has_bounds(of.bounds.has_value()),
        has_in(of.in.has_value()),
        in(of.in ? of.in->size() : 0),
        not_in(of.not_in.size()) {}

  void append(std::vector<Value>& words) const {
    words.push_back(Value::from_bits(column.bits() | (is_null ? kIsNull : 0) |
                                     (has_bounds ? kHasBounds : 0) |
                                     (has_lists() ? kHasLists : 0)));
    if (!has_lists()) return;
    words.push_back(Value::from_bits((has_in ? 1U : 0U) | (std::uint64_t{in} << 1) |
                                     (std::uint64_t{not_in} << 32)));
  }
  void set_column(Value name, Value& word) const {
    word = Value::from_bits((word.bits() & ~kColumn) | name.bits());
  }
  bool has_lists() const { return has_in || not_in > 0; }
  std::size_t bounds_begin() const { return has_lists() ? 2 : 1; }
  std::size_t lists_begin() const { return bounds_begin() + (has_bounds ? 2U : 0U); }
  std::size_t size() const { return lists_begin() + in + not_in; }

 private:
  static constexpr std::uint64_t kIsNull = std::uint64_t{1} << 40;
  static constexpr std::uint64_t kHasBounds = std::uint64_t{1} << 41;
  static constexpr std::uint64_t kHasLists = std::uint64_t{1} << 42;
  static constexpr std::uint64_t kColumn = kIsNull - 1;
};

/// Calls change(value) for each value among the words: the names of columns, and what they are
/// compared with. COST: linear.
template <typename Change>
void for_each_value(std::span<Value> words, const Change& change) {
  const PredicateHead head(words.front());
  if (head.has_equal) change(words[head.size() - 1]);
  for (std::size_t at = head.size(); at < words.size();) {
    const TestHead test(&words[at]);
    Value column = test.column;
    change(column);
    test.set_column(column, words[at]);
    const std::size_t next = at + test.size();
    for (at += test.lists_begin(); at < next; ++at) change(words[at]);
  }
}

}  // namespace isolde::history
