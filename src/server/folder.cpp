#include "server/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace isolde::server {
namespace {

namespace fs = std::filesystem;

/// Names of unix sockets may have 107 characters; ours add "/redis.sock" and the like.
constexpr std::size_t kLongestPath = 80;

Error environment(std::string message) { return {ErrorCode::kEnvironment, std::move(message)}; }

bool may_enter(const struct stat& folder, const Owner& owner) {
  if (owner.uid == 0) return true;
  if (folder.st_uid == owner.uid) return (folder.st_mode & S_IXUSR) != 0;
  if (folder.st_gid == owner.gid) return (folder.st_mode & S_IXGRP) != 0;
  return (folder.st_mode & S_IXOTH) != 0;
}

/// The server's user has to get through all folders above its data.
Status check_reachable(const fs::path& path, const Owner& owner) {
  fs::path above;
  for (const fs::path& part : path) {
    above /= part;
    struct stat folder {};
    if (stat(above.c_str(), &folder) == 0 && !may_enter(folder, owner)) {
      return Error{ErrorCode::kUsage, "user " + owner.name +
                                          ", which the server runs as, cannot enter " +
                                          above.string() + "; choose a folder elsewhere"};
    }
  }
  return ok_status();
}

Result<std::string> fresh_folder() {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error)
    return environment("cannot find the folder for temporary files: " + error.message());
  std::string path = (fs::absolute(base, error) / "isolde-server-XXXXXX").lexically_normal();
  if (mkdtemp(path.data()) == nullptr) {
    return environment("cannot create " + path + ": " + std::strerror(errno));
  }
  return path;
}

Result<std::string> given_folder(const std::string& wanted) {
  std::error_code error;
  fs::path path = fs::absolute(wanted, error).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (!error) fs::create_directories(path, error);
  const bool empty = !error && fs::is_empty(path, error);
  if (error) return environment("cannot create the folder " + wanted + ": " + error.message());
  if (!empty) {
    return Error{ErrorCode::kUsage,
                 "the folder " + wanted + " is not empty; a new server needs a new folder"};
  }
  return path.string();
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t size = write(file, content.data(), content.size());
    if (size < 0 && errno != EINTR) return false;
    if (size > 0) content.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

Status give_to(const std::string& path, const std::optional<Owner>& owner) {
  if (!owner || chown(path.c_str(), owner->uid, owner->gid) == 0) return ok_status();
  return environment("cannot change the owner of " + path + " to " + owner->name + ": " +
                     std::strerror(errno));
}

/// To what is its own. It gets no right to make files there, where we write ours.
Status let_through(const std::string& path, const Owner& owner) {
  constexpr uid_t kSame = static_cast<uid_t>(-1);
  if (chown(path.c_str(), kSame, owner.gid) == 0 && chmod(path.c_str(), 0710) == 0) {
    return ok_status();
  }
  return environment("cannot change the permissions of " + path + ": " + std::strerror(errno));
}

}  // namespace

Result<std::string> make_cluster_folder(const std::string& wanted,
                                        const std::optional<Owner>& owner) {
  Result<std::string> path = wanted.empty() ? fresh_folder() : given_folder(wanted);
  if (!path) return path;
  Status usable = ok_status();
  if (path->size() > kLongestPath) {
    usable = Error{ErrorCode::kUsage, "the path of the folder " + *path + " has more than " +
                                          std::to_string(kLongestPath) +
                                          " characters, too long for unix sockets"};
  }
  if (usable && wanted.empty() && owner) usable = let_through(*path, *owner);
  if (usable && owner) usable = check_reachable(*path, *owner);
  if (usable) return path;
  if (wanted.empty()) remove_all(*path);
  return usable.error();
}

Status make_folder(const std::string& path, const std::optional<Owner>& owner) {
  if (mkdir(path.c_str(), 0700) != 0) {
    return environment("cannot create " + path + ": " + std::strerror(errno));
  }
  return give_to(path, owner);
}

Status write_file(const std::string& path, std::string_view content,
                  const std::optional<Owner>& owner, FileKind kind) {
  const mode_t mode = kind == FileKind::kProgram ? 0700 : 0600;
  // A user that we write for may have put a link to somebody else's file there.
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
  const bool written = file >= 0 && fchmod(file, mode) == 0 && write_all(file, content) &&
                       (!owner || fchown(file, owner->uid, owner->gid) == 0);
  const std::string reason = std::strerror(errno);
  if (file >= 0) close(file);
  if (!written) return environment("cannot write " + path + ": " + reason);
  return ok_status();
}

std::string read_file(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

void remove_all(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace isolde::server
