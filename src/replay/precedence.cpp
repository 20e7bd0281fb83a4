#include "replay/precedence.hpp"

namespace isolde::replay {

Precedence::Precedence(std::size_t nodes)
    : size_(nodes), words_((nodes + 63) / 64), after_(nodes * words_), successors_(nodes) {}

bool Precedence::add(std::size_t from, std::size_t to) {
  if (from == to || before(to, from)) return false;
  if (before(from, to)) return true;
  successors_[from].push_back(to);
  for (std::size_t node = 0; node < size_; ++node) {
    if (node != from && !before(node, from)) continue;
    if (before(node, to)) continue;
    std::uint64_t* const mine = row(node);
    const std::uint64_t* const theirs = row(to);
    for (std::size_t word = 0; word < words_; ++word) mine[word] |= theirs[word];
    mine[to / 64] |= std::uint64_t{1} << (to % 64);
  }
  return true;
}

}  // namespace isolde::replay
