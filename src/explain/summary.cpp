#include "explain/summary.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "explain/forbids.hpp"
#include "explain/lost_updates.hpp"
#include "explain/one_change.hpp"
#include "explain/promise.hpp"
#include "explain/story.hpp"
#include "explain/totals.hpp"

namespace isolde::explain {
namespace {

constexpr std::array<std::string_view, 4> kDirtyReads = {
    "aborted read", "intermediate read", "cyclic information flow", "dirty update"};
constexpr std::array<std::string_view, 5> kFractured = {"fractured read", "non-monotonic read",
                                                        "non-repeatable read", "phantom read",
                                                        "resurrected row"};
constexpr std::array<std::string_view, 2> kLostUpdates = {"lost update", "conflicting writers"};
constexpr std::array<std::string_view, 4> kWriteSkew = {
    "write skew", "phantom", "anti-dependency cycle", "read-only transaction anomaly"};
constexpr std::array<std::string_view, 2> kStaleReads = {"stale read", "no possible order"};

constexpr std::array kGuards = {
    Guard{"dirty reads", Level::kReadCommitted, kDirtyReads},
    Guard{"lost updates", Level::kParallelSnapshotIsolation, kLostUpdates},
    Guard{"write skew", Level::kSerializable, kWriteSkew},
    Guard{"fractured reads", Level::kReadAtomic, kFractured},
    Guard{"stale reads", Level::kStrongReadAtomic, kStaleReads},
};

constexpr std::array kExclusions = {
    Exclusion{"write cycle", Level::kReadUncommitted},
    Exclusion{"incompatible order", Level::kReadUncommitted},
    Exclusion{"cyclic versions", Level::kReadCommitted},
    Exclusion{"thin-air read", Level::kReadCommitted},
    Exclusion{"lost initial contents", Level::kReadCommitted},
    Exclusion{"impossible result", Level::kReadCommitted},
    Exclusion{"future read", Level::kReadCommitted},
    Exclusion{"not my last write", Level::kReadCommitted},
    Exclusion{"not my own write", Level::kReadCommitted},
    Exclusion{"internal inconsistency", Level::kReadCommitted},
    Exclusion{"duplicate elements", Level::kReadCommitted},
    Exclusion{"row outside of the condition", Level::kReadCommitted},
    Exclusion{"missed increment", Level::kStrictSerializable},
    Exclusion{"impossible number", Level::kReadCommitted},
    Exclusion{"impossible total", Level::kParallelSnapshotIsolation},
    Exclusion{"causality violation", Level::kTransactionalCausal},
    Exclusion{"causality violation", Level::kParallelSnapshotIsolation},
    Exclusion{"causality violation", Level::kPrefixConsistency},
    Exclusion{"read skew", Level::kParallelSnapshotIsolation},
    Exclusion{"read skew", Level::kPrefixConsistency},
    // Prefix consistency allows those in which writers replaced what readers missed.
    Exclusion{"long fork", Level::kSnapshotIsolation},
    Exclusion{"lost delete", Level::kSerializable},
    Exclusion{"read-your-writes violation", Level::kReadYourWrites},
    Exclusion{"monotonic-reads violation", Level::kMonotonicReads},
    Exclusion{"monotonic-writes violation", Level::kMonotonicWrites},
    Exclusion{"writes-follow-reads violation", Level::kWritesFollowReads},
    Exclusion{"session guarantee violation", Level::kStrongSessionSerializable},
    Exclusion{"real-time violation", Level::kStrictSerializable},
    Exclusion{"stale snapshot", Level::kCommitOrderedStrongSnapshotIsolation},
    Exclusion{"snapshot from the future", Level::kCommitOrderedStrongSnapshotIsolation},
};

std::vector<const Lesson*> occurring(std::span<const Story> told) {
  std::vector<const Lesson*> found;
  for (const Story& story : told) {
    const Lesson* const lesson = &lesson_of(story.scenario->anomaly.name);
    if (std::ranges::find(found, lesson) == found.end()) found.push_back(lesson);
  }
  return found;
}

/// A stronger level that holds may have been put to the test in other respects only: that of
/// sessions, or of real time.
bool is_kept(const ReportModel& model, Level level) {
  if (history::trial(model.evidence, info(level)) != history::Trial::kTried) return false;
  return std::ranges::any_of(model.levels, [&](const LevelOutcome& outcome) {
    return outcome.verdict == Verdict::kHolds &&
           implies_there(outcome.level, level, model.sessions_respect_time, model.rows);
  });
}

std::vector<std::string> not_seen(const ReportModel& model,
                                  std::span<const Lesson* const> occurs) {
  std::vector<std::string> names;
  for (const Guard& guard : kGuards) {
    const bool occurs_here = std::ranges::any_of(occurs, [&](const Lesson* lesson) {
      return std::ranges::find(guard.anomalies, lesson->name) != guard.anomalies.end();
    });
    if (!occurs_here && is_kept(model, guard.level)) names.emplace_back(guard.many);
  }
  return names;
}

std::size_t count_of(const ReportModel& model, Verdict verdict) {
  return static_cast<std::size_t>(
      std::ranges::count(model.levels, verdict, &LevelOutcome::verdict));
}

/// "Lost updates, read skew, stale reads and 2 more kinds of anomaly occur." A single one more
/// takes no more room by its name.
std::string occurrence_text(std::span<const Lesson* const> lessons) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  for (const Lesson* lesson : lessons) names.emplace_back(lesson->many);
  names = together(names);
  if (names.size() > kNamed + 1) {
    const std::size_t more = names.size() - kNamed;
    names.resize(kNamed);
    names.push_back(base::plural(more, "more kind") + " of anomaly");
  }
  // "Write skew occurs", "lost updates occur".
  const Lesson& first = *lessons.front();
  const bool is_singular =
      lessons.size() == 1 && first.many == first.name && !first.many.ends_with('s');
  return base::capitalised(base::joined(names, "and")) + (is_singular ? " occurs." : " occur.");
}

std::string nothing_decided_text(const ReportModel& model) {
  const std::vector<OpenLevels> open = open_levels(model.levels, Verdict::kUnknown);
  if (open.empty()) return "None of the levels applies to this history.";
  return "Nothing was decided" +
         (open.size() == 1 ? ": " + std::string(open.front().reason) : "") + ".";
}

/// Where no level is violated: what was looked for in vain, and whether it could have been
/// seen.
std::string nothing_found_text(const ReportModel& model) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> held;
  bool could_show = false;
  for (const LevelOutcome& outcome : model.levels) {
    if (outcome.verdict != Verdict::kHolds) continue;
    held.emplace_back(info(outcome.level).name);
    could_show = could_show || outcome.trial != history::Trial::kUntried;
  }
  if (held.empty()) return nothing_decided_text(model);
  std::string text = "No anomaly";
  if (!open_levels(model.levels, Verdict::kUnknown).empty() && held.size() > kNamed) {
    text += " that the " + std::to_string(held.size()) + " levels that hold forbid";
  } else if (model.asked || !open_levels(model.levels, Verdict::kUnknown).empty()) {
    text += held.size() <= kNamed ? " that " + base::joined(held, "or") + " forbids"
                                  : " that the levels asked for forbid";
  }
  text += " was found in " + base::plural(model.evidence.in_effect, "transaction");
  if (could_show) return text + ".";
  return text +
         ", which could not have shown any: " + untried_text(model.levels, model.evidence) +
         ".";
}

