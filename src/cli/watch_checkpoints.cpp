#include "cli/watch_checkpoints.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "base/duration.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "stream/consumption.hpp"

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
  app.add_flag("--standby", stands_by_,
               "Where another watch writes the checkpoint, wait until that one ends, however "
               "it ends, and go on from there");
  add_duration(app, "--checkpoint-every", every_ns_,
               "Time between two checkpoints; 0: one after each round");
  app.add_flag("--consume", consumes_,
               "Delete each file of a folder that is over once a checkpoint has passed it, and "
               "what is left when the level holds; with --checkpoint");
  archive_.add_to(app);
}

/// Two that write one checkpoint and its segments would spoil both.
Status WatchCheckpoints::be_the_only_one(base::Budget& budget) {
  const std::string name = checkpoint_ + ".lock";
  for (bool waits = false; true; waits = true) {
    const Result<bool> taken = lock_.take(name);
    if (!taken) return taken.error();
    if (*taken && waits) {
      std::fprintf(stderr, "isolde: the other watch has ended; this one takes over\n");
    }
    if (*taken) return ok_status();
    if (!stands_by_) {
      return Error{ErrorCode::kUsage, checkpoint_ +
                                          " is written by another watch, which goes on; with "
                                          "--standby this one takes over at its end"};
    }
    if (!waits) {
      std::fprintf(stderr, "isolde: stands by until the watch ends that writes %s\n",
                   base::printable_path(checkpoint_).c_str());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (!budget.look()) return Error{ErrorCode::kLimit, budget.reason()};
  }
}

Result<SoFar> WatchCheckpoints::begin(const std::vector<std::string>& sources,
                                      const stream::RoundsOptions& options,
                                      stream::Rounds& rounds, stream::Source& source,
                                      base::Budget& budget) {
  options_ = options;
  sources_ = sources;
  if (stands_by_ && checkpoint_.empty()) {
    return Error{ErrorCode::kUsage, "--standby is about a checkpoint; give --checkpoint too"};
  }
  source_ = &source;
  Result<std::optional<stream::Checkpoint>> known = std::optional<stream::Checkpoint>();
  if (!checkpoint_.empty()) {
    if (const Status fit = check_sources(sources, source); !fit) return fit.error();
    if (const Status fine = check_place(checkpoint_); !fine) return fine.error();
    if (const Status only = be_the_only_one(budget); !only) return only.error();
    known = stream::read_checkpoint(checkpoint_, budget);
  }
  if (!known) return known.error();
  if (*known) return go_on(std::move(**known), rounds, source, budget);
  if (archive_.is_wanted() && options_.is_incomplete) {
    return Error{ErrorCode::kUsage,
                 "--archive is not for --incomplete: of keys with writers who are not recorded "
                 "nothing is proved; leave one of them out"};
  }
  if (const Status empty = archive_.check_new(sources, header()); !empty) return empty.error();
  if (!segments_.empty()) {
    if (const Status begun = file_.begin(segments_, header()); !begun) return begun.error();
  }
  if (archive_.is_wanted() && !checkpoint_.empty()) {
    // So that a later process knows whose archive it finds.
    if (const Status first = write(rounds, source.position(), {}); !first) return first.error();
    if (lacks_checkpoint_) return not_written_;
  }
  if (const Status begun = archive_.begin(header()); !begun) return begun.error();
  if (archive_.is_wanted() && !checkpoint_.empty()) {
    // From here on it knows the archive's place, and nothing is taken for this archive that
    // another watch has put there.
    if (const Status next = write(rounds, source.position(), {}); !next) return next.error();
  }
  return SoFar();
}

certify::SegmentsHeader WatchCheckpoints::header() const {
  return {stream::level_of_orders(options_).value(), options_.clock_error_ns,
          options_.initial_is_unknown, options_.keys};
}

Status WatchCheckpoints::check_sources(const std::vector<std::string>& sources,
                                       const stream::Source& source) const {
  if (!source.can_begin_anew()) {
    return Error{ErrorCode::kUsage,
                 base::joined(sources, "and") +
                     ": a pipe cannot be read again, so --checkpoint is of no use"};
  }
  if (consumes_ && std::ranges::find(sources, "-") != sources.end()) {
    return Error{ErrorCode::kUsage,
                 "--consume deletes files, and standard input is none; give the file itself"};
  }
  return ok_status();
}

Result<SoFar> WatchCheckpoints::go_on(stream::Checkpoint checkpoint, stream::Rounds& rounds,
                                      stream::Source& source, base::Budget& budget) {
  const auto other = [&](const char* option) {
    return Error{ErrorCode::kUsage, checkpoint_ + " was written with another " + option +
                                        "; go on with that, or remove it to begin anew"};
  };
  if (checkpoint.sources != sources_) return other("source");
  if (checkpoint.options.level != options_.level) return other("--level");
  if (checkpoint.options.clock_error_ns != options_.clock_error_ns) {
    return other("--clock-error");
  }
  if (checkpoint.options.takes_effect_within_ns != options_.takes_effect_within_ns) {
    return other("--takes-effect-within");
  }
  if (checkpoint.options.initial_is_unknown != options_.initial_is_unknown) {
    return other("--initial");
  }
  if (checkpoint.options.keys != options_.keys) return other("--keys");
  if (checkpoint.options.is_incomplete != options_.is_incomplete) return other("--incomplete");
  if (checkpoint.segments_file != segments_) return other("--segments");
  if (checkpoint.archive_folder != archive_.folder()) return other("--archive");
  if (const Status there = source.resume(checkpoint.position, budget); !there) {
    return Error{there.error().code,
                 there.error().message + "; remove " + checkpoint_ + " to begin anew"};
  }
  SoFar so_far{checkpoint.committed, checkpoint.violations, checkpoint.lost};
  proofs_ended_ = so_far.violations > 0 || !so_far.lost.empty();
  if (checkpoint.segments) {
    const Status opened = file_.go_on(segments_, *checkpoint.segments);
    if (!opened) return opened.error();
  }
  if (checkpoint.archive) {
    const Status opened = archive_.go_on(header(), *checkpoint.archive);
    if (!opened) return opened.error();
  }
  std::fprintf(stderr, "isolde: goes on behind %s, where %s was written\n",
               plural(checkpoint.rounds.txn_count, "transaction").c_str(),
               base::printable_path(checkpoint_).c_str());
  const Status restored = rounds.restore(std::move(checkpoint.rounds));
  if (!restored) return restored.error();
  // The process that wrote it may have ended before it deleted them.
  consume(checkpoint.position, false);
  return so_far;
}

void WatchCheckpoints::settled(std::span<const stream::TxnNumber> order, std::uint64_t state,
                               std::int64_t clock_error_ns) {
  std::optional<std::int64_t> raised;
  if (clock_error_ns > options_.clock_error_ns) raised = clock_error_ns;
  if (file_.is_open()) file_.settled(order, state, raised);
  archive_.archive().settled(order, state, raised);
}

Status WatchCheckpoints::save(const stream::Rounds& rounds, const stream::Gatherer& gatherer,
                              const SoFar& so_far) {
  archive_.round_is_over(rounds, !checkpoint_.empty());
  heed_segments();
  heed_archive();
  if (checkpoint_.empty() || lacks_segments_ || lacks_archive_) return ok_status();
  const double elapsed_ns = (watch_.seconds() - saved_at_) * 1e9;
  if (elapsed_ns < static_cast<double>(every_ns_)) return ok_status();
  std::optional<stream::Position> position = gatherer.position();
  return position ? write(rounds, std::move(*position), so_far) : ok_status();
}

Status WatchCheckpoints::source_has_ended(const stream::Rounds& rounds,
                                          const stream::Gatherer& gatherer,
                                          const SoFar& so_far) {
  heed_segments();
  if (!consumes_ || lacks_segments_ || lacks_archive_) return ok_status();
  const std::optional<stream::Position> position = gatherer.position();
  if (!position) return ok_status();
  const Status written = write(rounds, *position, so_far);
  if (written && !lacks_checkpoint_ && !lacks_segments_ && !lacks_archive_) {
    end_position_ = position;
  }
  return written;
}

Status WatchCheckpoints::write(const stream::Rounds& rounds, stream::Position position,
                               const SoFar& so_far) {
  Result<stream::RoundsState> state = rounds.state();
  if (!state) return state.error();
  stream::Checkpoint checkpoint{.options = options_,
                                .rounds = std::move(state).value(),
                                .position = std::move(position),
                                .committed = so_far.committed,
                                .violations = so_far.violations,
                                .lost = so_far.lost,
                                .sources = sources_,
                                .segments_file = segments_,
                                .archive_folder = archive_.folder(),
                                .segments = {},
                                .archive = {}};
  if (file_.is_open()) {
    // What the checkpoint counts on must be on the disk before it is.
    const Result<stream::SegmentsFile::Place> place = file_.sync();
    heed_segments();
    if (!place) return ok_status();
    checkpoint.segments = *place;
  }
  if (archive().is_open()) {
    const Result<stream::Archive::Place> place = archive_.archive().sync();
    heed_archive();
    if (!place) return ok_status();
    checkpoint.archive = *place;
  } else if (archive_.is_wanted() && !proofs_ended_) {
    checkpoint.archive.emplace();
  }
  const Status written = stream::write_checkpoint(checkpoint_, checkpoint);
  saved_at_ = watch_.seconds();
  if (!written && written.error().code != ErrorCode::kEnvironment) return written;
  if (written) source_->acknowledge(checkpoint.position);
  heed_checkpoint(written);
  if (!written) not_written_ = written.error();
  if (written && archive().is_open()) archive_.archive().pass();
  if (written) consume(checkpoint.position, false);
  return ok_status();
}

/// REQUIRES: a checkpoint with that position is on the disk.
void WatchCheckpoints::consume(const stream::Position& position, bool has_ended) {
  // Without the archive only the source has what a violation may need.
  if (!consumes_ || (proofs_ended_ && archive_.is_wanted())) return;
  const std::vector<stream::FilePosition>& files = position.files;
  base::Budget budget;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool is_last = i + 1 == files.size() || files[i + 1].source != files[i].source;
    if (!files[i].is_over || (is_last && !has_ended)) continue;
    if (!consumed_.insert(files[i].name).second) continue;
    const Status gone = stream::consume(files[i], budget);
    if (!gone) tell(told(gone.error()));
  }
}

