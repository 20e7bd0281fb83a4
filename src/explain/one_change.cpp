#include "explain/one_change.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "explain/forbids.hpp"
#include "explain/harm.hpp"
#include "explain/lessons.hpp"
#include "explain/promise.hpp"
#include "explain/summary.hpp"

namespace isolde::explain {
namespace {

/// Of a database whose settings we do not know, the weakest first, in words for somebody who
/// knows no level by name.
constexpr std::array kAnySettings = {
    Setting{"",
            Level::kReadCommitted,
            {},
            "use an isolation at which nobody sees what is not committed"},
    Setting{"",
            Level::kSnapshotIsolation,
            {},
            "use an isolation at which all statements of a transaction read one snapshot and "
            "no change overwrites one that it has not seen"},
    Setting{"",
            Level::kStrongSessionSnapshotIsolation,
            {},
            "use an isolation at which all statements of a transaction read one snapshot, with "
            "all that its session did before, and no change overwrites one that it has not "
            "seen"},
    Setting{"",
            Level::kSerializable,
            {},
            "use an isolation at which transactions come out as if they ran one after the "
            "other"},
    Setting{"",
            Level::kStrongSessionSerializable,
            {},
            "use an isolation at which transactions come out as if they ran one after the "
            "other, those of each session in its order"},
    Setting{"",
            Level::kStrictSerializable,
            {},
            "use an isolation at which transactions come out as if they ran one after the "
            "other, each at a moment between its start and its end"},
};

const Lesson* lesson_of(const Story& story) {
  return &explain::lesson_of(story.scenario->anomaly.name);
}

/// What occurs and may occur at the setting as well: of some kinds all that was told, of others
/// a part, such as what only real time forbids.
struct Left {
  std::vector<const Lesson*> whole;
  std::vector<const Lesson*> in_part;

