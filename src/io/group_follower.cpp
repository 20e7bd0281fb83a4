#include "io/group_follower.hpp"

#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

#include "base/budget.hpp"
#include "base/clock_bound.hpp"
#include "base/moment.hpp"
#include "io/left_behind.hpp"
#include "io/native.hpp"
#include "io/native_binary.hpp"
#include "io/reader.hpp"

namespace isolde::io {
namespace {

constexpr std::string_view kEndLine = "{\"event\":\"end\",\"at\":0}\n";

std::string_view last_line(std::string_view lines) {
  const std::size_t end = lines.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  lines = lines.substr(0, end + 1);
  const std::size_t before = lines.rfind('\n');
  return lines.substr(before == std::string_view::npos ? 0 : before + 1);
}

std::int64_t latest_time(const History& part) {
  std::int64_t latest = kNoTime;
  for (std::size_t i = 0; i < part.txn_count(); ++i) {
    const TxnTimes times = part.times(TxnId::at(i));
    latest = std::max({latest, times.start, times.end});
  }
  return latest;
}

/// Nothing where the times are not of a clock that can be looked at here.
std::optional<base::ClockBound> bound_at_origin(const simdjson::dom::element& header) {
  std::string_view host;
  std::string_view origin;
  base::ClockLook look;
  const simdjson::simdjson_result<simdjson::dom::element> clock = header["clock"];
  if (clock["host"].get(host) != simdjson::SUCCESS || host.empty() ||
      host != base::clock_host() || clock["origin"].get(origin) != simdjson::SUCCESS ||
      clock["monotonic_ns"].get(look.monotonic_ns) != simdjson::SUCCESS ||
      clock["origin_error_ns"].get(look.error_ns) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> moment = base::parse_moment(origin);
  if (!moment) return std::nullopt;
  look.wall_ns = *moment;
  return base::ClockBound(look);
}

}  // namespace

Error cannot_be(const std::string& path, const char* what, int reason) {
  return {ErrorCode::kEnvironment, path + ": cannot be " + what + ": " + std::strerror(reason)};
}

OpenFile::~OpenFile() {
  if (number_ >= 0) close(number_);
}

Status GroupFollower::guarded(Status (GroupFollower::*work)()) {
  if (!status_.ok()) return status_;
  try {
    status_ = (this->*work)();
  } catch (const std::bad_alloc&) {
    status_ = Error{ErrorCode::kEnvironment, path_ + ": not enough memory for a group"};
  }
  return status_;
}

Status GroupFollower::take_new() { return guarded(&GroupFollower::take_lines); }

Status GroupFollower::finish() {
  if (Status taken = take_new(); !taken) return taken;
  if (Status taken = guarded(&GroupFollower::take_rest); !taken) return taken;
  if (fsync(out_.number()) != 0) status_ = cannot_be(path_, "written", errno);
  return status_;
}

void GroupFollower::look_at_clock() {
  if (bound_) bound_->look(base::look_at_clocks());
}

/// All lines that are there. What is not has not started before `since`, which was asked first.
Status GroupFollower::take_lines() {
  if (has_end_) return ok_status();
  // Of a recorder that has died nothing is under way, and its clock may be another one.
  const bool asks = is_recorder_at_work();
  const std::int64_t since = asks ? watch_->open_since().value_or(kNoTime) : kNoTime;
  struct stat about {};
  if (fstat(text_.number(), &about) != 0) return cannot_be(text_path_, "read", errno);
  const auto size = static_cast<std::uint64_t>(about.st_size);
  while (pieces_.bytes() < size) {
    const Result<std::string> piece = pieces_.next(size);
    if (!piece) return piece.error();
    if (piece->empty()) break;  // a line that is being written
    const bool is_last = pieces_.has_looked_up_to(size);
    if (Status taken = take_piece(*piece, is_last ? since : kNoTime); !taken) return taken;
  }
  if (Status taken = take_unended_line(size); !taken || has_end_) return taken;
  // That time has passed settles what a group holds, but only once.
  look_at_clock();
  const bool tells_more = latest_ != kNoTime && open_since_ <= latest_ && since > open_since_;
  return tells_more ? write_part("", since) : ok_status();
}

/// The last line of a text by others may lack its line break.
Status GroupFollower::take_unended_line(std::uint64_t size) {
  constexpr std::uint64_t kMostBytes = 4096;
  const std::uint64_t at = pieces_.bytes();
  if (has_end_ || watch_ || at == size || size - at > kMostBytes) return ok_status();
  std::string line(size - at, '\0');
  if (pread(text_.number(), line.data(), line.size(), static_cast<off_t>(at)) !=
      static_cast<ssize_t>(line.size())) {
    return ok_status();
  }
  first_line_ = pieces_.lines() + 1;
  return !header_.empty() && has_end(line) ? write_part(line + "\n", kNoTime) : ok_status();
}

/// Behind the last line of a text that has no end.
Status GroupFollower::take_rest() {
  if (has_end_ || header_.empty()) return ok_status();
  const Result<LeftBehind> left = left_behind(text_path_, text_.number(), is_second_);
  if (!left) return left.error();
  taken_from_folder_ = left->txns;
  first_line_ = 0;
  std::string lines = left->lines;
  if (left->is_all) lines += kEndLine;
  // A recorder that failed before anything ended leaves a history of nothing.
  return lines.empty() && groups_ > 0 ? ok_status() : write_part(lines, kNoTime);
}

Status GroupFollower::take_piece(std::string_view piece, std::int64_t open_since) {
  first_line_ = pieces_.lines_before() + 1;
  if (header_.empty()) {
    const std::size_t end = piece.find('\n') + 1;
    if (Status taken = take_header(piece.substr(0, end)); !taken) return taken;
    piece.remove_prefix(end);
    ++first_line_;
  }
  return piece.empty() ? ok_status() : write_part(piece, open_since);
}

Status GroupFollower::take_header(std::string_view header) {
  simdjson::dom::parser parser;
  simdjson::dom::element line;
  std::int64_t version = 0;
  bool ends = false;
  if (parser.parse(header.data(), header.size()).get(line) != simdjson::SUCCESS ||
      line["isolde"].get(version) != simdjson::SUCCESS) {
    return Error{ErrorCode::kBadInput, text_path_ +
                                           ":1: found no header of Isolde's text format; "
                                           "expected {\"isolde\":1,\"kind\":\"history\",...}"};
  }
  if (line["ends"].get(ends) != simdjson::SUCCESS || !ends) {
    return Error{ErrorCode::kBadInput,
                 text_path_ +
                     ":1: the header does not promise to say where the history ends; expected "
                     "\"ends\":true in a text that is followed"};
  }
  header_ = header;
  is_second_ = version == 2;
  bound_ = bound_at_origin(line);
  return ok_status();
}

/// The lines come to the one that tells that nothing is missing.
bool GroupFollower::has_end(std::string_view lines) const {
  const std::string_view last = last_line(lines);
  // Of most lines that is clear at a glance.
  const bool may_be = last.find("\"event\"") != std::string_view::npos &&
                      last.find("\"end\"") != std::string_view::npos;
  if (!may_be) return false;
  std::string text = R"({"isolde":1,"kind":"history","ends":true})";
  (text += '\n') += last;
  base::Budget unlimited;
  const Result<History> alone = read_bytes(text, text_path_, "native", unlimited);
  return alone && alone->txn_count() == 0 && !alone->origin().truncated;
}

/// `error` is about a part, of which line 2 is `first_line_` of the text.
Error GroupFollower::at_its_line(const Error& error) const {
  const std::string_view message = error.message;
  if (!message.starts_with(text_path_ + ":") || first_line_ == 0) return error;
  const std::string_view rest = message.substr(text_path_.size() + 1);
  std::uint64_t line = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), line);
  if (code != std::errc() || line < 2) return error;
  const std::string_view behind = rest.substr(static_cast<std::size_t>(end - rest.data()));
  return {error.code,
          text_path_ + ":" + std::to_string(first_line_ + line - 2) + std::string(behind)};
}

