// Signs in texts and pictures that are no plain words, each explained once where it occurs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// The name begins with the session's, as s1:4 does.
bool names_its_session(const History& history, TxnId txn);

/// "s1:4, session s1's transaction 4, counted from 0", of the first one with such a name;
/// empty: no name is a place. `of_part`: the history is a part of another one, whose places the
/// names are; a name of the user's own is none.
std::string place_words(const History& history, std::span<const ScenarioTxn> txns,
                        bool of_part);

/// "(#30), a number that tells equal values apart", of the first one in the text; empty: there
/// is none.
std::string number_words(const History& history, std::string_view text);

}  // namespace isolde::explain
