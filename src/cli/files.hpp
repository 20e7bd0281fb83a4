// Small text files that the command line writes beside its results.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "isolde/status.hpp"

namespace isolde::cli {

/// Replaces the file by `text`; "-" is standard output. ERRORS: kEnvironment.
Status write_text(const std::string& path, std::string_view text);

/// A folder for what nobody keeps, gone with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  /// ERRORS: kEnvironment.
  Status make();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace isolde::cli