Status GroupFollower::write_part(std::string_view lines, std::int64_t open_since) {
  has_end_ = has_end(lines);
  std::string text = header_;
  text += lines;
  // The part itself is complete.
  if (!has_end_) text += kEndLine;
  base::Budget unlimited;
  const Result<History> part = read_bytes(text, text_path_, "native", unlimited);
  if (!part) return at_its_line(part.error());
  if (part->has_rows()) {
    return Error{
        ErrorCode::kBadInput,
        path_ + ": rows with columns cannot be told in groups; " + text_path_ + " has them"};
  }
  look_at_clock();  // behind all that is in the group
  // What the recorder tells at the end is about all of it.
  std::int64_t error = part->origin().clock_error_ns;
  if (bound_) error = std::max(error, bound_->error_ns());
  const BinaryGroup group{.number = groups_,
                          .ends = groups_ == 0,
                          .is_last = has_end_,
                          .open_since = has_end_ ? kNoTime : open_since,
                          .clock_error_ns = error};
  StringSink sink;
  if (Status status = write_native_binary(*part, sink, true, group); !status) {
    return Error{status.error().code, path_ + ": " + status.error().message};
  }
  if (Status written = write_out(sink.text()); !written) return written;
  // What holds for the whole file stands in its first group.
  if (groups_++ == 0) {
    header_ =
        is_second_ ? R"({"isolde":2,"kind":"history"})" : R"({"isolde":1,"kind":"history"})";
    header_ += '\n';
  }
  latest_ = std::max(latest_, latest_time(*part));
  open_since_ = std::max(open_since_, group.open_since);
  return ok_status();
}

Status GroupFollower::write_out(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = write(out_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_be(path_, "written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ok_status();
}

}  // namespace isolde::io
