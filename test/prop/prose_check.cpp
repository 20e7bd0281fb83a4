#include "prop/prose_check.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "explain/edge_kinds.hpp"
#include "prop/reasons.hpp"
#include "prop/sentence.hpp"

namespace isolde::prop {
namespace {

using explain::Ground;
using explain::Scenario;
using explain::ScenarioEdge;
using explain::ScenarioStep;

constexpr std::string_view kSupposed = " (assumed, for others wrote this value too)";
constexpr std::string_view kSupposedInPart = " (assumed, for others wrote what fits, too)";
constexpr std::string_view kSupposedToo =
    "; whose version was read is assumed, too, for others wrote this value)";
constexpr std::string_view kSupposedTooInPart =
    "; whose version was read is assumed, too, for others wrote what fits)";
constexpr std::size_t kColumns = 96;

/// Lines as they were before they were broken: a line goes on where it is indented by two more
/// and its first word would not have fitted.
std::vector<std::string> unbroken(std::string_view text) {
  std::vector<std::string> lines;
  std::size_t width = 0;  // of the last printed line
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view printed = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = std::min(printed.find_first_not_of(' '), printed.size());
    const std::string_view words = printed.substr(indent);
    const std::size_t before =
        lines.empty() ? 0 : std::min(lines.back().find_first_not_of(' '), lines.back().size());
    const bool is_head = !lines.empty() && (lines.back().ends_with(", for otherwise:") ||
                                            lines.back().ends_with("Then:"));
    const bool goes_on = !lines.empty() && !words.empty() && indent == before + 2 && !is_head &&
                         width + 1 + std::min(words.find(' '), words.size()) > kColumns;
    if (goes_on) {
      lines.back() += ' ';
      lines.back() += words;
    } else {
      lines.emplace_back(printed);
    }
    width = printed.size();
  }
  return lines;
}

/// What a member of a clause says in words; opposites differ in nothing but their sense.
struct Literal {
  std::string about;
  bool is = true;
};

struct Member {
  std::optional<VersionOrder> order;
  std::optional<Claim> claim;
  Literal literal;
};

/// Follows the narrative of an argument line by line.
class Listener {
 public:
  Listener(const History& history, const Scenario& scenario, std::string_view text)
      : history_(history), scenario_(scenario), names_(short_names(scenario)) {
    for (std::string& line : unbroken(text)) lines_.push_back(std::move(line));
  }

  std::string complaint() {
    go_to_argument();
    if (at_ == lines_.size()) return "no argument";
    if (scenario_.finding) return finding();
    const bool cases = lines_[at_].starts_with("Either ");
    const bool told = cases ? both_cases() : all_steps();
    if (told && !cases && scenario_.complete()) follow();
    return complaint_;
  }

 private:
  bool wrong(const std::string& what) {
    if (complaint_.empty()) {
      complaint_ = what + (at_ < lines_.size() ? " in '" + lines_[at_] + "'" : " at the end");
    }
    return false;
  }

  std::string finding() const {
    const std::string_view line = lines_[at_];
    if (!line.starts_with("Then: ") || !line.ends_with('.')) return "not Then:";
    return complaint_about_finding(history_, names_, *scenario_.finding,
                                   line.substr(6, line.size() - 7));
  }

  /// Behind the transactions.
  void go_to_argument() {
    while (at_ < lines_.size() && lines_[at_] != "Let:") ++at_;
    do {
      ++at_;
    } while (at_ < lines_.size() && lines_[at_].starts_with("  "));
    const auto skip = [&](std::string_view start) {
      if (at_ < lines_.size() && lines_[at_].starts_with(start)) ++at_;
    };
    skip("Suppose an order explains what session ");
    skip("The whole argument has ");
  }

  bool all_steps() {
    for (const ScenarioStep& step : scenario_.steps) {
      if (!one_step(step)) return false;
    }
    return true;
  }

