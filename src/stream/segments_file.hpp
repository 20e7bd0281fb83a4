// The file to which segments go as they are settled (certify/segments.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "certify/segments.hpp"
#include "isolde/status.hpp"
#include "stream/joiner.hpp"

namespace isolde::stream {

/// Threads: one at a time. What cannot be written is told by the functions that return Status,
/// from then on by all of them; the file ends behind what was written as a whole before.
class SegmentsFile {
 public:
  /// How much of a file there is: from here a later process goes on.
  struct Place {
    certify::SegmentsText::Place text;
    std::uint64_t bytes = 0;
  };

  SegmentsFile() = default;
  ~SegmentsFile();
  SegmentsFile(const SegmentsFile&) = delete;
  SegmentsFile& operator=(const SegmentsFile&) = delete;

  /// A new file, with its header. ERRORS: kEnvironment.
  Status begin(const std::string& path, const certify::SegmentsHeader& header);
  /// Whether go_on() finds there what was written, as far as the end of it tells: every line
  /// has a checksum of all lines before. ERRORS: kEnvironment.
  static Status check(const std::string& path, const Place& place);
  /// The file of an earlier process, without what it wrote behind that place. ERRORS: as
  /// check(); then the file is as it was.
  Status go_on(const std::string& path, const Place& place);
  bool is_open() const { return descriptor_ >= 0; }

  /// As SegmentsText::settled().
  void settled(std::span<const TxnNumber> order, std::uint64_t state,
               std::optional<std::int64_t> clock_error_ns = {});
  /// Whether all of it was written so far. ERRORS: kEnvironment.
  Status status() const { return problem_ == 0 ? ok_status() : Status(error()); }
  /// What was written is on the disk. ERRORS: kEnvironment.
  Result<Place> sync();
  /// The last line, if the level holds, and no more. ERRORS: kEnvironment.
  Status finish(const certify::Segment::End* end);

 private:
  void put(const std::string& lines);
  Error error() const;

  std::string path_;
  int descriptor_ = -1;
  int problem_ = 0;  // errno
  certify::SegmentsText text_;
  std::uint64_t bytes_ = 0;
};

}  // namespace isolde::stream
