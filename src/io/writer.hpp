// Writing histories to files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

/// For those who open the file: what the operations of a transaction say where the header has a
/// notation for keys or values, in a field that readers ignore. Native text only.
enum class Remarks : std::uint8_t { kNone, kWords };

/// Writes the history to `path` in format "native" or "native-binary"; "-" is standard output.
/// A name that ends in .gz or .zst compresses the whole file. The bytes go to a temporary file
/// beside `path` that takes its name at the end, so that a crash never leaves half a history
/// under the final name. ERRORS: kUsage for another format; kBadInput for names that are not
/// UTF-8; kEnvironment with path and reason.
Status write_history(const History& history, std::string_view format, const std::string& path,
                     Remarks remarks = Remarks::kNone);

/// What follows a part.
struct PartEnd {
  std::int64_t open_since = kNoTime;  ///< no transaction of a later part started before
  bool is_last = false;               ///< nothing follows
};

/// A file in format native-binary that gets its history in parts, each a group of the
/// transactions that come next, so that nobody needs the whole in memory. Name, compression and
/// what a crash leaves are as for write_history(). Threads: one at a time.
class GroupedFile {
 public:
  /// ERRORS: kEnvironment.
  static Result<GroupedFile> create(const std::string& path);
  GroupedFile(GroupedFile&&) noexcept;
  GroupedFile& operator=(GroupedFile&&) noexcept;
  ~GroupedFile();  ///< without commit() nothing is left

  /// What holds for the whole file is taken from the first part. ERRORS: as write_history().
  Status add(const History& part, const PartEnd& end);
  /// The file takes its name. REQUIRES: the last part was added. ERRORS: kEnvironment.
  Status commit();

 private:
  class Output;
  explicit GroupedFile(std::unique_ptr<Output> output);

  std::unique_ptr<Output> output_;
};

}  // namespace isolde::io
