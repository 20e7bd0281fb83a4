#include "explain/report_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/duration.hpp"
#include "base/memory_guard.hpp"
#include "base/moment.hpp"
#include "base/printable.hpp"
#include "explain/edge_kinds.hpp"
#include "explain/form.hpp"
#include "explain/place.hpp"
#include "explain/promise.hpp"
#include "explain/summary_json.hpp"
#include "explain/times.hpp"
#include "history/event_spans.hpp"
#include "history/stats.hpp"
#include "history/texts.hpp"

namespace isolde::explain {
namespace {

using Json = nlohmann::ordered_json;

Json edge_json(const History& history, const ScenarioEdge& step) {
  Json edge;
  edge["from"] = history::exact_txn_name(history, step.edge.from);
  edge["to"] = history::exact_txn_name(history, step.edge.to);
  edge["kind"] = edge_kind_name(step.edge.kind);
  edge["key"] = step.edge.key.is_some()
                    ? Json(history::exact_text(history, history.key_name(step.edge.key)))
                    : Json(nullptr);
  edge["because"] = step.because;
  return edge;
}

/// Who wrote what the reader saw is an edge, so that programs find writer, reader and reason in
/// the usual place. Findings about a value of unknown origin, or about two readers, have none.
Json finding_edges(const History& history, const Scenario& scenario) {
  const Finding& finding = *scenario.finding;
  Json edges = Json::array();
  const Counterparts others = counterparts_of(scenario);
  if (!others.wrote) return edges;
  const KeyId key = history.ops(finding.txn)[finding.op].key;
  for (const TxnId writer : others.txns) {
    const Edge edge{writer, finding.txn, EdgeKind::kReadFrom, key, {}};
    edges.push_back(edge_json(history, {edge, Ground::kCertain, 0, scenario.statement}));
  }
  return edges;
}

Json moment_json(const History& history, std::int64_t time) {
  const auto moment = moment_of(history, time);
  return moment ? Json(base::moment_text(*moment)) : Json(nullptr);
}

/// Where and when a transaction ran, as far as the history tells.
Json place_json(const History& history, TxnId txn) {
  const Place place = place_of(history, txn);
  Json one;
  one["transaction"] = history::exact_txn_name(history, txn);
  one["file"] = place.file.empty() ? Json(nullptr) : Json(place.file);
  if (place.line > 0) one["line"] = place.line;
  if (place.end_line > 0) one["end_line"] = place.end_line;
  if (place.bytes > 0) one["byte"] = place.bytes;
  if (place.bytes > 0 && place.is_decompressed) one["decompressed"] = true;
  if (place.number > 0) one["number"] = place.number;
  const TxnTimes times = history.times(txn);
  if (Json start = moment_json(history, times.start); !start.is_null()) one["start"] = start;
  if (Json end = moment_json(history, times.end); !end.is_null()) one["end"] = end;
  const Value server = history.server(txn);
  if (!server.is_null()) one["server"] = history::exact_text(history, server);
  return one;
}

Json anomaly_json(const History& history, const Scenario& scenario) {
  Json anomaly;
  anomaly["type"] = scenario.anomaly.type;
  anomaly["name"] = scenario.anomaly.name;
  anomaly["transactions"] = Json::array();
  anomaly["places"] = Json::array();
  for (const ScenarioTxn& member : scenario.txns) {
    base::MemoryGuard::ask();
    anomaly["transactions"].push_back(history::exact_txn_name(history, member.txn));
    anomaly["places"].push_back(place_json(history, member.txn));
  }
  if (scenario.finding) {
    anomaly["edges"] = finding_edges(history, scenario);
    return anomaly;
  }
  anomaly["edges"] = Json::array();
  for (const ScenarioEdge* edge : scenario.edges()) {
    base::MemoryGuard::ask();
    anomaly["edges"].push_back(edge_json(history, *edge));
  }
  return anomaly;
}

Json level_json(const History& history, const LevelOutcome& outcome) {
  Json level;
  level["verdict"] = name(outcome.verdict);
  level["reason"] = outcome.why();
  if (outcome.verdict == Verdict::kHolds && outcome.trial != history::Trial::kNotCounted) {
    level["tried"] = outcome.trial == history::Trial::kTried;
  }
  if (outcome.follows_from) level["follows_from"] = info(*outcome.follows_from).name;
  level["certificate"] = outcome.certificate ? Json(*outcome.certificate) : Json(nullptr);
  level["anomalies"] = Json::array();
  if (outcome.scenario) level["anomalies"].push_back(anomaly_json(history, *outcome.scenario));
  return level;
}

Json names_json(const std::vector<Level>& levels) {
  Json names = Json::array();
  for (Level level : levels) names.push_back(info(level).name);
  return names;
}

/// What the verdicts do not cover, levels without one first.
Json not_checked_json(const ReportModel& input) {
  Json lines = Json::array();
  for (const LevelOutcome& outcome : input.levels) {
    if (outcome.verdict != Verdict::kUnknown && outcome.verdict != Verdict::kNotApplicable)
      continue;
    lines.push_back(std::string(info(outcome.level).name) + ": " + outcome.reason);
  }
  for (const std::string& line : remarks(input)) lines.push_back(line);
  return lines;
}

Json work_json(const CheckStatistics& work) {
  Json out;
  out["saturation_rounds"] = work.saturation_rounds;
  out["derived_orders"] = work.derived_orders;
  out["decided_pairs"] = work.decided_pairs;
  out["conflicts"] = work.conflicts;
  return out;
}

Json anomalies_json(const AnomaliesReport& report) {
  Json out;
  out["level"] = info(report.level).name;
  out["count"] = report.count;
  out["groups"] = Json::array();
  for (const AnomalyGroup& group : report.groups) {
    out["groups"].push_back({{"type", group.anomaly.type},
                             {"name", group.anomaly.name},
                             {"keys", group.keys},
                             {"count", group.count},
                             {"transactions", group.transactions}});
  }
  out["not_searched"] = report.not_searched;
  return out;
}

Json evidence_json(const history::Evidence& evidence) {
  Json out;
  out["in_effect"] = evidence.in_effect;
  out["meetings"] = evidence.meetings;
  out["overlapping_meetings"] = evidence.overlapping_meetings;
  out["reads_from_others"] = evidence.reads_from_others;
  out["versions_replaced"] = evidence.versions_replaced;
  if (evidence.refused_inserts > 0) out["refused_inserts"] = evidence.refused_inserts;
  out["times"] = evidence.has_times;
  out["exact"] = evidence.exact;
  return out;
}

Json promise_json(const ReportModel& input) {
  Json out;
  if (!input.promise->level) {
    out["level"] = nullptr;
    out["verdict"] = nullptr;
    out["reason"] = input.promise->why_none;
    return out;
  }
  const LevelOutcome* const outcome = promised_outcome(input);
  out["level"] = info(*input.promise->level).name;
  out["verdict"] = outcome == nullptr ? Json(nullptr) : Json(name(outcome->verdict));
  out["reason"] = outcome == nullptr ? "the level was not asked for" : "";
  return out;
}

/// What happened beside the transactions, in the order in which it began: in nanoseconds on the
/// clock of the transactions, as in the file.
Json events_json(const History& history) {
  constexpr std::size_t kMost = 1000;
  const auto text = [&](Value value) {
    return value.is_null() ? Json(nullptr) : Json(history::exact_text(history, value));
  };
  const auto time = [](std::int64_t at) { return at == kNoTime ? Json(nullptr) : Json(at); };
  Json out;
  out["count"] = history.events().size();
  out["kinds"] = Json::object();
  const std::vector<history::EventKind> kinds = history::event_kinds(history);
  for (std::size_t i = 0; i < std::min(kinds.size(), kMost); ++i) {
    out["kinds"][history::exact_text(history, kinds[i].kind)] = kinds[i].count;
  }
  const std::vector<history::EventSpan> spans = history::event_spans(history);
  out["list"] = Json::array();
  for (std::size_t i = 0; i < std::min(spans.size(), kMost); ++i) {
    const RecordedEvent& first = history.events()[spans[i].first];
    Json one;
    one["kind"] = text(first.kind);
    one["what"] = text(first.what);
    one["at"] = time(first.at);
    one["name"] = text(first.name);
    one["open"] = spans[i].is_open;
    if (spans[i].last) {
      const RecordedEvent& last = history.events()[*spans[i].last];
      one["end"] = {{"what", text(last.what)}, {"at", time(last.at)}};
    }
    out["list"].push_back(std::move(one));
  }
  out["left_out"] = spans.size() - out["list"].size();
  return out;
}

Json streamed_json(const Streamed& streamed) {
  Json out;
  out["rounds"] = streamed.rounds;
  out["settled"] = streamed.settled;
  out["bundle"] = streamed.bundle.empty() ? Json(nullptr) : Json(streamed.bundle);
  return out;
}

Json run_json(const RunReport& run) {
  Json out;
  out["database"] = run.database;
  out["version"] = run.version;
  out["isolation"] = run.isolation;
  out["workload"] = run.workload;
  out["seed"] = run.seed;
  out["committed"] = run.committed;
  out["aborted"] = run.aborted;
  out["rolled_back"] = run.rolled_back;
  out["unknown"] = run.unknown;
  out["given_up"] = run.given_up;
  out["reconnects"] = run.reconnects;
  out["faults"] = run.faults;
  out["reasons"] = Json::object();
  for (const auto& [reason, count] : run.reasons) out["reasons"][reason] = count;
  out["stopped"] = run.stopped;
  return out;
}

}  // namespace

Json summary_json(const Summary& summary) {
  Json out;
  out["verdict"] = summary.verdict;
  out["occurs"] = Json::array();
  for (const Lesson* lesson : summary.occurs) out["occurs"].push_back(lesson->name);
  out["not_seen"] = summary.not_seen;
  const auto or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  out["meaning"] = or_null(summary.meaning);
  out["remedy"] = or_null(summary.remedy);
  out["promise"] =
      or_null(summary.promise + (summary.keeper.empty() ? "" : " ") + summary.keeper);
  if (!summary.totals.empty()) out["totals"] = summary.totals;
  for (const Advice& each : summary.more_remedies) {
    out["more_remedies"].push_back({{"against", against_text(each)}, {"remedy", each.text}});
  }
  if (!summary.lost.empty()) out["lost"] = summary.lost;
  if (!summary.one_change.empty()) out["one_change"] = summary.one_change;
  if (!summary.locking.empty()) out["locking"] = summary.locking;
  if (!summary.namesake.empty()) out["namesake"] = summary.namesake;
  return out;
}

std::string to_json(const ReportModel& input) {
  const base::MemoryGuard::Deferral deferral;
  const History& history = input.history;
  const Extent extent = extent_of(input);
  Json out;
  out["schema"] = 1;
  out["file"] = history.origin().file;
  const std::string& format = history.origin().format;
  out["format"] = format.empty() ? Json(nullptr) : Json(format);
  const HistoryOrigin& origin = history.origin();
  if (!origin.database.empty()) out["database"] = origin.database;
  if (!origin.isolation.empty()) out["isolation"] = origin.isolation;
  out["sessions"] = extent.sessions;
  out["transactions"] = extent.transactions;
  out["operations"] = extent.operations;
  if (const auto beginning = moment_of(history, 0)) {
    out["clock_origin"] = base::moment_text(*beginning);
  }
  if (input.clock_error_ns > 0) out["clock_error_ns"] = input.clock_error_ns;
  if (history.trusts_versions()) out["versions"] = "trusted";
  out["aborted"] = extent.aborted;
  out["indeterminate"] = extent.indeterminate;
  if (input.streamed) out["stream"] = streamed_json(*input.streamed);
  if (!history.events().empty()) out["events"] = events_json(history);
  out["summary"] = summary_json(summary_of(input));
  if (input.promise) out["promise"] = promise_json(input);
  out["levels"] = Json::object();
  for (const LevelOutcome& outcome : input.levels) {
    out["levels"][std::string(info(outcome.level).name)] = level_json(history, outcome);
  }
  out["strongest"] = names_json(input.strongest);
  out["weakest_violated"] = names_json(input.weakest_violated);
  out["not_checked"] = not_checked_json(input);
  out["evidence"] = input.loaded ? evidence_json(input.evidence) : Json(nullptr);
  if (input.proofs_verified) out["proofs_verified"] = *input.proofs_verified;
  if (input.anomalies) out["anomalies"] = anomalies_json(*input.anomalies);
  out["seconds"] = {{"load", input.load_seconds},
                    {"check", input.check_seconds},
                    {"explain", input.explain_seconds}};
  out["work"] = work_json(input.work);
  out["peak_rss_bytes"] = input.peak_rss_bytes;
  if (input.run) {
    out["seconds"]["generate"] = input.run->seconds;
    out["run"] = run_json(*input.run);
    if (input.promise) out["run"]["promise"] = promise_json(input);
  }
  // Names come from files: bytes that are not UTF-8 become U+FFFD instead of an exception.
  const base::MemoryGuard::Deferral not_here(false);
  return base::printable_json(out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

const Form& json_form() {
  static constexpr Form kForm = {
      .name = "json",
      .place = Form::Place::kReport,
      .help = "Print one JSON object for each history, one a line (docs/report.schema.json)",
      .schema = "docs/report.schema.json",
      .render = [](const ReportModel& model, FormStyle) {
        return Result<std::string>(to_json(model) + "\n");
      }};
  return kForm;
}

}  // namespace isolde::explain
