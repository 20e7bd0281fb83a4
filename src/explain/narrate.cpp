// The form is Elle's: name the transactions, say what precedes what and why, arrive at a
// contradiction. On top of it: input lines and times, so that the reader finds the place in the
// log; only operations on the keys of the argument; proofs by cases told as cases.
#include "explain/narrate.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "explain/closing.hpp"
#include "explain/edge_kinds.hpp"
#include "explain/evidence.hpp"
#include "explain/lists.hpp"
#include "explain/notation.hpp"
#include "explain/phrase.hpp"
#include "explain/place.hpp"
#include "explain/report_model.hpp"
#include "explain/supply_text.hpp"
#include "explain/times.hpp"
#include "explain/totals.hpp"
#include "history/current_reads.hpp"
#include "history/texts.hpp"

namespace isolde::explain {
namespace {

constexpr std::size_t kColumns = 96;

/// The read can have returned a write of the transaction, and of no other.
bool is_from(const History& history, const Op& read, TxnId txn) {
  if (read.kind != OpKind::kRead && read.kind != OpKind::kReadList) return false;
  const auto returned = [&](const Op& op) {
    if (!op.is_write() || op.key != read.key) return false;
    if (read.kind == OpKind::kRead) return op.value == read.value;
    const std::span<const Value> list = history.list(read);
    return std::ranges::find(list, op.value) != list.end();
  };
  const auto wrote = [&](TxnId writer, Value value) {
    return std::ranges::any_of(history.ops(writer), [&](const Op& op) {
      return op.is_write() && op.key == read.key && op.value == value;
    });
  };
  return std::ranges::any_of(history.ops(txn), [&](const Op& op) {
    if (!returned(op)) return false;
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      if (TxnId::at(t) != txn && wrote(TxnId::at(t), op.value)) return false;
    }
    return true;
  });
}

/// Those of the scenario that surely read from the transaction.
std::vector<std::string> readers_of(const History& history, const Scenario& scenario,
                                    const Names& names, TxnId txn) {
  std::vector<std::string> readers;
  for (const ScenarioTxn& member : scenario.txns) {
    const bool reads = std::ranges::any_of(
        history.ops(member.txn), [&](const Op& op) { return is_from(history, op, txn); });
    if (reads) readers.push_back(names.of(member.txn));
  }
  return readers;
}

class Writer {
 public:
  Writer(const History& history, const Scenario& scenario, const NarrativeStyle& style)
      : history_(history), scenario_(scenario), style_(style), names_(history) {
    for (std::size_t i = 0; i < scenario.txns.size(); ++i) {
      std::string name("T");
      name += std::to_string(i + 1);
      names_.give(scenario.txns[i].txn, std::move(name));
    }
  }

  std::string write() {
    headline();
    let();
    if (scenario_.finding) {
      line(0, bold("Then: ") + finding_text(phrase_, scenario_) + ".");
      close();
    } else if (scenario_.session.is_some()) {
      line(0, "Suppose an order explains what session " +
                  history::session_text(history_, scenario_.session) + " saw.");
      argument();
    } else if (scenario_.exhaustion) {
      exhaustion(*scenario_.exhaustion);
    } else if (is_two_cases()) {
      two_cases();
    } else {
      argument();
    }
    legend();
    line(0, "");
    line(0, bold(capital(scenario_.anomaly.name) + ":") + " " +
                std::string(scenario_.anomaly.lesson) + ".");
    line(0, bold("Where to look:") + " " + std::string(scenario_.anomaly.cause) + ".");
    return std::move(text_);
  }

 private:
  std::string paint(const char* code, std::string words) const {
    return style_.colour ? "\x1b[" + std::string(code) + "m" + words + "\x1b[0m" : words;
  }
  std::string bold(std::string words) const { return paint("1", std::move(words)); }
  std::string red(std::string words) const { return paint("31", std::move(words)); }

