// A file in the native binary format, group by group, as it grows: nobody needs the whole of it
// in memory, nor all of it to be there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "io/native.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

/// Reads a regular file, a pipe, or standard input ("-") from its beginning. Threads: one at a
/// time. Memory: that of a group.
class GroupReader {
 public:
  /// ERRORS: kEnvironment with path and reason.
  static Result<GroupReader> open(const std::string& path);
  GroupReader(GroupReader&&) noexcept;
  GroupReader& operator=(GroupReader&&) noexcept;
  ~GroupReader();

  /// The next group, with sessions, keys and values of its own; nothing where no whole one is
  /// there yet, as may be said again and again. A pipe is waited for, within the limits, unless
  /// it was said that it is not. ERRORS: kBadInput with the place in the file; kLimit;
  /// kEnvironment. COST: linear in the group.
  /// `bytes`, where it is given, gets those of the group.
  Result<std::optional<History>> next(base::Budget& budget, std::string* bytes = nullptr);
  /// next() takes of a pipe what is there.
  void wait_for_nothing() { waits_ = false; }
  /// Names of sessions begin with that, so that they are not those of other files.
  void set_session_prefix(std::string prefix) { before_.session_prefix = std::move(prefix); }
  /// Times are those of other files with that clock, too.
  void set_clock(OneClock* clock) { before_.clock = clock; }
  /// Before the first group: goes on behind what another reader has read of the file. ERRORS:
  /// kEnvironment: it does not begin with these groups any more, or is a pipe; kLimit. COST: a
  /// header of 40 bytes is read of each group.
  Status skip(const GroupsBefore& before, std::uint64_t contents, base::Budget& budget);

  /// It is a regular file, of which again() can begin anew.
  bool can_begin_anew() const;
  /// A reader of the same file from where this one began, also where another file has its name
  /// by now. REQUIRES: can_begin_anew(). ERRORS: kEnvironment.
  Result<GroupReader> again() const;

  /// A checksum of all groups that were read.
  std::uint64_t contents() const { return contents_; }
  /// What was read: where it ends, whether more is to come, since when transactions are open.
  const GroupsBefore& before() const { return before_; }
  /// Bytes of the next group that are there, as far as next() has looked.
  std::uint64_t begun() const;
  /// Of a pipe: nobody writes to it any more.
  bool is_closed() const { return is_closed_; }
  /// As it was opened.
  const std::string& path() const;

 private:
  class File;
  explicit GroupReader(std::unique_ptr<File> file);
  Result<bool> wait(base::Budget& budget) const;
  Result<bool> fill(std::size_t bytes, base::Budget& budget);

  std::unique_ptr<File> file_;
  GroupsBefore before_;
  std::uint64_t contents_ = 0;
  std::string bytes_;  // of the next group, so far
  bool waits_ = true;
  bool is_closed_ = false;
};

}  // namespace isolde::io
