// Histories with increments whose sums are not known. The history as it is built allows more
// than it should (history/increments.cpp), so what it violates is violated. A level holds when
// it does with some sums; here likely ones are tried.
#pragma once

#include "check/check.hpp"

namespace isolde::checker {

/// As isolde::check(). REQUIRES: history.open_increments() > 0.
CheckReport check_sums(const History& history, const CheckOptions& options,
                       base::Budget& budget);

}  // namespace isolde::checker
