// Keys that somebody writes who is not recorded: a read returned what nobody recorded has ever
// written.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "isolde/history.hpp"
#include "stream/boundary.hpp"
#include "stream/initial_contents.hpp"
#include "stream/suspects.hpp"

namespace isolde::stream {

/// A round about to be checked.
struct UnrecordedSearch {
  const History& history;
  std::span<const Boundary::Key> keys;  ///< by the history's keys
  /// What the keys held at the start where it is chosen; null: what the history says. Empty:
  /// null for all.
  std::span<const Value> contents;
  /// Of lists what they begin with, in front of what somebody in the round appended. Empty:
  /// nothing.
  std::span<const ListFront> fronts;
  std::int64_t clock_error_ns;
  const std::deque<NumberedPart>& parts;  ///< what came last, up to the round's
  /// All that came, or empty: then what came before `parts` counts as not recorded.
  const Reread& reread;
};

struct Unrecorded {
  std::vector<bool> is_key;  ///< by the history's keys; empty: there is none
  bool has_reread = false;
};

/// What is read of these keys and neither was there before, nor could be any more, nor is
/// written by anybody in it, nor in all that came. Whoever aborted counts as well. Of a list
/// that does not fit behind what is settled, all elements are looked for. ERRORS: those of
/// reading again. COST: a look at each operation and each element, and at all parts where a
/// value is missing in the round.
Result<Unrecorded> find_unrecorded(const UnrecordedSearch& search, Boundary& boundary);

}  // namespace isolde::stream
