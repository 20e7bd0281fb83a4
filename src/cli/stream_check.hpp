// isolde check --stream: a history that is read part by part, in memory that does not grow with
// it (stream/rounds.hpp), at the levels that were asked for.
//
// A level takes a reading of the source. One that holds proves those that it implies; one that
// is violated, mostly, others that its transactions violate, too. So several levels take fewer
// readings than there are, and mostly one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "api/checking.hpp"
#include "base/budget.hpp"
#include "certify/segments.hpp"
#include "cli/checking.hpp"
#include "cli/progress.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"
#include "stream/rounds.hpp"
#include "stream/rounds_reader.hpp"
#include "stream/segments_file.hpp"
#include "stream/session_times.hpp"
#include "stream/source.hpp"
#include "stream/suspects.hpp"

namespace isolde::cli {

/// What reports tell of a source, counted as it is read.
class SourceCounts {
 public:
  explicit SourceCounts(std::int64_t clock_error_ns) : times_(clock_error_ns) {}

  /// The part that comes next.
  void add(const History& part, base::Budget& budget);

  explain::Extent extent(std::uint64_t keys) const;
  std::uint64_t reads() const { return reads_; }
  std::uint64_t writes() const { return writes_; }
  const history::Evidence& evidence() const { return evidence_; }
  const HistoryOrigin& origin() const { return origin_; }
  bool sessions_respect_time() const { return respects_time_; }
  /// For ReportModel::not_checked. `in_order`: transactions that have a place in the order of
  /// all; nothing: there is no such order.
  std::vector<std::string> not_checked(std::optional<std::uint64_t> in_order) const;

 private:
  void look_at_ops(const History& part);

  std::size_t parts_ = 0;
  std::unordered_set<std::string> sessions_;  // names
  stream::SessionTimes times_;
  bool respects_time_ = true;
  explain::Extent extent_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t unknown_reads_ = 0;
  history::Evidence evidence_;
  HistoryOrigin origin_;  // of the first part
  std::vector<std::string> notes_;
};

/// One history, and what is asked of it.
struct StreamRequest {
  std::string path;
  api::Settings settings;  ///< with levels, in the order of all_levels()
  bool verifies = false;
  std::int64_t takes_effect_within_ns = kNoTime;  ///< as RoundsOptions
  /// Where the order goes that proves a level, a file of segments. Empty: nowhere.
  std::function<std::string(Level)> segments_path = {};
};

class StreamCheck {
 public:
  /// The others outlive this object.
  StreamCheck(StreamRequest request, base::Budget& budget, Progress& progress);

  /// The first part of the source. ERRORS: as Source::next().
  static Result<History> first_part(const std::string& path, base::Budget& budget);
  /// What was read is a pipe, or what is left of it.
  static bool is_read_once(const std::string& path);

  /// Reads and decides. Levels not decided within the budget are unknown. ERRORS: of the
  /// source.
  Status run();

  /// A history for reports: the transactions of the violation that was found last, with their
  /// numbers as names; or else none.
  std::unique_ptr<const History> history();
  /// The verdicts, weighed and counted. REQUIRES: run(); `history` is that of history().
  api::Checked checked(const History& history);
  /// Files of segments get their end where the level holds, which the model tells, and go
  /// otherwise. ERRORS: kEnvironment: the first that was not written.
  Status finish_segments(explain::ReportModel& model);

 private:
  struct Asked {
    Level level;
    bool is_decided = false;
    Verdict verdict = Verdict::kUnknown;
    std::string reason = {};
    std::optional<Level> order = {};  ///< kHolds: what was found an order of
    std::size_t reading = 0;          ///< kHolds: whose order it is
    bool is_verified = false;
  };
  struct Reading {
    std::string path = {};  ///< of segments
    std::unique_ptr<stream::SegmentsFile> segments = {};
    certify::Segment::End end = {};
  };

  Status read(Asked& asked);
  Status begin_segments(Reading& reading, const stream::RoundsOptions& options) const;
  void show(const stream::Rounds& rounds, const stream::Source& source, Level level);
  void take_verdict(Asked& asked, const stream::Rounds& rounds,
                    const stream::RoundsReader& reader, SourceCounts counts);
  void decide_implied(const Asked& by, bool sessions_respect_time);
  void decide_violated(const Asked& by, bool all_came);
  void leave_open(const std::string& reason);
  CheckReport report_of_violation(const History& history);

  StreamRequest request_;
  base::Budget& budget_;
  Progress& progress_;
  Stopwatch watch_;
  std::uint64_t bytes_ = 0;  // of the source; 0: it is not known
  double reading_since_ = 0;
  std::vector<Asked> asked_;
  std::vector<Reading> readings_;
  std::int64_t clock_error_ns_;  // the largest of all readings
  SourceCounts counts_;
  explain::Streamed streamed_;
  std::optional<stream::Violation> violation_;
};

/// Neither is what is read overwritten, nor will what is written be read. ERRORS: kUsage.
Status check_stream_output(const std::string& path, const std::vector<std::string>& sources);

/// Whoever has another file may make one of it: what to do, for the command with that name.
Error with_stream_advice(Error error, const std::string& command);

}  // namespace isolde::cli
