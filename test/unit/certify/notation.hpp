// Histories and proofs in a few characters, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "certify/verify.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::certify::test {

/// One text for each transaction: the session, then '!' if it aborted or '?' if its outcome is
/// unknown, then "@start-end" if it has times, then its operations:
///
///   "A r:x=_ w:x=1"      reads the initial value of x, writes 1
///   "B? a:l=7"           appends 7 to list l, outcome unknown
///   "B@10-20 r:l=[7,8]"  reads a list, from time 10 to 20
///   "C r:x=?"            a read whose result is unknown
History history(const std::vector<std::string>& txns);

TxnId txn(std::uint32_t position);
/// By name; the key must exist.
KeyId key(const History& history, std::string_view name);

Certificate holds(const History& history, Level level, const std::vector<std::uint32_t>& order,
                  int mentions = 1);
Certificate found(const History& history, Level level, const Finding& finding);
Certificate refuted(const History& history, Level level, std::vector<RefutationStep> steps);

VersionOrder order(std::uint32_t before, std::uint32_t after);
Edge so(std::uint32_t from, std::uint32_t to);
Edge rt(std::uint32_t from, std::uint32_t to);
Edge wr(std::uint32_t from, std::uint32_t to, KeyId key);
Edge ww(std::uint32_t from, std::uint32_t to, KeyId key);
/// `via` is -1 for the initial version.
Edge rw(std::uint32_t from, std::uint32_t to, KeyId key, int via);
Edge mv(std::uint32_t from, std::uint32_t to, KeyId key, std::uint32_t reader);

/// Levels that ask for one execution of all transactions, whose proofs are orders and cycles.
std::vector<LevelInfo> ordinary_levels();

/// "proves", or the verifier's reason.
std::string outcome(const History& history, const Certificate& certificate);
/// The outcome of a witness, and of a refutation by one cycle in which everything is certain.
std::string witness(const History& history, Level level,
                    const std::vector<std::uint32_t>& order, int mentions = 1);
std::string cycle(const History& history, Level level, const std::vector<Edge>& edges);

}  // namespace isolde::certify::test
