// Where the tree is that the tests were built from.
#pragma once

#include <string>

namespace isolde::support {

/// The path, without a slash at its end. Only one small file is compiled with it, because what
/// holds the path of a clone is of no use to another one's compiler cache.
std::string source_dir();

}  // namespace isolde::support
