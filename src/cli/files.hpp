// Small text files that the command line reads, or writes beside its results.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "isolde/status.hpp"

namespace isolde::cli {

/// All of the file; "-" is standard input. ERRORS: kEnvironment.
Result<std::string> read_text(const std::string& path);

/// Replaces the file by `text`; "-" is standard output. ERRORS: kEnvironment.
Status write_text(const std::string& path, std::string_view text);

/// Whether a report can be written there, before the work begins that it is about; "-" is
/// standard output. ERRORS: kEnvironment.
Status check_place(const std::string& path);

/// Nothing is to be written there this time. Reports replace what is there, so that nobody
/// takes an earlier one for this one: a plain file is removed, but for `input`, and a line on
/// standard error says so and `why`.
void remove_earlier(const std::string& path, const std::string& input, std::string_view why);

/// Whether a history may be recorded at the path: nothing is there, or with `force` a plain
/// file to which no recorder has left anything. ERRORS: kUsage.
Status check_new_history(const std::string& path, bool force);

/// The same where a history is written as a whole, once it is there: to a new file, or in place
/// of an old one. Standard output (-), pipes and devices take any number of them; of a link
/// counts where it leads. ERRORS: kUsage.
Status check_whole_history(const std::string& path, bool force);

/// Removes the file that check_new_history() has let pass, so that it stays as long as nothing
/// takes its place. ERRORS: kUsage when it does not pass any more, kEnvironment.
Status make_way(const std::string& path, bool force);

/// A folder for what nobody keeps, gone with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  /// ERRORS: kEnvironment.
  Status make();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace isolde::cli
