// What a report says, whatever its form: the verdicts of one history with their explanations,
// what they rest on and what they leave out. The renderers (report_text.hpp, report_json.hpp
// and others) make documents from it and from nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/scenario.hpp"
#include "history/evidence.hpp"
#include "history/verdicts.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::explain {

/// What the report says about one level.
struct LevelOutcome {
  Level level = Level::kSerializable;
  Verdict verdict = Verdict::kUnknown;
  /// Of unknown and not-applicable; of a violated level without a scenario why it has none.
  std::string reason;
  std::optional<std::string> certificate;  ///< path, when one was written
  /// Of violated levels, unless limits left no room for it.
  std::optional<Scenario> scenario;
  history::Trial trial = history::Trial::kTried;  ///< of levels that hold
  /// The verdict follows from that of this other level, whose proof is the certificate's.
  std::optional<Level> follows_from = {};
  /// How far apart clocks may be for the verdict to stand; 0: no clocks count, or they agree.
  std::int64_t clock_error_ns = 0;
  /// The verdict stands if the versions that the history tells are true.
  bool trusts_versions = false;

  /// Of a violated level: there is no room to tell more.
  void leave_unexplained(const std::string& why) {
    scenario.reset();
    reason = "not explained: " + why;
  }
  bool is_violated() const { return verdict == Verdict::kViolated; }
  /// What is wrong, or why there is no verdict; empty for a level that holds.
  const std::string& why() const { return scenario ? scenario->statement : reason; }
};

/// "with clocks up to 10ms apart"; empty where none are assumed to be.
std::string clocks_text(std::int64_t clock_error_ns);

/// "with versions trusted"; empty where they are not.
std::string versions_text(bool trusts_versions);

/// What a verdict rests on beside the history: "follows from linearizable, with clocks up to
/// 10ms apart, with versions trusted"; empty where the level has a proof of its own that
/// assumes nothing of clocks and versions.
std::string basis_text(const LevelOutcome& outcome);

/// What the makers of a database promise at an isolation setting.
struct Promise {
  std::string database;        ///< whose; may be empty
  std::string isolation;       ///< in its own words; likewise
  std::optional<Level> level;  ///< nothing: none of the levels
  std::string why_none;        ///< without a level: one clause
  bool is_asked = false;       ///< the user says so, and not the makers of the database
};

/// What `isolde run` did to get the history.
struct RunReport {
  std::string database;  ///< DSN without password
  std::string version;
  std::string isolation;
  std::string workload;
  std::uint64_t seed = 0;
  std::uint64_t committed = 0;
  std::uint64_t aborted = 0;
  std::uint64_t rolled_back = 0;
  std::uint64_t unknown = 0;
  std::uint64_t given_up = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t faults = 0;  ///< without their ends
  double seconds = 0;        ///< from the first transaction to the last
  std::vector<std::pair<std::string, std::uint64_t>>
      reasons;          ///< of aborts, most frequent first
  std::string stopped;  ///< why it ended early, or empty
};

/// Anomalies of one type on the same keys.
struct AnomalyGroup {
  Anomaly anomaly;
  std::vector<std::string> keys;
  std::size_t count = 0;
  std::vector<std::string> transactions;  ///< of the first one
};

/// What `isolde check --anomalies` found.
struct AnomaliesReport {
  Level level = Level::kSerializable;
  std::size_t count = 0;
  std::vector<AnomalyGroup> groups;  ///< in the order in which they were found
  std::vector<std::string> not_searched;
};

/// How much was read.
struct Extent {
  std::uint64_t sessions = 0;
  std::uint64_t transactions = 0;
  std::uint64_t aborted = 0;
  std::uint64_t indeterminate = 0;
  std::uint64_t operations = 0;
  std::uint64_t keys = 0;
};

/// What was read part by part (isolde check --stream).
struct Streamed {
  Extent extent;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t rounds = 0;
  std::uint64_t settled = 0;           ///< transactions with a place in the order
  std::int64_t first_start = kNoTime;  ///< where times count from
  std::string bundle;                  ///< path of the violation's transactions, or empty
};

/// All that a report is made from, in whatever form.
struct ReportModel {
  /// Of what was read part by part: the transactions of the violation, or else none.
  const History& history;
  std::vector<LevelOutcome> levels;
  std::vector<Level> strongest;
  std::vector<Level> weakest_violated;
  /// What the verdicts do not cover, levels without one aside; see also remarks().
  std::vector<std::string> not_checked;
  double load_seconds = 0;
  double check_seconds = 0;
  double explain_seconds = 0;
  CheckStatistics work = {};
  std::uint64_t peak_rss_bytes = 0;
  std::optional<RunReport> run = std::nullopt;
  std::optional<Promise> promise = std::nullopt;  ///< nothing: none is known
  bool loaded = true;  ///< false: it was ended or not begun, and the history is empty
  bool asked = false;  ///< for these levels by name, so that a violation fails the check
  bool sessions_respect_time = false;  ///< as in CheckReport
  RowFacts rows = {};                  ///< as in CheckReport
  history::Evidence evidence = {};
  std::int64_t clock_error_ns = 0;  ///< as in CheckOptions
  std::optional<AnomaliesReport> anomalies = std::nullopt;
  /// Of how many decided levels the proof was verified; none: of no level that was asked for.
  std::optional<std::size_t> proofs_verified = std::nullopt;
  std::optional<Streamed> streamed = std::nullopt;
};

/// Of all that was read.
Extent extent_of(const ReportModel& model);

struct StatusCounts {
  std::uint64_t aborted = 0;
  std::uint64_t indeterminate = 0;
};
StatusCounts count_statuses(const History& history);

/// history::to_text() of the evidence; where some committed without effect on it, with what
/// became of all that are not counted: "294 transactions took effect; of the other 7, 4 were
/// aborted and 3 committed but tell of no key; ...".
std::string evidence_text(const ReportModel& model);

/// What the reader had to say, printable, the first of many.
std::vector<std::string> reader_notes(const History& history);

/// For ReportModel::not_checked: transactions and reads left out, notes of the reader. Levels
/// that are not decided say so themselves.
std::vector<std::string> not_checked(const History& history, const CheckReport& report);

/// not_checked, then what was not put to the test and what is assumed of clocks and versions,
/// in one list for documents. The text has these where they belong.
std::vector<std::string> remarks(const ReportModel& model);

}  // namespace isolde::explain
