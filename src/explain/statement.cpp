#include "explain/statement.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "explain/evidence.hpp"
#include "explain/phrase.hpp"
#include "history/texts.hpp"

namespace isolde::explain {
namespace {

constexpr std::size_t kEdgesTold = 4;
constexpr std::size_t kReadsTold = 3;
constexpr std::size_t kNamesTold = 4;

/// "a", "a and b", "a, b and c".
std::string listed(std::span<const std::string> parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

/// The last edge is what does not fit to the others.
std::string round(const std::vector<ScenarioEdge>& cycle) {
  if (cycle.size() > kEdgesTold) {
    std::string text = "in a cycle of " + base::grouped(cycle.size()) + " transactions";
    for (std::size_t i = 0; i + 1 < kEdgesTold; ++i) {
      text += (i == 0 ? ", " : "; ") + cycle[i].because;
    }
    return text + "; and so on";
  }
  std::string text = cycle.front().because;
  for (std::size_t i = 1; i < cycle.size(); ++i) {
    const bool last = i + 1 == cycle.size();
    text += (!last ? "; " : cycle.size() == 2 ? ", but " : "; but ") + cycle[i].because;
  }
  return text;
}

/// The read that the edge rests on.
std::optional<OpRef> read_behind(const History& history, const Edge& edge) {
  switch (edge.kind) {
    case EdgeKind::kReadFrom:
      return read_of(history, edge.to, edge.key, edge.from);
    case EdgeKind::kAntiDependency:
      return read_of(history, edge.from, edge.key, edge.via);
    default:
      break;
  }
  if (!is_view(edge.kind)) return std::nullopt;
  return read_of(history, edge.via, edge.key, edge.to == edge.from ? TxnId() : edge.to);
}

/// Those that missed a write first: they are what no order explains.
std::vector<OpRef> reads_of(const History& history, const Scenario& scenario) {
  std::vector<OpRef> reads;
  std::set<std::pair<TxnId, std::uint32_t>> known;
  const auto collect = [&](bool plain) {
    for (const ScenarioStep& step : scenario.steps) {
      for (const ScenarioEdge& edge : step.cycle) {
        if ((edge.edge.kind == EdgeKind::kReadFrom) != plain) continue;
        const std::optional<OpRef> read = read_behind(history, edge.edge);
        if (!read) continue;
        const Selection* const computed = aggregate_of(history, *read);
        const std::uint32_t op = computed != nullptr ? computed->first : read->op;
        if (known.emplace(read->txn, op).second) reads.push_back(*read);
      }
    }
  };
  collect(false);
  collect(true);
  return reads;
}

std::string transactions(const History& history, const Scenario& scenario) {
  const bool few = scenario.complete() && scenario.txns.size() <= kNamesTold;
  if (!few) return base::grouped(scenario.txns_total) + " transactions";
  std::vector<std::string> names;
  for (const ScenarioTxn& member : scenario.txns) names.push_back(history.txn_name(member.txn));
  return listed(names);
}

std::string unexplained(const History& history, const Scenario& scenario) {
  std::string text = "no order of " + transactions(history, scenario);
  const bool session = scenario.session.is_some();
  const std::string what =
      session ? "what session " + history::session_text(history, scenario.session) + " saw"
              : std::string();
  const std::vector<OpRef> reads = reads_of(history, scenario);
  if (reads.empty()) return text + (session ? " explains " + what : " is possible");
  const Names names(history);
  const Phrase phrase(history, names);
  constexpr std::string_view kRead = "read ";
  std::vector<std::string> told;
  TxnId reader;
  for (const OpRef& read : reads) {
    if (told.size() == kReadsTold) break;
    const std::string did = phrase.on_record(read);
    const bool goes_on = read.txn == reader && did.starts_with(kRead);
    told.push_back(goes_on ? did.substr(kRead.size()) : names.of(read.txn) + " " + did);
    reader = did.starts_with(kRead) ? read.txn : TxnId();
  }
  const std::size_t others = reads.size() - told.size();
  if (others > 0)
    told.push_back(std::to_string(others) + (others == 1 ? " more read" : " more reads"));
  text += scenario.complete() ? " explains " : " explains, among other reads, ";
  return text + (session ? what + ": " : std::string("that ")) + listed(told);
}

}  // namespace

std::string refutation_statement(const History& history, const Scenario& scenario) {
  if (scenario.lost_update) {
    const LostUpdate& lost = *scenario.lost_update;
    const Names names(history);
    const bool list = history.is_list(lost.key);
    return history.txn_name(lost.first) + " and " + history.txn_name(lost.second) +
           " both read and then " + (list ? "appended to " : "wrote ") +
           Phrase(history, names).key(lost.key) + ", and neither saw the other's " +
           (list ? "append" : "write");
  }
  if (scenario.steps_total == 1) {
    const ScenarioStep& only = scenario.steps[0];
    if (!only.wrong_result) return round(only.cycle);
    return history.txn_name(only.wrong_result->txn) + " " + only.result;
  }
  return unexplained(history, scenario);
}

}  // namespace isolde::explain
