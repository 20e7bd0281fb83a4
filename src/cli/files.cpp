#include "cli/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "base/printable.hpp"
#include "history/inflight.hpp"

namespace isolde::cli {
namespace {

Error cannot_write(const std::string& path) {
  return {ErrorCode::kEnvironment, path + ": cannot write: " + std::strerror(errno)};
}

/// `status`: of something that is there.
Status check_replaced(const std::string& path, std::filesystem::file_status status,
                      bool force) {
  namespace fs = std::filesystem;
  const auto refused = [&path](const std::string& why) {
    return Error{ErrorCode::kUsage, path + why};
  };
  if (fs::is_directory(status)) return refused(" is a folder; choose another name");
  if (!fs::is_regular_file(status)) {
    return refused(" is no plain file; choose another name, --force replaces plain files only");
  }
  if (!force) return refused(" exists; choose another file, or replace it with --force");
  const std::string leftovers = path + std::string(inflight::kSuffix);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(leftovers, error))) return ok_status();
  return refused(" is still being recorded, or its recorder died and left " + leftovers +
                 ", the transactions that were under way; wait, or move both away");
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || (path != "-" && !file.is_open())) {
    return Error{ErrorCode::kEnvironment, path + ": cannot read: " + std::strerror(errno)};
  }
  return text;
}

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

Status check_place(const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "-") return ok_status();
  std::error_code ignored;
  const bool is_there = fs::exists(path, ignored);
  const fs::path folder = fs::path(path).parent_path();
  const std::string place = is_there ? path : folder.empty() ? "." : folder.string();
  errno = 0;
  if (is_there && fs::is_directory(path, ignored)) {
    errno = EISDIR;
  } else if (!is_there && !fs::is_directory(place, ignored)) {
    errno = fs::exists(place, ignored) ? ENOTDIR : ENOENT;
  } else if (access(place.c_str(), W_OK) == 0) {
    return ok_status();
  }
  return cannot_write(path);
}

void remove_earlier(const std::string& path, const std::string& input, std::string_view why) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_plain = fs::is_regular_file(fs::symlink_status(path, error));
  if (!is_plain || fs::equivalent(path, input, error)) return;
  if (!fs::remove(path, error) || error) return;
  std::fprintf(stderr, "isolde: %s: removed, for it was of an earlier run: %s\n",
               base::printable_path(path).c_str(), std::string(why).c_str());
}

Status check_new_history(const std::string& path, bool force) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  return fs::exists(status) ? check_replaced(path, status, force) : ok_status();
}

Status check_whole_history(const std::string& path, bool force) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const bool is_kept = fs::is_directory(status) || fs::is_regular_file(status);
  return path != "-" && is_kept ? check_replaced(path, status, force) : ok_status();
}

Status make_way(const std::string& path, bool force) {
  if (const Status free = check_new_history(path, force); !free) return free.error();
  std::error_code error;
  std::filesystem::remove(path, error);
  if (!error) return ok_status();
  return Error{ErrorCode::kEnvironment, path + ": cannot be replaced: " + error.message()};
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
