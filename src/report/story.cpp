#include "report/story.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "explain/closing.hpp"
#include "explain/dot.hpp"
#include "explain/edge_kinds.hpp"
#include "explain/lessons.hpp"
#include "explain/narrate.hpp"
#include "explain/phrase.hpp"
#include "explain/sight.hpp"
#include "explain/totals.hpp"
#include "explain/writers.hpp"

namespace isolde::report {
namespace {

using explain::Ground;
using explain::Scenario;
using explain::ScenarioEdge;
using explain::ScenarioStep;

/// The kind of an arrow to a transaction from one that it saw through others. A certificate has
/// none of these: it is part of what a view edge rests on.

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
      : history_(history), scenario_(scenario), names_(names_of(history, scenario)) {
    for (const explain::ScenarioTxn& member : scenario.txns) {
      if (shown_.size() < explain::kTxnsDrawn) shown_.insert(member.txn);
    }
  }

  void tell(Story& story) const {
    story.txns = shown_of(scenario_.txns);
    tell_text(story);
    story.closing = explain::closing_text(history_, names_, scenario_);
    for (const explain::ScenarioTxn& member : scenario_.txns) {
      const auto total = explain::total_read_by(history_, member.txn);
      if (!total) continue;
      story.closing += (story.closing.empty() ? "" : " ") + names_.of(member.txn) + " " +
                       explain::total_text(*total) + ".";
    }
    if (scenario_.unsupplied) {
      story.finding = explain::unsupplied_text(history_, names_, *scenario_.unsupplied);
      story.reasons = explain::supply_lines(history_, names_, *scenario_.unsupplied);
    }
    if (scenario_.exhaustion) {
      story.furthest = scenario_.furthest;
      if (story.furthest.until.is_none()) story.furthest.until = scenario_.exhaustion->until;
      story.ordered_key = scenario_.exhaustion->key;
    } else if (story.ordered_key.is_some()) {
      story.furthest = explain::find_furthest_by(history_, story.ordered_key, last_end());
      if (story.furthest.until.is_none()) story.ordered_key = {};
    }
    if (story.ordered_key.is_some()) tell_order(story);
    if (scenario_.finding) return tell_finding(*scenario_.finding, story);
    for (const ScenarioStep& step : scenario_.steps) tell_step(step, story);
  }

 private:
  void tell_text(Story& story) const {
    story.text = explain::narrate(history_, scenario_, {});
    story.text_is_cut = story.text.size() > kTextTold;
    if (story.text_is_cut) story.text.resize(story.text.rfind('\n', kTextTold) + 1);
  }

  /// Of those of the story, by which no order is left; of a proof that is not told whole that
  /// of the history.
  std::int64_t last_end() const {
    std::int64_t last = kNoTime;
    for (const explain::ScenarioTxn& member : scenario_.txns) {
      last = std::max(last, history_.times(member.txn).end);
    }
    const bool is_whole = scenario_.finding || scenario_.complete();
    return is_whole ? last : std::numeric_limits<std::int64_t>::max();
  }

  void tell_order(Story& story) const {
    story.unplaced = names_.of(story.furthest.until);
    std::span<const TxnId> order = story.furthest.order;
    order = order.last(std::min(order.size(), explain::kRunningShown));
    for (const TxnId txn : order) story.order.push_back(names_.of(txn));
  }

  bool is_shown(TxnId txn) const { return shown_.count(txn) != 0; }

  std::vector<explain::ScenarioTxn> shown_of(
      const std::vector<explain::ScenarioTxn>& members) const {
    std::vector<explain::ScenarioTxn> shown;
    for (const explain::ScenarioTxn& member : members) {
      if (is_shown(member.txn)) shown.push_back(member);
    }
    return shown;
  }

  /// An arrow from each other transaction, if there are any, to the reader.
  void tell_finding(const Finding& finding, Story& story) const {
    story.finding = explain::finding_text(phrase_, scenario_);
    const KeyId key = history_.ops(finding.txn)[finding.op].key;
    const explain::Counterparts others = explain::counterparts_of(scenario_);
    if (others.txns.empty()) return;
    Chapter chapter{1, "", "", {}, {}, story.txns, {}};
    for (const TxnId other : others.txns) {
      add({other, finding.txn, others.wrote ? "wr" : "", key, story.finding, false},
          story.arrows, chapter.arrows);
    }
    story.chapters.push_back(std::move(chapter));
  }

