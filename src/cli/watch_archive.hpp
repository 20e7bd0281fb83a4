// isolde watch --archive: what came, kept beside the source (stream/archive.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "certify/segments.hpp"
#include "cli/cli11.hpp"
#include "isolde/status.hpp"
#include "stream/archive.hpp"

namespace isolde::cli {

class WatchArchive {
 public:
  /// The parser keeps references into this object.
  void add_to(CLI::App& app);
  bool is_wanted() const { return !folder_.empty(); }
  const std::string& folder() const { return folder_; }
  stream::Archive& archive() { return archive_; }
  const stream::Archive& archive() const { return archive_; }

  /// Whether begin() can make a new one. `sources` are the names of what is read. ERRORS:
  /// kUsage, kEnvironment.
  Status check_new(const std::vector<std::string>& sources,
                   const certify::SegmentsHeader& header) const;
  /// Nothing, unless it is wanted. ERRORS: as check_new().
  Status begin(const certify::SegmentsHeader& header);
  /// ERRORS: as stream::Archive::go_on(); kUsage.
  Status go_on(const certify::SegmentsHeader& header, const stream::Archive::Place& place);
  /// Without checkpoints, what is too old is deleted at once.
  void round_is_over(const stream::Rounds& rounds, bool has_checkpoints);

 private:
  Result<stream::ArchiveOptions> options(const certify::SegmentsHeader& header) const;

  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  std::string folder_;
  std::string file_size_ = "64M";
  std::string keep_size_;
  std::int64_t keep_age_ns_ = kForever;
  stream::Archive archive_;
};

}  // namespace isolde::cli
