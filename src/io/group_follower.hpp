// The text of a recording as groups of the native binary format: each time it is asked, what is
// new in the text becomes a group, or several. It asks nothing of the recorder, which may be
// another process, or be dead. Memory: a group's text, and what it becomes.
//
// Where the recorder is one of ours that is at work, groups say since when transactions are
// under way (io/inflight_watch.hpp), so that `isolde watch` can settle what came before. When
// it has died, FILE.inflight has what its sessions were doing, which makes the last group, as
// the reader of the text takes it in (native_reader.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock_bound.hpp"
#include "io/inflight_watch.hpp"
#include "io/line_pieces.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

/// "PATH: cannot be read: REASON" of an errno.
Error cannot_be(const std::string& path, const char* what, int reason);

/// A descriptor of its own.
class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// One thread at a time.
class GroupFollower {
 public:
  /// Takes over both descriptors: of the text, and of the empty file for the groups. A text of
  /// another recorder than ours has no `watch`.
  GroupFollower(std::string text, int text_file, std::string out, int out_file,
                std::optional<InflightWatch> watch, std::size_t group_bytes)
      : text_path_(std::move(text)),
        path_(std::move(out)),
        text_(text_file),
        out_(out_file),
        watch_(std::move(watch)),
        pieces_(text_path_, text_.number(), group_bytes) {}

  /// All whole lines that are there. ERRORS: kEnvironment; kBadInput for a line that is wrong,
  /// for what groups cannot tell, which rows with columns are, and for a text that does not say
  /// where it ends. After one every later call fails in the same way.
  Status take_new();
  /// The same when the recorder has ended: where it was cut off, FILE.inflight's lines, too.
  /// The last group says that it is the last only where nothing is missing.
  Status finish();

  /// The text has come to its end, and all of it is in groups.
  bool has_end() const { return has_end_; }
  /// One of ours is at work. A text of another recorder has none.
  bool is_recorder_at_work() const { return watch_ && watch_->is_at_work(); }
  bool has_recorder() const { return watch_.has_value(); }
  /// How many transactions of FILE.inflight finish() has taken in.
  std::size_t taken_from_folder() const { return taken_from_folder_; }

 private:
  Status guarded(Status (GroupFollower::*work)());
  Status take_rest();
  Status take_lines();
  Status take_unended_line(std::uint64_t size);
  Status take_piece(std::string_view piece, std::int64_t open_since);
  Status take_header(std::string_view header);
  bool has_end(std::string_view lines) const;
  Status write_part(std::string_view lines, std::int64_t open_since);
  Status write_out(std::string_view bytes) const;
  void look_at_clock();
  Error at_its_line(const Error& error) const;

  const std::string text_path_;
  const std::string path_;
  const OpenFile text_;
  const OpenFile out_;
  std::optional<InflightWatch> watch_;
  LinePieces pieces_;
  std::string header_;            // of the next group
  bool is_second_ = false;        // the text is of version 2
  std::uint64_t first_line_ = 0;  // of what is being written
  std::uint32_t groups_ = 0;
  bool has_end_ = false;
  std::int64_t open_since_ = kNoTime;  // as the last group that tells it
  std::int64_t latest_ = kNoTime;      // of what is in groups
  std::size_t taken_from_folder_ = 0;
  std::optional<base::ClockBound> bound_;  // where the times are of a clock of this machine
  Status status_ = ok_status();
};

}  // namespace isolde::io