/// That nobody has read what was taken back or overwritten is chance where it is allowed, and
/// no reason to rely on it. Also, a version that is read before its transaction commits and
/// stays cannot be told from one that is read later.
std::string allowed_text(const ReportModel& model, const Summary& summary) {
  if (!model.promise || !model.promise->level) return {};
  const bool is_allowed = !implies_there(*model.promise->level, Level::kReadCommitted,
                                         model.sessions_respect_time, model.rows);
  const bool is_named =
      std::ranges::find(summary.not_seen, kGuards.front().many) != summary.not_seen.end();
  if (!is_allowed || !is_named) return {};
  return " Dirty reads are allowed there all the same: " +
         std::string(info(*model.promise->level).name) + " is all that is promised.";
}

std::string verdict_text(const ReportModel& model, const Summary& summary) {
  const std::size_t open = count_of(model, Verdict::kUnknown);
  const std::string open_too = "Not decided: " + base::plural(open, "level") + ".";
  std::string text;
  if (!summary.occurs.empty()) {
    text = occurrence_text(summary.occurs);
  } else if (const std::size_t violated = count_of(model, Verdict::kViolated); violated > 0) {
    text = base::plural(violated, "level") + (violated == 1 ? " is" : " are") +
           " violated, by what was not explained.";
  } else if (open > 0 && count_of(model, Verdict::kHolds) > 0) {
    // Whoever reads no further is not to take it for a clean bill.
    return open_too + " " + nothing_found_text(model);
  } else {
    return nothing_found_text(model);
  }
  if (!summary.not_seen.empty()) {
    text += " " + base::capitalised(base::joined(summary.not_seen, "and")) + ": not seen in " +
            base::plural(summary.transactions, "transaction") + "." +
            allowed_text(model, summary);
  }
  return open > 0 ? text + " " + open_too : text;
}

