#include "explain/story.hpp"

#include <algorithm>

#include "explain/harm.hpp"
#include "explain/lessons.hpp"
#include "explain/promise.hpp"
#include "history/verdicts.hpp"

namespace isolde::explain {
namespace {

void add(const LevelOutcome& outcome, std::vector<Story>& known) {
  if (!outcome.scenario) return;
  const auto story = std::find_if(known.begin(), known.end(), [&](const Story& each) {
    return same_story(*each.scenario, *outcome.scenario);
  });
  Story& told = story != known.end()
                    ? *story
                    : known.emplace_back(Story{{}, &*outcome.scenario, {}, 0, false});
  told.levels.push_back(outcome.level);
  if (outcome.follows_from) told.following.push_back(outcome.level);
  told.clock_error_ns = std::max(told.clock_error_ns, outcome.clock_error_ns);
  told.trusts_versions = told.trusts_versions || outcome.trusts_versions;
}

void sort_by_harm(const ReportModel& model, std::vector<Story>& all) {
  std::ranges::stable_sort(all, {}, [&](const Story& story) {
    return std::pair(!breaks_promise(model, story.levels),
                     lesson_of(story.scenario->anomaly.name).harm);
  });
}

/// Adds those levels of the story that imply no other one of it, unless one is there already.
void add_weakest(const ReportModel& model, const Story& story, std::vector<Level>& levels) {
  const auto is_there = [&](Level level) {
    return std::ranges::find(levels, level) != levels.end();
  };
  if (std::ranges::any_of(story.levels, is_there)) return;
  // Weaker ones come last: a level is implied by none that comes after it.
  std::vector<Level> weakest;
  for (auto level = story.levels.rbegin(); level != story.levels.rend(); ++level) {
    const bool implies_one = std::ranges::any_of(weakest, [&](Level weaker) {
      return implies_there(*level, weaker, model.sessions_respect_time, model.rows);
    });
    if (!implies_one) weakest.push_back(*level);
  }
  levels.insert(levels.end(), weakest.begin(), weakest.end());
}

std::vector<OpenLevels> by_reason(std::span<const LevelOutcome> outcomes, auto is_wanted) {
  std::vector<OpenLevels> open;
  for (const LevelOutcome& outcome : outcomes) {
    if (!is_wanted(outcome)) continue;
    auto known = std::find_if(open.begin(), open.end(), [&](const OpenLevels& each) {
      return each.reason == outcome.reason;
    });
    if (known == open.end()) known = open.insert(known, {outcome.reason, {}});
    known->levels.push_back(outcome.level);
  }
  return open;
}

}  // namespace

std::string basis_text(const Story& story) {
  std::string text;
  if (!story.following.empty()) {
    text += " The verdict of " + names_of(story.following) + " follows from that of " +
            std::string(info(story.scenario->level).name) + ".";
  }
  const std::string clocks = clocks_text(story.clock_error_ns);
  if (!clocks.empty()) text += " Real time counts " + clocks + ".";
  return text + (story.trusts_versions ? " Versions are trusted." : "");
}

std::vector<Story> stories(const ReportModel& model) {
  std::vector<Story> all;
  for (const LevelOutcome& outcome : model.levels) add(outcome, all);
  sort_by_harm(model, all);
  return all;
}

std::vector<Level> headline_levels(const ReportModel& model, const Story& story) {
  std::vector<Level> levels;
  const auto add_once = [&](Level level) {
    if (std::ranges::find(levels, level) == levels.end()) levels.push_back(level);
  };
  const DatabaseRemedies* const database = remedies_at(model.history.origin().database);
  for (const LevelOutcome& outcome : model.levels) {
    if (database == nullptr || !outcome.scenario) continue;
    const bool is_setting = std::ranges::find(database->settings, std::optional(outcome.level),
                                              &Setting::promise) != database->settings.end();
    if (is_setting && same_story(*outcome.scenario, *story.scenario)) add_once(outcome.level);
  }
  std::ranges::reverse(levels);  // the weakest first
  for (const Level level : story.levels) add_once(level);
  return levels;
}

std::vector<Story> main_stories(const ReportModel& model) {
  std::vector<Level> told = model.weakest_violated;
  const std::vector<Story> all = stories(model);
  if (!all.empty()) add_weakest(model, all.front(), told);
  std::vector<Story> some;
  for (const LevelOutcome& outcome : model.levels) {
    if (std::ranges::find(told, outcome.level) != told.end()) add(outcome, some);
  }
  sort_by_harm(model, some);
  return some;
}

std::vector<OpenLevels> open_levels(std::span<const LevelOutcome> outcomes, Verdict verdict) {
  return by_reason(
      outcomes, [verdict](const LevelOutcome& outcome) { return outcome.verdict == verdict; });
}

std::vector<OpenLevels> unexplained(std::span<const LevelOutcome> outcomes,
                                    std::span<const Level> levels) {
  return by_reason(outcomes, [levels](const LevelOutcome& outcome) {
    return outcome.is_violated() && !outcome.scenario &&
           std::find(levels.begin(), levels.end(), outcome.level) != levels.end();
  });
}

std::string untried_text(std::span<const LevelOutcome> outcomes,
                         const history::Evidence& evidence) {
  std::vector<Level> levels;
  std::size_t held = 0;
  for (const LevelOutcome& outcome : outcomes) {
    if (outcome.verdict != Verdict::kHolds) continue;
    ++held;
    if (outcome.trial == history::Trial::kUntried) levels.push_back(outcome.level);
  }
  if (levels.empty()) return {};
  const bool all = levels.size() > 1 && levels.size() == held;
  const std::string which = all                  ? "no level that holds was"
                            : levels.size() == 1 ? names_of(levels) + " was not"
                                                 : names_of(levels) + " were not";
  return history::why_untried(evidence) + ", so " + which + " put to the test; " +
         std::string(history::kHowToTry);
}

std::string assumed_clocks_text(std::span<const LevelOutcome> outcomes) {
  std::vector<Level> levels;
  std::int64_t most = 0;
  for (const LevelOutcome& outcome : outcomes) {
    if (outcome.clock_error_ns == 0) continue;
    levels.push_back(outcome.level);
    most = std::max(most, outcome.clock_error_ns);
  }
  if (levels.empty()) return {};
  return "real time counts " + clocks_text(most) + " for " + names_of(levels);
}

std::string names_of(std::span<const Level> levels) {
  std::string text;
  for (const Level level : levels) {
    if (!text.empty()) text += ", ";
    text += info(level).name;
  }
  return text;
}

}  // namespace isolde::explain
