// The conditions of a history. There may be one for each statement, most with one test, so that
// as objects with vectors of their own they would take more memory than all operations: they
// are kept as words, one after the other, and read as views.
//
// Threads: several may read one table. Errors: none. COST, where a comment says nothing:
// constant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "isolde/export.h"
#include "isolde/operation.hpp"

namespace isolde {

/// A condition that somebody else owns: a Predicate, or an entry of a PredicateTable, which
/// must not grow or end meanwhile.
class PredicateView {
 public:
  /// As Predicate::Test; its lists lie where the condition does.
  struct Test {
    Value column;
    bool is_null = false;
    std::optional<Predicate::Bounds> bounds;
    std::optional<std::span<const Value>> in;
    std::span<const Value> not_in;
    /// COST: linear in `in` and `not_in`.
    ISOLDE_API bool passes(Value held) const;
    /// A copy. COST: likewise.
    ISOLDE_API Predicate::Test owned() const;
    ISOLDE_API friend bool operator==(const Test& a, const Test& b);
  };

  /// The tests of one condition, in its order.
  class Tests {
   public:
    class Iterator {
     public:
      using iterator_concept = std::forward_iterator_tag;
      using iterator_category = std::input_iterator_tag;
      using value_type = Test;
      using difference_type = std::ptrdiff_t;
      using pointer = void;
      using reference = Test;

      Iterator() = default;
      ISOLDE_API Test operator*() const;
      ISOLDE_API Iterator& operator++();
      Iterator operator++(int) {
        const Iterator before = *this;
        ++*this;
        return before;
      }
      friend bool operator==(Iterator, Iterator) = default;

     private:
      friend class Tests;
      const Predicate::Test* owned_ = nullptr;
      const Value* words_ = nullptr;
    };

    Tests() = default;
    explicit Tests(const std::vector<Predicate::Test>& owned) : count_(owned.size()) {
      begin_.owned_ = owned.data();
      end_.owned_ = owned.data() + owned.size();
    }
    Tests(std::size_t count, const Value* begin, const Value* end) : count_(count) {
      begin_.words_ = begin;
      end_.words_ = end;
    }

    Iterator begin() const { return begin_; }
    Iterator end() const { return end_; }
    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }

   private:
    Iterator begin_;
    Iterator end_;
    std::size_t count_ = 0;
  };

  PredicateView() = default;
  /// Implicit: whoever takes a view takes a Predicate.
  PredicateView(const Predicate& owned)
      : keys(owned.keys), values(owned.values), equal(owned.equal), tests(owned.tests) {}
  /// REQUIRES: PredicateTable::words() gave them.
  explicit ISOLDE_API PredicateView(std::span<const Value> words);
  /// A copy. COST: linear.
  ISOLDE_API Predicate owned() const;

  std::optional<Predicate::Bounds> keys;
  std::optional<Predicate::Bounds> values;
  Value equal;
  Tests tests;

  friend bool operator==(const PredicateView& a, const PredicateView& b) {
    return a.keys == b.keys && a.values == b.values && a.equal == b.equal &&
           a.tests.size() == b.tests.size() &&
           std::equal(a.tests.begin(), a.tests.end(), b.tests.begin());
  }

  /// It says more than which keys are selected. COST: linear in the tests.
  bool asks_for_value() const {
    return values.has_value() || !equal.is_null() || asks_for_columns();
  }
  /// Some test is of a column and not of the key. COST: linear in the tests.
  ISOLDE_API bool asks_for_columns() const;
  /// COST: linear in the tests of the key.
  ISOLDE_API bool selects_key(Value name) const;
  /// REQUIRES: !asks_for_columns(); History::selects() takes any predicate.
  bool selects_value(Value value) const {
    return !value.is_absent() && (equal.is_null() || value == equal) &&
           (!values || values->contain(value));
  }
};

/// Conditions by number.
class PredicateTable {
 public:
  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = PredicateView;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = PredicateView;

    Iterator() = default;
    PredicateView operator*() const { return (*table_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    friend class PredicateTable;
    Iterator(const PredicateTable* table, std::size_t at) : table_(table), at_(at) {}
    const PredicateTable* table_ = nullptr;
    std::size_t at_ = 0;
  };

  std::size_t size() const { return begin_.size() - 1; }
  bool empty() const { return size() == 0; }
  PredicateView operator[](std::size_t number) const { return PredicateView(words(number)); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  /// Two conditions of one history are equal exactly when their words are.
  std::span<const Value> words(std::size_t number) const {
    return std::span<const Value>(words_).subspan(begin_[number],
                                                  begin_[number + 1] - begin_[number]);
  }
  /// REQUIRES: words() of another table gave them, or encode(). COST: linear in them.
  void add(std::span<const Value> words) {
    words_.insert(words_.end(), words.begin(), words.end());
    begin_.push_back(words_.size());
  }
  /// COST: linear in the condition.
  void add(const PredicateView& predicate) {
    encode(predicate, words_);
    begin_.push_back(words_.size());
  }
  void shrink_to_fit() {
    words_.shrink_to_fit();
    begin_.shrink_to_fit();
  }
  void clear() { *this = {}; }

  /// Appends what words() gives of the condition. COST: linear.
  ISOLDE_API static void encode(const PredicateView& predicate, std::vector<Value>& words);

 private:
  std::vector<std::uint64_t> begin_ = {0};  // CSR into words_
  std::vector<Value> words_;
};

}  // namespace isolde
