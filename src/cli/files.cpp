#include "cli/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace isolde::cli {
namespace {

Error cannot_write(const std::string& path) {
  return {ErrorCode::kEnvironment, path + ": cannot write: " + std::strerror(errno)};
}

}  // namespace

Status write_text(const std::string& path, std::string_view text) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return ok_status();
  }
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return cannot_write(path);
  const bool complete = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!complete || !closed) return cannot_write(path);
  return ok_status();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Status TemporaryFolder::make() {
  std::error_code error;
  std::string pattern =
      (std::filesystem::temp_directory_path(error) / "isolde-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    return Error{ErrorCode::kEnvironment, "cannot make a temporary folder: " + pattern};
  }
  path_ = pattern;
  return ok_status();
}

}  // namespace isolde::cli
