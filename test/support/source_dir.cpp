#include "support/source_dir.hpp"

namespace isolde::support {

std::string source_dir() { return ISOLDE_SOURCE_DIR; }

}  // namespace isolde::support
