// Reads an explanation as a person does, sentence by sentence with the history in hand. Knows
// the sentences that there are and nothing of how they are made, so that no mistake is made
// twice: whatever a sentence says somebody read, wrote, replaced or missed is looked up in the
// history, and the names in it are held against the edge that it is the reason for.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::prop {

/// What the transactions are called in a text.
using TxnNames = std::vector<std::pair<std::string, TxnId>>;

/// T1, T2, ... as in a narrative.
TxnNames short_names(const explain::Scenario& scenario);
/// As in JSON: every transaction's own name.
TxnNames own_names(const History& history);

/// Empty when `text` gives a reason for the edge and all that it says is true.
std::string complaint_about_reason(const History& history, const TxnNames& names,
                                   const explain::ScenarioEdge& edge, std::string_view text);

/// Empty when `text` is what the finding saw, all that it says is true, and of reads that
/// differ it says who may have written what they returned.
std::string complaint_about_finding(const History& history, const TxnNames& names,
                                    const Finding& finding, std::string_view text);

/// Empty when all that the closing of a circle says is true of the history.
std::string complaint_about_closing(const History& history, const TxnNames& names,
                                    std::string_view text);

/// Empty when the narrative has every step of the scenario, with all of its alternatives, its
/// edges and their reasons, and nothing in it is false.
std::string complaint_about_narrative(const History& history, const explain::Scenario& scenario,
                                      std::string_view text);

}  // namespace isolde::prop
