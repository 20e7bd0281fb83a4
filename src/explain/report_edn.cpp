#include "explain/report_edn.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "explain/edge_kinds.hpp"
#include "explain/elle_models.hpp"
#include "explain/encode.hpp"
#include "explain/evidence.hpp"
#include "explain/form.hpp"
#include "explain/place.hpp"
#include "explain/promise.hpp"
#include "explain/story.hpp"
#include "history/texts.hpp"

namespace isolde::explain {
namespace {

constexpr std::string_view kUnknown = ":isolde/unknown";

/// A map or another collection that is written piece by piece.
class EdnForm {
 public:
  explicit EdnForm(std::string_view open) : text_(open) {}
  void add(std::string_view element) {
    if (!first_) text_ += separator_;
    first_ = false;
    text_ += element;
  }
  void add(std::string_view key, std::string_view value) {
    add(std::string(key) + " " + std::string(value));
  }
  EdnForm& separated_by(std::string_view separator) {
    separator_ = separator;
    return *this;
  }
  std::string closed(std::string_view close) const { return text_ + std::string(close); }

 private:
  std::string text_;
  std::string_view separator_ = " ";
  bool first_ = true;
};

EdnForm map() {
  EdnForm form("{");
  form.separated_by(", ");
  return form;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         (text.size() == 1 || text[0] != '0');
}

/// Keywords of Jepsen's histories are strings with a colon here.
bool is_keyword(std::string_view text) {
  return text.size() > 1 && text[0] == ':' &&
         std::all_of(text.begin() + 1, text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '-' || c == '_';
         });
}

class Writer {
 public:
  explicit Writer(const ReportModel& input)
      : input_(input),
        history_(input.history),
        is_edn_(input.history.origin().format.starts_with("jepsen")) {}

  std::string anomalies() {
    std::map<std::string, std::vector<std::string>> by_type;
    for (const Story& story : stories(input_)) {
      std::vector<std::string>& cases = by_type[elle_type(history_, *story.scenario)];
      for (std::string& each : cases_of(*story.scenario)) cases.push_back(std::move(each));
    }
    EdnForm types("(");
    EdnForm all("{");
    all.separated_by(",\n  ");
    for (const auto& [type, cases] : by_type) {
      types.add(":" + type);
      EdnForm vector("[");
      vector.separated_by("\n   ");
      for (const std::string& each : cases) vector.add(each);
      all.add(":" + type + "\n  " + vector.closed("]"));
    }
    return ":anomaly-types " + types.closed(")") + ",\n :anomalies\n " + all.closed("}");
  }

 private:
  std::string value(Value value) const {
    value = history_.plain(value);
    switch (value.kind()) {
      case Value::Kind::kNull:
        return "nil";
      case Value::Kind::kString: {
        const std::string_view text = history_.pooled_text(value);
        return is_edn_ && is_keyword(text) ? std::string(text) : edn_string(text);
      }
      case Value::Kind::kLiteral:
        if (history_.is_row(value)) return row(history_.columns(value));
        break;
      case Value::Kind::kInteger:
        break;
    }
    return history_.json(value);
  }

  std::string row(std::span<const ColumnValue> columns) const {
    EdnForm form = map();
    for (const ColumnValue& column : columns) form.add(value(column.name), value(column.value));
    return form.closed("}");
  }

  std::string key(KeyId key) const { return value(history_.key_name(key)); }

  std::string elements(const Op& op) const {
    EdnForm form("[");
    for (const Value element : history_.list(op)) form.add(value(element));
    return form.closed("]");
  }

  /// [:r x 1], [:append y 2]: a micro-operation.
  std::string mop(const Op& op) const {
    const auto form = [&](std::string_view name, std::string_view what) {
      return "[" + std::string(name) + " " + key(op.key) + " " + std::string(what) + "]";
    };
    switch (op.kind) {
      case OpKind::kRead:
        return form(":r", value(op.value));
      case OpKind::kWrite:
        return form(":w", value(op.value));
      case OpKind::kAppend:
        return form(":append", value(op.value));
      case OpKind::kReadList:
        return form(":r", elements(op));
      case OpKind::kReadUnknown:
        return form(":r", kUnknown);
      case OpKind::kReadMatch:
        return form(":r", match(op));
      case OpKind::kReadAbsent:
      case OpKind::kReadExcept:
        break;
    }
    if (history_.is_of_any_number(op)) return form(":r", kUnknown);
    return form(":r",
                "{:isolde/not " + edn_string(history_.text(history_.predicate(op))) + "}");
  }

