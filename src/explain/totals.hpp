// What the balances of a bank add up to for those who read all of them, where the recording
// says that every transaction leaves the total as it found it (ValueNotation::total): the
// damage in words that need no theory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isolde/history.hpp"

namespace isolde::explain {

/// What a committed transaction that changes none of them and reads all makes of them.
struct ReadTotal {
  const ValueNotation* notation = nullptr;
  std::int64_t sum = 0;
};
/// Nothing where it does not read all, or a value tells no amount. Of a register that it reads
/// more than once the first read counts.
std::optional<ReadTotal> total_read_by(const History& history, TxnId txn);

/// "saw a total balance of 990, not 1000". That says nothing of what made it so.
std::string total_text(const ReadTotal& read);

/// Somebody saw another total than the one that every transaction keeps. COST: linear.
bool totals_are_off(const History& history);

/// Of all transactions, as a sentence: "301 of 395 transactions that read all 10 keys account/*
/// saw a total balance from 940 to 1043; ...". Empty where the recording
/// knows no total, or nobody read all. COST: linear.
std::string totals_text(const History& history);

}  // namespace isolde::explain
