// Fresh random seeds that can be repeated.
#pragma once

#include <cstdint>

namespace isolde::support {

/// Seed of this run: the environment variable ISOLDE_SEED, or else a fresh one. Printed on
/// first use, so that every log of a test has it.
std::uint64_t run_seed();

/// Number of cases: the environment variable ISOLDE_CASES, which is a number or a percentage of
/// `usual` ("10%"), or else `usual`. For long runs, and for builds that are slow.
std::uint64_t case_count(std::uint64_t usual);

}  // namespace isolde::support
