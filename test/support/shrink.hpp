// Shrinking: the smallest part of a history that still shows a failure is the one to read.
#pragma once

#include <functional>

#include "support/history_dsl.hpp"

namespace isolde::support {

/// Drops transactions, operations, list elements, times and outcomes for as long as `fails`
/// stays true. Nothing that is left can be dropped alone. REQUIRES: fails(history).
PlainHistory shrink(PlainHistory history,
                    const std::function<bool(const PlainHistory&)>& fails);

}  // namespace isolde::support
