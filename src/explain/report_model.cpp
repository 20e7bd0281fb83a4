#include "explain/report_model.hpp"

#include <algorithm>

#include "base/duration.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "explain/story.hpp"
#include "history/stats.hpp"

namespace isolde::explain {

using base::plural;

std::string clocks_text(std::int64_t clock_error_ns) {
  if (clock_error_ns == 0) return "";
  return "with clocks up to " + base::duration_text(clock_error_ns) + " apart";
}

std::string versions_text(bool trusts_versions) {
  return trusts_versions ? "with versions trusted" : "";
}

std::string basis_text(const LevelOutcome& outcome) {
  std::string text;
  if (outcome.follows_from) {
    text = "follows from " + std::string(info(*outcome.follows_from).name);
  }
  for (const std::string& assumed :
       {clocks_text(outcome.clock_error_ns), versions_text(outcome.trusts_versions)}) {
    if (!assumed.empty()) text += (text.empty() ? "" : ", ") + assumed;
  }
  return text;
}

StatusCounts count_statuses(const History& history) {
  StatusCounts counts;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnStatus status = history.status(TxnId::at(t));
    if (status == TxnStatus::kAborted) ++counts.aborted;
    if (status == TxnStatus::kIndeterminate) ++counts.indeterminate;
  }
  return counts;
}

Extent extent_of(const ReportModel& model) {
  if (model.streamed) return model.streamed->extent;
  const History& history = model.history;
  const StatusCounts counts = count_statuses(history);
  return {history.session_count(),
          history.txn_count(),
          counts.aborted,
          counts.indeterminate,
          history::operation_count(history),
          history.key_count()};
}

std::vector<std::string> reader_notes(const History& history) {
  constexpr std::size_t kMost = 20;
  constexpr std::size_t kLongest = 1000;
  std::vector<std::string> lines;
  for (const std::string& note : history.origin().notes) {
    if (lines.size() == kMost) {
      lines.push_back("and " + plural(history.origin().notes.size() - kMost, "more note"));
      break;
    }
    lines.push_back(base::printable_line(base::shortened(note, kLongest)));
  }
  return lines;
}

std::vector<std::string> not_checked(const History& history, const CheckReport& report) {
  std::vector<std::string> lines;
  const StatusCounts counts = count_statuses(history);
  const std::uint64_t committed = history.txn_count() - counts.aborted - counts.indeterminate;
  const std::uint64_t included = std::max(report.statistics.included_txns, committed);
  if (counts.indeterminate > included - committed) {
    const std::uint64_t left_out = counts.indeterminate - (included - committed);
    lines.push_back(plural(left_out, "transaction") +
                    " with unknown outcome that nothing must have read from: " +
                    (left_out == 1 ? "it" : "each") + " may have happened or not");
  }
  std::uint64_t unknown_reads = 0;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (history.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    for (const Op& op : history.ops(TxnId::at(t))) {
      const bool is_unknown = op.kind == OpKind::kReadUnknown && !history.is_refused_insert(op);
      unknown_reads += is_unknown ? 1 : 0;
    }
  }
  if (unknown_reads > 0) {
    lines.push_back(plural(unknown_reads, "read") + " whose result the client never learned");
  }
  if (history.has_times() && history.origin().times_are_order) {
    lines.emplace_back(
        "the input has no times: real time is the order of its events, which are numbered");
  }
  const std::vector<std::string> notes = reader_notes(history);
  if (history.origin().truncated && notes.empty()) {
    lines.push_back("the end of the input, which is cut off");
  }
  if (history.origin().truncated && !weakest_violated(report).empty()) {
    lines.emplace_back(history::kViolatedPart);
  }
  lines.insert(lines.end(), notes.begin(), notes.end());
  return lines;
}

std::string evidence_text(const ReportModel& model) {
  const History& history = model.history;
  std::string text = history::to_text(model.evidence);
  std::uint64_t idle = 0;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const bool counts = history.status(txn) == TxnStatus::kCommitted;
    if (counts && std::ranges::none_of(history.ops(txn), &Op::uses_item)) ++idle;
  }
  if (!model.evidence.exact || model.streamed) return text;
  const StatusCounts counts = count_statuses(history);
  const std::uint64_t aborted = counts.aborted;
  const std::uint64_t committed = history.txn_count() - aborted - counts.indeterminate;
  const std::uint64_t sure = committed - idle;
  const std::uint64_t unclear = std::max(model.evidence.in_effect, sure) - sure;
  const std::size_t end = text.find("; ");
  // Who has counted the commits looks for the difference.
  if (unclear > 0) {
    text.insert(end, ", " + base::grouped(unclear) +
                         " of them with unknown outcome, by what others read");
  }
  if (idle == 0) return text;
  const std::uint64_t others = history.txn_count() - model.evidence.in_effect;
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t count, const char* one, const char* several) {
    if (count > 0) parts.push_back(base::grouped(count) + (count == 1 ? one : several));
  };
  add(aborted, " was aborted", " were aborted");
  add(others - aborted - idle, " with unknown outcome shows no effect",
      " with unknown outcome show no effect");
  add(idle, " committed but tells of no key", " committed but tell of no key");
  const std::string split = parts.size() == 1 ? "the other " + parts.front()
                                              : "of the other " + base::grouped(others) + ", " +
                                                    base::joined(parts, "and");
  return text.insert(text.find("; "), "; " + split);
}

std::vector<std::string> remarks(const ReportModel& model) {
  std::vector<std::string> lines = model.not_checked;
  std::string untried = untried_text(model.levels, model.evidence);
  if (!untried.empty()) lines.push_back(std::move(untried));
  std::string clocks = assumed_clocks_text(model.levels);
  if (!clocks.empty()) lines.push_back(std::move(clocks));
  if (model.history.trusts_versions()) {
    lines.emplace_back("the versions that the history tells are taken for true");
  }
  return lines;
}

}  // namespace isolde::explain
