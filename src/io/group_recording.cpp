#include "io/group_recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "io/native_binary.hpp"

namespace isolde::io {
std::string text_of_recording(const std::string& path) { return path + ".jsonl"; }

bool is_unfinished_recording(const std::string& path) {
  struct stat about {};
  if (path == "-" || stat(text_of_recording(path).c_str(), &about) != 0) return false;
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0 || fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return false;
  }
  const auto size = static_cast<std::uint64_t>(about.st_size);
  std::uint64_t at = 0;
  while (at < size) {
    binary::Header header;
    const ssize_t count = pread(file.number(), &header, sizeof header, static_cast<off_t>(at));
    const auto there = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    const std::string_view magic(header.magic.data(), std::min(there, header.magic.size()));
    if (magic.empty() || !binary::kMagic.starts_with(magic)) return at > 0;  // zeros
    if (there < sizeof header) return true;
    // Files by others promise nothing.
    if (at == 0 && (header.flags & binary::kFlagEnds) == 0) return false;
    if (header.group_bytes < sizeof header || header.group_bytes > size - at) return true;
    if ((header.flags & binary::kFlagLast) != 0) return false;
    at += header.group_bytes;
  }
  return true;
}

/// Asks the groups to follow, in a thread of its own, until finish(), which does the rest
/// itself.
class GroupRecording::Follower {
 public:
  Follower(std::unique_ptr<GroupFollower> groups, std::chrono::milliseconds period)
      : groups_(std::move(groups)), period_(period), thread_([this] { follow(); }) {}
  ~Follower() { stop(); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  Status finish() {
    stop();
    return groups_->finish();
  }

 private:
  void stop();
  void follow();

  const std::unique_ptr<GroupFollower> groups_;  // one thread at a time
  const std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool stops_ = false;
  std::thread thread_;  // last: it uses the others
};

void GroupRecording::Follower::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
  }
  wakes_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void GroupRecording::Follower::follow() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wakes_.wait_for(lock, period_, [this] { return stops_; })) {
    lock.unlock();
    static_cast<void>(groups_->take_new());  // finish() tells the first error
    lock.lock();
  }
}

GroupRecording::GroupRecording(std::unique_ptr<Follower> follower)
    : follower_(std::move(follower)) {}
GroupRecording::GroupRecording(GroupRecording&&) noexcept = default;
GroupRecording& GroupRecording::operator=(GroupRecording&&) noexcept = default;
GroupRecording::~GroupRecording() = default;

Result<std::unique_ptr<GroupFollower>> follow_text(const std::string& text,
                                                   const std::string& path,
                                                   std::optional<InflightWatch> watch,
                                                   const GroupRecordingOptions& options) {
  const int in = open(text.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return cannot_be(text, "read", errno);
  const int out =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, options.mode);
  if (out < 0) {
    const int reason = errno;
    close(in);
    if (reason != EEXIST) return cannot_be(path, "created", reason);
    return Error{ErrorCode::kUsage,
                 path + ": exists; a history needs a new file, so choose another"};
  }
  return std::make_unique<GroupFollower>(text, in, path, out, std::move(watch),
                                         options.group_bytes);
}

Result<GroupRecording> GroupRecording::begin(const std::string& path,
                                             const GroupRecordingOptions& options) {
  const std::string text = text_of_recording(path);
  Result<InflightWatch> watch = InflightWatch::open(text);
  if (!watch) return watch.error();
  Result<std::unique_ptr<GroupFollower>> groups =
      follow_text(text, path, std::move(*watch), options);
  if (!groups) return groups.error();
  return GroupRecording(std::make_unique<Follower>(std::move(*groups), options.period));
}

Status GroupRecording::finish() { return follower_->finish(); }

}  // namespace isolde::io
