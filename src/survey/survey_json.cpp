#include <nlohmann/json.hpp>

#include "base/assert.hpp"
#include "base/printable.hpp"
#include "survey/survey.hpp"

namespace isolde::survey {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json scenario_json(const Scenario& scenario) {
  Json out;
  out["name"] = scenario.name;
  out["column"] = scenario.column;
  out["title"] = scenario.title;
  out["about"] = scenario.about;
  out["index"] = scenario.has_index;
  out["forbidden_by"] = Json::array();
  for (const Level level : scenario.forbidden_by) {
    out["forbidden_by"].push_back(info(level).name);
  }
  out["steps"] = scenario.steps.substr(scenario.steps.find_first_not_of('\n'));
  return out;
}

Json proofs_json(const std::vector<ProofFile>& proofs, const std::filesystem::path& history,
                 const Commands& commands) {
  Json out = Json::array();
  if (!commands.is_kept) return out;
  for (const ProofFile& proof : proofs) {
    out.push_back({{"level", info(proof.level).name},
                   {"verdict", name(proof.verdict)},
                   {"file", proof.certificate.string()},
                   {"verify", verify_command(proof, history, commands)}});
  }
  return out;
}

Json cell_json(const Survey& survey, const Setting& setting, std::size_t column,
               const Commands& commands) {
  const Cell& cell = setting.cells[column];
  Json out;
  out["scenario"] = survey.scenarios[column].name;
  out["outcome"] = name(cell.finding.outcome);
  out["how"] = cell.finding.how;
  out["message"] = text_or_null(cell.finding.message);
  out["transcript"] = text_or_null(cell.transcript);
  out["violation"] = nullptr;
  if (cell.violation) {
    out["violation"] = {{"level", info(cell.violation->level).name},
                        {"anomaly", cell.violation->anomaly},
                        {"label", cell.violation->label},
                        {"statement", cell.violation->statement},
                        {"explanation", cell.violation->narrative}};
  }
  out["check"] = text_or_null(check_command(survey.scenarios[column], cell, commands));
  out["replay"] =
      text_or_null(replay_command(survey.scenarios[column], setting, cell, commands));
  out["certificates"] = proofs_json(cell.proofs, cell.history, commands);
  return out;
}

Json load_json(const Load& load, const Commands& commands) {
  Json out;
  out["workload"] = load.workload;
  out["committed"] = load.committed;
  out["aborted"] = load.aborted;
  out["reasons"] = Json::object();
  for (const auto& [reason, count] : load.reasons) out["reasons"][reason] = count;
  out["stopped"] = text_or_null(load.stopped);
  out["history"] = commands.is_kept ? Json(load.history.string()) : Json(nullptr);
  out["certificates"] = proofs_json(load.proofs, load.history, commands);
  return out;
}

Json promise_json(const Setting& setting, const Commands& commands) {
  Json out;
  out["level"] = setting.promised ? Json(info(*setting.promised).name) : Json(nullptr);
  out["verdict"] = nullptr;
  if (setting.promised) {
    out["verdict"] = setting.breaks_promise() ? "broken"
                     : setting.findings.verdict(*setting.promised) == Findings::Verdict::kOpen
                         ? "not decided"
                         : "kept";
  }
  out["text"] = promise_sentence(setting);
  out["check"] = text_or_null(breach_command(setting, commands));
  out["verify"] = text_or_null(breach_proof_command(setting, commands));
  return out;
}

Json setting_json(const Survey& survey, const Setting& setting, const Commands& commands) {
  Json out;
  out["isolation"] = setting.name;
  out["note"] = setting.note;
  out["promise"] = promise_json(setting, commands);
  out["summary"] = plain_sentence(survey, setting);
  out["meaning"] = text_or_null(meaning_of(setting));
  out["remedy"] = text_or_null(remedy_of(survey, setting));
  out["retry"] = text_or_null(retry_sentence(setting));
  out["strongest"] = Json::array();
  for (const Level level : setting.findings.strongest()) {
    out["strongest"].push_back(info(level).name);
  }
  out["cells"] = Json::array();
  for (std::size_t i = 0; i < setting.cells.size(); ++i) {
    out["cells"].push_back(cell_json(survey, setting, i, commands));
  }
  out["loads"] = Json::array();
  for (const Load& load : setting.loads) out["loads"].push_back(load_json(load, commands));
  return out;
}

// What databases say may be any bytes; what is not UTF-8 becomes U+FFFD.
std::string text_of(const Json& object) {
  return base::printable_json(object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string page_name(const Survey& survey, std::size_t row, std::size_t column) {
  return folder_name(row, survey.settings[row].name) + "/" + survey.scenarios[column].name +
         ".html";
}

Json survey_json(const Survey& survey, const Commands& commands) {
  Json out;
  out["schema"] = 1;
  out["database"] = survey.database;
  out["product"] = survey.product;
  out["version"] = survey.version;
  out["stopped"] = text_or_null(survey.stopped);
  out["outcomes"] = Json::object();
  for (const Outcome outcome :
       {Outcome::kOccurs, Outcome::kOther, Outcome::kBlocked, Outcome::kDeadlock,
        Outcome::kAborted, Outcome::kConsistent, Outcome::kNotPlayed}) {
    out["outcomes"][std::string(name(outcome))] = meaning(outcome);
  }
  out["scenarios"] = Json::array();
  for (const Scenario& scenario : survey.scenarios) {
    out["scenarios"].push_back(scenario_json(scenario));
  }
  out["settings"] = Json::array();
  for (const Setting& setting : survey.settings) {
    out["settings"].push_back(setting_json(survey, setting, commands));
  }
  return out;
}

/// Links from a page to what was kept of a play; `folder`: the way there, which ends with "/".
Json file_links(const std::string& folder, const std::filesystem::path& history,
                const std::filesystem::path& steps, const std::vector<ProofFile>& proofs) {
  Json links = Json::array();
  const auto add = [&](const std::filesystem::path& file, const std::string& text) {
    links.push_back({{"to", folder + file.filename().string()}, {"text", text}});
  };
  if (!history.empty()) add(history, "the history");
  if (!steps.empty()) add(steps, "its steps");
  for (const ProofFile& proof : proofs) {
    add(proof.certificate,
        std::string("the proof that it ") +
            (proof.verdict == Verdict::kViolated ? "violates " : "satisfies ") +
            std::string(info(proof.level).name));
  }
  return links;
}

/// The same of the loads of a setting. `folder`: the way from the page to that of all pages.
void link_loads(const Survey& survey, std::size_t row, const std::string& folder,
                Json& setting) {
  const std::vector<Load>& loads = survey.settings[row].loads;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    setting["loads"][i]["files"] =
        file_links(folder + folder_name(row, survey.settings[row].name) + "/", loads[i].history,
                   {}, loads[i].proofs);
  }
}

/// `whole` without all but the cell, and with the way to its neighbours of the same scenario
/// and of the same setting.
Json cell_page(const Json& whole, const Survey& survey, std::size_t row, std::size_t column) {
  Json out = whole;
  out["scenarios"] = Json::array({whole["scenarios"][column]});
  Json setting = whole["settings"][row];
  setting["cells"] = Json::array({setting["cells"][column]});
  link_loads(survey, row, "../", setting);
  out["settings"] = Json::array({std::move(setting)});
  const Cell& cell = survey.settings[row].cells[column];
  Json links = Json::array({{{"to", "../index.html"}, {"text", "All cells"}}});
  const auto add = [&](std::size_t to_row, std::size_t to_column) {
    const Setting& other = survey.settings[to_row];
    if (to_column >= other.cells.size()) return;
    links.push_back({{"to", "../" + page_name(survey, to_row, to_column)},
                     {"text", survey.scenarios[to_column].column + " at " + other.name}});
  };
  if (column > 0) add(row, column - 1);
  add(row, column + 1);
  for (std::size_t other = 0; other < survey.settings.size(); ++other) {
    if (other != row) add(other, column);
  }
  out["page"] = {{"links", std::move(links)},
                 {"files", file_links("", cell.history, cell.steps, cell.proofs)}};
  return out;
}

}  // namespace

std::string to_json(const Survey& survey, const Commands& commands) {
  return text_of(survey_json(survey, commands));
}

std::vector<Page> to_pages(const Survey& survey, const Commands& commands) {
  ISOLDE_CHECK(commands.is_kept);
  const Json whole = survey_json(survey, commands);
  Json index = whole;
  std::vector<Page> pages(1);
  for (std::size_t row = 0; row < survey.settings.size(); ++row) {
    link_loads(survey, row, "", index["settings"][row]);
    const std::vector<Cell>& cells = survey.settings[row].cells;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string name = page_name(survey, row, column);
      index["settings"][row]["cells"][column]["page"] = name;
      pages.push_back({name, text_of(cell_page(whole, survey, row, column))});
    }
  }
  pages[0] = {"index.html", text_of(index)};
  return pages;
}

}  // namespace isolde::survey
