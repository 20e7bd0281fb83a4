#include "explain/closing.hpp"

#include "explain/place.hpp"

namespace isolde::explain {
namespace {

std::string lost_update(const History& history, const Names& names, const LostUpdate& lost) {
  const bool list = history.is_list(lost.key);
  return "Whichever of " + names.of(lost.first) + " and " + names.of(lost.second) +
         " came first, the other one" + (list ? " appended to " : " overwrote its write of ") +
         Phrase(history, names).key(lost.key) + " without having seen " +
         (list ? "its append." : "it.");
}

std::string conflict(const History& history, const Names& names, const Edge& edge) {
  return names.of(edge.from) + " and " + names.of(edge.to) + " both " +
         (history.is_list(edge.key) ? "appended to " : "wrote ") +
         Phrase(history, names).key(edge.key) +
         ": one of them has to start after the other has committed, and to see all that it saw "
         "and did.";
}

}  // namespace

/// A transaction forgot what it had done, and one of its operations failed.
std::string rollback(const History& history, const Names& names, const Finding& finding) {
  const bool forgot = finding.kind == FindingKind::kInternal;
  if (!forgot || failed_ops(history, finding.txn) == 0) return {};
  return "An operation of " + names.of(finding.txn) +
         " failed: if it failed between the two, the transaction was probably rolled back "
         "there, "
         "and what followed ran as another one.";
}

std::string closing_text(const History& history, const Names& names, const Scenario& scenario) {
  if (scenario.finding) return rollback(history, names, *scenario.finding);
  if (scenario.lost_update) return lost_update(history, names, *scenario.lost_update);
  const bool by_writers =
      scenario.anomaly.name == "conflicting writers" || scenario.anomaly.name == "lost update";
  if (!by_writers || scenario.steps.empty()) return {};
  for (const ScenarioEdge& step : scenario.steps.back().cycle) {
    if (step.edge.kind == EdgeKind::kVersionOrder) return conflict(history, names, step.edge);
  }
  return {};
}

}  // namespace isolde::explain
