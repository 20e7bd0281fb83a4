// What comes before what, as a relation that grows: pairs are added one after the other, and
// one that would close a cycle is refused. All that follows from earlier pairs is known at any
// time, so that whoever adds pairs can ask, and can try the next best thing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isolde::replay {

class Precedence {
 public:
  explicit Precedence(std::size_t nodes);

  std::size_t size() const { return size_; }
  /// `from` before `to`. False when `to` is before `from` already, or is the same; nothing has
  /// changed then. COST: nothing where it follows from what is known; else O(n^2 / 64).
  bool add(std::size_t from, std::size_t to);
  bool before(std::size_t from, std::size_t to) const {
    return (row(from)[to / 64] >> (to % 64) & 1U) != 0;
  }
  /// The pairs as they were added, without those that followed from others.
  const std::vector<std::size_t>& successors(std::size_t node) const {
    return successors_[node];
  }

 private:
  const std::uint64_t* row(std::size_t node) const { return &after_[node * words_]; }
  std::uint64_t* row(std::size_t node) { return &after_[node * words_]; }

  std::size_t size_;
  std::size_t words_;
  std::vector<std::uint64_t> after_;  ///< a row of bits for each node: what comes after it
  std::vector<std::vector<std::size_t>> successors_;
};

}  // namespace isolde::replay
