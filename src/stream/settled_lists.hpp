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
#include <vector>

#include "isolde/history.hpp"
#include "stream/boundary.hpp"
#include "stream/initial_contents.hpp"
#include "stream/joiner.hpp"

namespace isolde::stream {

/// By Boundary::place() what was settled of lists before it became more.
using ListsBefore = std::unordered_map<std::uint32_t, ListPrefix>;

bool has_lists(const History& history);

/// It stands for a list that nobody can have read.
bool is_nobodys(const History& part, Value element);

/// Somebody appends what stands for lists that nobody can have read.
bool appends_nobodys(const History& part);

/// How many elements lists that were read have, all together. COST: a look at each operation
/// where there are lists.
std::size_t elements_read(const History& history);

/// For lists of `part`, as they came: what stands behind what is settled. With
/// `initial_is_unknown` a list of which the boundary does not know what it began with stays as
/// it is. The part must outlive it. COST: a hash of what is left out.
Joiner::EditList cut_to_settled(const History& part, Boundary& boundary,
                                bool initial_is_unknown);

/// For lists of `round`, which stand behind what was settled of them before: what stands behind
/// what is settled now. COST: as cut_to_settled().
Joiner::EditList cut_further(const History& round, Boundary& boundary,
                             const ListsBefore& before);

/// For lists of a history by whose keys the fronts are: what stands behind these. They must
/// outlive it.
Joiner::EditList cut_to_fronts(const std::vector<ListFront>& fronts);

/// A key that the part uses as a list and what is settled as a register, or the other way
/// round, for people; empty: there is none.
std::string mixed_key(const History& part, Boundary& boundary);

}  // namespace isolde::stream
