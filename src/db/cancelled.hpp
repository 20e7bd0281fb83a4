// Giving up on a server that does not answer while a database is opened.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>

#include "isolde/status.hpp"

namespace isolde::db {

/// Asked several times a second, by the thread that waits, whether to wait no longer. Empty: it
/// is not asked.
using Cancelled = std::function<bool()>;

inline bool asks(const Cancelled& cancelled) { return cancelled && cancelled(); }

/// Until when to wait before it is asked again.
inline std::chrono::steady_clock::time_point next_look(
    const Cancelled& cancelled, std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::milliseconds kBetweenLooks(100);
  if (!cancelled) return deadline;
  return std::min(deadline, std::chrono::steady_clock::now() + kBetweenLooks);
}

inline Error waited_no_longer() { return {ErrorCode::kLimit, "interrupted"}; }

}  // namespace isolde::db