/// Where lost updates occur, and values show more than that some do.
std::string lost_text(const ReportModel& model, std::span<const Lesson* const> occurs) {
  const bool any = std::ranges::any_of(
      occurs, [](const Lesson* lesson) { return lesson->name == "lost update"; });
  const std::uint64_t lost = any ? lost_updates(model.history) : 0;
  if (lost == 0) return {};
  return "At least " + base::plural(lost, "update") + (lost == 1 ? " was" : " were") +
         " lost: overwritten by a transaction that had read the same version before.";
}

/// Causal consistency, which lets transactions be seen in part, may hold where "causality
/// violations" break a level that does not: nobody is to take the row "causal" for a mistake.
std::string_view broken_form(const ReportModel& model, std::span<const Lesson* const> occurs) {
  const auto causal = std::ranges::find(model.levels, Level::kCausal, &LevelOutcome::level);
  const bool holds = causal != model.levels.end() && causal->verdict == Verdict::kHolds;
  const bool any = std::ranges::any_of(
      occurs, [](const Lesson* lesson) { return lesson->name == "causality violation"; });
  if (!holds || !any) return {};
  return ". Causality is violated between whole transactions, not between single operations "
         "(causal holds)";
}

constexpr std::string_view kDefect =
    "the database promises that this does not happen: it is a defect, or the setup breaks a "
    "rule "
    "of the manual; isolde minimize makes a small history of it for the makers";

/// What helps against all of one kind that breaks no promise.
std::string remedy_text(const ReportModel& model, const Setup& setup,
                        std::span<const Story* const> kind) {
  const auto any = [&](Level level, auto is_it) {
    return std::ranges::any_of(
        kind, [&](const Story* story) { return is_it(forbids(model, level, *story)); });
  };
  const Cures cures = [&](Level level) {
    const bool is_promised =
        setup.promise &&
        implies_there(*setup.promise, level, model.sessions_respect_time, model.rows);
    return !is_promised && !holds_here(model, level) &&
           any(level, [](Forbids it) { return it != Forbids::kNo; });
  };
  const Remedy& row =
      remedy_for(lesson_of(kind.front()->scenario->anomaly.name).harm, setup, cures);
  std::string text(row.text);
  if (!row.cure) return text;
  const auto count = [&](Level level, auto is_it) {
    return std::ranges::count_if(
        kind, [&](const Story* story) { return is_it(forbids(model, level, *story)); });
  };
  const auto count_forbidden = [&](Level level) {
    return count(level, [](Forbids it) { return it == Forbids::kYes; });
  };
  // Also those against which it is of use only in part.
  const auto count_helped = [&](Level level) {
    return count(level, [](Forbids it) { return it != Forbids::kNo; });
  };
  // Of all servers together less may be promised.
  const std::optional<Level> there = promised_there(setup.database, *row.cure, setup.servers);
  const auto forbidden = count_forbidden(*row.cure);
  if ((there ? count_forbidden(*there) : 0) < forbidden ||
      (there ? count_helped(*there) : 0) < count_helped(*row.cure)) {
    text.insert(0, "send all transactions to one server, and ");
  }
  if (forbidden == std::ssize(kind)) return text;
  const bool is_order = !any(*row.cure, [](Forbids it) { return it == Forbids::kNo; });
  return text + (is_order
                     ? "; the isolation does not promise that a session sees its own past, "
                       "or the latest state"
                     : "; the isolation forbids some of those seen here, not all");
}

/// What the user holds the database to, and what happened breaks: nothing, where it is not one
/// level.
std::string_view held_to(const ReportModel& model, const Story& worst) {
  if (model.promise) return info(*model.promise->level).name;
  const bool is_one = worst.levels.size() == 1 && worst.levels.front() != Level::kMixed;
  return is_one ? info(worst.levels.front()).name : std::string_view();
}

