#include "db/own_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace isolde::db {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMarker = "made-by-isolde";
constexpr const char* kFolderToo = "folder too";

Error environment(const std::string& path, const std::string& what) {
  return {ErrorCode::kEnvironment, path + ": " + what};
}

}  // namespace

Result<OwnFolder> OwnFolder::at(const std::string& path, const std::string& database) {
  std::error_code error;
  if (path.empty()) {
    const fs::path base = fs::temp_directory_path(error);
    if (error) return environment("the folder for temporary files (TMPDIR)", error.message());
    std::string pattern = (base / ("isolde-" + database + "-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr) return environment(pattern, std::strerror(errno));
    return OwnFolder(pattern, database, true);
  }
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    return Error{ErrorCode::kUsage,
                 path + ": is not a folder; " + database + " keeps its database in a folder"};
  }
  return OwnFolder(path, database, false);
}

OwnFolder::OwnFolder(OwnFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      database_(std::move(other.database_)),
      temporary_(std::exchange(other.temporary_, false)) {}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  if (temporary_) fs::remove_all(path_, ignored);
}

std::string OwnFolder::marker() const { return (fs::path(path_) / kMarker).string(); }

bool OwnFolder::marked() const {
  std::string database;
  std::ifstream file(marker());
  return std::getline(file, database) && database == database_;
}

Status OwnFolder::claim() {
  if (marked()) return ok_status();
  std::error_code error;
  const bool made = fs::create_directories(path_, error);
  if (error) return environment(path_, error.message());
  const bool empty = fs::is_empty(path_, error);
  if (error) return environment(path_, error.message());
  if (!empty) {
    return Error{ErrorCode::kUsage,
                 path_ + ": is not empty and was not created by Isolde; choose another folder"};
  }
  std::ofstream file(marker());
  file << database_ << '\n' << (made ? kFolderToo : "") << '\n';
  file.close();
  if (!file) return environment(marker(), "cannot be written");
  return ok_status();
}

Status OwnFolder::release() {
  std::string database;
  std::string folder;
  std::ifstream file(marker());
  std::getline(file, database);
  std::getline(file, folder);
  file.close();
  std::error_code error;
  fs::remove(marker(), error);
  if (error) return environment(marker(), error.message());
  // Fails when somebody put something else there, which then stays.
  if (folder == kFolderToo || temporary_) fs::remove(path_, error);
  return ok_status();
}

}  // namespace isolde::db
