#include "cli/watch_checkpoints.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"

namespace isolde::cli {

void WatchCheckpoints::add_to(CLI::App& app) {
  app.add_option("--segments", segments_,
                 "Write the order of what is settled, round by round: the proof that the "
                 "level holds, which isolde verify checks")
      ->type_name("FILE");
  app.add_option("--checkpoint", checkpoint_,
                 "Write all that is needed to go on, again and again; go on from there if "
                 "the file exists")
      ->type_name("FILE");
  add_duration(app, "--checkpoint-every", every_ns_,
               "Time between two checkpoints; 0: one after each round");
}

Result<std::uint64_t> WatchCheckpoints::begin(const std::vector<std::string>& sources,
                                              const stream::RoundsOptions& options,
                                              stream::Rounds& rounds, stream::Source& source,
                                              base::Budget& budget) {
  options_ = options;
  Result<std::optional<stream::Checkpoint>> known = std::optional<stream::Checkpoint>();
  if (!checkpoint_.empty()) {
    if (!source.can_begin_anew()) {
      return Error{ErrorCode::kUsage,
                   base::joined(sources, "and") +
                       ": a pipe cannot be read again, so --checkpoint is of no use"};
    }
    known = stream::read_checkpoint(checkpoint_, budget);
  }
  if (!known) return known.error();
  if (*known) return go_on(std::move(**known), rounds, source, budget);
  if (segments_.empty()) return std::uint64_t{0};
  const Status begun =
      file_.begin(segments_, {Level::kStrictSerializable, options_.clock_error_ns});
  if (!begun) return begun.error();
  return std::uint64_t{0};
}

Result<std::uint64_t> WatchCheckpoints::go_on(stream::Checkpoint checkpoint,
                                              stream::Rounds& rounds, stream::Source& source,
                                              base::Budget& budget) {
  const auto other = [&](const char* option) {
    return Error{ErrorCode::kUsage, checkpoint_ + " was written with another " + option +
                                        "; go on with that, or remove it to begin anew"};
  };
  if (checkpoint.options.clock_error_ns != options_.clock_error_ns) {
    return other("--clock-error");
  }
  if (checkpoint.segments.has_value() == segments_.empty()) return other("--segments");
  if (const Status there = source.resume(checkpoint.position, budget); !there) {
    return Error{there.error().code,
                 there.error().message + "; remove " + checkpoint_ + " to begin anew"};
  }
  if (checkpoint.segments) {
    const Status opened = file_.go_on(segments_, *checkpoint.segments);
    if (!opened) return opened.error();
  }
  std::fprintf(stderr, "isolde: goes on behind %s, where %s was written\n",
               plural(checkpoint.rounds.txn_count, "transaction").c_str(),
               base::printable_path(checkpoint_).c_str());
  const Status restored = rounds.restore(std::move(checkpoint.rounds));
  if (!restored) return restored.error();
  return checkpoint.committed;
}

void WatchCheckpoints::settled(std::span<const stream::TxnNumber> order, std::uint64_t state) {
  if (file_.is_open()) file_.settled(order, state);
}

Status WatchCheckpoints::save(const stream::Rounds& rounds, const stream::Gatherer& gatherer,
                              std::uint64_t committed) {
  if (checkpoint_.empty()) return ok_status();
  const double elapsed_ns = (watch_.seconds() - saved_at_) * 1e9;
  if (elapsed_ns < static_cast<double>(every_ns_)) return ok_status();
  std::optional<stream::Position> position = gatherer.position();
  if (!position) return ok_status();
  Result<stream::RoundsState> state = rounds.state();
  if (!state) return state.error();
  stream::Checkpoint checkpoint{.options = options_,
                                .rounds = std::move(state).value(),
                                .position = std::move(*position),
                                .committed = committed,
                                .segments = {}};
  if (file_.is_open()) {
    // What the checkpoint counts on must be on the disk before it is.
    const Result<stream::SegmentsFile::Place> place = file_.sync();
    if (!place) return place.error();
    checkpoint.segments = *place;
  }
  const Status written = stream::write_checkpoint(checkpoint_, checkpoint);
  saved_at_ = watch_.seconds();
  return written;
}

Status WatchCheckpoints::finish(const certify::Segment::End* end) {
  return file_.is_open() ? file_.finish(end) : ok_status();
}

}  // namespace isolde::cli
