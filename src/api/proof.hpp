// What a certificate claims, in words and as a report.
#pragma once

#include <string>

#include "base/budget.hpp"
#include "explain/report_model.hpp"
#include "history/certificate.hpp"

namespace isolde::api {

/// "snapshot-isolation is violated" or "... holds", with what kind of proof.
std::string claim(const Certificate& certificate);

/// A report on one violation, without a check of other levels. REQUIRES: the certificate is
/// verified and proves one. COST: linear in the history.
explain::ReportModel report_of(const History& history, const Certificate& violation,
                               explain::Scenario scenario, base::Budget& budget);

}  // namespace isolde::api