  bool one_step(const ScenarioStep& step) {
    if (at_ == lines_.size()) return wrong("a step is missing");
    Sentence head(history_, names_, lines_[at_]);
    const std::string number = "Step " + std::to_string(step.number) + ". ";
    if (scenario_.steps_total > 1 && !head.eat(number)) return wrong("not " + number);
    if (step.cycle.empty()) {
      if (!premises(step, head)) return false;
    } else if (step.clause.empty() && step.claims.empty()) {
      if (!head.eat("Then:") || !head.at_end()) return wrong("not Then:");
    }
    std::vector<Member> members;
    if (!step.clause.empty() || !step.claims.empty()) {
      if (!clause(head, members) || !same(step, members)) return false;
      const std::string_view end = !step.cycle.empty() ? ", for otherwise:"
                                   : step.from.empty() ? "; there is no other possibility."
                                                       : ".";
      if (!head.eat(end) || !head.at_end()) return wrong("not '" + std::string(end) + "'");
    }
    for (const Member& member : members) told_[step.number].push_back(member.literal);
    ++at_;
    return step.cycle.empty() || cycle(step);
  }

  bool premises(const ScenarioStep& step, Sentence& head) {
    if (step.from.empty()) return true;
    std::string words = step.from.size() == 1 ? "From step " : "From steps ";
    for (std::size_t i = 0; i < step.from.size(); ++i) {
      words += i == 0 ? "" : i + 1 == step.from.size() ? " and " : ", ";
      words += std::to_string(step.from[i]);
    }
    if (!head.eat(words + ": ")) return wrong("not '" + words + "'");
    if (!step.clause.empty() || !step.claims.empty()) return true;
    return (head.eat("a contradiction.") && head.at_end()) || wrong("no contradiction");
  }

  bool clause(Sentence& head, std::vector<Member>& members) {
    do {
      const std::string_view mark = head.mark();
      Member member;
      if (!order(head, member)) {
        head.back_to(mark);
        if (!claim(head, member)) return wrong("not an alternative");
      }
      members.push_back(std::move(member));
    } while (head.eat(", or "));
    return true;
  }

  /// "T1 wrote x before T2", where both did write x.
  bool order(Sentence& at, Member& member) {
    const std::optional<TxnId> first = at.txn();
    const bool appended = first && at.eat(" appended to ");
    if (!first || (!appended && !at.eat(" wrote "))) return false;
    std::vector<KeyId> keys;
    do {
      const std::optional<KeyId> key = at.key();
      if (!key) return false;
      keys.push_back(*key);
    } while (at.eat(" and "));
    if (!at.eat(" before ")) return false;
    const std::optional<TxnId> second = at.txn();
    if (!second) return false;
    for (const KeyId key : keys) {
      if (last_write(history_, *first, key) == nullptr) return false;
      if (last_write(history_, *second, key) == nullptr) return false;
    }
    const bool is_ascending = *first < *second;
    // Whichever keys: the writes of two transactions are in one order.
    const std::string about = "order " +
                              std::to_string((is_ascending ? *first : *second).raw()) + ' ' +
                              std::to_string((is_ascending ? *second : *first).raw());
    member.order = VersionOrder{*first, *second};
    member.literal = {about, is_ascending};
    return true;
  }

