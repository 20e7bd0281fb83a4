// Numbering: gives names dense numbers, in the order in which they are met. An open-addressing
// table beside the list of names, so that millions of them are two blocks of memory, which a
// limit of time does not wait for when they are released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace isolde::base {

/// REQUIRES: fewer than 2^32 - 1 names.
template <typename Name, typename Hash>
class Numbering {
 public:
  struct Answer {
    std::uint32_t number;
    bool is_new;
  };

  std::size_t size() const { return names_.size(); }

  /// The name's number; the next free one for a new name. COST: constant, expected.
  Answer find(const Name& name) {
    if ((names_.size() + 1) * 2 > cells_.size()) grow();
    std::uint32_t& cell = cells_[place_of(name)];
    if (cell != kFree) return {cell, false};
    cell = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
    return {cell, true};
  }

 private:
  static constexpr std::uint32_t kFree = 0xffffffffU;

  std::size_t place_of(const Name& name) const {
    std::size_t at = Hash()(name) & (cells_.size() - 1);
    while (cells_[at] != kFree && !(names_[cells_[at]] == name)) {
      at = (at + 1) & (cells_.size() - 1);
    }
    return at;
  }

  void grow() {
    cells_.assign(cells_.empty() ? std::size_t{64} : cells_.size() * 2, kFree);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      cells_[place_of(names_[i])] = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<Name> names_;           // by number
  std::vector<std::uint32_t> cells_;  // the number, where the hash leads
};

}  // namespace isolde::base
