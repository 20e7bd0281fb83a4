// Settled lists: of a list what is settled is a length and a hash, however long it is.
//
// All that is read of a list begins with what is settled of it, or does not fit behind that. So
// a round needs only what stands behind: a list that was read is cut where what is settled
// ends, which its hash tells, and the round's lists begin with nothing. What does not begin so
// becomes a list that nobody can have read (Joiner::edit_lists()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "isolde/history.hpp"
#include "stream/boundary.hpp"
#include "stream/joiner.hpp"

namespace isolde::stream {

/// By Boundary::place() what was settled of lists before it became more.
using ListsBefore = std::unordered_map<std::uint32_t, ListPrefix>;

bool has_lists(const History& history);

/// Somebody appends what stands for lists that nobody can have read.
bool appends_nobodys(const History& part);

/// How many elements lists that were read have, all together. COST: a look at each operation
/// where there are lists.
std::size_t elements_read(const History& history);

/// For lists of `part`, as they came: what stands behind what is settled. The part must
/// outlive it. COST: a hash of what is left out.
Joiner::EditList cut_to_settled(const History& part, Boundary& boundary);

/// For lists of `round`, which stand behind what was settled of them before: what stands behind
/// what is settled now. COST: as cut_to_settled().
Joiner::EditList cut_further(const History& round, Boundary& boundary,
                             const ListsBefore& before);

/// A key that the part uses as a list and what is settled as a register, or the other way
/// round, for people; empty: there is none.
std::string mixed_key(const History& part, Boundary& boundary);

}  // namespace isolde::stream
