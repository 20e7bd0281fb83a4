// Histories in which no transaction uses two keys: there linearizability is strict
// serializability (Herlihy & Wing 1990, locality), and the orders of the keys merge into one.
#pragma once

#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::checker {

/// Aborted transactions do not count, nor do reads whose result is unknown. COST: linear.
bool each_uses_one_key(const History& history);

/// Merges the orders of the keys, with the committed transactions that use no key. REQUIRES:
/// each_uses_one_key(), and the orders prove linearizability. COST: sorts the transactions.
Witness join_keys(const History& history, const KeyWitness& keys);

}  // namespace isolde::checker
