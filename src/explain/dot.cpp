#include "explain/dot.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "explain/classify.hpp"
#include "explain/edge_kinds.hpp"
#include "explain/lists.hpp"
#include "explain/notation.hpp"
#include "explain/report_model.hpp"
#include "explain/sight.hpp"
#include "explain/writers.hpp"
#include "history/texts.hpp"

namespace isolde::explain {
namespace {

/// In a double-quoted DOT string; names of sessions and keys may hold anything. Graphviz turns
/// what looks like an entity of HTML into the character.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '&') {
      out += "&amp;";
      continue;
    }
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    out += c;
  }
  out += '"';
  return out;
}

/// In a label that is markup.
std::string in_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
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

constexpr std::string_view kRed = "#c0152f";

/// Whose reads contradict what others did, or for whom no order has room; or nobody.
TxnId wrong_one(const Scenario& scenario) {
  if (scenario.finding) return scenario.finding->txn;
  if (scenario.unsupplied) return scenario.unsupplied->reader;
  return scenario.exhaustion ? scenario.exhaustion->until : TxnId::none();
}

/// From 1 on; 0: it has none.
std::size_t place_in_order(const Scenario& scenario, TxnId txn) {
  const std::vector<TxnId>& order = scenario.furthest.order;
  const auto placed = std::ranges::find(order, txn);
  return placed == order.end() ? 0 : static_cast<std::size_t>(placed - order.begin()) + 1;
}

/// "(3 of 9)".
std::string place_text(const Scenario& scenario, std::size_t place) {
  return "(" + std::to_string(place) + " of " + std::to_string(scenario.furthest.order.size()) +
         ")";
}

/// The boxes that have a place in the order, as they follow there.
std::vector<TxnId> placed_of(const Scenario& scenario, std::span<const ScenarioTxn> boxes) {
  std::vector<TxnId> placed;
  for (const ScenarioTxn& member : boxes) {
    if (place_in_order(scenario, member.txn) > 0) placed.push_back(member.txn);
  }
  std::ranges::sort(placed, {}, [&](TxnId txn) { return place_in_order(scenario, txn); });
  return placed;
}

/// What the colour and the signs of boxes say that have no cycle; nothing for others.
std::string wrong_words(const Scenario& scenario, std::span<const ScenarioTxn> boxes) {
  if (scenario.finding) return "red: here is the contradiction";
  if (!scenario.exhaustion) return {};
  std::string text = "red: no order of all these has room for it";
  const std::vector<TxnId> placed = placed_of(scenario, boxes);
  if (placed.empty()) return text;
  text += "; " + place_text(scenario, place_in_order(scenario, placed.front())) +
          ": its place in an order of the others";
  if (placed.size() > 1) text += ", which grey arrows follow, dotted where some are not drawn";
  return text;
}

/// `number` as in the text: T1 is the first transaction of the scenario.
std::string box(const History& history, const ScenarioTxn& member, std::size_t number,
                const OperationTexts& texts, const Scenario& scenario) {
  std::string label = "T" + std::to_string(number) + " = " + history.txn_name(member.txn);
  if (history.status(member.txn) == TxnStatus::kAborted) label += " (aborted)";
  if (const std::size_t place = place_in_order(scenario, member.txn); place > 0) {
    label += " " + place_text(scenario, place);
  }
  for (const OperationTexts::Told& told : texts.of(member)) label += '\n' + told.text;
  const bool is_wrong = wrong_one(scenario) == member.txn;
  return "  " + node(member.txn) + " [label=" + in_quotes(label) +
         (is_wrong ? ", penwidth=2, color=" + in_quotes(kRed) : "") + "];\n";
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

constexpr std::string_view kGrey = "#59636e";

/// As in the HTML report, whose style sheet replaces them where its picture is dark.
std::string_view colour(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kReadFrom:
      return "#0067a5";
    case EdgeKind::kVersionOrder:
      return "#00734c";
    case EdgeKind::kAntiDependency:
      return "#c2410c";
    case EdgeKind::kMonotonicView:
    case EdgeKind::kAtomicView:
    case EdgeKind::kCausalView:
      return "#8e3a8a";
    default:
      return kGrey;
  }
}

std::string coloured(std::string_view colour) {
  const std::string name = in_quotes(colour);
  return ", color=" + name + ", fontcolor=" + name;
}

/// " on x", " on key 4".
std::string on_key(const History& history, KeyId key) {
  return " on " + history::key_text(history, key);
}