  /// Fewer kinds, and of these less.
  bool is_less_than(const Left& other) const {
    const std::size_t all = whole.size() + in_part.size();
    const std::size_t others = other.whole.size() + other.in_part.size();
    return whole.size() != other.whole.size() ? whole.size() < other.whole.size()
                                              : all < others;
  }
};

Left left_by(const ReportModel& model, std::span<const Story> told,
             std::optional<Level> promise) {
  std::set<const Lesson*> forbidden;
  std::vector<const Lesson*> allowed;
  for (const Story& story : told) {
    const Lesson* const lesson = lesson_of(story);
    if (promise && forbids(model, *promise, story) == Forbids::kYes) {
      forbidden.insert(lesson);
    } else if (std::ranges::find(allowed, lesson) == allowed.end()) {
      allowed.push_back(lesson);
    }
  }
  Left left;
  for (const Lesson* const lesson : allowed) {
    (forbidden.contains(lesson) ? left.in_part : left.whole).push_back(lesson);
  }
  return left;
}

std::string many_of(std::span<const Lesson* const> lessons) {
  std::vector<std::string> names;
  for (const Lesson* const lesson : lessons) names.emplace_back(lesson->many);
  return base::joined(together(names), "and");
}

/// The promise forbids most of this kind, and of what was told lacks but the order of sessions
/// and real time.
bool is_of_order_alone(const ReportModel& model, std::span<const Story> told,
                       const Lesson* lesson, Level promised) {
  const auto is_included = [&](Level level) {
    return implies_there(promised, level, model.sessions_respect_time, model.rows);
  };
  const bool is_forbidden_plainly =
      std::ranges::any_of(guards(),
                          [&](const Guard& guard) {
                            return is_included(guard.level) &&
                                   std::ranges::find(guard.anomalies, lesson->name) !=
                                       guard.anomalies.end();
                          }) ||
      std::ranges::any_of(exclusions(), [&](const Exclusion& row) {
        return row.anomaly == lesson->name && is_included(row.level);
      });
  return is_forbidden_plainly && std::ranges::all_of(told, [&](const Story& story) {
           return lesson_of(story) != lesson ||
                  forbids(model, promised, story) == Forbids::kWithOrder;
         });
}

std::string text_of(const ReportModel& model, std::span<const Story> told,
                    std::span<const Lesson* const> lessons, Level promised) {
  std::vector<std::string> names;
  for (const Lesson* const lesson : lessons) {
    names.emplace_back(lesson->many);
    if (is_of_order_alone(model, told, lesson, promised)) {
      names.back() += " in which a session misses its own past or the latest state";
    }
  }
  return base::joined(together(names), "and");
}

/// Those beyond the one that the history was recorded at, which are all where it names none;
/// with it where `with_present`. None where the database is known and its settings are not.
std::span<const Setting> settings_beyond(const Setup& setup, bool with_present) {
  const DatabaseRemedies* const database = remedies_at(setup.database);
  if (database == nullptr) return kAnySettings;
  // A history may name both in one: "PostgreSQL 15.20 REPEATABLE READ".
  const std::string present =
      base::plain_name(setup.isolation.empty() ? setup.database : setup.isolation);
  for (std::size_t i = 0; i < database->settings.size(); ++i) {
    if (!present.ends_with(base::plain_name(database->settings[i].name))) continue;
    return database->settings.subspan(with_present ? i : i + 1);
  }
  return database->settings;
}

/// A setting, and of how many servers it is to be had.
struct Choice {
  const Setting* setting = nullptr;
  bool of_one = false;  ///< only where all transactions go to one server
  std::optional<Level> promise;
};

/// The weakest first; those that keep all servers before those that do not.
std::vector<Choice> choices(const Setup& setup) {
  std::vector<Choice> all;
  for (const Setting& setting : settings_beyond(setup, false)) {
    const bool is_of_any = remedies_at(setup.database) == nullptr;
    all.push_back(
        {&setting, false, is_of_any ? setting.promise : setting.promise_of(setup.servers)});
  }
  if (setup.servers != Servers::kSeveral) return all;
  for (const Setting& setting : settings_beyond(setup, true)) {
    all.push_back({&setting, true, setting.promise});
  }
  return all;
}

/// What the level allows and neither occurs nor is ruled out, although a level that forbids it
/// is violated: by something else, as far as was told.
std::vector<std::string> open_at(const ReportModel& model, std::span<const Story> told,
                                 std::span<const std::string> not_seen, Level promised) {
  std::vector<std::string> open;
  for (const Guard& guard : guards()) {
    const bool occurs = std::ranges::any_of(told, [&](const Story& story) {
      return std::ranges::find(guard.anomalies, lesson_of(story)->name) !=
             guard.anomalies.end();
    });
    const auto row = std::ranges::find(model.levels, guard.level, &LevelOutcome::level);
    const bool is_violated = row != model.levels.end() && row->is_violated();
    if (occurs || !is_violated || std::ranges::find(not_seen, guard.many) != not_seen.end()) {
      continue;
    }
    if (implies_there(promised, guard.level, model.sessions_respect_time, model.rows)) continue;
    open.emplace_back(guard.many);
  }
  return open;
}

std::string advice(const Choice& choice) {
  const Setting& setting = *choice.setting;
  const std::string promised(info(*choice.promise).name);
  if (setting.name.empty()) return std::string(setting.how) + " (" + promised + ")";
  const std::string how =
      setting.how.empty() ? "set " + std::string(setting.name) : std::string(setting.how);
  const std::string again = (setting.again.empty() ? "" : ", and run again what ends with ") +
                            std::string(setting.again);
  // What is promised of one server is not promised of those that the history is from.
  if (choice.of_one) return "send all transactions to one server, and " + how + again;
  return how + ", which promises " + promised + again;
}

}  // namespace

std::string keeper_text(const ReportModel& model) {
  const LevelOutcome* const asked = promised_outcome(model);
  if (asked == nullptr || !asked->is_violated() || !model.promise->is_asked) return {};
  const Setup setup = setup_of(model);
  if (remedies_at(setup.database) == nullptr) return {};
  for (const Choice& choice : choices(setup)) {
    const bool is_enough =
        choice.promise &&
        implies_there(*choice.promise, asked->level, model.sessions_respect_time, model.rows);
    if (is_enough) return "To have that promised, " + advice(choice) + ".";
  }
  return {};
}

std::string one_change_text(const ReportModel& model, std::span<const Story> told,
                            std::span<const std::string> not_seen) {
  const bool all_explained = std::ranges::none_of(model.levels, [](const LevelOutcome& level) {
    return level.is_violated() && !level.scenario;
  });
  const bool is_broken = std::ranges::any_of(
      told, [&](const Story& story) { return is_defect(model, story.levels); });
  // A database that contradicts itself keeps no promise.
  const bool no_setting_helps = std::ranges::any_of(
      told, [](const Story& story) { return lesson_of(story)->harm == Harm::kContradiction; });
  if (no_setting_helps) return {};
  std::optional<Choice> best;
  Left left = left_by(model, told, {});  // by no change at all
  if (!all_explained || is_broken || left.whole.size() < 2) return {};
  const Setup setup = setup_of(model);
  // Who offers single operations has no isolations to set.
  if (setup.of_calls) return {};
  for (const Choice& choice : choices(setup)) {
    Left now = left_by(model, told, choice.promise);
    if (!now.is_less_than(left)) continue;
    best = choice;
    left = std::move(now);
  }
  if (!best) return {};
  const std::vector<std::string> open = open_at(model, told, not_seen, *best->promise);
  std::string text = advice(*best);
  if (!left.in_part.empty()) {
    text += "; it forbids some of the " + many_of(left.in_part) + " seen here, not all";
  }
  if (!left.whole.empty()) {
    text += "; it promises nothing against " + text_of(model, told, left.whole, *best->promise);
  }
  if (open.empty()) return text;
  text += left.whole.empty() ? "; it promises nothing against " : ", nor against ";
  return text + base::joined(open, "and") + ", which this history may have as well";
}

}  // namespace isolde::explain
