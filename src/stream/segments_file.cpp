#include "stream/segments_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace isolde::stream {

SegmentsFile::~SegmentsFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Error SegmentsFile::error() const {
  return {ErrorCode::kEnvironment, path_ + ": " + std::strerror(problem_)};
}

Status SegmentsFile::begin(const std::string& path, const certify::SegmentsHeader& header) {
  path_ = path;
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  problem_ = descriptor_ < 0 ? errno : 0;
  put(text_.header(header));
  return status();
}

Status SegmentsFile::check(const std::string& path, const Place& place) {
  const std::string wanted = certify::SegmentsText::end_before(place.text);
  std::string end(wanted.size(), '\0');
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error{ErrorCode::kEnvironment, path + ": " + std::strerror(errno)};
  const auto at = static_cast<off_t>(place.bytes) - static_cast<off_t>(end.size());
  const ssize_t count = at < 0 ? 0 : pread(file, end.data(), end.size(), at);
  const int problem = count < 0 ? errno : 0;
  close(file);
  if (problem != 0) return Error{ErrorCode::kEnvironment, path + ": " + std::strerror(problem)};
  if (static_cast<std::size_t>(count) < end.size()) {
    return Error{ErrorCode::kEnvironment,
                 path + ": it has become shorter since the checkpoint; nothing can be added"};
  }
  if (end == wanted) return ok_status();
  return Error{ErrorCode::kEnvironment, path + ": it is not that of the checkpoint"};
}

Status SegmentsFile::go_on(const std::string& path, const Place& place) {
  path_ = path;
  if (const Status there = check(path, place); !there) return there;
  descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  problem_ = descriptor_ < 0 ? errno : 0;
  if (problem_ != 0) return error();
  const auto end = static_cast<off_t>(place.bytes);
  if (ftruncate(descriptor_, end) != 0 || lseek(descriptor_, end, SEEK_SET) < 0) {
    problem_ = errno;
    return error();
  }
  text_.go_on(place.text);
  bytes_ = place.bytes;
  return ok_status();
}

void SegmentsFile::put(const std::string& lines) {
  if (problem_ != 0) return;
  std::string_view left = lines;
  while (problem_ == 0 && !left.empty()) {
    const ssize_t count = write(descriptor_, left.data(), left.size());
    if (count < 0 && errno != EINTR) problem_ = errno;
    if (count > 0) left.remove_prefix(static_cast<std::size_t>(count));
  }
  if (problem_ == 0) {
    bytes_ += lines.size();
  } else if (ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) {
    // A pipe, or a disk that is broken: a piece of a line stays at the end.
  }
}

void SegmentsFile::settled(std::span<const TxnNumber> order, std::uint64_t state,
                           std::optional<std::int64_t> clock_error_ns) {
  if (!order.empty()) put(text_.settled(order, state, clock_error_ns));
}

Result<SegmentsFile::Place> SegmentsFile::sync() {
  // A pipe or a terminal has nothing to be synchronised.
  if (problem_ == 0 && fdatasync(descriptor_) != 0 && errno != EINVAL) problem_ = errno;
  if (problem_ != 0) return error();
  return Place{text_.place(), bytes_};
}

Status SegmentsFile::finish(const certify::Segment::End* end) {
  if (end != nullptr) put(text_.end(*end));
  if (problem_ == 0 && close(descriptor_) != 0) problem_ = errno;
  descriptor_ = -1;
  return status();
}

}  // namespace isolde::stream
