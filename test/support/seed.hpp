// Fresh random seeds that can be repeated.
#pragma once

#include <cstdint>

namespace isolde::support {

/// Seed of this run: the environment variable ISOLDE_SEED, or else a fresh one. Printed on
/// first use, so that every log of a test has it.
std::uint64_t run_seed();

/// Number of cases: the environment variable ISOLDE_CASES, which is a number or a percentage of
/// `usual` ("10%"), or else `usual`; never fewer than `least`, for tests that ask for a share
/// of their cases. For long runs, and for builds that are slow.
std::uint64_t case_count(std::uint64_t usual, std::uint64_t least = 1);

/// Whether the environment asks for the full tests: ISOLDE_FULL=1.
bool is_full_run();

/// Random tests count what they look for, so that none passes by never seeing it. True when
/// `count` is positive, or when chance alone may explain that it is not: what one case in
/// `one_in` shows is missed by 21 times as many cases once in a billion.
bool met(std::uint64_t count, std::uint64_t one_in, std::uint64_t cases);

}  // namespace isolde::support
