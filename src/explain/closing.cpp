#include "explain/closing.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "explain/place.hpp"
#include "history/notation.hpp"
#include "history/texts.hpp"

namespace isolde::explain {
namespace {

/// What the transaction made of the first field of the register's value: "-8".
std::optional<std::int64_t> change_by(const History& history, TxnId txn, KeyId key) {
  const ValueNotation* const notation = history::notation_of(history, key);
  if (notation == nullptr) return {};
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> after;
  for (const Op& op : history.ops(txn)) {
    if (op.key != key) continue;
    if (op.kind == OpKind::kRead && !before) {
      before = history::amount(*notation, history.seen(op));
    }
    if (op.kind == OpKind::kWrite && before) after = history::amount(*notation, op.value);
  }
  if (!after) return {};
  return *after - *before;
}

std::string signed_text(std::int64_t number) {
  return (number > 0 ? "+" : "") + std::to_string(number);
}

/// " T1 changed the balance that it read by -8 and T2 by +3; one of the two changes is gone."
std::string amounts(const History& history, const Names& names, const LostUpdate& lost) {
  const auto first = change_by(history, lost.first, lost.key);
  const auto second = change_by(history, lost.second, lost.key);
  if (!first || !second) return {};
  return " " + names.of(lost.first) + " changed the " +
         history::notation_of(history, lost.key)->fields.front().name + " that it read by " +
         signed_text(*first) + " and " + names.of(lost.second) + " by " + signed_text(*second) +
         "; one of the two changes is gone.";
}

std::string lost_update(const History& history, const Names& names, const LostUpdate& lost) {
  const bool list = history.is_list(lost.key);
  return "Whichever of " + names.of(lost.first) + " and " + names.of(lost.second) +
         " came first, the other one" + (list ? " appended to " : " overwrote its write of ") +
         Phrase(history, names).key(lost.key) + " without having seen " +
         (list ? "its append." : "it.") + amounts(history, names, lost);
}

std::string conflict(const History& history, const Names& names, const Edge& edge) {
  return names.of(edge.from) + " and " + names.of(edge.to) + " both " +
         (history.is_list(edge.key) ? "appended to " : "wrote ") +
         Phrase(history, names).key(edge.key) +
         ": one of them has to start after the other has committed, and to see all that it saw "
         "and did.";
}

/// One circle that rests on nothing but what was seen: what its edges say follows as it stands.
bool is_plain_circle(const Scenario& scenario) {
  if (scenario.steps_total != 1 || scenario.steps.size() != 1) return false;
  const ScenarioStep& step = scenario.steps.front();
  if (!step.clause.empty() || !step.claims.empty()) return false;
  return step.cycle.size() > 1 && std::ranges::all_of(step.cycle, [](const ScenarioEdge& each) {
           return each.ground == Ground::kCertain && !each.supposed &&
                  each.edge.kind <= EdgeKind::kAntiDependency;
         });
}

/// "T1 did not see T2's write of y".
std::string seen_or_not(const History& history, const Names& names, const Edge& edge) {
  const std::string from = names.of(edge.from);
  const std::string to = names.of(edge.to);
  const auto write_of = [&](TxnId writer) {
    return names.of(writer) + "'s " + Phrase(history, names).change(writer, edge.key);
  };
  switch (edge.kind) {
    case EdgeKind::kReadFrom:
      return to + " saw " + write_of(edge.from);
    case EdgeKind::kAntiDependency:
      return from + " did not see " + write_of(edge.to);
    case EdgeKind::kVersionOrder:
      return write_of(edge.to) + " came after " + from + "'s";
    case EdgeKind::kSessionOrder:
      return to + " came after " + from + " in its session";
    default:
      return to + " started after " + from + " had ended";
  }
}

/// Two readers saw one of two writes each, and not the same one.
std::string fork(const History& history, const Names& names,
                 std::span<const ScenarioEdge> cycle) {
  if (cycle.size() != 4) return {};
  const std::size_t first = cycle[0].edge.kind == EdgeKind::kReadFrom ? 0 : 1;
  const auto edge = [&](std::size_t at) -> const Edge& {
    return cycle[(first + at) % cycle.size()].edge;
  };
  const bool alternate =
      edge(0).kind == EdgeKind::kReadFrom && edge(1).kind == EdgeKind::kAntiDependency &&
      edge(2).kind == EdgeKind::kReadFrom && edge(3).kind == EdgeKind::kAntiDependency;
  if (!alternate) return {};
  const std::string one = names.of(edge(0).from);
  const std::string other = names.of(edge(1).to);
  const auto reader = [&](const Edge& saw, const Edge& missed) {
    return seen_or_not(history, names, saw) + " and not " + names.of(missed.to) + "'s " +
           Phrase(history, names).change(missed.to, missed.key);
  };
  return "So " + reader(edge(0), edge(1)) + ", while " + reader(edge(2), edge(3)) + ": for " +
         names.of(edge(0).to) + " " + one + " came first, and for " + names.of(edge(2).to) +
         " " + other + ".";
}

/// Who missed a write by one read saw it by another.
bool saw_later(const History& history, const Edge& missed) {
  if (!history.is_list(missed.key)) {
    return read_of(history, missed.from, missed.key, missed.to).has_value();
  }
  const auto write = final_write(history, missed.to, missed.key);
  return write && std::ranges::any_of(history.ops(missed.from), [&](const Op& op) {
           return op.kind == OpKind::kReadList && op.key == missed.key &&
                  std::ranges::count(history.list(op), op_at(history, *write).value) > 0;
         });
}

/// The circle in terms of who saw what.
std::string circle(const History& history, const Names& names, const Scenario& scenario) {
  constexpr std::size_t kEdgesTold = 6;
  if (!is_plain_circle(scenario)) return {};
  const std::span<const ScenarioEdge> cycle = scenario.steps.front().cycle;
  if (cycle.size() > kEdgesTold) return {};
  if (std::ranges::any_of(cycle, [&](const ScenarioEdge& each) {
        return each.edge.kind == EdgeKind::kAntiDependency && saw_later(history, each.edge);
      })) {
    return {};
  }
  if (std::string told = fork(history, names, cycle); !told.empty()) return told;
  const auto missed = [](const ScenarioEdge& each) {
    return each.edge.kind == EdgeKind::kAntiDependency;
  };
  // What was missed against all the rest comes last.
  const bool misses_once = std::ranges::count_if(cycle, missed) == 1;
  std::size_t begin = 0;
  while (misses_once && !missed(cycle[(begin + cycle.size() - 1) % cycle.size()])) ++begin;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    parts.push_back(seen_or_not(history, names, cycle[(begin + i) % cycle.size()].edge));
  }
  if (misses_once) {
    const std::string last = std::move(parts.back());
    parts.pop_back();
    return "So " + base::joined(parts, "and") + ", and still " + last + ".";
  }
  return "So " + base::joined(parts, "and") +
         (cycle.size() == 2 ? ": neither can have come first."
                            : ": none of them can have come first.");
}

/// A transaction forgot what it had done, and one of its operations failed.
std::string rollback(const History& history, const Names& names, const Finding& finding) {
  const bool forgot = finding.kind == FindingKind::kInternal;
  if (!forgot || failed_ops(history, finding.txn) == 0) return {};
  return "An operation of " + names.of(finding.txn) +
         " failed: if it failed between the two, the transaction was probably rolled back "
         "there, "
         "and what followed ran as another one.";
}

/// What several steps come to together.
std::string conclusion(const History& history, const Scenario& scenario) {
  if (scenario.exhaustion || scenario.steps_total < 2) return {};
  if (scenario.session.is_some()) {
    return "Thus no order explains what session " +
           history::session_text(history, scenario.session) + " saw.";
  }
  return "Thus no order of these transactions that " + std::string(info(scenario.level).name) +
         " allows explains what they read.";
}

std::string simple_closing(const History& history, const Names& names,
                           const Scenario& scenario) {
  if (scenario.finding) return rollback(history, names, *scenario.finding);
  if (scenario.lost_update) return lost_update(history, names, *scenario.lost_update);
  const bool by_writers =
      scenario.anomaly.name == "conflicting writers" || scenario.anomaly.name == "lost update";
  if (!by_writers) return circle(history, names, scenario);
  if (scenario.steps.empty()) return {};
  for (const ScenarioEdge& step : scenario.steps.back().cycle) {
    if (step.edge.kind == EdgeKind::kVersionOrder) return conflict(history, names, step.edge);
  }
  return {};
}

}  // namespace

std::string closing_text(const History& history, const Names& names, const Scenario& scenario) {
  const std::string text = simple_closing(history, names, scenario);
  return text.empty() ? conclusion(history, scenario) : text;
}

}  // namespace isolde::explain