  static std::string capital(std::string_view name) {
    std::string text(name);
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
      text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
  }

  /// One logical line, wrapped at blanks; continuation lines are indented by two more.
  void line(std::size_t indent, const std::string& words) {
    std::size_t column = style_.indent + indent;
    if (!words.empty()) text_.append(column, ' ');
    std::size_t at = 0;
    while (at < words.size()) {
      std::size_t end = words.find(' ', at);
      if (end == std::string::npos) end = words.size();
      const bool first = column == style_.indent + indent;
      if (!first && column + 1 + (end - at) > kColumns) {
        text_ += '\n';
        column = style_.indent + indent + 2;
        text_.append(column, ' ');
      } else if (!first) {
        text_ += ' ';
        ++column;
      }
      text_.append(words, at, end - at);
      column += end - at;
      at = end + 1;
    }
    text_ += '\n';
  }

  void headline() {
    const std::string head = red(bold(capital(label(scenario_.anomaly))));
    line(0, head);
    line(0, "");
  }

  std::string place(TxnId txn) const {
    std::string text = history_.txn_name(txn);
    if (!names_its_session(history_, txn)) text += session_of(txn);
    if (const std::string where = place_text(history_, txn); !where.empty()) {
      text += ", " + where;
    }
    if (const auto level = history_.stated_level(txn)) {
      text += ", at " + std::string(info(*level).name);
    }
    if (history_.status(txn) == TxnStatus::kAborted) text += ", aborted";
    if (history_.status(txn) == TxnStatus::kIndeterminate) text += ", outcome unknown";
    if (const std::string when = times_.of(txn); !when.empty()) text += ", " + when;
    const std::string server = history_.text(history_.server(txn));
    if (!history_.server(txn).is_null() && !server.empty()) text += ", on " + server;
    return text;
  }

  std::string session_of(TxnId txn) const {
    return ", session " + history::session_text(history_, history_.session_of(txn));
  }

  static void add_times(std::size_t times, std::string& text) {
    const std::string words = std::to_string(times) + " times)";
    constexpr std::string_view kCount = " elements)";
    if (text.ends_with(kCount)) {
      text.back() = ',';
      text += ' ' + words;
    } else {
      text += " (" + words;
    }
  }

  /// How often the operation is told by the same text, from this one on.
  static std::size_t repeats(std::span<const OperationTexts::Told> from_here) {
    std::size_t count = 1;
    while (count < from_here.size() && from_here[count].text == from_here[0].text) ++count;
    return count;
  }

  /// A selection counts once.
  std::size_t operation_count(TxnId txn) const {
    std::size_t count = 0;
    for (std::uint32_t op = 0; op < history_.ops(txn).size(); ++op) {
      count += history_.step(txn, op) == op ? 1 : 0;
    }
    return count;
  }

  /// On one line, but for those that need one of their own.
  void operations(const ScenarioTxn& member) {
    const std::vector<OperationTexts::Told> all = op_texts_.of(member);
    const bool any_blanks = std::ranges::any_of(all, [](const OperationTexts::Told& each) {
      return !each.is_long && each.text.find(' ') != std::string::npos;
    });
    std::string text;
    const auto end_line = [&] {
      if (!text.empty()) line(7, text);
      text.clear();
    };
    std::size_t told = 0;
    for (std::size_t times = 0, pieces = 0; told < all.size() && pieces < kOpsShown;
         told += times, ++pieces) {
      const OperationTexts::Told& one = all[told];
      times = repeats(std::span(all).subspan(told));
      if (one.is_long) end_line();
      text += (text.empty() ? "" : any_blanks ? ", " : " ") + one.text;
      if (times > 1) add_times(times, text);
      if (one.is_long) end_line();
    }
    const std::size_t hidden = operation_count(member.txn) - told;
    if (hidden > 0) {
      text += (text.empty() ? "(and " : " (and ") + std::to_string(hidden) +
              (hidden == 1 ? " more operation)" : " more operations)");
    }
    if (const std::size_t failed = failed_ops(history_, member.txn); failed > 0) {
      text += (text.empty() ? "(" : " (") + std::to_string(failed) +
              (failed == 1 ? " operation failed" : " operations failed") + " and left out)";
    }
    end_line();
    if (const auto total = total_read_by(history_, member.txn)) {
      line(7, "it " + total_text(*total));
    }
  }