  bool claim(Sentence& at, Member& member) {
    const std::optional<TxnId> txn = at.txn();
    if (!txn) return false;
    Claim claim{{*txn, Claim::kNoOp, {}}, false};
    const bool is_none = at.eat(" did not take effect");
    if (is_none || at.eat(" took effect")) {
      claim.denied = is_none;
      member.literal = {"effect " + std::to_string(txn->raw()), !is_none};
      member.claim = claim;
      return true;
    }
    claim.denied = at.eat(" did not read ");
    if (!claim.denied && !at.eat(" read ")) return false;
    const std::optional<Seen> seen = at.seen(*txn);
    if (!seen) return false;
    if (at.eat(" from ")) {
      const std::optional<TxnId> writer = at.txn();
      if (!writer) return false;
      claim.source.writer = *writer;
    }
    claim.source.op = seen->ops.front();
    const Op& read = history_.ops(*txn)[claim.source.op];
    const std::vector<TxnId> all = sources(history_, *txn, read);
    if (std::find(all.begin(), all.end(), claim.source.writer) == all.end()) return false;
    // Equal words are one claim to a reader.
    const TxnId writer = claim.source.writer;
    member.literal = {"source " + std::to_string(txn->raw()) + ' ' +
                          std::to_string(claim.source.op) + ' ' +
                          (writer.is_none() ? "-" : std::to_string(writer.raw())),
                      !claim.denied};
    member.claim = claim;
    return true;
  }

  bool equal(const Claim& told, const Claim& meant) const {
    if (told.denied != meant.denied || told.source.txn != meant.source.txn) return false;
    if (told.source.writer != meant.source.writer) return false;
    if (told.source.op == Claim::kNoOp || meant.source.op == Claim::kNoOp) {
      return told.source.op == meant.source.op;
    }
    const auto ops = history_.ops(told.source.txn);
    const Op& mine = ops[told.source.op];
    const Op& other = ops[meant.source.op];
    if (mine.is_partial() || other.is_partial()) return told.source.op == meant.source.op;
    return mine.key == other.key && mine.kind == other.kind && mine.value == other.value;
  }

  /// All alternatives of the step are told, and no others.
  bool same(const ScenarioStep& step, const std::vector<Member>& members) {
    if (members.size() != step.clause.size() + step.claims.size()) {
      return wrong("not as many alternatives as the step has");
    }
    for (const VersionOrder& order : step.clause) {
      const bool told = std::any_of(members.begin(), members.end(), [&](const Member& member) {
        return member.order && *member.order == order;
      });
      if (!told) return wrong("an order is missing");
    }
    for (const Claim& claim : step.claims) {
      const bool told = std::any_of(members.begin(), members.end(), [&](const Member& member) {
        return member.claim && equal(*member.claim, claim);
      });
      if (!told) return wrong("a claim is missing");
    }
    return true;
  }

  bool cycle(const ScenarioStep& step) {
    std::string chain = "  ";
    for (const ScenarioEdge& edge : step.cycle) {
      const std::string from = name(edge.edge.from);
      if (at_ == lines_.size()) return wrong("an edge is missing");
      Sentence line(history_, names_, lines_[at_]);
      const bool alone = edge.edge.from == edge.edge.to;
      const std::string head =
          alone ? "  "
                : "  " + from + " < " + name(edge.edge.to) + " (" +
                      std::string(explain::edge_kind_name(edge.edge.kind)) + "), because ";
      if (!line.eat(head) || !lines_[at_].ends_with('.')) return wrong("not '" + head + "'");
      const std::string_view words = line.rest().substr(0, line.rest().size() - 1);
      const std::string complaint = complaint_about_reason(history_, names_, edge, words);
      if (!complaint.empty()) return wrong(complaint);
      ++at_;
      if (alone) return true;
      chain += from + " < ";
    }
    chain += name(step.cycle.front().edge.from) + ", a contradiction.";
    if (at_ == lines_.size() || lines_[at_] != chain) return wrong("not '" + chain + "'");
    ++at_;
    return true;
  }