  void tell_step(const ScenarioStep& step, Story& story) const {
    Chapter chapter{step.number, {}, conclusion(step), {}, {}, shown_of(step.txns), step.from};
    if (!step.cycle.empty()) chapter.heading = heading(step);
    for (const ScenarioEdge& edge : step.cycle) {
      const bool has_room = story.arrows.size() < explain::kArrowsDrawn;
      if (!has_room || !is_shown(edge.edge.from) || !is_shown(edge.edge.to)) {
        ++chapter.left_out;
        continue;
      }
      const bool view = is_view(edge.edge.kind);
      const std::vector<Arrow> sight = view ? sight_arrows(edge) : std::vector<Arrow>();
      // A reader that missed part of a transaction altogether is a cycle of one edge.
      const bool alone = edge.edge.from == edge.edge.to;
      if (!alone) add(arrow(edge), story.arrows, chapter.arrows);
      for (const Arrow& each : evidence_of(edge, step)) {
        add(each, story.arrows, chapter.evidence);
      }
      for (const Arrow& each : sight) {
        add(each, story.arrows, alone ? chapter.arrows : chapter.evidence);
      }
    }
    if (chapter.txns.empty()) chapter.txns = txns_of(step.from);
    story.chapters.push_back(std::move(chapter));
  }

  /// Whom the steps speak of, in the order of the story.
  std::vector<explain::ScenarioTxn> txns_of(const std::vector<std::size_t>& numbers) const {
    std::vector<explain::ScenarioTxn> txns;
    for (const explain::ScenarioTxn& member : scenario_.txns) {
      if (!is_shown(member.txn)) continue;
      for (const ScenarioStep& step : scenario_.steps) {
        if (std::find(numbers.begin(), numbers.end(), step.number) == numbers.end()) continue;
        const bool speaks = std::any_of(
            step.txns.begin(), step.txns.end(),
            [&](const explain::ScenarioTxn& other) { return other.txn == member.txn; });
        if (!speaks) continue;
        txns.push_back(member);
        break;
      }
    }
    return txns;
  }

  /// What the cycle of the step refutes.
  std::string heading(const ScenarioStep& step) const {
    std::string text;
    const auto add = [&text](const std::string& part) {
      text += (text.empty() ? "Suppose " : " and ") + part;
    };
    for (const VersionOrder& order : step.clause) {
      add(phrase_.order({order.after, order.before}, key_of(step, order)));
    }
    for (Claim claim : step.claims) {
      claim.denied = !claim.denied;
      add(phrase_.claim(claim));
    }
    return text;
  }

  std::string conclusion(const ScenarioStep& step) const {
    std::string clause;
    for (const VersionOrder& order : step.clause) {
      clause += (clause.empty() ? "" : ", or ") + phrase_.order(order, key_of(step, order));
    }
    for (const Claim& claim : step.claims) {
      clause += (clause.empty() ? "" : ", or ") + phrase_.claim(claim);
    }
    if (!step.cycle.empty()) return clause;
    if (step.wrong_result) {
      const std::string result = names_.of(step.wrong_result->txn) + " " + step.result;
      return clause.empty() ? result : clause + ", for otherwise " + result;
    }
    // The sources that a read can have.
    if (step.from.empty()) return clause + "; there is no other possibility";
    std::string from = step.from.size() == 1 ? "From step " : "From steps ";
    for (std::size_t i = 0; i < step.from.size(); ++i) {
      if (i > 0) from += i + 1 == step.from.size() ? " and " : ", ";
      from += std::to_string(step.from[i]);
    }
    return from + ": " + (clause.empty() ? "a contradiction" : clause);
  }

  Arrow arrow(const ScenarioEdge& step) const {
    const Edge& edge = step.edge;
    std::string because = explain::because(phrase_, step);
    return {edge.from,
            edge.to,
            explain::edge_kind_name(edge.kind),
            edge.key,
            std::move(because),
            step.ground == Ground::kAssumed || step.supposed};
  }

