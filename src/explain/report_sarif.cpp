// What is a result and what is not: a violated level is a result of kind "fail", for all
// readers know that kind. Levels that are not decided are notifications of the tool's
// invocation; as results of kind "open" they would be shown as alerts by readers that know only
// one kind.
//
// A rule is an anomaly by type and name ("G2-item.write-skew"), because two anomalies of one
// type have different lessons; a slash in place of the dot would say that they are parts of one
// rule. Rules carry their help with them: a help URI has to be absolute, and the pages are
// wherever the program was installed from.
#include "explain/report_sarif.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/memory_guard.hpp"
#include "base/printable.hpp"
#include "explain/edge_kinds.hpp"
#include "explain/encode.hpp"
#include "explain/lists.hpp"
#include "explain/phrase.hpp"
#include "explain/place.hpp"
#include "explain/promise.hpp"
#include "explain/story.hpp"
#include "history/texts.hpp"
#include "isolde/version.h"

namespace isolde::explain {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

Json message(std::string_view text) { return {{"text", base::printable_lines(text)}}; }

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

std::string rule_id(const Anomaly& anomaly) {
  std::string name(anomaly.name);
  std::replace(name.begin(), name.end(), ' ', '-');
  return anomaly.type + "." + name;
}

/// "write skew" as WriteSkew, the form that SARIF advises for names.
std::string rule_name(const Anomaly& anomaly) {
  std::string name;
  bool first = true;
  for (const char c : anomaly.name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) name += first ? capital(std::string(1, c)) : std::string(1, c);
    first = !letter;
  }
  return name;
}

Json rule(const Anomaly& anomaly) {
  const std::string lesson = capital(std::string(anomaly.lesson)) + ".";
  Json out;
  out["id"] = rule_id(anomaly);
  out["name"] = rule_name(anomaly);
  out["shortDescription"] = message(capital(label(anomaly)));
  out["fullDescription"] = message(lesson);
  const char* const example =
      anomaly.type == kUnexplained ? "" : " docs/ANOMALIES.md has the smallest history of it.";
  out["help"] =
      message(lesson + " Where to look: " + std::string(anomaly.cause) + "." + example);
  out["properties"] = {{"tags", {"isolation", anomaly.type}}};
  return out;
}

/// A result without its message.
Json result_head(const ReportModel& input, const Anomaly& anomaly, std::size_t rule_index,
                 const std::vector<Level>& levels) {
  Json out;
  out["ruleId"] = rule_id(anomaly);
  out["ruleIndex"] = rule_index;
  out["kind"] = "fail";
  out["level"] = is_failure(input, levels) ? "error" : "warning";
  out["properties"]["levels"] = Json::array();
  for (const Level level : levels) out["properties"]["levels"].push_back(info(level).name);
  return out;
}

/// Nothing for standard input.
Json locations_of(std::string_view file) {
  if (file == "-") return Json::array();
  const Json artifact = {{"uri", uri_of_path(file)}};
  return Json::array({{{"physicalLocation", {{"artifactLocation", artifact}}}}});
}

/// What makes a violation the same one in the next run of the program: who did what to which
/// key, wherever it stands in the file.
std::string identity(const History& history, const Scenario& scenario) {
  std::string text = rule_id(scenario.anomaly);
  for (const ScenarioTxn& member : scenario.txns)
    text += "\n" + history::exact_txn_name(history, member.txn);
  for (const ScenarioEdge* edge : scenario.edges()) {
    text += "\n" + std::string(edge_kind_name(edge->edge.kind));
    if (edge->edge.key.is_some())
      text += " " + history::exact_text(history, history.key_name(edge->edge.key));
  }
  return text;
}

/// Makes the result of one story.
class ResultWriter {
 public:
  ResultWriter(const ReportModel& input, const Story& story)
      : input_(input), history_(input.history), story_(story), scenario_(*story.scenario) {}

  Json result(std::size_t rule_index) const {
    Json out = result_head(input_, scenario_.anomaly, rule_index, story_.levels);
    out["message"] = message("Not " + names_of(headline_levels(input_, story_)) + ": " +
                             scenario_.statement + "." + basis_text(story_));
    out["locations"] = Json::array();
    out["relatedLocations"] = Json::array();
    for (const ScenarioTxn& member : scenario_.txns) {
      base::MemoryGuard::ask();
      const bool first = out["locations"].empty();
      out[first ? "locations" : "relatedLocations"].push_back(
          location(member.txn, operations(member)));
    }
    if (out["relatedLocations"].empty()) out.erase("relatedLocations");
    Json flows = code_flows();
    if (!flows.empty()) out["codeFlows"] = std::move(flows);
    out["partialFingerprints"] = {{"story/v1", fingerprint(identity(history_, scenario_))}};
    return out;
  }