  void let() {
    if (const std::string about = times_.heading(); !about.empty()) {
      line(0, about);
      line(0, "");
    }
    line(0, bold("Let:"));
    const std::size_t told_later =
        scenario_.unsupplied ? kUnsuppliedFirst : scenario_.txns.size();
    members(0, told_later);
    zero_point();
    if (style_.with_rest) rest();
  }

  /// Those that the argument does not speak of, though without them it would not hold.
  void rest() {
    std::vector<TxnId> others;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const bool is_told = std::ranges::find(scenario_.txns, TxnId::at(t), &ScenarioTxn::txn) !=
                           scenario_.txns.end();
      if (!is_told) others.push_back(TxnId::at(t));
    }
    if (others.empty()) return;
    line(0, bold("Beside them:"));
    for (const TxnId txn : std::span(others).first(std::min(others.size(), kOthersTold))) {
      const std::vector<std::string> readers = readers_of(history_, scenario_, names_, txn);
      const std::string why =
          readers.empty() ? "" : ", from which " + base::joined(readers, "and") + " read";
      line(2, place(txn) + why);
      std::string text;
      for (const std::string& one : history::op_texts(history_, txn)) {
        text += (text.empty() ? "" : ", ") + one;
      }
      line(7, base::shortened(text, kOthersText));
    }
    if (others.size() <= kOthersTold) return;
    line(2, "and " + base::plural(others.size() - kOthersTold, "more transaction"));
  }

