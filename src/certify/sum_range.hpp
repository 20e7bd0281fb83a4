// What numbers can be read of keys that transactions only add to. Such a number is what it was
// at first and the steps of some transactions that took effect, the reader not among them: an
// increment leaves the number of the version before and its step, and that version is one from
// earlier in the execution. Where no update is lost these are the steps of all that the reader
// sees, also of several keys.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::certify {

struct SumRange {
  __extension__ using Wide = __int128;

  std::vector<KeyId> keys;           ///< in the order in which they were read
  std::vector<std::uint32_t> reads;  ///< the operations that read them, likewise
  std::vector<TxnId> adders;         ///< transactions whose steps count, ascending
  Wide found = 0;                    ///< what was read, in all
  Wide begin = 0;                    ///< what the keys held at first, in all
  Wide before = 0;                   ///< the steps of transactions that the reader sees
  Wide less = 0;                     ///< the negative steps of those that it may see
  Wide more = 0;                     ///< their positive ones

  Wide least() const { return begin + before + less; }
  Wide most() const { return begin + before + more; }
  bool explains() const { return least() <= found && found <= most(); }
};

/// The numbers that the transaction read before it added to the keys itself, from keys that
/// transactions which did not abort only add to: with `together` the first of each key, else
/// only that of operation `op`. None where `op` is no such read, where the history tells all
/// sums or is cut off, at levels that bind too little, and where the level lets reads of
/// several keys show other transactions. REQUIRES: the level is not read uncommitted; the
/// transaction committed, or surely took effect. COST: linear in the history.
std::optional<SumRange> sum_range(const History& history, const LevelInfo& level,
                                  std::int64_t clock_error_ns, TxnId txn, std::uint32_t op,
                                  bool together);

}  // namespace isolde::certify
