#include "io/group_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/budget.hpp"
#include "io/native_binary.hpp"

namespace isolde::io {

class GroupReader::File {
 public:
  explicit File(std::string name) : path(std::move(name)) {}
  ~File() {
    if (descriptor > STDERR_FILENO) close(descriptor);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Error error(int reason) const {
    return {ErrorCode::kEnvironment, path + ": " + std::strerror(reason)};
  }

  std::string path;
  int descriptor = STDIN_FILENO;
};

GroupReader::GroupReader(std::unique_ptr<File> file) : file_(std::move(file)) {}
GroupReader::GroupReader(GroupReader&&) noexcept = default;
GroupReader& GroupReader::operator=(GroupReader&&) noexcept = default;
GroupReader::~GroupReader() = default;

std::uint64_t GroupReader::begun() const { return bytes_.size(); }

Result<GroupReader> GroupReader::open(const std::string& path) {
  auto file = std::make_unique<File>(path);
  if (path != "-") file->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file->descriptor < 0) return file->error(errno);
  struct stat about {};
  if (fstat(file->descriptor, &about) != 0) return file->error(errno);
  if (S_ISDIR(about.st_mode)) return file->error(EISDIR);
  return GroupReader(std::move(file));
}

/// Until so many bytes of the group are there. False: they are not there yet. What a header
/// claims is not believed before the bytes come.
Result<bool> GroupReader::fill(std::size_t bytes, base::Budget& budget) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (bytes_.size() < bytes) {
    const std::size_t begun = bytes_.size();
    const std::size_t wanted = std::min(bytes - begun, std::max(kPiece, begun));
    if (!budget.admits(wanted)) {
      return Error{ErrorCode::kLimit, file_->path + ": " + budget.reason()};
    }
    bytes_.resize(begun + wanted);
    const ssize_t count = read(file_->descriptor, bytes_.data() + begun, wanted);
    const int reason = errno;
    bytes_.resize(begun + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return false;
    if (count < 0 && reason != EINTR) return file_->error(reason);
    if (budget.exhausted() || !budget.look()) {
      return Error{ErrorCode::kLimit, file_->path + ": " + budget.reason()};
    }
  }
  return true;
}

Result<std::optional<History>> GroupReader::next(base::Budget& budget) {
  Result<bool> whole = fill(sizeof(binary::Header), budget);
  if (whole && *whole && bytes_.starts_with(binary::kMagic)) {
    binary::Header header;
    std::memcpy(&header, bytes_.data(), sizeof header);
    whole = fill(header.group_bytes, budget);
  }
  if (!whole) return whole.error();
  // What is no beginning of a group is told of at once.
  const std::string_view magic = binary::kMagic.substr(0, bytes_.size());
  const bool may_follow = bytes_.empty() || (!before_.at_end && bytes_.starts_with(magic));
  if (!*whole && may_follow) return std::optional<History>();
  const Input group(file_->path, std::exchange(bytes_, {}));
  Result<History> history = read_native_binary_group(group, before_, budget);
  if (!history) return history.error();
  return std::optional<History>(std::move(history).value());
}

}  // namespace isolde::io
