#include <nlohmann/json.hpp>

#include "base/memory_guard.hpp"
#include "base/printable.hpp"
#include "explain/comparison.hpp"
#include "explain/summary_json.hpp"

namespace isolde::explain {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json side_json(const ComparedSide& side) {
  const HistoryOrigin& origin = side.model.history.origin();
  Json out;
  out["file"] = origin.file;
  out["title"] = side.title;
  out["setting"] = text_or_null(side.setting);
  out["database"] = text_or_null(origin.database);
  out["isolation"] = text_or_null(origin.isolation);
  out["loaded"] = side.model.loaded;
  out["summary"] = summary_json(side.summary);
  out["transactions"] = side.stats.transactions;
  out["committed"] = side.stats.committed;
  out["aborted"] = side.stats.aborted;
  out["indeterminate"] = side.stats.indeterminate;
  out["committed_per_second"] = or_null(side.pace.committed_per_second);
  out["latency_median_ns"] = or_null(side.pace.median_ns);
  out["latency_p95_ns"] = or_null(side.pace.p95_ns);
  out["violations"] = Json::array();
  for (const ComparedViolation& violation : side.violations) {
    Json levels = Json::array();
    for (const Level level : violation.levels) levels.push_back(info(level).name);
    out["violations"].push_back(
        {{"statement", violation.statement}, {"levels", std::move(levels)}});
  }
  out["not_checked"] = remarks(side.model);
  return out;
}

}  // namespace

std::string to_json(const Comparison& comparison) {
  const base::MemoryGuard::Deferral deferral;
  Json out;
  out["schema"] = 1;
  out["difference"] = comparison.difference;
  out["sides"] = Json::array();
  for (const ComparedSide& side : comparison.sides) out["sides"].push_back(side_json(side));
  out["rates"] = Json::array();
  for (const ComparedRate& rate : comparison.rates) {
    out["rates"].push_back({{"name", rate.name}, {"values", rate.values}});
  }
  out["anomalies"] = Json::array();
  for (const ComparedAnomaly& anomaly : comparison.anomalies) {
    const auto& [a, b] = anomaly.presence;
    out["anomalies"].push_back({{"name", anomaly.many}, {"presence", {name(a), name(b)}}});
  }
  out["levels"] = Json::array();
  for (const ComparedLevel& level : comparison.levels) {
    const auto& [a, b] = level.verdicts;
    out["levels"].push_back({{"name", info(level.level).name},
                             {"verdicts", {name(a), name(b)}},
                             {"texts", {verdict_text(level, 0), verdict_text(level, 1)}},
                             {"untried", level.untried},
                             {"differs", level.differs()}});
  }
  // Names come from files: bytes that are not UTF-8 become U+FFFD instead of an exception.
  const base::MemoryGuard::Deferral not_here(false);
  return base::printable_json(out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace isolde::explain