 private:
  std::string operations(const ScenarioTxn& member) const {
    constexpr std::size_t kOpsShown = 16;
    const std::vector<OperationTexts::Told> all = texts_.of(member);
    const std::size_t shown = std::min(all.size(), kOpsShown);
    std::string text = history_.txn_name(member.txn) + ":";
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? " " : ", ") + all[i].text;
    return all.size() > shown ? text + " ..." : text;
  }

  Json location(TxnId txn, const std::string& words) const {
    const Place place = place_of(history_, txn);
    Json out;
    if (!place.file.empty()) {
      Json& physical = out["physicalLocation"];
      physical["artifactLocation"]["uri"] = uri_of_path(place.file);
      if (place.line > 0) physical["region"]["startLine"] = place.line;
      if (place.bytes > 0) physical["region"]["byteOffset"] = place.bytes;
    }
    out["logicalLocations"] = Json::array(
        {{{"name", history::exact_txn_name(history_, txn)}, {"kind", "transaction"}}});
    out["message"] = message(words);
    return out;
  }

  Json code_flows() const {
    Json flows = Json::array();
    for (const ScenarioStep& step : scenario_.steps) {
      if (!step.cycle.empty()) flows.push_back(code_flow(step));
    }
    return flows;
  }

  /// What was written, and who saw only a part of it.
  Json code_flow_of_one(const ScenarioStep& step) const {
    const ScenarioEdge& only = step.cycle.front();
    const Edge& edge = only.edge;
    const std::string writer = history_.txn_name(edge.from);
    Json locations = Json::array();
    for (const ScenarioTxn& member : scenario_.txns) {
      if (member.txn != edge.from) continue;
      locations.push_back({{"location", location(edge.from, operations(member))}});
    }
    locations.push_back({{"location", location(edge.via, only.because + ".")}});
    return flow(step,
                history_.txn_name(edge.via) + " did not see all that " + writer + " wrote",
                std::move(locations));
  }

  Json code_flow(const ScenarioStep& step) const {
    if (is_alone(step.cycle.front())) return code_flow_of_one(step);
    Json locations = Json::array();
    std::string path;
    for (const ScenarioEdge& edge : step.cycle) {
      base::MemoryGuard::ask();
      const std::string from = history_.txn_name(edge.edge.from);
      path += from + " < ";
      const std::string words = from + " < " + history_.txn_name(edge.edge.to) + " (" +
                                std::string(edge_kind_name(edge.edge.kind)) + "), because " +
                                edge.because + ".";
      locations.push_back({{"location", location(edge.edge.from, words)}});
    }
    const TxnId start = step.cycle.front().edge.from;
    path += history_.txn_name(start);
    locations.push_back({{"location", location(start, path + ", a contradiction.")}});
    return flow(step, path, std::move(locations));
  }

  Json flow(const ScenarioStep& step, const std::string& path, Json locations) const {
    Json flow;
    const std::string of = std::to_string(scenario_.steps_total);
    flow["message"] =
        message(scenario_.steps_total == 1
                    ? path
                    : "Step " + std::to_string(step.number) + " of " + of + ": " + path);
    flow["threadFlows"] = Json::array({{{"locations", std::move(locations)}}});
    return flow;
  }

  const ReportModel& input_;
  const History& history_;
  const Story& story_;
  const Scenario& scenario_;
  const OperationTexts texts_{history_, scenario_};
};

const Anomaly kUnexplainedAnomaly = {
    std::string(kUnexplained), "violation",
    "the level is violated; the time or memory limit left no room to explain why",
    "in the certificate; an explanation of that says what it proves"};

/// Without the transactions that are to blame.
Json unexplained_result(const ReportModel& input, const OpenLevels& levels,
                        std::size_t rule_index) {
  Json out = result_head(input, kUnexplainedAnomaly, rule_index, levels.levels);
  out["message"] =
      message("Not " + names_of(levels.levels) + ": " + std::string(levels.reason) + ".");
  out["locations"] = locations_of(input.history.origin().file);
  return out;
}

Json notification(std::string_view level, std::string_view text, std::string_view file) {
  Json out;
  out["level"] = level;
  out["message"] = message(text);
  if (file != "-") out["locations"] = locations_of(file);
  return out;
}

}  // namespace

struct SarifReport::State {
  std::string version;
  Json rules = Json::array();
  std::map<std::string, std::size_t> rule_indexes;
  Json results = Json::array();
  Json notifications = Json::array();
  Json artifacts = Json::array();
  bool successful = true;

  void add_artifact(std::string_view file) {
    if (file == "-") return;
    const Json place = {{"uri", uri_of_path(file)}};
    artifacts.push_back({{"location", place}, {"roles", {"analysisTarget"}}});
  }

