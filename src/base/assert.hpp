// Checks for our own bugs, never for input. ISOLDE_CHECK is always on, for module boundaries
// and before a verdict leaves the engine; ISOLDE_ASSERT is for inner loops and disappears with
// NDEBUG (our builds keep it on, see cmake/isolde.cmake).
#pragma once

namespace isolde::base {

/// Prints one line naming condition, file and line to stderr, then aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace isolde::base

#define ISOLDE_CHECK(condition) \
  (static_cast<bool>(condition) \
       ? static_cast<void>(0)   \
       : ::isolde::base::check_failed(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
#define ISOLDE_ASSERT(condition) static_cast<void>(0)
#else
#define ISOLDE_ASSERT(condition) ISOLDE_CHECK(condition)
#endif
