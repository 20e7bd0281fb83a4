// Deleting what was read: files of which nothing more comes, once whoever goes on later does
// not need them.
#pragma once

#include <string>

#include "base/budget.hpp"
#include "isolde/status.hpp"
#include "stream/source.hpp"

namespace isolde::stream {

/// Nothing has that name.
bool is_gone(const std::string& path);

/// Deletes the file, if it has what was read and nothing else; one that has gone is fine.
/// REQUIRES: file.is_over. ERRORS: kEnvironment: it cannot be deleted, or is another one by
/// now, and stays; kLimit. COST: a header of 40 bytes is read of each group.
Status consume(const FilePosition& file, base::Budget& budget);

}  // namespace isolde::stream
