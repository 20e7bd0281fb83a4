// Writers: who wrote certain values of certain keys, in all that came, which one reading of it
// finds for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isolde/history.hpp"
#include "stream/boundary.hpp"
#include "stream/joiner.hpp"

namespace isolde::stream {

/// COST: some 100 bytes for each value, and for each of its writers 8, of which it keeps a few.
class Writers {
 public:
  enum class Answer : std::uint8_t { kNobody, kSomebody, kNotKnown };

  /// Those are nobody, and are not kept. `boundary` outlives this object.
  explicit Writers(Boundary& boundary, std::set<TxnNumber> besides = {})
      : boundary_(boundary), besides_(std::move(besides)) {}

  /// From now on. REQUIRES: the value is not null.
  void look_for(const History& history, Boundary::Key key, Value value);
  bool looks_for(const History& history, Boundary::Key key, Value value) const;
  bool looks_for_some(Boundary::Key key) const { return cells_.contains(key); }
  /// So many values.
  std::size_t size() const { return size_; }

  /// Part by part, all that came.
  void visit(const History& part, TxnNumber first);
  /// Whether somebody besides those has written the value, and not aborted, or it was there
  /// before and the history does not tell. kNotKnown: it was not looked for, or more wrote it
  /// than are kept.
  Answer others(const History& history, KeyId key, Value value,
                const std::set<TxnNumber>& besides) const;

 private:
  struct Cell {
    bool was_there = false;
    bool has_more = false;  // writers than are kept
    std::vector<TxnNumber> writers;
  };
  struct Cells {
    std::unordered_map<std::int64_t, Cell> numbers;
    std::unordered_map<std::string, Cell> texts;

    const Cell* find(const History& history, Value value) const;
  };

  Boundary& boundary_;
  std::set<TxnNumber> besides_;
  std::map<Boundary::Key, Cells> cells_;
  std::size_t size_ = 0;
};

}  // namespace isolde::stream
