#include "io/group_reader.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "io/native_binary.hpp"

namespace isolde::io {

class GroupReader::File {
 public:
  File(std::string name, int file) : path(std::move(name)), descriptor(file) {}
  ~File() {
    if (descriptor > STDERR_FILENO) close(descriptor);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Error error(int reason) const {
    return {ErrorCode::kEnvironment, path + ": " + std::strerror(reason)};
  }

  /// As read(2).
  ssize_t read_some(char* into, std::size_t size) {
    if (!is_regular) return read(descriptor, into, size);
    const ssize_t count = pread(descriptor, into, size, at);
    at += std::max<ssize_t>(count, 0);
    return count;
  }

  std::string path;
  int descriptor;
  bool is_regular = false;
  off_t begin = 0;  // of a regular file
  off_t at = 0;
};

GroupReader::GroupReader(std::unique_ptr<File> file) : file_(std::move(file)) {}
GroupReader::GroupReader(GroupReader&&) noexcept = default;
GroupReader& GroupReader::operator=(GroupReader&&) noexcept = default;
GroupReader::~GroupReader() = default;

std::uint64_t GroupReader::begun() const { return bytes_.size(); }

const std::string& GroupReader::path() const { return file_->path; }

Result<GroupReader> GroupReader::open(const std::string& path) {
  // Nor does a named pipe to which nobody writes yet hold up: wait() does, within the budget.
  const int descriptor =
      path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const int reason = errno;
  auto file = std::make_unique<File>(path, descriptor);
  if (descriptor < 0) return file->error(reason);
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return file->error(errno);
  if (S_ISDIR(about.st_mode)) return file->error(EISDIR);
  file->is_regular = S_ISREG(about.st_mode);
  // Standard input may have been read by somebody before.
  if (file->is_regular) {
    file->begin = std::max<off_t>(lseek(descriptor, 0, SEEK_CUR), 0);
    file->at = file->begin;
  }
  return GroupReader(std::move(file));
}

bool GroupReader::can_begin_anew() const { return file_->is_regular; }

Result<GroupReader> GroupReader::again() const {
  const int descriptor = fcntl(file_->descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (descriptor < 0) return file_->error(errno);
  auto file = std::make_unique<File>(file_->path, descriptor);
  file->is_regular = true;
  file->begin = file_->begin;
  file->at = file_->begin;
  GroupReader reader(std::move(file));
  reader.set_session_prefix(before_.session_prefix);
  reader.set_clock(before_.clock);
  return reader;
}

Status GroupReader::skip(const GroupsBefore& before, std::uint64_t contents,
                         base::Budget& budget) {
  const Error other{ErrorCode::kEnvironment,
                    file_->path + ": it does not begin with what was read before"};
  if (!file_->is_regular) return other;
  std::uint64_t at = 0;
  std::uint64_t found = 0;
  for (std::uint32_t group = 0; group < before.groups; ++group) {
    binary::Header header;
    const ssize_t count =
        pread(file_->descriptor, &header, sizeof header, file_->begin + static_cast<off_t>(at));
    if (count < 0) return file_->error(errno);
    const bool is_header =
        count == ssize_t{sizeof header} &&
        std::memcmp(header.magic.data(), binary::kMagic.data(), binary::kMagic.size()) == 0;
    // The bytes that were read are a bound, so nothing overflows.
    if (!is_header || header.group_bytes > before.bytes - at) return other;
    at += header.group_bytes;
    found = base::mix2(found, header.hash);
    if (!budget.spend(1)) return Error{ErrorCode::kLimit, file_->path + ": " + budget.reason()};
  }
  struct stat about {};
  if (fstat(file_->descriptor, &about) != 0) return file_->error(errno);
  const auto size =
      static_cast<std::uint64_t>(std::max<off_t>(about.st_size - file_->begin, 0));
  if (at != before.bytes || found != contents || size < at) return other;
  file_->at = file_->begin + static_cast<off_t>(at);
  GroupsBefore then = before;
  then.session_prefix = std::move(before_.session_prefix);
  then.clock = std::move(before_.clock);
  before_ = std::move(then);
  if (before_.clock) before_.clock->has_read(file_->path, before_);
  contents_ = contents;
  return ok_status();
}

/// Until there is something to read, or the end of it. False: there is nothing, and it is not
/// waited for.
Result<bool> GroupReader::wait(base::Budget& budget) const {
  constexpr int kLookMs = 20;
  while (!file_->is_regular) {
    pollfd input{file_->descriptor, POLLIN, 0};
    const int ready = poll(&input, 1, waits_ ? kLookMs : 0);
    if (ready > 0) break;
    if (ready < 0 && errno != EINTR) return file_->error(errno);
    if (ready == 0 && !waits_) return false;
    if (!budget.look()) {
      return Error{ErrorCode::kLimit, file_->path + ": " + budget.reason()};
    }
  }
  return true;
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
    if (const Result<bool> there = wait(budget); !there || !*there) return there;
    bytes_.resize(begun + wanted);
    const ssize_t count = file_->read_some(bytes_.data() + begun, wanted);
    const int reason = errno;
    bytes_.resize(begun + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    is_closed_ = count == 0 && !file_->is_regular;
    if (count == 0) return false;
    if (count < 0 && reason != EINTR && reason != EAGAIN) return file_->error(reason);
    if (budget.exhausted() || !budget.look()) {
      return Error{ErrorCode::kLimit, file_->path + ": " + budget.reason()};
    }
  }
  return true;
}

Result<std::optional<History>> GroupReader::next(base::Budget& budget, std::string* bytes) {
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
  // Behind a group they are what a machine that stopped has left, as a part of a group is.
  const bool are_zeros = before_.groups > 0 && bytes_.find_first_not_of('\0') == bytes_.npos;
  if (are_zeros || (!*whole && may_follow)) return std::optional<History>();
  const Input group(file_->path, std::exchange(bytes_, {}));
  Result<History> history = read_native_binary_group(group, before_, budget);
  if (!history) return history.error();
  binary::Header header;  // its checksum is about all of the group
  std::memcpy(&header, group.view().data(), sizeof header);
  contents_ = base::mix2(contents_, header.hash);
  if (bytes != nullptr) *bytes = group.view();
  return std::optional<History>(std::move(history).value());
}

}  // namespace isolde::io
