// In place of toml.hpp, where toml++ is not there at build time.
#pragma once

#include <string>
#include <string_view>

#include "isolde/status.hpp"

namespace isolde::recipe {

/// `what`: that it would read.
inline Error without_toml(std::string_view what) {
  return {ErrorCode::kUsage,
          "this isolde was built without toml++ (Debian: libtomlplusplus-dev), which reads " +
              std::string(what)};
}

}  // namespace isolde::recipe
