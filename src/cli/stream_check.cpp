#include "cli/stream_check.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <span>
#include <utility>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "check/check.hpp"
#include "cli/options.hpp"
#include "explain/report_model.hpp"
#include "history/stats.hpp"
#include "isolde/history_builder.hpp"
#include "stream/folder_source.hpp"

namespace isolde::cli {

void SourceCounts::look_at_ops(const History& part) {
  for (const Op& op : part.all_ops()) {
    if (op.is_write()) {
      ++writes_;
    } else if (op.uses_item() || op.kind == OpKind::kReadUnknown) {
      ++reads_;
    }
  }
  for (std::size_t t = 0; t < part.txn_count(); ++t) {
    if (part.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    for (const Op& op : part.ops(TxnId::at(t))) {
      unknown_reads_ += op.kind == OpKind::kReadUnknown ? 1 : 0;
    }
  }
}

void SourceCounts::add(const History& part, base::Budget& budget) {
  const bool is_first = parts_++ == 0;
  if (is_first) origin_ = part.origin();
  for (const std::string& note : explain::reader_notes(part)) {
    constexpr std::size_t kMost = 20;
    if (notes_.size() < kMost && std::ranges::count(notes_, note) == 0) notes_.push_back(note);
  }
  // What is beyond the limit is told by whoever checks the part.
  static_cast<void>(budget.spend(part.session_count() + part.txn_count() + part.op_count()));
  for (std::size_t s = 0; s < part.session_count(); ++s) {
    sessions_.insert(part.session_name(SessionId::at(s)));
  }
  respects_time_ = respects_time_ && times_.take(part);
  const explain::StatusCounts statuses = explain::count_statuses(part);
  extent_.transactions += part.txn_count();
  extent_.aborted += statuses.aborted;
  extent_.indeterminate += statuses.indeterminate;
  extent_.operations += history::operation_count(part);
  look_at_ops(part);
  // What met across parts is missing, so that these are lower bounds.
  const history::Evidence more = history::evidence_of(part, budget);
  if (is_first) {
    evidence_ = more;
    return;
  }
  evidence_.in_effect += more.in_effect;
  evidence_.meetings += more.meetings;
  evidence_.overlapping_meetings += more.overlapping_meetings;
  evidence_.reads_from_others += more.reads_from_others;
  evidence_.reads_are_sure = evidence_.reads_are_sure && more.reads_are_sure;
  evidence_.versions_replaced += more.versions_replaced;
  evidence_.sessions_go_on = evidence_.sessions_go_on || more.sessions_go_on;
  evidence_.exact = false;
}

explain::Extent SourceCounts::extent(std::uint64_t keys) const {
  explain::Extent extent = extent_;
  extent.sessions = sessions_.size();
  extent.keys = keys;
  return extent;
}

std::vector<std::string> SourceCounts::not_checked(
    std::optional<std::uint64_t> in_order) const {
  std::vector<std::string> lines;
  const std::uint64_t committed =
      extent_.transactions - extent_.aborted - extent_.indeterminate;
  const std::uint64_t of_unknown =
      std::max(in_order.value_or(committed), committed) - committed;
  if (in_order && extent_.indeterminate > of_unknown) {
    const std::uint64_t left_out = extent_.indeterminate - of_unknown;
    lines.push_back(base::plural(left_out, "transaction") +
                    " with unknown outcome that nothing must have read from: " +
                    (left_out == 1 ? "it" : "each") + " may have happened or not");
  }
  if (unknown_reads_ > 0) {
    lines.push_back(base::plural(unknown_reads_, "read") +
                    " whose result the client never learned");
  }
  if (origin_.times_are_order) {
    lines.emplace_back(
        "the input has no times: real time is the order of its events, which are numbered");
  }
  lines.insert(lines.end(), notes_.begin(), notes_.end());
  return lines;
}

namespace {

/// Of files; 0: it is not known.
std::uint64_t bytes_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_regular_file(path, error)) return fs::file_size(path, error);
  std::uint64_t bytes = 0;
  for (fs::directory_iterator each(path, error), end; !error && each != end;
       each.increment(error)) {
    std::error_code ignored;
    const bool is_read = each->path().native().ends_with(stream::FolderSource::kSuffix);
    if (is_read && each->is_regular_file(ignored)) bytes += each->file_size(ignored);
  }
  return bytes;
}

Result<std::unique_ptr<stream::Source>> open(const std::string& path, Progress* progress,
                                             stream::CommonClock& clock) {
  const auto tell = [progress](const std::string& line) {
    if (progress == nullptr) return;
    progress->clear();
    std::fprintf(stderr, "isolde: %s\n", base::printable_line(line).c_str());
  };
  return stream::open_sources(std::span(&path, 1), {.clock = &clock, .tell = tell});
}

/// Without memory nothing is.
CheckReport decided(const History& history, const CheckOptions& options, base::Budget& budget) {
  try {
    return check(history, options, budget);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

bool is_decided_by_rounds(Level level) { return stream::level_of_rounds(level).has_value(); }

}  // namespace

StreamCheck::StreamCheck(StreamRequest request, base::Budget& budget, Progress& progress)
    : request_(std::move(request)),
      budget_(budget),
      progress_(progress),
      clock_error_ns_(request_.settings.check.clock_error_ns),
      counts_(clock_error_ns_) {
  for (const Level level : request_.settings.check.levels) asked_.push_back({level});
}

bool StreamCheck::is_read_once(const std::string& path) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  return path == "-" || kind == std::filesystem::file_type::fifo;
}

Result<History> StreamCheck::first_part(const std::string& path, base::Budget& budget) {
  stream::CommonClock clock;
  const Result<std::unique_ptr<stream::Source>> source = open(path, nullptr, clock);
  if (!source) return source.error();
  Result<stream::Source::Next> next = (*source)->next(budget);
  if (!next) return next.error();
  if (next->part) return std::move(next->part->history);
  return api::empty_history(path, "native-binary");
}

Status StreamCheck::run() {
  bytes_ = bytes_of(request_.path);
  for (Asked& asked : asked_) {
    if (asked.is_decided) continue;
    if (!is_decided_by_rounds(asked.level)) {
      asked.reason = "it is not decided part by part; check without --stream decides it";
      asked.is_decided = true;
      continue;
    }
    if (!readings_.empty() && is_read_once(request_.path)) {
      asked.reason =
          "it takes a reading of its own, and a pipe can be read once; ask for it "
          "alone, or give a file";
      asked.is_decided = true;
      continue;
    }
    if (const Status read = this->read(asked); !read) return read;
  }
  return ok_status();
}

Status StreamCheck::begin_segments(Reading& reading,
                                   const stream::RoundsOptions& options) const {
  if (!request_.segments_path) return ok_status();
  reading.path = request_.segments_path(options.level);
  if (reading.path.empty()) return ok_status();
  reading.segments = std::make_unique<stream::SegmentsFile>();
  return reading.segments->begin(
      reading.path, {stream::level_of_rounds(options.level).value(), options.clock_error_ns,
                     options.initial_is_unknown, options.keys});
}

void StreamCheck::show(const stream::Rounds& rounds, const stream::Source& source,
                       Level level) {
  std::string text(info(level).name);
  if (bytes_ > 0) {
    std::uint64_t read = 0;
    for (const stream::FilePosition& file : source.position().files) read += file.before.bytes;
    const double share = static_cast<double>(read) / static_cast<double>(bytes_);
    text += ": " + std::to_string(static_cast<int>(100 * std::min(share, 1.0))) + " %" +
            rest_of_work(watch_.seconds() - reading_since_, share);
  }
  progress_.show(text + ": " + base::plural(rounds.txn_count(), "transaction"));
}

/// Takes a reading for that level.
Status StreamCheck::read(Asked& asked) {
  stream::CommonClock clock;
  const Result<std::unique_ptr<stream::Source>> source = open(request_.path, &progress_, clock);
  if (!source) return source.error();
  stream::RoundsOptions options;
  options.level = asked.level;
  options.clock_error_ns = request_.settings.check.clock_error_ns;
  options.threads = request_.settings.check.threads;
  options.verifies = request_.verifies;
  options.takes_effect_within_ns = request_.takes_effect_within_ns;
  Reading reading;
  if (const Status begun = begin_segments(reading, options); !begun) return begun;
  asked.reading = readings_.size();
  readings_.push_back(std::move(reading));
  stream::SegmentsFile* const segments = readings_.back().segments.get();

  reading_since_ = watch_.seconds();
  SourceCounts counts(options.clock_error_ns);
  stream::Rounds rounds(options, budget_);
  stream::RoundsReader reader;
  if ((*source)->can_begin_anew()) {
    reader.let_reread(rounds, [&](const stream::Visit& visit) {
      return (*source)->visit_again(visit, budget_);
    });
  }
  rounds.on_suspected = [&](const stream::Suspicion&) {
    progress_.show(std::string(info(asked.level).name) +
                   ": no order was found; looking for a violation");
  };
  if (options.clock_error_ns == 0) reader.clock = &clock;
  if (segments != nullptr) {
    rounds.on_settled = [&](std::span<const stream::TxnNumber> order, std::uint64_t state) {
      std::optional<std::int64_t> raised;
      if (rounds.clock_error_ns() > options.clock_error_ns) raised = rounds.clock_error_ns();
      segments->settled(order, state, raised);
    };
  }
  reader.on_part = [&](const stream::Part& part) { counts.add(part.history, budget_); };
  reader.on_round = [&](const stream::Gatherer&) {
    show(rounds, **source, asked.level);
    return ok_status();
  };
  try {
    const Status read = reader.read(**source, rounds, {}, budget_);
    if (!read && read.error().code != ErrorCode::kLimit) return read;
    if (!read) reader.stop(read.error().message);
  } catch (const std::bad_alloc&) {
    reader.stop(budget_.memory_reason());
  }

  readings_.back().end = {rounds.txn_count(), reader.contents()};
  take_verdict(asked, rounds, reader, std::move(counts));
  return ok_status();
}

void StreamCheck::take_verdict(Asked& asked, const stream::Rounds& rounds,
                               const stream::RoundsReader& reader, SourceCounts counts) {
  const bool sessions_respect_time = counts.sessions_respect_time();
  // A later one that gave up tells less of what was read.
  if (readings_.size() == 1 || counts.extent(0).transactions > streamed_.extent.transactions) {
    streamed_.extent = counts.extent(rounds.key_count());
    streamed_.reads = counts.reads();
    streamed_.writes = counts.writes();
    streamed_.rounds = rounds.rounds();
    streamed_.settled = rounds.settled();
    streamed_.first_start = rounds.first_start();
    counts_ = std::move(counts);
  }
  asked.is_decided = true;
  clock_error_ns_ = std::max(clock_error_ns_, rounds.clock_error_ns());
  if (reader.lacks_clock()) asked.verdict = Verdict::kNotApplicable;
  if (rounds.violation()) {
    violation_ = rounds.violation();
    asked.verdict = Verdict::kViolated;
    return decide_violated(asked, reader.contents() != 0);
  }
  asked.reason = reader.why_unknown(rounds);
  if (!asked.reason.empty()) {
    if (budget_.exhausted()) leave_open(asked.reason);
    return;
  }
  asked.verdict = Verdict::kHolds;
  asked.order = rounds.order_level();
  asked.is_verified = request_.verifies;
  decide_implied(asked, sessions_respect_time);
}

/// An order of all proves more than the level that was asked for.
void StreamCheck::decide_implied(const Asked& by, bool sessions_respect_time) {
  for (Asked& other : asked_) {
    if (other.is_decided || !is_decided_by_rounds(other.level)) continue;
    if (!implies(*by.order, other.level, sessions_respect_time)) continue;
    other.is_decided = true;
    other.verdict = Verdict::kHolds;
    other.order = by.order;
    other.reading = by.reading;
    other.is_verified = by.is_verified;
  }
}

/// The transactions that violate the level may violate others. Those without real time, unless
/// they imply this one, only if nobody comes later who has written what was read.
void StreamCheck::decide_violated(const Asked& by, bool all_came) {
  CheckOptions options;
  options.clock_error_ns = clock_error_ns_;
  const auto is_open = [&](const Asked& other) {
    const bool is_known = other.is_decided && other.verdict != Verdict::kUnknown;
    return !is_known && is_decided_by_rounds(other.level) &&
           (all_came || info(other.level).real_time ||
            implies(other.level, by.level, /*sessions_respect_time=*/false));
  };
  for (const Asked& other : asked_) {
    if (is_open(other)) options.levels.push_back(other.level);
  }
  if (options.levels.empty()) return;
  const CheckReport report = decided(violation_->history, options, budget_);
  for (Asked& other : asked_) {
    const auto row = std::ranges::find(report.levels, other.level, &LevelReport::level);
    if (row == report.levels.end() || row->verdict != Verdict::kViolated) continue;
    other.is_decided = true;
    other.verdict = Verdict::kViolated;
    other.reason.clear();
  }
}

void StreamCheck::leave_open(const std::string& reason) {
  for (Asked& other : asked_) {
    if (other.is_decided) continue;
    other.is_decided = true;
    other.reason = reason;
  }
}

std::unique_ptr<const History> StreamCheck::history() {
  if (violation_) return std::make_unique<const History>(std::move(violation_->history));
  HistoryBuilder builder;
  builder.origin() = counts_.origin();
  builder.origin().file = request_.path;
  builder.origin().format = "native-binary";
  builder.origin().notes.clear();
  return std::make_unique<const History>(std::move(builder.finish()).value());
}

/// Of the levels that the transactions of the last violation violate, with proofs.
CheckReport StreamCheck::report_of_violation(const History& history) {
  CheckOptions options;
  options.clock_error_ns = clock_error_ns_;
  const auto is_violated = [](const Asked& asked) {
    return asked.verdict == Verdict::kViolated;
  };
  for (const Asked& asked : asked_) {
    if (is_violated(asked)) options.levels.push_back(asked.level);
  }
  if (options.levels.size() > 1) return decided(history, options, budget_);
  try {
    return report_of(history, violation_->certificate, budget_);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

api::Checked StreamCheck::checked(const History& history) {
  CheckReport report;
  if (violation_) report = report_of_violation(history);
  std::vector<LevelReport> found = std::exchange(report.levels, {});
  for (const Asked& asked : asked_) {
    LevelReport row{asked.level, asked.verdict, asked.reason, kNoProof};
    if (asked.verdict == Verdict::kViolated) {
      const auto known = std::ranges::find(found, asked.level, &LevelReport::level);
      if (known != found.end() && known->verdict == Verdict::kViolated) {
        row = *known;
      } else {
        row.reason = "by other transactions than those shown; ask for the level alone";
      }
    }
    report.levels.push_back(std::move(row));
  }
  report.sessions_respect_time = counts_.sessions_respect_time();
  api::Checked checked =
      api::reported(history, std::move(report), counts_.evidence(), request_.settings);

  explain::ReportModel& model = checked.model;
  model.clock_error_ns = clock_error_ns_;
  std::optional<std::uint64_t> in_order;
  std::size_t verified = 0;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    explain::LevelOutcome& row = model.levels[i];
    if (row.verdict != Verdict::kHolds) continue;
    in_order = streamed_.settled;
    row.clock_error_ns = clock_error_ns_;
    if (asked_[i].order != row.level) row.follows_from = asked_[i].order;
    verified += asked_[i].is_verified ? 1 : 0;
  }
  if (request_.verifies) model.proofs_verified = verified;
  model.not_checked = counts_.not_checked(in_order);
  if (violation_) {
    model.not_checked.insert(
        model.not_checked.begin(),
        "the explanation rests on " + base::plural(history.txn_count(), "transaction") +
            " alone, whatever the others did; #1 is the first one that was read");
  }
  model.streamed = streamed_;
  model.check_seconds = watch_.seconds();
  return checked;
}

Status StreamCheck::finish_segments(explain::ReportModel& model) {
  Status result = ok_status();
  for (std::size_t r = 0; r < readings_.size(); ++r) {
    Reading& reading = readings_[r];
    if (!reading.segments) continue;
    bool holds = false;
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      explain::LevelOutcome& row = model.levels[i];
      if (row.verdict != Verdict::kHolds || asked_[i].reading != r) continue;
      holds = true;
      row.certificate = reading.path;
    }
    const Status finished = reading.segments->finish(holds ? &reading.end : nullptr);
    reading.segments.reset();
    if (result) result = finished;
    std::error_code ignored;
    if (!holds) std::filesystem::remove(reading.path, ignored);
    if (finished || !holds) continue;
    for (explain::LevelOutcome& row : model.levels) {
      if (row.certificate == reading.path) row.certificate.reset();
    }
  }
  return result;
}

namespace {

/// A file with that path is one of those that are read of the folder.
bool is_in_folder(const std::string& path, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path parent = fs::path(path).parent_path();
  return path.ends_with(stream::FolderSource::kSuffix) && fs::is_directory(folder, ignored) &&
         fs::equivalent(parent.empty() ? "." : parent, folder, ignored);
}

}  // namespace

Status check_stream_output(const std::string& path, const std::vector<std::string>& sources) {
  for (const std::string& source : sources) {
    if (const Status safe = cli::check_output(path, source); !safe) return safe;
    if (!is_in_folder(path, source)) continue;
    return Error{ErrorCode::kUsage, path + " would be read as one of the files in " + source +
                                        "; choose another name"};
  }
  return ok_status();
}

Error with_stream_advice(Error error, const std::string& command) {
  if (error.message.ends_with("this is another format")) {
    error.message +=
        "; isolde convert --to native-binary writes one, and what is compressed comes through "
        "a pipe (zcat FILE | " +
        command + " -)";
  }
  return error;
}

}  // namespace isolde::cli
