// Histories in the notation of support/history_dsl.hpp, resolved, for the tests of the engine.
// Transactions and keys are named by their numbers: transactions in text order, keys in the
// order of first use.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "infer/observations.hpp"
#include "support/history_dsl.hpp"

namespace isolde::infer::test {

inline TxnId txn(std::uint32_t number) { return TxnId(number); }
inline KeyId key(std::uint32_t number) { return KeyId(number); }

/// A history and what is observed in it, which points into the history.
struct Observed {
  explicit Observed(History given)
      : history(std::make_unique<History>(std::move(given))), seen(observe(*history, budget)) {}
  explicit Observed(std::string_view text) : Observed(support::parse(text)) {}

  base::Budget budget;
  std::unique_ptr<const History> history;
  Observations seen;
};

}  // namespace isolde::infer::test
