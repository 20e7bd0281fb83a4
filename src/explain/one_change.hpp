// Where several anomalies occur: the one setting that ends all of them, or as many as one can.
//
// A setting promises a level. It ends an anomaly if that level implies one of those that the
// anomaly violates: a database that keeps the promise cannot show it. So the advice follows
// from verdicts and promises, and says nothing of locks and statements. A level is explained by
// one anomaly and may be violated by others as well, so what the setting allows is told, too.
#pragma once

#include <span>
#include <string>

#include "explain/report_model.hpp"
#include "explain/story.hpp"

namespace isolde::explain {

/// "set REPEATABLE READ, which promises snapshot-isolation, and run again what ends with error
/// 40001; it promises nothing against write skew, which this history may have as well". Empty
/// where a promise is broken, which no setting ends; where fewer than two kinds of anomalies
/// occur, or some violation was not explained; and where no setting beyond the present one
/// helps. `told` are the stories() of the model; `not_seen` as in Summary.
std::string one_change_text(const ReportModel& model, std::span<const Story> told,
                            std::span<const std::string> not_seen);

/// Where a level is violated to which the user holds the database, and which another setting of
/// it promises: a sentence with that setting. Else empty.
std::string keeper_text(const ReportModel& model);

}  // namespace isolde::explain