  bool both_cases() {
    for (std::size_t i = 0; i < 2; ++i) {
      const ScenarioStep& step = scenario_.steps[i];
      if (step.clause.size() != 1 || !step.claims.empty()) return wrong("more than two cases");
      Sentence head(history_, names_, lines_[at_]);
      std::vector<Member> members;
      if (!head.eat(i == 0 ? "Either " : "Or ") || !clause(head, members)) {
        return wrong("not a case");
      }
      const VersionOrder excluded = step.clause.front();
      const bool opposite = members.size() == 1 && members[0].order &&
                            members[0].order->before == excluded.after &&
                            members[0].order->after == excluded.before;
      if (!opposite) return wrong("not the case that the step excludes");
      told_[i].push_back(members[0].literal);
      if (!head.eat(". Then:")) return wrong("not Then:");
      ++at_;
      if (!cycle(step)) return false;
    }
    if (told_[0][0].about != told_[1][0].about || told_[0][0].is == told_[1][0].is) {
      return wrong("the cases are not opposite");
    }
    return (at_ < lines_.size() && lines_[at_] == "Neither is possible.") ||
           wrong("no conclusion");
  }

  /// Whether what is told follows from what is told: by words, as nothing else is there.
  /// Steps with claims rest on more than words say: that a read has one source.
  void follow() {
    for (const ScenarioStep& step : scenario_.steps) {
      if (step.from.empty()) continue;
      const bool claims =
          std::any_of(scenario_.steps.begin(), scenario_.steps.end(),
                      [](const ScenarioStep& other) { return !other.claims.empty(); });
      if (claims) continue;
      std::map<std::string, bool> known;
      for (const Literal& member : told_[step.number]) known[member.about] = !member.is;
      bool contradiction = false;
      for (bool news = true; news && !contradiction;) {
        news = false;
        for (const std::size_t earlier : step.from)
          propagate(earlier, known, news, contradiction);
      }
      if (!contradiction) {
        wrong("step " + std::to_string(step.number) + " does not follow by its words");
      }
    }
  }

  void propagate(std::size_t step, std::map<std::string, bool>& known, bool& news,
                 bool& contradiction) {
    const Literal* open = nullptr;
    for (const Literal& member : told_[step]) {
      const auto is = known.find(member.about);
      if (is != known.end() && is->second == member.is) return;
      if (is != known.end()) continue;
      if (open != nullptr) return;
      open = &member;
    }
    if (open == nullptr) {
      contradiction = true;
    } else {
      known[open->about] = open->is;
      news = true;
    }
  }

  std::string name(TxnId txn) const {
    for (const auto& [name, whose] : names_) {
      if (whose == txn) return name;
    }
    return history_.txn_name(txn);
  }

  const History& history_;
  const Scenario& scenario_;
  TxnNames names_;
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  std::map<std::size_t, std::vector<Literal>> told_;  // by step
  std::string complaint_;
};

}  // namespace

TxnNames short_names(const Scenario& scenario) {
  TxnNames names;
  for (std::size_t i = 0; i < scenario.txns.size(); ++i) {
    names.emplace_back("T" + std::to_string(i + 1), scenario.txns[i].txn);
  }
  return names;
}

TxnNames own_names(const History& history) {
  TxnNames names;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    names.emplace_back(history.txn_name(TxnId::at(t)), TxnId::at(t));
  }
  return names;
}

std::string complaint_about_reason(const History& history, const TxnNames& names,
                                   const ScenarioEdge& edge, std::string_view text) {
  Sentence sentence(history, names, text);
  ReasonReader reader(history, sentence, edge.supposed);
  if (!reader.reason(edge)) return reader.complaint() + ", of '" + std::string(text) + "'";
  // Where some reads do not tell what they returned.
  const bool in_part = !history.predicates().empty();
  const std::string_view supposed = reader.left_open()
                                        ? (in_part ? kSupposedTooInPart : kSupposedToo)
                                        : (in_part ? kSupposedInPart : kSupposed);
  if (edge.supposed && !sentence.eat(supposed)) return "does not say what it supposes";
  if (sentence.at_end()) return {};
  return "more than is known of: '" + std::string(sentence.rest()) + "'";
}

std::string complaint_about_narrative(const History& history, const Scenario& scenario,
                                      std::string_view text) {
  return Listener(history, scenario, text).complaint();
}

}  // namespace isolde::prop