/// Where a level was asked for of a database of which nothing is known, as of one's own. Advice
/// to use an isolation that promises what was just found broken would be none to its makers.
std::string asked_text(const ReportModel& model, const Setup& setup, const Story& worst) {
  const bool is_held = model.promise
                           ? model.promise->is_asked && breaks_promise(model, worst.levels)
                           : model.asked;
  if (!is_held || remedies_at(setup.database) != nullptr || setup.of_calls) return {};
  if (lesson_of(worst.scenario->anomaly.name).harm == Harm::kContradiction) return {};
  const std::string_view level = held_to(model, worst);
  return "if the database promises " +
         std::string(level.empty() ? "what was asked for" : level) +
         ", it is a defect, of which isolde minimize makes a small history for the makers; if "
         "not, ";
}

/// Against each anomaly, those against which the same helps together.
void advise(const ReportModel& model, std::span<const Story> told, Summary& summary) {
  const Setup setup = setup_of(model);
  std::vector<Advice> all;
  for (const Story& story : told) {
    const Lesson* const lesson = &lesson_of(story.scenario->anomaly.name);
    const bool is_broken = is_defect(model, story.levels);
    std::vector<const Story*> kind;
    for (const Story& each : told) {
      const bool is_it = &lesson_of(each.scenario->anomaly.name) == lesson;
      if (is_it && !is_defect(model, each.levels)) kind.push_back(&each);
    }
    const std::string text = is_broken ? std::string(kDefect) : remedy_text(model, setup, kind);
    auto known = std::ranges::find(all, text, &Advice::text);
    if (known == all.end()) known = all.insert(known, Advice{{}, text});
    if (std::ranges::find(known->against, lesson) == known->against.end()) {
      known->against.push_back(lesson);
    }
  }
  const bool locks =
      std::ranges::any_of(all, [](const Advice& each) { return speaks_of_locks(each.text); });
  if (locks) summary.locking = locking_of(model.history.origin().database);
  summary.remedy = asked_text(model, setup, told.front()) + all.front().text;
  all.erase(all.begin());
  summary.more_remedies = std::move(all);
}

}  // namespace

std::span<const Guard> guards() { return kGuards; }

std::span<const Exclusion> exclusions() { return kExclusions; }

bool is_excluded(const ReportModel& model, std::string_view anomaly) {
  const bool by_guard = std::ranges::any_of(kGuards, [&](const Guard& guard) {
    return std::ranges::find(guard.anomalies, anomaly) != guard.anomalies.end() &&
           is_kept(model, guard.level);
  });
  return by_guard || std::ranges::any_of(kExclusions, [&](const Exclusion& row) {
           return row.anomaly == anomaly && is_kept(model, row.level);
         });
}

std::string against_text(const Advice& advice) {
  std::vector<std::string> names;
  for (const Lesson* lesson : advice.against) names.emplace_back(lesson->many);
  return base::joined(together(names), "and");
}

std::string meaning_text(std::span<const Lesson* const> occurs) {
  constexpr std::ptrdiff_t kLines = 4;
  std::string text(meaning_of(occurs.front()->name));
  std::vector<Harm> told = {occurs.front()->harm};
  for (const Lesson* const lesson : occurs.subspan(1)) {
    if (std::ranges::find(told, lesson->harm) != told.end()) continue;
    told.push_back(lesson->harm);
    // "dirty reads (aborted reads, G1a)" have their other names in the line before.
    const std::string name(lesson->many.substr(0, lesson->many.find(" (")));
    const std::string longer = text + ". " + base::capitalised(name) + ": " +
                               std::string(short_meaning_of(lesson->harm));
    const std::string shown = base::wrapped("That means: " + longer + ".", 2);
    if (std::ranges::count(shown, '\n') > kLines) break;
    text = longer;
  }
  return text;
}

Summary summary_of(const ReportModel& model) {
  const std::vector<Story> told = stories(model);
  Summary summary;
  summary.transactions = model.evidence.in_effect;
  summary.occurs = occurring(told);
  summary.not_seen = not_seen(model, summary.occurs);
  summary.verdict = verdict_text(model, summary);
  summary.totals = totals_text(model.history);
  if (!told.empty()) {
    summary.meaning = meaning_text(summary.occurs);
    summary.meaning += broken_form(model, summary.occurs);
    advise(model, told, summary);
  }
  if (told.empty() && model.asked && totals_are_off(model.history)) {
    summary.totals +=
        " Where no level is asked for, the report tells which anomalies occur, and what helps "
        "against them.";
  }
  summary.lost = lost_text(model, summary.occurs);
  summary.one_change = one_change_text(model, told, summary.not_seen);
  summary.promise = promise_text(model);
  if (!summary.promise.empty()) summary.promise += ".";
  summary.keeper = keeper_text(model);
  summary.namesake = namesake_text(model);
  return summary;
}

}  // namespace isolde::explain
