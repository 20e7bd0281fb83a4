#include "watch/status_json.hpp"

#include <nlohmann/json.hpp>

#include "base/printable.hpp"

namespace isolde::watch {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json status(const View& view) {
  const Figures& figures = view.figures;
  Json marks = Json::array();
  for (const Mark& mark : view.marks) {
    marks.push_back({{"time", mark.time}, {"kind", mark.kind}, {"text", mark.text}});
  }
  Json out = {{"schema", 1},
              {"source", view.source},
              {"level", view.level},
              {"verdict", view.verdict},
              {"reason", view.reason.empty() ? Json() : Json(view.reason)},
              {"suspicion", view.suspicion.empty() ? Json() : Json(view.suspicion)},
              {"ended", view.ended},
              {"time", view.now.time},
              {"started", view.started},
              {"transactions", figures.transactions},
              {"committed", figures.committed},
              {"operations", figures.operations},
              {"settled", figures.settled},
              {"open", figures.open},
              {"indeterminate", figures.apart},
              {"keys", figures.keys},
              {"groups", figures.groups},
              {"rounds", figures.rounds},
              {"round_seconds", figures.round_seconds},
              {"rate", view.now.rate},
              {"lag_seconds", or_null(view.now.lag)},
              {"unsettled_seconds", or_null(view.now.unsettled)},
              {"since_group_seconds", view.since_group},
              {"rss_bytes", view.now.memory},
              {"gaps", view.gaps},
              {"faults", view.faults},
              {"incomplete_keys", figures.incomplete_keys},
              {"unwritten_files", figures.unwritten_files},
              {"marks", std::move(marks)},
              {"violations", view.violations},
              {"violation", Json()}};
  if (view.found) {
    out["violation"] = {{"transactions", view.found->transactions},
                        {"text", view.found->text},
                        {"page", "violation"}};
  }
  return out;
}

std::string text(const Json& json) {
  return base::printable_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string status_json(const View& view) { return text(status(view)); }

std::string status_json(const View& view, const std::vector<Sample>& samples) {
  Json list = Json::array();
  for (const Sample& sample : samples) {
    list.push_back({{"time", sample.time},
                    {"rate", sample.rate},
                    {"lag", or_null(sample.lag)},
                    {"unsettled", or_null(sample.unsettled)},
                    {"memory", sample.memory}});
  }
  return text({{"status", status(view)}, {"samples", std::move(list)}});
}

}  // namespace isolde::watch
