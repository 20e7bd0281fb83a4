// Loading in two steps, so that of a directory only what its format reads is loaded: other
// files in it may be anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/reader.hpp"

namespace isolde::io {

bool is_directory(const std::string& path);
/// The order of names in a folder: runs of digits compare as numbers, everything else byte by
/// byte.
bool natural_less(std::string_view a, std::string_view b);

struct Directory {
  Inputs inputs;  ///< of each member the beginning, at least what head_of() tells
  /// With the first member that cannot be read; what matters if no format is found.
  std::optional<Error> problem;
};

/// ERRORS: as load(), but members that cannot be read are empty.
Result<Directory> look_into(const std::string& path, base::Budget& budget);

/// Loads the members that `takes` says yes to, by their paths; nullptr says yes to all. ERRORS:
/// as load().
Status load_members(Inputs& inputs, bool (*takes)(std::string_view), base::Budget& budget);

/// Whether the recorder of this history has left something, before the history itself is read:
/// a recorder that is dead then has written all that it ever will.
Leftovers look_for_leftovers(const std::string& path);
/// The ledger and as many slots as there are, up to the number that the ledger tells. ERRORS:
/// kEnvironment, kLimit.
Status load_leftovers(Leftovers& leftovers, base::Budget& budget);

}  // namespace isolde::io
