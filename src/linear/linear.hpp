// Linearizability (Herlihy & Wing 1990): each key alone is strict-serializable, with a
// transaction as one operation on each key that it uses. The property is local, so whether a
// transaction of unknown outcome took effect is also decided for each key separately.
//
// Registers with unique values go through register_zones.hpp. Other keys become their own
// histories, checked for strict serializability; where repeated values prevent that,
// key_search.hpp takes over.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::checker {

struct LinearAnswer {
  std::optional<Proof> proof;  ///< none: not decided
  std::string reason;          ///< why not
  std::uint64_t included = 0;  ///< a witness: transactions in it, for any key
};

struct StrictAnswer {
  std::optional<Proof> proof;
  std::string stopped;  ///< what prevented a proof; empty where repeated values did
};

/// Checks a history for strict serializability: a witness with one mention, a finding or a
/// refutation, or none when undecided.
using DecideStrict = std::function<StrictAnswer(const History&)>;

/// REQUIRES: the history has times. COST: O(n log n) for registers with unique values.
LinearAnswer decide_linear(const History& history, std::int64_t clock_error_ns,
                           const DecideStrict& decide_strict, base::Budget& budget);

}  // namespace isolde::checker
