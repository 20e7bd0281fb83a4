#include "cli/watch_archive.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "cli/options.hpp"

namespace isolde::cli {

void WatchArchive::add_to(CLI::App& app) {
  app.add_option("--archive", folder_,
                 "Keep what came in this folder, in files with the order of what is settled, "
                 "each with digests that the next one repeats; isolde verify DIR checks them")
      ->type_name("DIR");
  size_option(app.add_option("--archive-file-size", file_size_,
                             "A new file of the archive begins when one has so much (default "
                             "64M)"));
  size_option(app.add_option("--archive-keep-size", keep_size_,
                             "Delete the oldest files of the archive while those that are "
                             "complete have more together"));
  add_duration(app, "--archive-keep-age", keep_age_ns_,
               "Delete files of the archive whose transactions ended longer ago than this, by "
               "the end of the newest one");
}

Result<stream::ArchiveOptions> WatchArchive::options(
    const certify::SegmentsHeader& header) const {
  if (header.initial_is_unknown) {
    return Error{
        ErrorCode::kUsage,
        "--archive is not for --initial unknown: what registers hold in the middle may "
        "not be known; leave one of them out"};
  }
  if (header.level != Level::kStrictSerializable) {
    return Error{ErrorCode::kUsage,
                 "--archive is for strict serializability, not for --level " +
                     std::string(info(header.level).name) +
                     ": a file of it begins where no transaction is between its snapshot and "
                     "its commit; leave one of them out"};
  }
  stream::ArchiveOptions options{.segments = header};
  const Result<std::uint64_t> bytes = parse_size(file_size_);
  if (!bytes) return bytes.error();
  options.file_bytes = *bytes;
  if (keep_age_ns_ != kForever) options.keep_ns = keep_age_ns_;
  if (keep_size_.empty()) return options;
  const Result<std::uint64_t> kept = parse_size(keep_size_);
  if (!kept) return kept.error();
  options.keep_bytes = *kept;
  return options;
}

Status WatchArchive::check_new(const std::vector<std::string>& sources,
                               const certify::SegmentsHeader& header) const {
  if (!is_wanted()) return ok_status();
  if (const Result<stream::ArchiveOptions> fine = options(header); !fine) return fine.error();
  for (const std::string& source : sources) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(folder_, source, ignored)) continue;
    return Error{ErrorCode::kUsage,
                 folder_ + " is what is read; choose another folder for the archive"};
  }
  return stream::Archive::check_new(folder_);
}

Status WatchArchive::begin(const certify::SegmentsHeader& header) {
  if (!is_wanted()) return ok_status();
  const Result<stream::ArchiveOptions> options = this->options(header);
  if (!options) return options.error();
  return archive_.begin(folder_, *options);
}

Status WatchArchive::go_on(const certify::SegmentsHeader& header,
                           const stream::Archive::Place& place) {
  const Result<stream::ArchiveOptions> options = this->options(header);
  if (!options) return options.error();
  return archive_.go_on(folder_, *options, place);
}

void WatchArchive::round_is_over(const stream::Rounds& rounds, bool has_checkpoints) {
  archive_.round_is_over(rounds);
  if (has_checkpoints || !archive_.has_doomed()) return;
  if (archive_.sync()) archive_.pass();
}

}  // namespace isolde::cli
