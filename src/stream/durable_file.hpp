// Files that are on the disk when a function returns, whatever happens to the machine then.
#pragma once

#include <string>
#include <string_view>

#include "isolde/status.hpp"

namespace isolde::stream {

/// Writes all bytes at the end of an open file. Returns errno; 0: they were written.
int append(int descriptor, std::string_view bytes);

/// Replaces the file. ERRORS: kEnvironment.
Status put_durably(const std::string& path, std::string_view bytes);

/// The names in the folder in which the path lies. ERRORS: kEnvironment.
Status sync_folder_of(const std::string& path);

}  // namespace isolde::stream
