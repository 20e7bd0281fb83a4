// Checks for our own bugs, never for input. A wrong verdict costs more than the few percent
// that these do, so two of the three stay on in release builds:
//
//   ISOLDE_CHECK      at module boundaries, and before a verdict leaves the engine
//   ISOLDE_ASSERT     inside, where it is cheap
//   ISOLDE_INVARIANT  in inner loops, or over whole tables: on in Debug builds only, among
//                     them those with sanitizers, in which the tests run too
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

// Where it is off it still compiles, so that it stays right and what it names counts as used.
#ifdef ISOLDE_INVARIANTS
#define ISOLDE_INVARIANT(condition) ISOLDE_CHECK(condition)
#else
#define ISOLDE_INVARIANT(condition) static_cast<void>(false && static_cast<bool>(condition))
#endif
