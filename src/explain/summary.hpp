// The verdict in a few sentences for somebody who knows no level by name: which anomalies
// occurred, which ones this history shows not to occur, what that means for an application,
// what helps, and what the database had promised. Each sentence follows from verdicts: "occur"
// from the anomaly that explains a violated level, "not seen" from a level that holds, was put
// to the test, and forbids the anomaly.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/lessons.hpp"
#include "explain/report_model.hpp"

namespace isolde::explain {

/// Anomalies by a name that people know, and the weakest level that forbids them all.
struct Guard {
  std::string_view many;  ///< "dirty reads"
  Level level;
  std::span<const std::string_view> anomalies;  ///< by the names of lessons
};
std::span<const Guard> guards();

/// A level that forbids all anomalies of this name.
struct Exclusion {
  std::string_view anomaly;  ///< the name of a lesson
  Level level;
};
/// For what no guard has.
std::span<const Exclusion> exclusions();

/// A level that forbids all anomalies of that name holds and was put to the test. Where no
/// level is known to, false.
bool is_excluded(const ReportModel& model, std::string_view anomaly);

/// What helps against anomalies.
struct Advice {
  std::vector<const Lesson*> against;
  std::string text;
};

struct Summary {
  std::vector<const Lesson*> occurs;  ///< each once, the most damaging first
  std::vector<std::string> not_seen;  ///< of guards()
  std::uint64_t transactions = 0;     ///< that took effect
  /// One or two sentences: what occurs and what does not, or why nothing can be said.
  std::string verdict;
  std::string totals;  ///< totals_text()
  std::string lost;    ///< how many updates were lost at least, as a sentence, or empty
  /// What the most damaging anomaly means, and behind it what else others do; empty where none
  /// occurs. Without the full stop at its end, as what helps.
  std::string meaning;
  std::string remedy;  ///< against the most damaging anomaly; likewise
  /// Against the others, as far as other things help: the most damaging ones first.
  std::vector<Advice> more_remedies;
  std::string one_change;  ///< one_change_text()
  std::string locking;     ///< what locks bring, where advice speaks of them; else empty
  std::string promise;     ///< promise_text() as a sentence; empty when none is known
  std::string keeper;      ///< keeper_text(), only where there is a promise
  std::string namesake;    ///< namesake_text()
};

/// "read skew and stale reads".
std::string against_text(const Advice& advice);

/// The lessons outlive all; the rest is the summary's own.
/// What anomalies do to an application: the first one with an example, and of the others each
/// that does something else, in as many lines as people read. REQUIRES: there are some, the
/// most damaging first.
std::string meaning_text(std::span<const Lesson* const> occurs);

Summary summary_of(const ReportModel& model);

}  // namespace isolde::explain