  /// What a kReadMatch told: a value as a whole, or some columns of a row.
  std::string match(const Op& op) const {
    const Value whole = history_.read_value(op);
    return whole.is_null() ? row(history_.read_columns(op)) : value(whole);
  }

  /// The transaction as the operation that completed it.
  std::string txn(TxnId txn) const {
    const TxnStatus status = history_.status(txn);
    const std::string& session = history_.session_name(history_.session_of(txn));
    EdnForm out = map();
    out.add(":type", status == TxnStatus::kCommitted ? ":ok"
                     : status == TxnStatus::kAborted ? ":fail"
                                                     : ":info");
    out.add(":f", ":txn");
    EdnForm mops("[");
    for (const Op& op : history_.ops(txn)) mops.add(mop(op));
    out.add(":value", mops.closed("]"));
    out.add(":process", is_number(session) ? session : edn_string(session));
    if (const std::int64_t end = history_.times(txn).end; end != kNoTime) {
      out.add(":time", std::to_string(end));
    }
    out.add(":isolde/txn", edn_string(history::exact_txn_name(history_, txn)));
    const Place place = place_of(history_, txn);
    if (place.line > 0) out.add(":isolde/line", number(place.line));
    if (place.end_line > 0) out.add(":isolde/end-line", number(place.end_line));
    if (place.bytes > 0) out.add(":isolde/byte", number(place.bytes));
    return out.closed("}");
  }

  /// What an operation leaves of the key: a value, or the last element of a list.
  std::string state(const Op& op) const {
    if (op.kind == OpKind::kReadList) {
      const std::span<const Value> list = history_.list(op);
      return list.empty() ? "nil" : value(list.back());
    }
    if (op.kind == OpKind::kReadMatch) return match(op);
    return op.is_exclusion() || op.kind == OpKind::kReadUnknown ? std::string(kUnknown)
                                                                : value(op.value);
  }

  /// The operations that a dependency is between.
  struct Ends {
    std::optional<OpRef> before;
    std::optional<OpRef> after;
  };

  Ends ends_of(const Edge& edge) const {
    switch (edge.kind) {
      case EdgeKind::kReadFrom:
        return {final_write(history_, edge.from, edge.key),
                read_of(history_, edge.to, edge.key, edge.from)};
      case EdgeKind::kVersionOrder:
        return {final_write(history_, edge.from, edge.key),
                final_write(history_, edge.to, edge.key)};
      case EdgeKind::kAntiDependency:
        return {read_of(history_, edge.from, edge.key, edge.via),
                final_write(history_, edge.to, edge.key)};
      default:
        return {};
    }
  }

  static std::string_view type_of(EdgeKind kind) {
    if (kind == EdgeKind::kSessionOrder) return "process";
    if (kind == EdgeKind::kRealTime) return "realtime";
    return edge_kind_name(kind);
  }

  std::string step(const ScenarioEdge& of) const {
    const Edge& edge = of.edge;
    const Ends ends = ends_of(edge);
    EdnForm out = map();
    out.add(":type", ":" + std::string(type_of(edge.kind)));
    if (edge.key.is_some()) out.add(":key", key(edge.key));
    if (ends.before) out.add(":value", state(op_at(history_, *ends.before)));
    // What was read is what was written.
    if (ends.after && edge.kind != EdgeKind::kReadFrom) {
      out.add(":value'", state(op_at(history_, *ends.after)));
    }
    if (ends.before) out.add(":a-mop-index", number(ends.before->op));
    if (ends.after) out.add(":b-mop-index", number(ends.after->op));
    out.add(":isolde/because", edn_string(of.because));
    return out.closed("}");
  }

