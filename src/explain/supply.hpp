// Where a value that was read can have come from, and why not, by times alone: the reason that
// people find by hand for a history that is not linearizable. Each transaction takes effect at
// one moment between its start and its end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::explain {

/// A write of the value in question and why it did not supply it; or several with one reason.
struct Supply {
  enum class Why : std::uint8_t {
    kTooLate,   ///< it started after the reader had ended
    kReplaced,  ///< `by` came between: it started after this had ended
    kLacking,   ///< it read `needed` first, which was not there: see `needs`
    kNeedsIt,   ///< it is what needs the value itself, or something that does, and comes later
  };
  TxnId writer;  ///< none: the initial value. Of several the one that is nearest in time
  std::size_t count = 1;
  Why why = Why::kTooLate;
  TxnId by;
  Value needed;
  std::vector<Supply> needs;  ///< the writes of `needed`, none of which can have supplied it
};

/// A read that no write can have supplied.
struct Unsupplied {
  TxnId reader;
  std::uint32_t op = 0;
  std::vector<Supply> supplies;  ///< all writes of the value
};

/// The read of the register `key` that ends first among those that no write can have supplied,
/// with the depth of the argument bounded. None: there is none, or it takes more than times to
/// see. REQUIRES: every transaction that uses the key takes effect at one moment. COST: linear
/// in the history, and quadratic in the operations on the key.
std::optional<Unsupplied> find_unsupplied(const History& history, KeyId key);

}  // namespace isolde::explain
