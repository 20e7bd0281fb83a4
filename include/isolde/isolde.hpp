// Isolde as a library: from a history to verdicts that can be checked again.
//
//     isolde::Result<isolde::History> history = isolde::load("history.jsonl");
//     if (!history) return fail(history.error());
//     isolde::Result<isolde::Report> report = isolde::check(*history);
//     if (!report) return fail(report.error());
//     std::cout << report->text();
//
// docs/library.md has complete programs. A history comes from a file (load), from bytes in
// memory (parse), from a HistoryBuilder (history_builder.hpp), or from a Recorder
// (recorder.hpp) that writes the file. The program `isolde` is a user of the same code.
//
// Threads: every function may be called from several threads at once; histories and reports
// are immutable. Errors: bad input, limits and refusals of the machine come as Result; a
// verdict is never an error. No function throws, save what its callbacks throw; a bug in Isolde
// ends the program with a message. COST, where a comment says nothing: the time to copy what
// comes out. There is no promise of a stable ABI before version 1.0: compile and link against
// the same version.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/export.h"
#include "isolde/history_builder.hpp"
#include "isolde/level.hpp"
#include "isolde/recorder.hpp"
#include "isolde/status.hpp"
#include "isolde/verdict.hpp"
#include "isolde/version.h"

namespace isolde {

/// Of the library that the program runs with, as ISOLDE_VERSION.
ISOLDE_API std::string_view version();

/// When to stop. Explanations that were begun are finished.
struct Limits {
  /// Wall-clock time of one call, 0 or more; 0: no limit.
  double seconds = 0;
  /// By how much the memory of this process may grow during the call, whoever allocates it; 0:
  /// no limit. A single step may exceed it for a moment.
  std::uint64_t memory_bytes = 0;
};

/// What a call tells, and asks, while it works.
struct Watch {
  /// Now and then, with what is being done in a few words. From the calling thread.
  std::function<void(std::string_view work)> progress = {};
  /// Asked several times a second whether to stop, from one thread at a time, perhaps another
  /// than the calling one. The call then ends as when a limit is reached.
  std::function<bool()> cancelled = {};
};

struct LoadOptions {
  /// As `isolde check --format` has it, "native" for one; empty: told from the content.
  std::string format = {};
  Limits limits = {};
  /// From 1 to 1024, the calling one included. Never changes a result.
  unsigned threads = 1;
  Watch watch = {};
};

/// Reads a file, or a directory for formats with a file for each session; "-" is standard
/// input. gzip and zstd are unpacked. ERRORS: kEnvironment: it cannot be read; kBadInput: what
/// is wrong at which line or byte; kLimit; kUsage: no such format, number of threads or limit.
/// COST: about a second for 100 MB and core.
ISOLDE_API Result<History> load(const std::string& path, const LoadOptions& options = {});

/// Reads what a file would hold; not compressed. `name` is what messages call it. ERRORS, COST:
/// as load(); copies the bytes.
ISOLDE_API Result<History> parse(std::string_view bytes, const std::string& name,
                                 const LoadOptions& options = {});

/// What to decide about a history.
struct CheckRequest {
  /// Empty: all levels; without those that are defined only for histories of another kind.
  std::vector<Level> levels = {};
  /// Real time counts only where it differs by more than this, for clients whose clocks may be
  /// so far apart. At most a day.
  std::int64_t clock_error_ns = 0;
  /// A level that holds is unknown when fewer transactions took effect.
  std::uint64_t min_committed = 1;
  /// A level that holds is unknown when the history does not put it to the test: no two
  /// transactions, for most levels no two that overlap, used a key that one of them wrote.
  bool require_evidence = false;
  /// Verify each proof before it is reported, as verify() does. A verdict whose proof does not
  /// stand, which is a bug, is unknown with that reason. COST: linear in the history for each
  /// decided level.
  bool verify = false;
  /// Make the explanations of what is violated; reports without them say only what is decided.
  bool explain = true;
  Limits limits = {};
  /// From 1 to 1024, the calling one included. Never changes a result.
  unsigned threads = 1;
  Watch watch = {};
};

/// The verdict about one level.
struct LevelResult {
  Level level = Level::kSerializable;
  Verdict verdict = Verdict::kUnknown;
  /// kViolated: what went wrong, in a sentence. kUnknown, kNotApplicable: why.
  std::string reason;
  /// kHolds: the history put the level to the test. False: it holds, and little is said by it.
  bool tried = false;
  /// The verdict follows from that of this other level.
  std::optional<Level> follows_from;
};

/// The verdicts about one history. Immutable; movable; refers to the history, which must
/// outlive it.
class ISOLDE_API Report {
 public:
  Report(Report&&) noexcept;
  Report& operator=(Report&&) noexcept;
  ~Report();

