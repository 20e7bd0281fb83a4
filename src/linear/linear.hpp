// Linearizability (Herlihy & Wing 1990): each key by itself is strict-serializable, a
// transaction being one operation on each key that it uses. The property is local, so that
// which transactions of unknown outcome took effect is a question for each key too.
//
// Registers with unique values go through register_zones.hpp. Other keys become histories of
// their own, decided as strict-serializable ones; where repeated values stop that,
// key_search.hpp takes over.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/budget.hpp"
#include "isolde/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::checker {

struct LinearAnswer {
  std::optional<Proof> proof;  ///< none: not decided
  std::string reason;          ///< why not
  std::uint64_t included = 0;  ///< a witness: transactions that are in it, for whatever key
};

struct StrictAnswer {
  std::optional<Proof> proof;
  std::string stopped;  ///< what kept it from a proof; empty where repeated values did
};

/// Decides a history as strict-serializable: a witness with one mention, a finding or a
/// refutation, or none where that is not clear.
using DecideStrict = std::function<StrictAnswer(const History&)>;

/// REQUIRES: the history has times. COST: O(n log n) for registers with unique values.
LinearAnswer decide_linear(const History& history, std::int64_t clock_error_ns,
                           const DecideStrict& decide_strict, base::Budget& budget);

}  // namespace isolde::checker
