#include "check/check.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "check/current_reads.hpp"
#include "check/pipeline.hpp"
#include "check/sums.hpp"
#include "check/verdicts.hpp"
#include "history/base_levels.hpp"
#include "history/current_reads.hpp"
#include "infer/observations.hpp"

namespace isolde {

CheckReport check(const History& history, const CheckOptions& options, base::Budget& budget) {
  ISOLDE_CHECK(!history.has_unlisted_rows());
  if (history.has_refused_inserts()) {
    return checker::check_current_reads(history, options, budget);
  }
  return checker::check_as_it_is(history, options, budget);
}

CheckReport checker::check_as_it_is(const History& history, const CheckOptions& options,
                                    base::Budget& budget) {
  if (history.open_increments() > 0) return check_sums(history, options, budget);
  return Pipeline(history, options, budget).run();
}

/// Of the history as it is read at the level, and with the certificate's sums.
static CheckReport report_as_it_is(const History& history, Certificate certificate,
                                   base::Budget& budget) {
  CheckReport report = checker::begun_report(history, checker::leaves_out_rows(history), 0);
  // As Pipeline::decide_items() has it.
  const bool of_items =
      report.rows.left_out && disregards_left_out_rows(info(certificate.level).base);
  const auto included = [&](const History& counted) {
    return infer::observe(counted, budget).included_count();
  };
  std::vector<std::uint32_t> numbers;
  report.statistics.included_txns =
      of_items ? included(history.without_absent_reads({}, numbers)) : included(history);
  const Verdict verdict = certificate.holds() ? Verdict::kHolds : Verdict::kViolated;
  report.levels.push_back({certificate.level, verdict, "", 0});
  report.proofs.push_back(std::move(certificate.proof));
  return report;
}

static CheckReport report_of_reading(const History& history, Certificate certificate,
                                     base::Budget& budget) {
  if (certificate.sums.empty()) {
    return report_as_it_is(history, std::move(certificate), budget);
  }
  std::vector<std::int64_t> sums = std::move(certificate.sums);
  const History with_sums = std::move(history.with_sums(sums)).value();
  CheckReport report = report_as_it_is(with_sums, std::move(certificate), budget);
  report.sums.push_back(std::move(sums));
  return report;
}

CheckReport report_of(const History& history, Certificate certificate, base::Budget& budget) {
  if (!history.has_refused_inserts()) {
    return report_of_reading(history, std::move(certificate), budget);
  }
  const History reading = history::as_read_at(history, certificate.level);
  return report_of_reading(reading, std::move(certificate), budget);
}

}  // namespace isolde
