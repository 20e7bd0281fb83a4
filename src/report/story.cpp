#include "report/story.hpp"

#include <algorithm>
#include <utility>

#include "explain/narrate.hpp"
#include "explain/phrase.hpp"

namespace isolde::report {
namespace {

using explain::Ground;
using explain::Scenario;
using explain::ScenarioEdge;
using explain::ScenarioStep;

explain::Names names_of(const History& history, const Scenario& scenario) {
  explain::Names names(history);
  for (std::size_t i = 0; i < scenario.txns.size(); ++i) {
    names.give(scenario.txns[i].txn, "T" + std::to_string(i + 1));
  }
  return names;
}

class Teller {
 public:
  Teller(const History& history, const Scenario& scenario)
      : history_(history), scenario_(scenario), names_(names_of(history, scenario)) {}

  void tell(Story& story) const {
    story.text = explain::narrate(history_, scenario_, {});
    if (scenario_.finding) return tell_finding(*scenario_.finding, story);
    for (const ScenarioStep& step : scenario_.steps) {
      if (step.cycle.empty()) continue;
      Chapter chapter{step.number, heading(step), {}};
      for (const ScenarioEdge& edge : step.cycle) {
        chapter.arrows.push_back(place_of(arrow(edge), story.arrows));
      }
      story.chapters.push_back(std::move(chapter));
    }
  }

 private:
  /// One arrow from the other transaction, if there is one, to the reader.
  void tell_finding(const Finding& finding, Story& story) const {
    story.finding = phrase_.finding(finding);
    if (finding.other.is_none() || finding.other == finding.txn) return;
    const KeyId key = history_.ops(finding.txn)[finding.op].key;
    const bool read_from = finding.kind == FindingKind::kAbortedRead ||
                           finding.kind == FindingKind::kIntermediateRead;
    story.arrows.push_back(
        {finding.other, finding.txn, read_from ? "wr" : "", key, story.finding, false});
    story.chapters.push_back({1, "", {0}});
  }

  /// What the cycle of the step refutes.
  std::string heading(const ScenarioStep& step) const {
    std::string text;
    const auto add = [&text](const std::string& part) {
      text += (text.empty() ? "Suppose " : " and ") + part;
    };
    for (const VersionOrder& order : step.clause) {
      add(phrase_.order({order.after, order.before}));
    }
    for (Claim claim : step.claims) {
      claim.denied = !claim.denied;
      add(phrase_.claim(claim));
    }
    return text;
  }

  Arrow arrow(const ScenarioEdge& step) const {
    const Edge& edge = step.edge;
    std::string because = explain::because(phrase_, step);
    if (step.supposed) because += explain::kSupposed;
    return {edge.from,
            edge.to,
            explain::edge_kind_name(edge.kind),
            edge.key,
            std::move(because),
            step.ground == Ground::kAssumed || step.supposed};
  }

  static std::size_t place_of(Arrow arrow, std::vector<Arrow>& arrows) {
    const auto same = [&arrow](const Arrow& other) {
      return other.from == arrow.from && other.to == arrow.to && other.kind == arrow.kind &&
             other.key == arrow.key && other.because == arrow.because;
    };
    const auto known = std::find_if(arrows.begin(), arrows.end(), same);
    const auto place = static_cast<std::size_t>(known - arrows.begin());
    if (known == arrows.end()) arrows.push_back(std::move(arrow));
    return place;
  }

  const History& history_;
  const Scenario& scenario_;
  explain::Names names_;
  explain::Phrase phrase_{history_, names_};
};

bool is_told(const std::vector<Story>& stories, const Scenario& scenario, Level level) {
  return std::any_of(stories.begin(), stories.end(), [&](const Story& story) {
    return explain::same_story(*story.scenario, scenario) &&
           std::find(story.levels.begin(), story.levels.end(), level) != story.levels.end();
  });
}

}  // namespace

std::vector<Story> tell_stories(const History& history,
                                std::span<const explain::LevelOutcome> outcomes,
                                std::span<const Level> weakest) {
  std::vector<const explain::LevelOutcome*> order;
  for (const explain::LevelOutcome& outcome : outcomes) {
    if (outcome.scenario) order.push_back(&outcome);
  }
  const auto others =
      std::stable_partition(order.begin(), order.end(), [&](const auto* outcome) {
        return std::find(weakest.begin(), weakest.end(), outcome->level) != weakest.end();
      });
  std::reverse(others, order.end());
  std::vector<Story> stories;
  for (const explain::LevelOutcome* first : order) {
    if (is_told(stories, *first->scenario, first->level)) continue;
    Story story;
    story.scenario = &*first->scenario;
    for (const explain::LevelOutcome& outcome : outcomes) {
      if (outcome.scenario && explain::same_story(*outcome.scenario, *first->scenario)) {
        story.levels.push_back(outcome.level);
      }
    }
    Teller(history, *story.scenario).tell(story);
    stories.push_back(std::move(story));
  }
  return stories;
}

}  // namespace isolde::report
