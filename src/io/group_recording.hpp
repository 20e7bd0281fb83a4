// A recording in the native binary format, while it grows: for those who watch a history as it
// comes, because the recorder (isolde/recorder.hpp) writes text, of which nothing can be lost.
//
// A thread follows the text and writes what is new as a group, now and then. The text stays
// until the file is finished, and with it all that the recorder promises: whatever dies at
// whatever moment, the text and its FILE.inflight have everything, and groups are only a copy.
// So the recorder's clients wait for nobody, and no two ways of writing a history have to be
// right about crashes.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "io/group_follower.hpp"
#include "io/inflight_watch.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

struct GroupRecordingOptions {
  /// The longest that what has ended is not in a group, unless the machine is too slow.
  std::chrono::milliseconds period{500};
  /// Of text, for a group: more becomes several. A longer line is one.
  std::size_t group_bytes = std::size_t{4} << 20;
  unsigned mode = 0600;  ///< as RecorderOptions::mode
};

/// Where the text of a recording in groups is while it is not finished: FILE.jsonl.
std::string text_of_recording(const std::string& path);

/// The file is such a recording that did not come to its end, and its text is there, which has
/// all of it. COST: a look at each group's header.
bool is_unfinished_recording(const std::string& path);

/// Follows the text, and writes to a new file at `path`. Without `watch` the groups do not tell
/// since when transactions are under way. ERRORS: kUsage where the file exists, kEnvironment.
Result<std::unique_ptr<GroupFollower>> follow_text(const std::string& text,
                                                   const std::string& path,
                                                   std::optional<InflightWatch> watch,
                                                   const GroupRecordingOptions& options = {});

class GroupRecording {
 public:
  /// Follows the recorder that is at work at text_of_recording(path), and writes to a new file
  /// at `path`. ERRORS: kUsage where it exists, kEnvironment.
  static Result<GroupRecording> begin(const std::string& path,
                                      const GroupRecordingOptions& options = {});
  GroupRecording(GroupRecording&&) noexcept;
  GroupRecording& operator=(GroupRecording&&) noexcept;
  ~GroupRecording();  ///< stops where it is

  /// Writes the rest, which the last group is only where the text came to its end. The text is
  /// left to the caller. REQUIRES: the recorder is closed. ERRORS: the first one since the
  /// beginning: kEnvironment; kBadInput for what groups cannot tell, which rows with columns
  /// are. What was written by then stays, and counts as cut off.
  Status finish();

 private:
  class Follower;
  explicit GroupRecording(std::unique_ptr<Follower> follower);
  std::unique_ptr<Follower> follower_;
};

}  // namespace isolde::io
