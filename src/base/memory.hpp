// How much memory this process uses and may use, according to the system.
#pragma once

#include <cstdint>
#include <string>

namespace isolde::base {

/// Memory that the process has allocated and touched, in bytes. Without mapped files, which the
/// system reclaims when needed. 0 where the system does not tell.
std::uint64_t anonymous_bytes();
/// Returns freed memory to the system, so that it no longer counts. COST: a walk through it.
void give_back_memory();
/// Pages of mapped files that are in memory, including the program's.
std::uint64_t mapped_bytes();
/// All memory of this process.
std::uint64_t resident_bytes();
/// Highest resident memory so far.
std::uint64_t peak_resident_bytes();

/// The most memory that this process can have: the machine's, or what its control groups allow
/// (version 1 or 2), whichever is less. 0 where the system does not tell. `root` is a prefix of
/// the paths /proc and /sys.
std::uint64_t available_bytes(const std::string& root = {});

}  // namespace isolde::base