  /// Takes back what was added while it lived, unless it succeeds.
  class Attempt {
   public:
    explicit Attempt(State& state)
        : state_(state),
          rules_(state.rules.size()),
          results_(state.results.size()),
          notifications_(state.notifications.size()),
          artifacts_(state.artifacts.size()),
          successful_(state.successful) {}
    ~Attempt() {
      if (succeeded_) return;
      std::erase_if(state_.rule_indexes,
                    [&](const auto& entry) { return entry.second >= rules_; });
      cut(state_.rules, rules_);
      cut(state_.results, results_);
      cut(state_.notifications, notifications_);
      cut(state_.artifacts, artifacts_);
      state_.successful = successful_;
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    void succeed() { succeeded_ = true; }

   private:
    static void cut(Json& list, std::size_t size) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(size), list.end());
    }

    State& state_;
    std::size_t rules_;
    std::size_t results_;
    std::size_t notifications_;
    std::size_t artifacts_;
    bool successful_;
    bool succeeded_ = false;
  };

  void add(const ReportModel& input);

  std::size_t index_of(const Anomaly& anomaly) {
    const auto [entry, added] = rule_indexes.try_emplace(rule_id(anomaly), rules.size());
    if (added) rules.push_back(rule(anomaly));
    return entry->second;
  }

  void add_open(const ReportModel& input, Verdict verdict, std::string_view level) {
    for (const OpenLevels& open : open_levels(input.levels, verdict)) {
      const std::string text =
          (verdict == Verdict::kUnknown ? "Not decided" : "Not applicable") +
          std::string(", because ") + std::string(open.reason) + ": " + names_of(open.levels) +
          ".";
      notifications.push_back(notification(level, text, input.history.origin().file));
    }
  }
};

SarifReport::SarifReport(std::string_view version) : state_(std::make_unique<State>()) {
  state_->version = version;
}
SarifReport::~SarifReport() = default;
SarifReport::SarifReport(SarifReport&&) noexcept = default;
SarifReport& SarifReport::operator=(SarifReport&&) noexcept = default;

void SarifReport::add(const ReportModel& input) {
  const base::MemoryGuard::Deferral deferral;
  State::Attempt attempt(*state_);
  state_->add(input);
  attempt.succeed();
}

void SarifReport::State::add(const ReportModel& input) {
  const std::string& file = input.history.origin().file;
  add_artifact(file);
  for (const Story& story : main_stories(input)) {
    const std::size_t index = index_of(story.scenario->anomaly);
    results.push_back(ResultWriter(input, story).result(index));
  }
  for (const OpenLevels& open : unexplained(input.levels, input.weakest_violated)) {
    results.push_back(unexplained_result(input, open, index_of(kUnexplainedAnomaly)));
  }
  add_open(input, Verdict::kUnknown, "warning");
  add_open(input, Verdict::kNotApplicable, "note");
  notifications.push_back(
      notification("note", "Evidence: " + evidence_text(input) + ".", file));
  if (input.promise) {
    const LevelOutcome* const promised = promised_outcome(input);
    const bool broken = promised != nullptr && promised->is_violated();
    notifications.push_back(
        notification(broken ? "error" : "note", promise_text(input) + ".", file));
  }
  if (input.run && !input.run->stopped.empty()) {
    successful = false;
    notifications.push_back(
        notification("error", "The run stopped early: " + input.run->stopped, file));
  }
  for (const std::string& line : remarks(input)) {
    notifications.push_back(notification("note", "Left out or assumed: " + line + ".", file));
  }
}

void SarifReport::add_failure(std::string_view file, std::string_view text) {
  state_->successful = false;
  state_->add_artifact(file);
  state_->notifications.push_back(notification("error", text, file));
}

std::string SarifReport::text() {
  const base::MemoryGuard::Deferral deferral;
  Json driver;
  driver["name"] = "isolde";
  driver["version"] = state_->version;
  driver["rules"] = std::exchange(state_->rules, Json::array());
  Json invocation;
  invocation["executionSuccessful"] = state_->successful;
  invocation["toolExecutionNotifications"] =
      std::exchange(state_->notifications, Json::array());
  Json run;
  run["tool"]["driver"] = std::move(driver);
  run["invocations"] = Json::array({std::move(invocation)});
  run["artifacts"] = std::exchange(state_->artifacts, Json::array());
  run["results"] = std::exchange(state_->results, Json::array());
  Json out;
  out["$schema"] = kSchema;
  out["version"] = "2.1.0";
  out["runs"] = Json::array({std::move(run)});
  const base::MemoryGuard::Deferral not_here(false);
  return base::printable_json(out.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

const Form& sarif_form() {
  static constexpr Form kForm = {
      .name = "sarif",
      .help =
          "Write SARIF 2.1.0: a result for each anomaly of the weakest violated levels, at "
          "the line of the history. - as for --junit",
      .schema = "SARIF 2.1.0",
      .collect = []() -> std::unique_ptr<Collection> {
        return std::make_unique<SarifReport>(ISOLDE_VERSION);
      }};
  return kForm;
}

}  // namespace isolde::explain