/// A view edge tells its reader, and leads to the writer that the reader missed; what it rests
/// on leads to the reader.
const EdgeKindWords& arrow_words(const Edge& edge) {
  const bool through_others = edge.kind == EdgeKind::kCausalView && edge.via.is_none();
  return through_others ? kThroughOthers : words_of(edge.kind);
}

/// By kind and letters.
using Kinds = std::map<std::pair<EdgeKind, std::string_view>, const EdgeKindWords*>;

Kinds::value_type named(const EdgeKindWords& words) {
  return {{words.kind, words.letters}, &words};
}

/// Class and colour tell the kind; the class has the step too, so that a page can set the
/// arrows of one step apart. `evidence`: what others rest on, thin.
std::string arrow(const History& history, const Edge& edge, std::string_view because,
                  std::size_t of_step, bool evidence) {
  std::string label = of_step > 0 ? std::to_string(of_step) + ": " : std::string();
  label += arrow_words(edge).letters;
  if (edge.key.is_some()) label += on_key(history, edge.key);
  std::string out("  ");
  out += node(edge.from) + " -> " + node(edge.to);
  out += " [label=" + in_quotes(" " + label + " ") + ", style=";
  out += line_style(edge.kind);
  std::string group(arrow_words(edge).letters);
  if (of_step > 0) group += " step" + std::to_string(of_step);
  if (evidence) {
    group += " evidence";
    out += ", penwidth=0.5, fontsize=11";
  }
  out += ", class=" + in_quotes(group) + ", tooltip=" + in_quotes(because);
  return out + coloured(colour(edge.kind)) + "];\n";
}

/// The arrows of an argument, as far as there is room for them. One that leads out of the
/// boxes, or into them, leads to or from the box for all others.
class Arrows {
 public:
  Arrows(const History& history, std::span<const ScenarioTxn> boxes, std::size_t room)
      : history_(history), writers_(history), room_(room) {
    for (const ScenarioTxn& member : boxes) shown_.insert(member.txn);
  }

  /// A reader that missed part of a transaction altogether is a cycle of one edge: drawn as
  /// what it saw of the transaction and what it missed.
  void add(const ScenarioEdge& step, std::size_t of_step) {
    const Edge& edge = step.edge;
    const bool alone = edge.from == edge.to;
    if (!is_view(edge.kind) || !alone) add(edge, step.because, of_step);
    if (!is_view(edge.kind)) return;
    const SeenAndMissed sight = seen_and_missed(writers_, edge, step.taken);
    for (const Edge& behind : {sight.seen, sight.missed}) {
      if (alone) {
        add(behind, step.because, of_step);
      } else {
        behind_.push_back({behind, step.because, of_step});
      }
    }
  }

  /// What view edges rest on: between boxes that are there, as far as the arrows of the
  /// argument leave room, and each once. That one transaction is a cause of another through
  /// others is no arrow of any kind.
  void draw_evidence() {
    std::set<std::tuple<std::size_t, TxnId, TxnId, EdgeKind, KeyId>> drawn;
    for (const auto& [edge, because, of_step] : behind_) {
      const bool is_there = shown_.count(edge.from) != 0 && shown_.count(edge.to) != 0;
      if (!is_there || edge.kind == EdgeKind::kCausalView || drawn_ == room_) continue;
      if (!drawn.emplace(of_step, edge.from, edge.to, edge.kind, edge.key).second) continue;
      text_ += arrow(history_, edge, because, of_step, true);
      kinds_.insert(named(arrow_words(edge)));
      ++drawn_;
    }
  }

  const std::string& text() const { return text_; }
  const Kinds& kinds() const { return kinds_; }

  /// What is left out, in a box; nothing where all is there.
  std::string rest(std::size_t txns) const {
    if (txns == 0 && left_out_ == 0) return {};
    std::string label;
    const auto add_line = [&label](std::size_t count, const char* what) {
      if (count == 0) return;
      label += base::grouped(count) + " more " + what + (count == 1 ? "\n" : "s\n");
    };
    add_line(txns, "transaction");
    add_line(left_out_, "arrow");
    label += "see the text and the certificate";
    std::string out = "  more [label=" + in_quotes(label) + ", style=dashed, class=more" +
                      coloured(kGrey) + "];\n";
    std::size_t room = room_ - drawn_;
    for (const auto& [from, to] : outside_) {
      if (room-- == 0) break;
      out += "  " + (from.is_none() ? "more" : node(from)) + " -> " +
             (to.is_none() ? "more" : node(to)) + " [style=dashed, class=more" +
             coloured(kGrey) + "];\n";
    }
    return out;
  }

