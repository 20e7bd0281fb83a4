#include "stream/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace isolde::stream {
namespace {

Error not_written(const std::string& path, int reason) {
  return {ErrorCode::kEnvironment, path + ": " + std::strerror(reason)};
}

}  // namespace

int append(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

Status put_durably(const std::string& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return not_written(path, errno);
  int problem = append(file, bytes);
  if (problem == 0 && fsync(file) != 0) problem = errno;
  if (close(file) != 0 && problem == 0) problem = errno;
  return problem == 0 ? ok_status() : Status(not_written(path, problem));
}

Status sync_folder_of(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return not_written(folder.string(), errno);
  const int problem = fsync(opened) != 0 && errno != EINVAL ? errno : 0;
  close(opened);
  return problem == 0 ? ok_status() : Status(not_written(folder.string(), problem));
}

}  // namespace isolde::stream
