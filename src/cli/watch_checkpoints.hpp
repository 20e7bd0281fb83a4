// Where isolde watch stands, on the disk: --segments, and --checkpoint, from which a later
// process goes on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "certify/segments.hpp"
#include "cli/checking.hpp"
#include "cli/cli11.hpp"
#include "isolde/status.hpp"
#include "stream/checkpoint.hpp"
#include "stream/gatherer.hpp"
#include "stream/rounds.hpp"
#include "stream/segments_file.hpp"
#include "stream/source.hpp"

namespace isolde::cli {

class WatchCheckpoints {
 public:
  /// The parser keeps references into this object.
  void add_to(CLI::App& app);
  const std::string& path() const { return checkpoint_; }
  const std::string& segments() const { return segments_; }

  /// From the checkpoint, if there is one, or from the beginning. `sources` are the names of
  /// the source. Returns how many transactions have committed before. ERRORS: kUsage,
  /// kBadInput, kEnvironment; kLimit.
  Result<std::uint64_t> begin(const std::vector<std::string>& sources,
                              const stream::RoundsOptions& options, stream::Rounds& rounds,
                              stream::Source& source, base::Budget& budget);
  void settled(std::span<const stream::TxnNumber> order, std::uint64_t state);
  /// A round is over: a checkpoint, where it is time for one. REQUIRES: begin(). ERRORS:
  /// kEnvironment; kLimit.
  Status save(const stream::Rounds& rounds, const stream::Gatherer& gatherer,
              std::uint64_t committed);
  /// The last line of the segments, if the level holds, and no more. What did not go to the
  /// file is told. ERRORS: kEnvironment.
  Status finish(const certify::Segment::End* end);

 private:
  Result<std::uint64_t> go_on(stream::Checkpoint checkpoint, stream::Rounds& rounds,
                              stream::Source& source, base::Budget& budget);

  std::string segments_;
  std::string checkpoint_;
  std::int64_t every_ns_ = std::int64_t{10} * 1'000'000'000;
  stream::RoundsOptions options_;
  stream::SegmentsFile file_;
  Stopwatch watch_;
  double saved_at_ = 0;  // by watch_
};

}  // namespace isolde::cli
