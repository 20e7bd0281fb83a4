// Aggregates in the argument of an explanation: what one returned, and what it had to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// The reads that the aggregate consists of.
std::span<const Op> items_of(const History& history, const WrongResult& wrong);

/// What the transaction did, to stand behind its name: "computed count(rows with state open) =
/// 2, but at least 3 rows meet the condition in any versions". `claims`: those of the step;
/// what they deny is taken for granted.
std::string result_text(const History& history, const WrongResult& wrong,
                        const std::vector<Claim>& claims);

}  // namespace isolde::explain
