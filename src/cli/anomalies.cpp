#include "cli/anomalies.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "explain/scenario.hpp"
#include "history/texts.hpp"
#include "minimize/survey.hpp"

namespace isolde::cli {
namespace {

std::vector<std::string> used_keys(const History& history) {
  std::vector<std::string> keys;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Op& op : history.ops(TxnId::at(t))) {
      keys.push_back(history::exact_text(history, history.key_name(op.key)));
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

explain::AnomalyGroup group_of(const History& whole, const minimize::Minimized& violation) {
  const explain::Scenario scenario =
      explain::make_scenario(violation.history, violation.certificate);
  explain::AnomalyGroup group{scenario.anomaly, used_keys(violation.history), 1, {}};
  for (const TxnId txn : violation.origin)
    group.transactions.push_back(history::exact_txn_name(whole, txn));
  return group;
}

}  // namespace

Result<std::optional<explain::AnomaliesReport>> find_anomalies(const History& history,
                                                               const CheckReport& report,
                                                               const CheckOptions& options,
                                                               std::size_t limit,
                                                               base::Budget& budget) {
  const std::vector<Level> weakest = weakest_violated(report);
  if (weakest.empty()) return std::optional<explain::AnomaliesReport>();
  const auto level =
      std::find_if(report.levels.begin(), report.levels.end(),
                   [&](const LevelReport& row) { return row.level == weakest.front(); });
  const Certificate proof{level->level, history.digest(), options.clock_error_ns,
                          report.proofs[level->proof], history.trusts_versions()};
  minimize::MinimizeOptions how;
  how.threads = options.threads;
  how.progress = options.progress;
  const Result<minimize::Survey> survey = minimize::survey(history, proof, limit, how, budget);
  if (!survey) return survey.error();
  explain::AnomaliesReport found;
  found.level = level->level;
  found.count = survey->violations.size();
  for (const minimize::Minimized& violation : survey->violations) {
    explain::AnomalyGroup group = group_of(history, violation);
    const auto known = std::find_if(
        found.groups.begin(), found.groups.end(), [&](const explain::AnomalyGroup& each) {
          return each.anomaly.type == group.anomaly.type &&
                 each.anomaly.name == group.anomaly.name && each.keys == group.keys;
        });
    if (known == found.groups.end()) {
      found.groups.push_back(std::move(group));
    } else {
      ++known->count;
    }
  }
  if (!survey->is_complete) {
    found.not_searched.push_back("more anomalies at " + std::string(info(found.level).name) +
                                 ": " + survey->reason);
  }
  found.not_searched.emplace_back("anomalies that share a read with one of these");
  if (report.levels.size() > 1) found.not_searched.emplace_back("other levels");
  return std::optional(std::move(found));
}

}  // namespace isolde::cli
