#include "explain/dot.hpp"

#include <string_view>

#include "explain/lists.hpp"
#include "explain/report_json.hpp"

namespace isolde::explain {
namespace {

/// In a double-quoted DOT string; names of sessions and keys may hold anything.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    out += c;
  }
  out += '"';
  return out;
}

/// Lines of some 70 characters, so that the title is not wider than the picture below it.
std::string wrapped(std::string text) {
  constexpr std::size_t kColumns = 70;
  for (std::size_t line = 0; text.size() - line > kColumns;) {
    std::size_t blank = text.rfind(' ', line + kColumns);
    if (blank == std::string::npos || blank < line) blank = text.find(' ', line + kColumns);
    if (blank == std::string::npos) break;
    text[blank] = '\n';
    line = blank + 1;
  }
  return text;
}

std::string node(TxnId txn) {
  std::string id("t");
  id += std::to_string(txn.raw());
  return id;
}

/// `number` as in the text: T1 is the first transaction of the scenario.
std::string box(const History& history, const ScenarioTxn& member, std::size_t number,
                const OperationTexts& texts) {
  std::string label = "T" + std::to_string(number) + " = " + history.txn_name(member.txn);
  if (history.status(member.txn) == TxnStatus::kAborted) label += " (aborted)";
  for (std::uint32_t op : member.ops) {
    label += '\n';
    label += texts.of({member.txn, op});
  }
  return "  " + node(member.txn) + " [label=" + quoted(label) + "];\n";
}

std::string_view line_style(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kAntiDependency:
      return "dashed";
    case EdgeKind::kSessionOrder:
    case EdgeKind::kRealTime:
      return "dotted";
    default:
      return "solid";
  }
}

std::string arrow(const History& history, const ScenarioEdge& step, const std::string& number) {
  const Edge& edge = step.edge;
  std::string label = number + std::string(edge_kind_name(edge.kind));
  if (edge.key.is_some()) {
    label += ' ';
    label += history.text(history.key_name(edge.key));
  }
  std::string out("  ");
  out += node(edge.from) + " -> " + node(edge.to);
  out += " [label=" + quoted(" " + label + " ") + ", style=";
  out += line_style(edge.kind);
  out += ", class=";
  out += edge_kind_name(edge.kind);
  out += ", tooltip=" + quoted(step.because);
  if (step.ground == Ground::kAssumed || step.supposed) out += ", color=gray50";
  return out + "];\n";
}

/// A finding has no cycle: one arrow from the other transaction to the reader.
std::string finding_arrow(const History& history, const Scenario& scenario) {
  const Finding& finding = *scenario.finding;
  const TxnId from = finding.other.is_some() ? finding.other : finding.txn;
  const KeyId key = history.ops(finding.txn)[finding.op].key;
  const bool read_from = finding.kind == FindingKind::kAbortedRead ||
                         finding.kind == FindingKind::kIntermediateRead;
  return "  " + node(from) + " -> " + node(finding.txn) +
         " [label=" + quoted(history.text(history.key_name(key))) +
         (read_from ? ", class=wr" : "") + ", tooltip=" + quoted(scenario.statement) + "];\n";
}

}  // namespace

std::string to_dot(const History& history, const Scenario& scenario, bool with_title) {
  std::string out = "digraph isolde {\n";
  if (with_title) {
    const std::string title = scenario.anomaly.type + ", " + scenario.statement;
    out += "  label=" + quoted(wrapped(title)) + ";\n  labelloc=t;\n";
  }
  // Fonts whose sizes Graphviz knows without having them.
  out += "  fontname=\"Helvetica\";\n";
  out += "  node [shape=box, fontname=\"Courier\"];\n  edge [fontname=\"Courier\"];\n";
  const OperationTexts texts(history, scenario);
  for (std::size_t i = 0; i < scenario.txns.size(); ++i) {
    out += box(history, scenario.txns[i], i + 1, texts);
  }
  if (scenario.finding) out += finding_arrow(history, scenario);
  for (const ScenarioStep& step : scenario.steps) {
    const std::string number =
        scenario.steps_total > 1 ? std::to_string(step.number) + ": " : std::string();
    for (const ScenarioEdge& edge : step.cycle) out += arrow(history, edge, number);
  }
  return out + "}\n";
}

}  // namespace isolde::explain
