#include "stream/consumption.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/assert.hpp"
#include "io/group_reader.hpp"

namespace isolde::stream {
namespace {

Error stays(const std::string& path, int reason) {
  return {ErrorCode::kEnvironment, path + ": it cannot be deleted: " + std::strerror(reason)};
}

}  // namespace

bool is_gone(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) != 0 && errno == ENOENT;
}

Status consume(const FilePosition& file, base::Budget& budget) {
  ISOLDE_CHECK(file.is_over);
  if (is_gone(file.name)) return ok_status();
  Result<io::GroupReader> reader = io::GroupReader::open(file.name);
  if (!reader) return reader.error();
  const Error other{ErrorCode::kEnvironment,
                    file.name + ": it has changed since it was read, and is not deleted"};
  const Status same = reader->skip(file.before, file.contents, budget);
  if (!same) return same.error().code == ErrorCode::kLimit ? same : Status(other);
  struct stat about {};
  if (lstat(file.name.c_str(), &about) != 0) return stays(file.name, errno);
  if (!S_ISREG(about.st_mode)) {
    return Error{ErrorCode::kEnvironment, file.name + ": it is a link, and is not deleted"};
  }
  if (static_cast<std::uint64_t>(about.st_size) != file.before.bytes) return other;
  if (unlink(file.name.c_str()) != 0) return stays(file.name, errno);
  return ok_status();
}

}  // namespace isolde::stream
