// What rounds are asked (rounds.hpp), and the level whose orders they look for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "isolde/level.hpp"
#include "isolde/times.hpp"

namespace isolde::stream {

struct RoundsOptions {
  /// What is asked. REQUIRES: level_of_rounds() has one for it.
  Level level = Level::kStrictSerializable;
  /// Real time counts only for gaps larger than this.
  std::int64_t clock_error_ns = 0;
  /// What keys held at the start is what the first part tells, or nothing; or else, of keys of
  /// which it tells nothing, not known: what is first read of one then, and nobody has written.
  bool initial_is_unknown = false;
  /// Only keys that are like this pattern are checked (stream/restriction.hpp); empty: all.
  std::string keys;
  /// Somebody may write who is not recorded: when a read returns what nobody recorded has
  /// written, what is read of the key counts for nothing from there on.
  bool is_incomplete = false;
  /// Transactions that ended last and are left open, although they are settled: what is read
  /// next may still change their order.
  std::size_t left_open = std::size_t{1} << 14;
  /// More than so many are not left open: the level is unknown from there.
  std::size_t most_open = std::size_t{1} << 22;
  /// Those of unknown outcome are kept apart as long as nobody has read from them. Without,
  /// each round takes all of them along; it says the same.
  bool keeps_apart = true;
  /// More than so many are not kept apart: the level is unknown from there.
  std::size_t most_apart = 1'000'000;
  /// A transaction of unknown outcome takes effect within that time of the last one that is
  /// known of it, or never: then it is forgotten once nobody can read from it any more.
  /// kNoTime: nothing is said.
  std::int64_t takes_effect_within_ns = kNoTime;
  /// Where a transaction stays open that started longer before the latest one that came, the
  /// level is unknown from there. 0: however long.
  std::int64_t most_window_ns = 0;
  /// The key of fences (stream/fences.hpp): what is settled is known by them and by no time.
  /// Empty: by times. REQUIRES: none of the options about initial contents, some keys, who is
  /// recorded and unknown outcomes.
  std::string fence;
  /// A session is dead of which nothing came for so long; 0: however long.
  std::int64_t session_timeout_ns = 0;
  /// Of what came last so many operations and transactions are kept as they came, to look for a
  /// violation.
  std::size_t kept_ops = std::size_t{1} << 22;
  /// Without a time limit the search for the order of a round, and each one for a violation,
  /// ends after so much work (base::Budget): where values repeat it may take longer than
  /// anybody waits. Then the level is unknown from there.
  std::uint64_t most_ticks = 5'000'000'000;
  std::uint64_t most_ticks_per_op = 100'000;  ///< besides
  /// The order of each round is verified before anything is settled by it.
  bool verifies = false;
  unsigned threads = 1;
};

/// The level whose orders prove that one: the weakest that implies it, among those at which
/// real time binds and all commits have one order (strict-serializable, and the strong forms of
/// snapshot isolation and prefix consistency). Where it asks for the order of sessions, they
/// must respect time. Nothing: none implies it.
std::optional<Level> level_of_rounds(Level asked);
/// The same where fences settle: among those at which the order of sessions binds and real time
/// does not.
std::optional<Level> level_of_fences(Level asked);
/// Of these options the one that counts.
std::optional<Level> level_of_orders(const RoundsOptions& options);

}  // namespace isolde::stream