  std::string cycle(const Scenario& scenario, const ScenarioStep& of) const {
    EdnForm txns("[");
    EdnForm steps("(");
    txns.separated_by("\n      ");
    steps.separated_by("\n      ");
    for (const ScenarioEdge& edge : of.cycle) {
      txns.add(txn(edge.edge.from));
      steps.add(step(edge));
    }
    txns.add(txn(of.cycle.front().edge.from));
    std::string text = "{:cycle\n     " + txns.closed("]") + ",\n     :steps\n     " +
                       steps.closed(")") + ",\n     :type :" + elle_type(history_, scenario);
    if (scenario.steps_total > 1) {
      text += ",\n     :isolde/step " + number(of.number) + ", :isolde/steps " +
              number(scenario.steps_total);
    }
    return text + "}";
  }

  std::string lost_update(const LostUpdate& lost) const {
    const auto read = read_of(history_, lost.first, lost.key, lost.version);
    EdnForm out = map();
    out.add(":key", key(lost.key));
    out.add(":value", read ? state(op_at(history_, *read)) : std::string(kUnknown));
    out.add(":txns", "[" + txn(lost.first) + "\n      " + txn(lost.second) + "]");
    return out.closed("}");
  }

  /// The element of the list that is wrong, where there is one.
  std::optional<Value> element_of(const Finding& finding) const {
    const Op& op = history_.ops(finding.txn)[finding.op];
    const bool about_one = finding.kind == FindingKind::kAbortedRead ||
                           finding.kind == FindingKind::kIntermediateRead ||
                           finding.kind == FindingKind::kUnwrittenRead ||
                           finding.kind == FindingKind::kDuplicateElement;
    if (!about_one || op.kind != OpKind::kReadList) return std::nullopt;
    const std::span<const Value> list = history_.list(op);
    return finding.element < list.size() ? std::optional(list[finding.element]) : std::nullopt;
  }

  std::string finding(const Scenario& scenario) const {
    const Finding& found = *scenario.finding;
    const Op& op = history_.ops(found.txn)[found.op];
    EdnForm out = map();
    if (found.kind == FindingKind::kIncompatibleOrder) {
      const Op& other = history_.ops(found.other)[found.other_op];
      out.add(":key", key(op.key));
      out.add(":values", "[" + elements(other) + " " + elements(op) + "]");
    }
    out.add(":op", txn(found.txn));
    out.add(":mop", mop(op));
    if (const auto element = element_of(found)) out.add(":element", value(*element));
    if (found.other.is_some()) {
      const bool order = found.kind == FindingKind::kIncompatibleOrder;
      out.add(order ? ":isolde/other" : ":writer", txn(found.other));
    }
    out.add(":isolde/because", edn_string(scenario.statement));
    return out.closed("}");
  }

  std::string exhaustion(const Scenario& scenario) const {
    EdnForm txns("[");
    for (const ScenarioTxn& member : scenario.txns) txns.add(txn(member.txn));
    EdnForm out = map();
    out.add(":key", key(scenario.exhaustion->key));
    out.add(":isolde/txns", txns.closed("]"));
    out.add(":isolde/because", edn_string(scenario.statement));
    return out.closed("}");
  }

  /// One map for each cycle that is shown, in the order of the argument.
  std::vector<std::string> cases_of(const Scenario& scenario) const {
    if (scenario.finding) return {finding(scenario)};
    if (scenario.exhaustion) return {exhaustion(scenario)};
    if (scenario.lost_update) return {lost_update(*scenario.lost_update)};
    std::vector<std::string> cases;
    for (const ScenarioStep& step : scenario.steps) {
      if (!step.cycle.empty()) cases.push_back(cycle(scenario, step));
    }
    return cases;
  }

