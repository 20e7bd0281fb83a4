// FolderSource: files that follow one another, as of a recorder that begins a new one from time
// to time.
//
// They are read in the order of their names, in which runs of digits count as numbers. A file
// is over where it says so, or where it ends and the next one is there; whoever writes them
// begins the next one only then. What is over is not looked at again, and may be deleted.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stream/common_clock.hpp"
#include "stream/file_source.hpp"
#include "stream/source.hpp"

namespace isolde::stream {

class FolderSource : public Source {
 public:
  /// Which files of a folder are meant.
  static constexpr std::string_view kSuffix = ".isob";

  FolderSource(std::string path, SourceOptions options)
      : path_(std::move(path)), options_(std::move(options)) {}

  /// ERRORS: also kBadInput: a file has come whose name is before that of one that was begun; a
  /// later file has another clock than the first, or tells initial contents.
  Result<Next> next(base::Budget& budget) override;
  bool can_begin_anew() const override { return true; }
  /// Files that are over are opened by their names. ERRORS (next()): also kEnvironment: they
  /// have gone.
  Result<std::unique_ptr<Source>> again() const override;
  Position position() const override;
  Status resume(const Position& position, base::Budget& budget) override;
  std::string cut_off() const override { return cut_off_; }

 private:
  Result<std::string> next_name() const;
  Result<Next> next_of_file(base::Budget& budget);
  Status check_beginning(const std::string& name) const;
  Status check_first(const History& part);

  std::string path_;
  SourceOptions options_;
  std::vector<FilePosition> done_;  // in the order of their names
  std::unique_ptr<FileSource> current_;
  std::string cut_off_;
};

}  // namespace isolde::stream
