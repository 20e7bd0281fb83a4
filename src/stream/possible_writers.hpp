// Possible writers: transactions of unknown outcome whose writes nobody has read so far.
//
// Whether such a transaction took effect makes no difference to the others, so rounds go on
// without it (docs/ALGORITHMS.md, "Rounds"). When somebody reads a value that it wrote, it
// comes back. There may be many of them, since nothing ever ends their waiting, and each read
// that comes is looked up among what all of them wrote: a bit in a table says mostly at once
// that there is nobody.
//
// They are kept in heaps of growing sizes, of which a new one takes up those that are not much
// larger than itself. So each is copied a logarithmic number of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/budget.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"
#include "stream/boundary.hpp"
#include "stream/deadlines.hpp"
#include "stream/joiner.hpp"

namespace isolde::stream {

class PossibleWriters {
 public:
  /// Both outlive this object.
  PossibleWriters(Boundary& boundary, base::Budget& budget)
      : boundary_(&boundary), budget_(&budget) {}

  std::size_t size() const { return size_; }

  /// Takes these transactions of the history, which Joiner made. ERRORS: kLimit.
  Status add(const History& open, const std::vector<bool>& which);

  /// Gives away those that wrote what is read in the part, or by another one of them; perhaps
  /// more. COST: a look for each key and for each read, and at all of them where a read tells
  /// no value. ERRORS: kLimit.
  Result<History> give_read_in(const History& part);

  /// Forgets those whose deadline has passed, and returns how many these are. COST: a look at
  /// each of them. ERRORS: kLimit.
  Result<std::size_t> forget(const Deadlines& deadlines);

  /// Adds all of them, heap by heap, and returns how many are in each.
  std::vector<std::size_t> add_to(Joiner& joiner) const;
  /// The first transactions of the history, in heaps of these sizes, as labels tell numbers.
  /// REQUIRES: nothing is here. ERRORS: kBadInput: it has not so many; kLimit.
  Status restore(const History& from, const std::vector<std::size_t>& sizes);

 private:
  /// A value of a key that one wrote.
  struct Cell {
    std::uint64_t hash = 0;
    std::uint32_t writer = 0;  ///< in the heap
  };
  struct Heap {
    History history;
    std::vector<bool> is_gone;
    std::size_t left = 0;                   ///< that are not gone
    std::vector<Boundary::Key> known_keys;  ///< by the history's keys
    std::vector<std::uint64_t> keys;        ///< hashes of these
    std::vector<Cell> cells;                ///< ascending
  };
  struct Place {
    std::size_t heap = 0;
    std::size_t txn = 0;
  };
  /// Who is given away.
  struct Taken {
    std::vector<Place> places;
    std::vector<std::uint64_t> keys;  ///< hashes of those that anybody may have written
  };

  Result<Heap> heap_of(Joiner& joiner);
  static void add_living(const Heap& heap, Joiner& joiner);
  Status merge_last();
  Status drop_gone(Heap& heap);
  void note(const std::vector<Cell>& cells);
  void rebuild_filter();
  static std::vector<std::uint64_t> key_hashes(const std::vector<Boundary::Key>& keys);
  void take(std::size_t heap, std::size_t txn, Taken& taken);
  void take_writers(std::uint64_t cell_hash, Taken& taken);
  void take_read_by(const History& history, std::size_t txn,
                    const std::vector<std::uint64_t>& keys, Taken& taken);
  void take_writers_of(std::vector<std::uint64_t> keys, Taken& taken);
  Status take_all_read_in(const History& part, Taken& taken);

  Boundary* boundary_;
  base::Budget* budget_;
  std::vector<Heap> heaps_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> filter_;  // bits, by the hash of a cell; a power of two of words
  std::size_t noted_ = 0;              // cells in it, with those of some that are gone
};

/// By transaction, among those for which `stays` is true: its outcome is unknown, and nobody
/// there has read what it wrote who goes on with the rounds: neither one of known outcome, nor
/// one for which goes_on(place) is true, nor one that such a one has read from, directly or
/// through others. COST: a look at each operation.
std::vector<bool> unread_among(const History& open, const std::vector<bool>& stays,
                               const std::function<bool(std::size_t)>& goes_on);

}  // namespace isolde::stream