  const ReportModel& input_;
  const History& history_;
  bool is_edn_;
};

/// What was asked for holds; or without a question, all that is decided does.
std::string_view validity(const ReportModel& input) {
  bool open = false;
  for (const LevelOutcome& outcome : input.levels) {
    if (outcome.is_violated()) return "false";
    open = open || outcome.verdict == Verdict::kUnknown ||
           (input.asked && outcome.verdict == Verdict::kNotApplicable);
  }
  return open ? ":unknown" : "true";
}

std::string set_of(const std::vector<std::string_view>& names) {
  EdnForm set("#{");
  for (const std::string_view name : names) set.add(":" + std::string(name));
  return set.closed("}");
}

std::string set_of(const std::vector<Level>& levels) {
  std::vector<std::string_view> names;
  for (const Level level : levels) names.push_back(info(level).name);
  return set_of(names);
}

std::string run_text(const ReportModel& input) {
  std::string text;
  if (input.promise) text += ",\n :isolde/promise " + edn_string(promise_text(input));
  if (input.run && !input.run->stopped.empty()) {
    text += ",\n :isolde/stopped " + edn_string(input.run->stopped);
  }
  return text;
}

/// The levels by verdict, and the reasons where there is none, or no explanation.
std::string own_part(const ReportModel& input) {
  EdnForm verdicts = map();
  EdnForm reasons = map();
  for (const Verdict verdict :
       {Verdict::kHolds, Verdict::kViolated, Verdict::kUnknown, Verdict::kNotApplicable}) {
    std::vector<Level> levels;
    for (const LevelOutcome& outcome : input.levels) {
      if (outcome.verdict == verdict) levels.push_back(outcome.level);
    }
    if (!levels.empty()) verdicts.add(":" + std::string(name(verdict)), set_of(levels));
    if (verdict == Verdict::kHolds) continue;
    for (const OpenLevels& open : verdict == Verdict::kViolated
                                      ? unexplained(input.levels, levels)
                                      : open_levels(input.levels, verdict)) {
      reasons.add(edn_string(open.reason), set_of(open.levels));
    }
  }
  EdnForm notes("[");
  const std::vector<std::string> left_out = remarks(input);
  for (const std::string& line : left_out) notes.add(edn_string(line));
  bool any_follows = false;
  EdnForm follows = map();
  for (const LevelOutcome& outcome : input.levels) {
    if (!outcome.follows_from) continue;
    follows.add(":" + std::string(info(outcome.level).name),
                ":" + std::string(info(*outcome.follows_from).name));
    any_follows = true;
  }
  return ":isolde/file " + edn_string(input.history.origin().file) + ",\n :isolde/levels " +
         verdicts.closed("}") + ",\n :isolde/reasons " + reasons.closed("}") +
         (any_follows ? ",\n :isolde/follows-from " + follows.closed("}") : "") +
         ",\n :isolde/evidence " + edn_string(evidence_text(input)) +
         (left_out.empty() ? "" : ",\n :isolde/notes " + notes.closed("]")) + run_text(input);
}

}  // namespace

std::string to_edn(const ReportModel& input) {
  const std::string_view valid = validity(input);
  std::string text = "{:valid? " + std::string(valid);
  // As Elle does, nothing about anomalies where there are none to tell of.
  if (valid != "true") {
    const Boundary boundary = elle_boundary(input);
    text += ",\n " + Writer(input).anomalies() + ",\n :not " + set_of(boundary.is_not) +
            ",\n :also-not " + set_of(boundary.also_not);
  }
  return text + ",\n " + own_part(input) + "}\n";
}

std::string failure_edn(std::string_view file, std::string_view message) {
  return "{:valid? :unknown,\n :error " + edn_string(message) + ",\n :isolde/file " +
         edn_string(file) + "}\n";
}

namespace {

class EdnReport final : public Collection {
 public:
  void add(const ReportModel& model) override { maps_ += to_edn(model); }
  void add_failure(std::string_view file, std::string_view message) override {
    maps_ += failure_edn(file, message);
  }
  std::string text() override { return std::move(maps_); }

 private:
  std::string maps_;
};

}  // namespace

const Form& edn_form() {
  static constexpr Form kForm = {
      .name = "edn",
      .help = "Write a map like Elle's for each history, one after the other. - as for --junit",
      .schema = "the map of Elle's results",
      .collect = []() -> std::unique_ptr<Collection> { return std::make_unique<EdnReport>(); }};
  return kForm;
}

}  // namespace isolde::explain