void WatchCheckpoints::tell(const std::string& line) const {
  if (!on_disk) return;
  on_disk(line, (lacks_segments_ ? 1U : 0U) + (lacks_checkpoint_ ? 1U : 0U) +
                    (lacks_archive_ ? 1U : 0U));
}

void WatchCheckpoints::heed_segments() {
  if (lacks_segments_ || !file_.is_open()) return;
  const Status written = file_.status();
  if (written) return;
  lacks_segments_ = true;
  const char* const kept = checkpoint_.empty() ? "" : ", and the checkpoint stays as it is";
  tell(told(written.error()) + "; the watch goes on, but the segments end here" + kept);
}

void WatchCheckpoints::heed_archive() {
  if (lacks_archive_ || archive().status()) return;
  lacks_archive_ = true;
  const char* const kept = checkpoint_.empty() ? "" : ", and the checkpoint stays as it is";
  tell(told(archive().status().error()) + "; the watch goes on, but the archive ends here" +
       kept);
}

void WatchCheckpoints::heed_checkpoint(const Status& written) {
  if (written.ok() != lacks_checkpoint_) return;
  lacks_checkpoint_ = !written;
  if (written) return tell(base::printable_path(checkpoint_) + " is written again");
  const std::string when =
      every_ns_ == 0 ? "after the next round" : "in " + base::duration_text(every_ns_);
  tell(told(written.error()) + "; the watch goes on, and tries again " + when);
}

void WatchCheckpoints::end_proofs() {
  if (std::exchange(proofs_ended_, true)) return;
  const bool had_archive = archive().is_open();
  const Status written = file_.is_open() ? file_.finish(nullptr) : ok_status();
  const Status archived = archive_.archive().finish(std::nullopt, checkpoint_.empty());
  for (const Status& each : {written, archived}) {
    if (!each) tell(told(each.error()));
  }
  if (had_archive) tell("the archive ends here, and from here on nothing is deleted");
}

Status WatchCheckpoints::finish(const certify::Segment::End* end) {
  const Status written = file_.is_open() ? file_.finish(end) : ok_status();
  // The checkpoint may still need what it has not passed.
  const Status archived = archive_.archive().finish(
      end == nullptr ? std::nullopt : std::optional(end->transactions), checkpoint_.empty());
  if (written && archived && end != nullptr && end_position_) consume(*end_position_, true);
  if (!written) {
    return Error{written.error().code,
                 written.error().message + "; the segments are not complete and prove nothing"};
  }
  if (archived) return written;
  return Error{archived.error().code,
               archived.error().message + "; the archive is not complete"};
}

}  // namespace isolde::cli