  /// What the reason of the edge speaks of beside it, but for what a view edge rests on.
  std::vector<Arrow> evidence_of(const ScenarioEdge& edge, const ScenarioStep& step) const {
    std::vector<Arrow> arrows;
    if (const auto source = source_arrow(edge, step)) arrows.push_back(*source);
    if (!edge.shown_by) return arrows;
    const ScenarioEdge shown{*edge.shown_by, Ground::kCertain, 0,        {}, edge.supposed, {},
                             edge.direct,    edge.taken,       edge.path};
    if (!is_view(edge.shown_by->kind)) arrows.push_back(arrow(shown));
    if (const auto source = source_arrow(shown, step)) arrows.push_back(*source);
    return arrows;
  }

  /// From the writer of the version that the reader of an anti-dependency saw, where the step
  /// speaks of it.
  std::optional<Arrow> source_arrow(const ScenarioEdge& edge, const ScenarioStep& step) const {
    const TxnId source = edge.edge.via;
    if (edge.edge.kind != EdgeKind::kAntiDependency || source.is_none()) return std::nullopt;
    const bool spoken_of =
        std::any_of(step.txns.begin(), step.txns.end(),
                    [&](const explain::ScenarioTxn& member) { return member.txn == source; });
    if (!spoken_of) return std::nullopt;
    return arrow({{source, edge.edge.from, EdgeKind::kReadFrom, edge.edge.key, {}},
                  Ground::kCertain,
                  0,
                  {},
                  edge.supposed});
  }

  /// What a view edge rests on.
  std::vector<Arrow> sight_arrows(const ScenarioEdge& step) const {
    const explain::SeenAndMissed sight =
        explain::seen_and_missed(writers_, step.edge, step.taken);
    const Edge& seen = sight.seen;
    const bool through_others = seen.kind == EdgeKind::kCausalView;
    return {through_others
                ? Arrow{seen.from,
                        seen.to,
                        explain::kThroughOthers.letters,
                        {},
                        names_.of(seen.from) + " is among the causes of " + names_.of(seen.to),
                        false}
                : arrow({seen, Ground::kCertain, 0, {}, step.supposed}),
            arrow({sight.missed, Ground::kCertain, 0, {}, step.supposed})};
  }

  /// Among all arrows, if there is room for it, and to `places` where it is there.
  void add(Arrow arrow, std::vector<Arrow>& arrows, std::vector<std::size_t>& places) const {
    if (!is_shown(arrow.from) || !is_shown(arrow.to)) return;
    const auto same = [&arrow](const Arrow& other) {
      return other.from == arrow.from && other.to == arrow.to && other.kind == arrow.kind &&
             other.key == arrow.key && other.because == arrow.because;
    };
    const auto known = std::find_if(arrows.begin(), arrows.end(), same);
    if (known == arrows.end() && arrows.size() >= explain::kArrowsDrawn) return;
    places.push_back(static_cast<std::size_t>(known - arrows.begin()));
    if (known == arrows.end()) arrows.push_back(std::move(arrow));
  }

  const History& history_;
  const Scenario& scenario_;
  explain::Names names_;
  explain::Writers writers_{history_};
  explain::Phrase phrase_{writers_, names_};
  std::set<TxnId> shown_;
};

/// The only key that the proof is about; none: it has several.
KeyId only_key(const History& history, const Scenario& scenario) {
  if (scenario.finding) return history.ops(scenario.finding->txn)[scenario.finding->op].key;
  KeyId key;
  for (const ScenarioEdge* edge : scenario.edges()) {
    if (edge->edge.key.is_none()) continue;
    if (key.is_some() && key != edge->edge.key) return {};
    key = edge->edge.key;
  }
  return key;
}

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
  std::ranges::stable_sort(order, {}, [](const explain::LevelOutcome* outcome) {
    return explain::lesson_of(outcome->scenario->anomaly.name).harm;
  });
  std::vector<Story> stories;
  for (const explain::LevelOutcome* first : order) {
    if (is_told(stories, *first->scenario, first->level)) continue;
    Story story;
    story.scenario = &*first->scenario;
    for (const explain::LevelOutcome& outcome : outcomes) {
      if (outcome.scenario && explain::same_story(*outcome.scenario, *first->scenario)) {
        story.levels.push_back(outcome.level);
        // Clocks that may be apart leave more orders than the search knows.
        const bool counts = info(outcome.level).base == BaseLevel::kLinearizable &&
                            outcome.clock_error_ns == 0 && history.has_times();
        if (counts) story.ordered_key = only_key(history, *first->scenario);
      }
    }
    Teller(history, *story.scenario).tell(story);
    stories.push_back(std::move(story));
  }
  return stories;
}

}  // namespace isolde::report