  void members(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, scenario_.txns.size()); ++i) {
      const ScenarioTxn& member = scenario_.txns[i];
      line(2, bold(names_.of(member.txn)) + " = " + place(member.txn));
      operations(member);
    }
  }

  /// Once, what the times of the transactions count from.
  void zero_point() {
    const bool any = std::any_of(
        scenario_.txns.begin(), scenario_.txns.end(),
        [&](const ScenarioTxn& member) { return times_.of(member.txn).starts_with("from"); });
    if (!any || !times_.heading().empty()) return;
    line(2, std::string("Times are since the first start of the ") +
                (style_.zero_point == kNoTime ? "history." : "whole history."));
  }

  void edges(const ScenarioStep& step) {
    std::string chain;
    for (const ScenarioEdge& edge : step.cycle) {
      const std::string from = names_.of(edge.edge.from);
      chain += from + " < ";
      const std::string reason = because(phrase_, edge) + '.';
      if (is_alone(edge)) return line(2, reason);
      const std::string kind = " (" + std::string(edge_kind_name(edge.edge.kind)) + ")";
      line(2, bold(from + " < " + names_.of(edge.edge.to)) + kind + ", because " + reason);
    }
    chain += names_.of(step.cycle.front().edge.from);
    line(2, red(chain + ", a contradiction."));
  }

  /// What the letters behind the orders say: once, for those that occur.
  void legend() {
    notation();
    std::string text;
    for (const EdgeKindWords& words : kEdgeKinds) {
      if (!occurs(words.kind)) continue;
      text += (text.empty() ? "" : "; ") + std::string(words.letters) + ": " +
              std::string(words.meaning);
    }
    if (!text.empty()) line(0, "A < B by " + text + ".");
  }

  /// What stands in the lines above and is no plain word: once, for what occurs.
  void notation() {
    std::vector<std::string> parts;
    const bool any_circle = std::ranges::any_of(
        kEdgeKinds, [&](const EdgeKindWords& words) { return occurs(words.kind); });
    if (any_circle) parts.emplace_back("T1 < T2, T1 must come before T2");
    for (std::string& words :
         std::array{place_words(history_, scenario_.txns, style_.with_rest),
                    number_words(history_, text_)}) {
      if (!words.empty()) parts.push_back(std::move(words));
    }
    if (scenario_.anomaly.type.starts_with("G")) {
      parts.push_back(std::string(scenario_.anomaly.type) +
                      ", the type of the anomaly in the terms of Adya and Elle");
    }
    if (parts.empty()) return;
    std::string text = "Notation: ";
    for (const std::string& part : parts) text += (&part == &parts.front() ? "" : "; ") + part;
    line(0, text + ".");
  }

  bool occurs(EdgeKind kind) const {
    if (scenario_.exhaustion || scenario_.finding) return false;
    return std::any_of(
        scenario_.steps.begin(), scenario_.steps.end(), [&](const ScenarioStep& step) {
          return std::any_of(step.cycle.begin(), step.cycle.end(), [&](const ScenarioEdge& of) {
            return of.edge.kind == kind && !is_alone(of);
          });
        });
  }

  std::string clause(const ScenarioStep& step) const {
    std::string text;
    for (const VersionOrder& order : step.clause) {
      text += (text.empty() ? "" : ", or ") + phrase_.order(order, key_of(step, order));
    }
    for (const Claim& claim : step.claims) {
      text += (text.empty() ? "" : ", or ") + phrase_.claim(claim);
    }
    return text;
  }

  /// The last step only joins two steps that rule out an order and its opposite.
  bool is_two_cases() const {
    const std::vector<ScenarioStep>& steps = scenario_.steps;
    if (steps.size() != 3 || !scenario_.complete() || !steps[2].cycle.empty()) return false;
    if (steps[2].wrong_result) return false;
    if (steps[0].clause.size() != 1 || steps[1].clause.size() != 1) return false;
    if (!steps[0].claims.empty() || !steps[1].claims.empty()) return false;
    if (steps[0].cycle.empty() || steps[1].cycle.empty()) return false;
    const VersionOrder first = steps[0].clause[0];
    return steps[1].clause[0] == VersionOrder{first.after, first.before};
  }

  /// With the keys that the two cases are about, which need not be the same.
  std::string supposed(VersionOrder order, KeyId first, KeyId second) const {
    if (first == second || first.is_none() || second.is_none()) {
      return phrase_.order(order, first);
    }
    return names_.of(order.before) + " wrote " + phrase_.key(first) + " and " +
           phrase_.key(second) + " before " + names_.of(order.after);
  }

  void two_cases() {
    const VersionOrder order = scenario_.steps[0].clause[0];
    const KeyId first = key_of(scenario_.steps[0], order);
    const KeyId second = key_of(scenario_.steps[1], order);
    for (std::size_t i = 0; i < 2; ++i) {
      const VersionOrder excluded = scenario_.steps[i].clause[0];
      line(0, bold(i == 0 ? "Either " : "Or ") +
                  supposed({excluded.after, excluded.before}, first, second) + ". Then:");
      edges(scenario_.steps[i]);
    }
    line(0, "Neither is possible.");
    close();
  }

  void summary() {
    line(0, "The whole argument has " + base::grouped(scenario_.steps_total) + " steps about " +
                base::grouped(scenario_.txns_total) + " transactions and " +
                base::grouped(scenario_.keys_total) +
                (scenario_.keys_total == 1 ? " key" : " keys") +
                "; the certificate holds all of them. It ends with:");
  }

  void step(const ScenarioStep& step, bool numbered) {
    const std::string head =
        numbered ? bold("Step " + std::to_string(step.number) + ". ") : std::string();
    const bool is_empty = step.clause.empty() && step.claims.empty();
    if (!step.cycle.empty()) {
      line(0,
           is_empty ? head + bold("Then:") : head + capital(clause(step)) + ", for otherwise:");
      return edges(step);
    }
    if (step.wrong_result) {
      const std::string result = names_.of(step.wrong_result->txn) + " " + step.result;
      return line(0, is_empty
                         ? head + result + ", " + red("a contradiction.")
                         : head + capital(clause(step)) + ", for otherwise " + result + ".");
    }
    if (step.from.empty()) {
      // The sources that a read can have.
      return line(0, head + capital(clause(step)) + "; there is no other possibility.");
    }
    std::string from;
    for (std::size_t i = 0; i < step.from.size(); ++i) {
      if (i > 0) from += i + 1 == step.from.size() ? " and " : ", ";
      from += std::to_string(step.from[i]);
    }
    line(0, head + "From " + (step.from.size() == 1 ? "step " : "steps ") + from + ": " +
                (is_empty ? red("a contradiction.") : clause(step) + "."));
  }

  void argument() {
    if (!scenario_.complete()) summary();
    const bool numbered = scenario_.steps_total > 1;
    for (const ScenarioStep& one : scenario_.steps) step(one, numbered);
    close();
  }

  void close() {
    const std::string closing = closing_text(history_, names_, scenario_);
    if (!closing.empty()) line(0, closing);
  }

  void unsupplied(const Unsupplied& read) {
    line(0, bold("Then: ") + unsupplied_text(history_, names_, read) + ".");
    line(0, "Why none of the writes of that value can have been read:");
    for (const SupplyLine& one : supply_lines(history_, names_, read)) {
      line(2 + 2 * one.depth, one.text);
    }
    if (scenario_.txns.size() <= kUnsuppliedFirst) return;
    line(0, "Where:");
    members(kUnsuppliedFirst, scenario_.txns.size());
  }

  void exhaustion(const KeyExhaustion& proof) {
    if (scenario_.unsupplied) return unsupplied(*scenario_.unsupplied);
    const std::size_t hidden =
        scenario_.txns_total - std::min(scenario_.txns_total, scenario_.txns.size());
    if (hidden > 0) {
      line(0, "and " + std::to_string(hidden) + " transactions before them that use " +
                  phrase_.key(proof.key) + ".");
    }
    line(0, bold("Then: ") + why_open(proof.key) +
                " All orders of the operations were tried, "
                "and none explains what had returned when " +
                names_.of(proof.until) + " returned.");
  }

  /// Why the reads of a key alone do not give the order of its operations.
  std::string why_open(KeyId key) const {
    std::set<Value, BitsLess> written;
    bool repeats = false;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      for (const Op& op : history_.ops(TxnId::at(t))) {
        if (op.key == key && op.is_write())
          repeats = !written.insert(op.value).second || repeats;
      }
    }
    if (repeats) {
      return "values of " + phrase_.key(key) +
             " repeat, so reads do not identify their writers.";
    }
    return "some reads of " + phrase_.key(key) +
           " are negative: only values they did not return are known.";
  }

  struct BitsLess {
    bool operator()(Value a, Value b) const { return a.bits() < b.bits(); }
  };

  static constexpr std::size_t kOpsShown = 16;
  static constexpr std::size_t kOthersTold = 8;
  static constexpr std::size_t kOthersText = 500;
  /// Reader, nearest writer, and who came between.
  static constexpr std::size_t kUnsuppliedFirst = 3;

  const History& history_;
  const Scenario& scenario_;
  const NarrativeStyle& style_;
  Names names_;
  Phrase phrase_{history_, names_};
  TimeTexts times_{history_, scenario_, style_.zero_point};
  OperationTexts op_texts_{history_, scenario_};
  std::string text_;
};

}  // namespace

std::string narrate(const History& history, const Scenario& scenario,
                    const NarrativeStyle& style) {
  if (!history.has_refused_inserts()) return Writer(history, scenario, style).write();
  const History shown = history::with_all_current_reads(history);
  return Writer(shown, scenario, style).write();
}

}  // namespace isolde::explain