 private:
  void add(const Edge& edge, std::string_view because, std::size_t of_step) {
    const bool from = shown_.count(edge.from) != 0;
    const bool to = shown_.count(edge.to) != 0;
    if (from && to && drawn_ < room_) {
      text_ += arrow(history_, edge, because, of_step, false);
      kinds_.insert(named(arrow_words(edge)));
      ++drawn_;
      return;
    }
    ++left_out_;
    if (from != to) outside_.emplace(from ? edge.from : TxnId(), to ? edge.to : TxnId());
  }

  struct Behind {
    Edge edge;
    std::string_view because;
    std::size_t of_step;
  };

  const History& history_;
  Writers writers_;
  std::size_t room_;
  std::set<TxnId> shown_;
  std::vector<Behind> behind_;
  std::set<std::pair<TxnId, TxnId>> outside_;  // none: the box for all others
  Kinds kinds_;                                // of those drawn
  std::size_t drawn_ = 0;
  std::size_t left_out_ = 0;
  std::string text_;
};

std::string_view line_sample(EdgeKind kind) {
  const std::string_view style = line_style(kind);
  return style == "dashed" ? "- -&gt;" : style == "dotted" ? "...&gt;" : "---&gt;";
}

/// What the kinds of arrows say, and the signs in the boxes, in a table below them; edges to it
/// that nobody sees keep it from standing beside them. Only that of the lowest box has a
/// weight, and pulls it there; others would bend arrows.
std::string legend(const Kinds& kinds, std::span<const std::string> signs,
                   std::span<const ScenarioTxn> boxes, TxnId lowest) {
  if (kinds.empty() && signs.empty()) return {};
  const auto row = [](const std::string& text, std::string_view colour) {
    std::string out = "<TR><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\"><FONT COLOR=\"";
    out += colour;
    out += "\">";
    for (const char c : text) c == '\n' ? out += "<BR/>" : out += c;
    return out + "</FONT></TD></TR>";
  };
  std::string out =
      "  { rank=sink; legend [shape=plain, style=solid, class=legend, fontsize=11, label=<"
      "<TABLE BORDER=\"0\" CELLSPACING=\"0\">";
  if (!kinds.empty()) out += row("An arrow from A to B:", kGrey);
  for (const auto& [name, words] : kinds) {
    std::string text(line_sample(words->kind));
    text += " " + std::string(words->letters) + "  ";
    text += words->meaning;
    out += row(wrapped(std::move(text)), colour(words->kind));
  }
  for (const std::string& sign : signs) out += row(wrapped(in_html(sign)), kGrey);
  out += "</TABLE>>]; }\n";
  // An edge past many boxes costs Graphviz as many places in its drawing.
  constexpr std::size_t kMostKept = 16;
  for (const ScenarioTxn& each : boxes) {
    if (each.txn != lowest && boxes.size() > kMostKept) continue;
    out += "  " + node(each.txn) + " -> legend [style=invis";
    out += each.txn == lowest ? "];\n" : ", weight=0];\n";
  }
  return out;
}

/// A finding has no cycle: an arrow from each other transaction to the reader.
std::string finding_arrows(const History& history, const Scenario& scenario) {
  const Finding& finding = *scenario.finding;
  const KeyId key = history.ops(finding.txn)[finding.op].key;
  const Counterparts others = counterparts_of(scenario);
  std::string out;
  for (const TxnId from : others.txns) {
    out += "  " + node(from) + " -> " + node(finding.txn) + " [label=" +
           in_quotes(" " +
                     (others.wrote ? std::string(edge_kind_name(EdgeKind::kReadFrom)) +
                                         on_key(history, key)
                                   : history::key_text(history, key)) +
                     " ") +
           (others.wrote ? ", class=wr" + coloured(colour(EdgeKind::kReadFrom)) : "") +
           ", tooltip=" + in_quotes(scenario.statement) + "];\n";
  }
  return out;
}

bool has_reads(const Scenario& scenario) {
  const Counterparts others = counterparts_of(scenario);
  return others.wrote && !others.txns.empty();
}

/// Why the run ended before its time, if it did: whoever has only the picture is to know it.
std::string why_stopped(const History& history) {
  constexpr std::size_t kLongest = 200;
  for (const RecordedEvent& event : history.events()) {
    if (history.pooled_text(event.kind) != "stopped") continue;
    std::string why = "The run stopped early";
    if (event.what.is_null()) return why;
    const std::string_view what = history.pooled_text(event.what);
    return why + ": " + base::printable_line(base::shortened(what, kLongest));
  }
  return {};
}

