// What memory this process has and may have, as the system tells it.
#pragma once

#include <cstdint>
#include <string>

namespace isolde::base {

/// Memory that the process has allocated and touched, in bytes. Without files that are mapped,
/// which the system takes back when it needs to. 0 where the system does not tell.
std::uint64_t anonymous_bytes();
/// Gives freed memory back to the system, so that it counts no longer. COST: a walk through it.
void give_back_memory();
/// Pages of mapped files that are in memory, those of the program included.
std::uint64_t mapped_bytes();
/// All memory of this process.
std::uint64_t resident_bytes();
/// Highest resident memory so far.
std::uint64_t peak_resident_bytes();

/// Memory that this process can have at most: of the machine, or what the control groups allow
/// that it is in (version 1 or 2), whichever is less. 0 where the system does not tell. `root`
/// stands in front of the paths /proc and /sys.
std::uint64_t available_bytes(const std::string& root = {});

}  // namespace isolde::base
