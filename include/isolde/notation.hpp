// How people should read the integers of a history that stand for something else: keys that are
// rows of tables, and values that hold data beside what makes them unique. The header of a
// recording tells (docs/formats/native.md). It changes texts and no verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isolde {

/// What the values of some registers hold.
struct ValueNotation {
  /// Part of a value: so many of its bits, from this one on.
  struct Field {
    std::string name;
    std::uint32_t shift = 0;
    std::uint32_t bits = 0;
    friend bool operator==(const Field&, const Field&) = default;
  };
  std::string prefix;  ///< of the names of the registers; empty: all of them
  std::vector<Field> fields;
  /// What the first field of a register that nobody has written stands at.
  std::optional<std::int64_t> initial;
  /// Together the first fields of these so many registers are always `total`, as every
  /// transaction of the workload leaves them as it found them; 0: nothing is known.
  std::uint64_t keys = 0;
  std::int64_t total = 0;
  friend bool operator==(const ValueNotation&, const ValueNotation&) = default;
};

struct Notation {
  /// Names, by number: an integer key is number * 2^40 + id of a row. Empty: keys are no rows.
  std::vector<std::string> tables;
  std::vector<ValueNotation> values;  ///< of a register the first one that its name fits
  friend bool operator==(const Notation&, const Notation&) = default;
};

}  // namespace isolde