/// What is not linearizable has no arrows of an argument: the boxes in rows, first those of the
/// order of the others, with arrows along it, then the one that it has no room for.
std::string rows(const Scenario& scenario, std::span<const ScenarioTxn> boxes) {
  constexpr std::size_t kInRow = 4;
  const std::vector<TxnId> placed = placed_of(scenario, boxes);
  std::vector<TxnId> all = placed;
  const auto add = [&](bool wrong) {
    for (const ScenarioTxn& member : boxes) {
      const bool is_wrong = wrong_one(scenario) == member.txn;
      if (is_wrong == wrong && place_in_order(scenario, member.txn) == 0)
        all.push_back(member.txn);
    }
  };
  add(true);
  add(false);
  std::string out = "  nodesep=0.5;\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % kInRow == 0) out += i > 0 ? "}\n  { rank=same; " : "  { rank=same; ";
    out += node(all[i]) + "; ";
  }
  out += "}\n";
  for (std::size_t i = kInRow; i < all.size(); ++i) {
    out += "  " + node(all[i - kInRow]) + " -> " + node(all[i]) + " [style=invis];\n";
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool begins_row = i % kInRow == 0;
    if (i >= placed.size() && begins_row) continue;
    out += "  " + node(all[i - 1]) + " -> " + node(all[i]);
    if (i >= placed.size()) {
      out += " [style=invis];\n";
      continue;
    }
    const bool is_next =
        place_in_order(scenario, all[i - 1]) + 1 == place_in_order(scenario, all[i]);
    out += std::string(" [style=") + (is_next ? "solid" : "dotted") +
           (begins_row ? ", constraint=false" : "") + ", class=" + in_quotes("more next") +
           coloured(kGrey) + "];\n";
  }
  return out;
}

}  // namespace

std::string to_dot(const History& history, const Scenario& scenario, const DotStyle& style) {
  std::string out = "digraph isolde {\n";
  if (style.stands_alone) {
    // The sentence begins with the anomaly's name.
    std::string title = wrapped(base::capitalised(label(scenario.anomaly)) +
                                scenario.statement.substr(scenario.anomaly.name.size()));
    if (const std::string why = why_stopped(history); !why.empty())
      title += '\n' + wrapped(why);
    out += "  label=" + in_quotes(title) + ";\n  labelloc=t;\n";
  }
  // A font whose sizes Graphviz knows without having it. All fonts of fixed width are about as
  // wide, so the text fits whichever one the viewer takes.
  out += "  fontname=\"Courier\";\n  fontsize=12;\n";
  out +=
      "  node [shape=box, fontname=\"Courier\", style=filled, fillcolor=\"#fff4d6\", "
      "color=\"#9a6b00\"];\n  edge [fontname=\"Courier\"];\n";
  const OperationTexts texts(history, scenario);
  const std::span<const ScenarioTxn> all(scenario.txns);
  const std::span<const ScenarioTxn> boxes =
      style.whole ? all : all.first(std::min(all.size(), kTxnsDrawn));
  std::string in_boxes;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    in_boxes += box(history, boxes[i], i + 1, texts, scenario);
  }
  out += in_boxes;
  if (scenario.finding) out += finding_arrows(history, scenario);
  Arrows arrows(history, boxes,
                style.whole ? std::numeric_limits<std::size_t>::max() : kArrowsDrawn);
  for (const ScenarioStep& step : scenario.steps) {
    const std::size_t number = scenario.steps_total > 1 ? step.number : 0;
    for (const ScenarioEdge& edge : step.cycle) arrows.add(edge, number);
  }
  arrows.draw_evidence();
  out += arrows.text();
  if (scenario.exhaustion) out += rows(scenario, boxes);
  if (style.stands_alone) {
    Kinds kinds = arrows.kinds();
    if (scenario.finding && has_reads(scenario)) {
      kinds.insert(named(words_of(EdgeKind::kReadFrom)));
    }
    std::vector<std::string> signs = {place_words(history, boxes, false),
                                      number_words(history, in_boxes),
                                      wrong_words(scenario, boxes)};
    std::erase(signs, std::string());
    // Of a finding the reader, to which all arrows lead; else the last one in order.
    const ScenarioTxn& lowest = scenario.finding ? boxes.front() : boxes.back();
    out += legend(kinds, signs, boxes, lowest.txn);
  }
  return out + arrows.rest(all.size() - boxes.size()) + "}\n";
}

}  // namespace isolde::explain