  /// Of the levels asked for, stronger ones first.
  std::span<const LevelResult> levels() const;
  /// kUnknown for a level that was not asked for.
  Verdict verdict(Level level) const;
  /// Levels that hold and are implied by no other level that holds.
  std::span<const Level> strongest_held() const;
  /// Levels that are violated and imply no other violated level.
  std::span<const Level> weakest_violated() const;

  /// The report for people, as `isolde check` prints it: several paragraphs.
  std::string text() const;
  /// For programs, one line; docs/report.schema.json describes it.
  std::string json() const;
  /// The report in a form that the program has an option for (docs/outputs.md), by the option's
  /// name: "junit", "sarif", "edn", "github", "dot". Pages and pictures are the program's.
  /// Empty where a form has nothing to show. ERRORS: kUsage for any other name, with all that
  /// there are. COST: rendered anew by each call, like the two above.
  Result<std::string> render(std::string_view form) const;

  /// The proof of the verdict, as the text of a certificate file (docs/formats/certificate.md),
  /// for verify() or for anybody who does not trust this library. ERRORS: kUsage when the level
  /// is neither kHolds nor kViolated. COST: linear in its size, which is about that of the
  /// history where a level holds.
  Result<std::string> certificate(Level level) const;

 private:
  friend ISOLDE_API Result<Report> check(const History& history, const CheckRequest& request);
  struct ISOLDE_HIDDEN State;
  explicit Report(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Decides. Levels that the limits leave open are kUnknown, with the reason. The history must
/// outlive the report. ERRORS: kLimit when memory does not even suffice for a report; kUsage:
/// no such number of threads, limit or clock error. COST: docs/BENCHMARKS.md: mostly a second
/// for a million transactions; some levels are NP-complete, and limits are for those.
ISOLDE_API Result<Report> check(const History& history, const CheckRequest& request = {});

/// What the independent verifier says of a certificate.
struct Verification {
  bool proves = false;
  /// "serializable is violated, by a cycle": what the certificate claims.
  std::string claim;
  Level level = Level::kSerializable;
  Verdict verdict = Verdict::kUnknown;  ///< claimed: kHolds or kViolated
  /// How far apart the proof assumes clocks to be.
  std::int64_t clock_error_ns = 0;
  /// Why it proves nothing; empty when it does.
  std::string reason;
  /// It proves its claim for a history whose versions are true
  /// (History::with_trusted_versions()), and nothing for the history as such.
  bool trusts_versions = false;
};

/// Checks a certificate's text against the history that it is about. Shares no code with
/// check(). ERRORS: kBadInput for anything that is not a certificate for a history of this
/// size. COST: about linear.
ISOLDE_API Result<Verification> verify(const History& history, std::string_view certificate);

/// A recorder (recorder.hpp) that writes groups of the native-binary format, a few each second,
/// for `isolde watch --follow PATH` beside it. A thread of its own makes them, of the text
/// PATH.jsonl, which has all of it when the program dies, and goes away with close(). Memory:
/// that of a group. ERRORS: as Recorder::open(), of both files; those of close() are of both,
/// too, and kBadInput for what groups cannot tell, which rows with columns are: then the text
/// stays.
ISOLDE_API Result<std::unique_ptr<Recorder>> record_in_groups(
    const std::string& path, const RecorderOptions& options = {});

/// What a certificate of violation says, for people, after verifying it; of one that a level
/// holds, its claim. ERRORS: as verify(); kUsage when it proves nothing, such as of another
/// history. COST: as verify(), which comes first.
ISOLDE_API Result<std::string> explanation(const History& history,
                                           std::string_view certificate);

}  // namespace isolde
