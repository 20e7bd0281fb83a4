#include "io/group_recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

#include "base/budget.hpp"
#include "io/inflight_watch.hpp"
#include "io/native.hpp"
#include "io/native_binary.hpp"
#include "isolde/history.hpp"

namespace isolde::io {
namespace {

constexpr std::string_view kEnd = R"({"event":"end",)";

Error cannot_be(const std::string& path, const char* what, int reason) {
  return {ErrorCode::kEnvironment, path + ": cannot be " + what + ": " + std::strerror(reason)};
}

class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// The header without what holds for the whole file, which stands in its first group.
std::string later_header(std::string_view header) {
  const bool is_second = header.starts_with(R"({"isolde":2)");
  return is_second ? R"({"isolde":2,"kind":"history"})" : R"({"isolde":1,"kind":"history"})";
}

/// The text ends with the line that tells that nothing is missing.
bool has_end(std::string_view lines) {
  const std::size_t before = lines.substr(0, lines.size() - 1).rfind('\n');
  return lines.substr(before == std::string_view::npos ? 0 : before + 1).starts_with(kEnd);
}

std::int64_t latest_time(const History& part) {
  std::int64_t latest = kNoTime;
  for (std::size_t i = 0; i < part.txn_count(); ++i) {
    const TxnTimes times = part.times(TxnId::at(i));
    latest = std::max({latest, times.start, times.end});
  }
  return latest;
}

}  // namespace

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

/// Works in a thread of its own until finish(), which does the rest itself.
class GroupRecording::Follower {
 public:
  Follower(const std::string& path, const GroupRecordingOptions& options, int text, int out,
           InflightWatch watch)
      : path_(path),
        options_(options),
        text_(text),
        out_(out),
        watch_(std::move(watch)),
        thread_([this] { follow(); }) {}
  ~Follower() { stop(); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  Status finish();

 private:
  void stop();
  void follow();
  void pass(bool is_final);
  Status take_all(bool is_final);
  Result<std::string> read_piece(std::uint64_t size, std::uint64_t& end) const;
  Status take_piece(std::string_view piece, std::int64_t open_since);
  Status write_part(std::string_view lines, std::int64_t open_since);
  Status write_out(std::string_view bytes) const;

  const std::string path_;
  const GroupRecordingOptions options_;
  const OpenFile text_;
  const OpenFile out_;
  InflightWatch watch_;

  // One thread at a time:
  std::uint64_t at_ = 0;  // of the text
  std::string header_;
  std::uint32_t groups_ = 0;
  bool has_end_ = false;
  std::int64_t open_since_ = kNoTime;  // as the last group that tells it
  std::int64_t latest_ = kNoTime;      // of what is in groups
  Status status_ = ok_status();

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
  while (!wakes_.wait_for(lock, options_.period, [this] { return stops_; })) {
    lock.unlock();
    pass(false);
    lock.lock();
  }
}

Status GroupRecording::Follower::finish() {
  stop();
  pass(true);
  if (status_.ok() && fsync(out_.number()) != 0) status_ = cannot_be(path_, "written", errno);
  return status_;
}

void GroupRecording::Follower::pass(bool is_final) {
  if (!status_.ok() || has_end_) return;
  try {
    status_ = take_all(is_final);
  } catch (const std::bad_alloc&) {
    status_ = Error{ErrorCode::kEnvironment, path_ + ": not enough memory for a group"};
  }
}

/// All lines that are there. What is not has not started before `since`, which was asked first.
Status GroupRecording::Follower::take_all(bool is_final) {
  const std::int64_t since = watch_.open_since().value_or(kNoTime);
  struct stat about {};
  if (fstat(text_.number(), &about) != 0) {
    return cannot_be(text_of_recording(path_), "read", errno);
  }
  const auto size = static_cast<std::uint64_t>(about.st_size);
  while (at_ < size) {
    std::uint64_t end = 0;
    const Result<std::string> piece = read_piece(size, end);
    if (!piece) return piece.error();
    if (piece->empty()) break;  // a line that is being written
    at_ += piece->size();
    if (Status taken = take_piece(*piece, end == size ? since : kNoTime); !taken) return taken;
  }
  if (has_end_) return ok_status();
  // Of a recorder that failed before anything ended.
  if (is_final) return groups_ == 0 ? write_part("", kNoTime) : ok_status();
  // That time has passed settles what a group holds, but only once.
  const bool tells_more = latest_ != kNoTime && open_since_ <= latest_ && since > open_since_;
  return tells_more ? write_part("", since) : ok_status();
}

/// Whole lines, at most a group's, and one at least if there is one. `end` is how far it
/// looked.
Result<std::string> GroupRecording::Follower::read_piece(std::uint64_t size,
                                                         std::uint64_t& end) const {
  std::string piece;
  for (std::uint64_t most = options_.group_bytes; at_ + piece.size() < size; most *= 2) {
    const std::size_t begun = piece.size();
    piece.resize(std::min(most, size - at_));
    while (true) {
      const ssize_t count = pread(text_.number(), piece.data() + begun, piece.size() - begun,
                                  static_cast<off_t>(at_ + begun));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return cannot_be(text_of_recording(path_), "read", errno);
      // A line that could not be written as a whole was taken back.
      piece.resize(begun + static_cast<std::size_t>(count));
      break;
    }
    end = at_ + piece.size();
    const std::size_t newline = piece.rfind('\n');
    if (newline != std::string::npos) {
      piece.resize(newline + 1);
      return piece;
    }
    if (piece.size() == begun) break;
  }
  return std::string();
}

Status GroupRecording::Follower::take_piece(std::string_view piece, std::int64_t open_since) {
  if (header_.empty()) {
    const std::size_t begin = piece.find('\n') + 1;
    header_ = piece.substr(0, begin);
    piece.remove_prefix(begin);
  }
  return piece.empty() ? ok_status() : write_part(piece, open_since);
}

Status GroupRecording::Follower::write_part(std::string_view lines, std::int64_t open_since) {
  has_end_ = !lines.empty() && has_end(lines);
  std::string text = header_;
  text += lines;
  // The part itself is complete.
  if (!has_end_) (text += kEnd) += "\"at\":0}\n";
  base::Budget unlimited;
  const Result<History> part = read_bytes(text, text_of_recording(path_), "native", unlimited);
  if (!part) return part.error();
  if (part->has_rows()) {
    return Error{ErrorCode::kBadInput, path_ +
                                           ": rows with columns cannot be told in groups; " +
                                           text_of_recording(path_) + " has them"};
  }
  const BinaryGroup group{.number = groups_,
                          .ends = groups_ == 0,
                          .is_last = has_end_,
                          .open_since = has_end_ ? kNoTime : open_since};
  StringSink sink;
  if (Status status = write_native_binary(*part, sink, true, group); !status) {
    return Error{status.error().code, path_ + ": " + status.error().message};
  }
  if (Status written = write_out(sink.text()); !written) return written;
  if (groups_++ == 0) header_ = later_header(header_) + "\n";
  latest_ = std::max(latest_, latest_time(*part));
  open_since_ = std::max(open_since_, group.open_since);
  return ok_status();
}

Status GroupRecording::Follower::write_out(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = write(out_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_be(path_, "written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ok_status();
}

GroupRecording::GroupRecording(std::unique_ptr<Follower> follower)
    : follower_(std::move(follower)) {}
GroupRecording::GroupRecording(GroupRecording&&) noexcept = default;
GroupRecording& GroupRecording::operator=(GroupRecording&&) noexcept = default;
GroupRecording::~GroupRecording() = default;

Result<GroupRecording> GroupRecording::begin(const std::string& path,
                                             const GroupRecordingOptions& options) {
  const std::string text = text_of_recording(path);
  Result<InflightWatch> watch = InflightWatch::open(text);
  if (!watch) return watch.error();
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
  return GroupRecording(std::make_unique<Follower>(path, options, in, out, std::move(*watch)));
}

Status GroupRecording::finish() { return follower_->finish(); }

}  // namespace isolde::io
