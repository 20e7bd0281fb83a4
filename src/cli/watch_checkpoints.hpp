// Where isolde watch stands, on the disk: --segments, and --checkpoint, from which a later
// process goes on.
//
// What cannot be written ends no watch: the verdict needs neither. A checkpoint is tried again.
// Of the segments a part is lost then, and with them the proof; but not the checkpoint before,
// from which the same command writes them again.
//
// --consume deletes files of the source behind a checkpoint. Of each source the file that was
// begun last stays until the level holds: what is wrong in the last round is looked for there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "certify/segments.hpp"
#include "cli/checking.hpp"
#include "cli/cli11.hpp"
#include "cli/watch_archive.hpp"
#include "isolde/status.hpp"
#include "stream/checkpoint.hpp"
#include "stream/file_lock.hpp"
#include "stream/gatherer.hpp"
#include "stream/rounds.hpp"
#include "stream/segments_file.hpp"
#include "stream/source.hpp"

namespace isolde::cli {

/// What was read and found by then.
struct SoFar {
  std::uint64_t committed = 0;
  std::uint64_t violations = 0;
  std::string lost = {};  ///< why no order was found of some; or empty
};

class WatchCheckpoints {
 public:
  /// The parser keeps references into this object.
  void add_to(CLI::App& app);
  const std::string& path() const { return checkpoint_; }
  const std::string& segments() const { return segments_; }
  bool consumes() const { return consumes_; }

  /// From the checkpoint, if there is one, or from the beginning. `sources` are the names of
  /// the source. Returns what was there before. ERRORS: kUsage, kBadInput; kEnvironment, also
  /// where a checkpoint cannot be written; kLimit. `source` outlives the last save().
  Result<SoFar> begin(const std::vector<std::string>& sources,
                      const stream::RoundsOptions& options, stream::Rounds& rounds,
                      stream::Source& source, base::Budget& budget);
  /// The part that rounds take next.
  void came(const stream::Part& part) {
    archive_.archive().came(part.history, part.open_since);
  }
  void settled(std::span<const stream::TxnNumber> order, std::uint64_t state,
               std::int64_t clock_error_ns);
  /// A round is over: a checkpoint, where it is time for one. REQUIRES: begin(). ERRORS:
  /// kLimit.
  Status save(const stream::Rounds& rounds, const stream::Gatherer& gatherer,
              const SoFar& so_far);
  /// Nothing more comes, and the last round is yet to be made. ERRORS: kLimit.
  Status source_has_ended(const stream::Rounds& rounds, const stream::Gatherer& gatherer,
                          const SoFar& so_far);
  /// The level does not hold: what was settled is no part of a proof any more, nor is what
  /// comes. Segments and archive end here, and nothing more is deleted of what only an archive
  /// had.
  void end_proofs();
  /// The last line of the segments, if the level holds, and no more. What did not go to the
  /// file is told. ERRORS: kEnvironment.
  Status finish(const certify::Segment::End* end);

  const stream::Archive& archive() const { return archive_.archive(); }

  /// Is told what cannot be written, once, and when it is written again: a line for people, and
  /// how many files lack something now. May be empty.
  std::function<void(const std::string& line, std::size_t unwritten)> on_disk;

 private:
  Status write(const stream::Rounds& rounds, stream::Position position, const SoFar& so_far);
  Status check_sources(const std::vector<std::string>& sources,
                       const stream::Source& source) const;
  certify::SegmentsHeader header() const;
  void consume(const stream::Position& position, bool has_ended);
  Status be_the_only_one(base::Budget& budget);
  void heed_segments();
  void heed_archive();
  void heed_checkpoint(const Status& written);
  void tell(const std::string& line) const;
  Result<SoFar> go_on(stream::Checkpoint checkpoint, stream::Rounds& rounds,
                      stream::Source& source, base::Budget& budget);

  std::string segments_;
  std::string checkpoint_;
  bool stands_by_ = false;
  stream::FileLock lock_;
  std::int64_t every_ns_ = std::int64_t{10} * 1'000'000'000;
  stream::RoundsOptions options_;
  std::vector<std::string> sources_;
  stream::Source* source_ = nullptr;
  stream::SegmentsFile file_;
  Stopwatch watch_;
  double saved_at_ = 0;  // or tried, by watch_
  bool lacks_segments_ = false;
  bool lacks_checkpoint_ = false;
  bool lacks_archive_ = false;
  Error not_written_;  // the last checkpoint, if it lacks
  WatchArchive archive_;
  bool consumes_ = false;
  bool proofs_ended_ = false;
  std::set<std::string> consumed_;                // or told why not
  std::optional<stream::Position> end_position_;  // of the checkpoint behind all that came
};

}  // namespace isolde::cli
