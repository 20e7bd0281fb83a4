// The report of `isolde check` for people: what was read, a table of verdicts, the explanation
// of the weakest violated levels (stronger levels fall with them), and what was not checked.
#include <algorithm>
#include <array>

#include "cli/outcome.hpp"
#include "explain/narrate.hpp"

namespace isolde::cli {
namespace {

std::string plural(std::uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string header(const Outcome& outcome) {
  const History& history = outcome.history;
  if (!outcome.loaded) return history.origin().file + ": not loaded\n";
  const explain::StatusCounts counts = explain::count_statuses(history);
  std::string text = history.origin().file + ": " + history.origin().format + ", " +
                     plural(history.session_count(), "session") + ", " +
                     plural(history.txn_count(), "transaction");
  std::string apart;
  if (counts.aborted > 0) apart = std::to_string(counts.aborted) + " aborted";
  if (counts.indeterminate > 0) {
    apart += (apart.empty() ? "" : ", ") + std::to_string(counts.indeterminate) +
             " with unknown outcome";
  }
  if (!apart.empty()) text += " (" + apart + ")";
  return text + ", " + plural(history.op_count(), "operation") + ", " +
         plural(history.key_count(), "key") + "\n";
}

const char* colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "32";
    case Verdict::kViolated:
      return "31";
    case Verdict::kUnknown:
      return "33";
    case Verdict::kNotApplicable:
      break;
  }
  return "2";
}

std::string painted(std::string_view text, const char* code, bool colour) {
  return colour ? "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m"
                : std::string(text);
}

std::string detail(const LevelReport& level, const explain::LevelOutcome& outcome) {
  if (!outcome.scenario) return level.reason;
  return explain::label(outcome.scenario->anomaly);
}

std::string table(const Outcome& outcome, bool colour) {
  std::size_t width = 0;
  for (const LevelReport& level : outcome.report.levels) {
    width = std::max(width, info(level.level).name.size());
  }
  constexpr std::size_t kVerdictWidth = 14;  // "not-applicable"
  std::string text;
  for (std::size_t i = 0; i < outcome.report.levels.size(); ++i) {
    const LevelReport& level = outcome.report.levels[i];
    const std::string_view level_name = info(level.level).name;
    const std::string_view verdict = name(level.verdict);
    const std::string more = detail(level, outcome.levels[i]);
    text += "  " + std::string(level_name) + std::string(width + 2 - level_name.size(), ' ') +
            painted(verdict, colour_of(level.verdict), colour);
    if (!more.empty()) text += std::string(kVerdictWidth + 2 - verdict.size(), ' ') + more;
    text += "\n";
  }
  return text;
}

std::string names_of(const std::vector<Level>& levels) {
  std::string text;
  for (Level level : levels) {
    text += (text.empty() ? "" : ", ") + std::string(info(level).name);
  }
  return text;
}

bool contains(const std::vector<Level>& levels, Level level) {
  return std::find(levels.begin(), levels.end(), level) != levels.end();
}

/// The same transactions doing the same wrong.
bool same_story(const explain::Scenario& a, const explain::Scenario& b) {
  const auto same = [](const explain::ScenarioTxn& x, const explain::ScenarioTxn& y) {
    return x.txn == y.txn;
  };
  return a.anomaly.type == b.anomaly.type && a.anomaly.name == b.anomaly.name &&
         std::is_permutation(a.txns.begin(), a.txns.end(), b.txns.begin(), b.txns.end(), same);
}

/// The weakest violated levels, each explained once: stronger levels fall with them, and levels
/// that fall by the same story share it.
std::string explanations(const Outcome& outcome, bool colour) {
  const std::vector<Level> weakest = weakest_violated(outcome.report);
  std::vector<const explain::LevelOutcome*> rest;
  for (const explain::LevelOutcome& level : outcome.levels) {
    if (level.scenario && contains(weakest, level.level)) rest.push_back(&level);
  }
  std::string text;
  while (!rest.empty()) {
    const explain::Scenario& scenario = *rest.front()->scenario;
    std::vector<Level> together;
    std::erase_if(rest, [&](const explain::LevelOutcome* level) {
      if (!same_story(*level->scenario, scenario)) return false;
      together.push_back(level->level);
      return true;
    });
    text += "\nWhy not " + names_of(together) + ":\n\n" +
            explain::narrate(outcome.history, scenario, {colour, 2});
  }
  return text;
}

std::string certificates(const Outcome& outcome) {
  std::string text;
  for (const explain::LevelOutcome& level : outcome.levels) {
    if (!level.certificate) continue;
    text += "  " + std::string(info(level.level).name) + ": " + *level.certificate + "\n";
  }
  return text.empty() ? text : "\nCertificates:\n" + text;
}

std::string summary(const Outcome& outcome) {
  const std::vector<Level> strongest = strongest_held(outcome.report);
  const std::vector<Level> weakest = weakest_violated(outcome.report);
  return "\nStrongest that holds: " + (strongest.empty() ? "none" : names_of(strongest)) +
         "\nWeakest violated:     " + (weakest.empty() ? "none" : names_of(weakest)) + "\n";
}

}  // namespace

std::vector<std::string> not_checked(const History& history, const CheckReport& report) {
  std::vector<std::string> lines;
  const explain::StatusCounts counts = explain::count_statuses(history);
  const std::uint64_t committed = history.txn_count() - counts.aborted - counts.indeterminate;
  const std::uint64_t included = std::max(report.statistics.included_txns, committed);
  if (counts.indeterminate > included - committed) {
    const std::uint64_t left_out = counts.indeterminate - (included - committed);
    lines.push_back(plural(left_out, "transaction") +
                    " with unknown outcome, left out because nothing read from " +
                    (left_out == 1 ? "it" : "them"));
  }
  std::uint64_t unknown_reads = 0;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (history.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    for (const Op& op : history.ops(TxnId::at(t))) {
      if (op.kind == OpKind::kReadUnknown) ++unknown_reads;
    }
  }
  if (unknown_reads > 0) {
    lines.push_back(plural(unknown_reads, "read") + " whose result the client never learned");
  }
  const std::vector<std::string>& notes = history.origin().notes;
  if (history.origin().truncated && notes.empty()) {
    lines.push_back("the end of the input, which is cut off");
  }
  lines.insert(lines.end(), notes.begin(), notes.end());
  return lines;
}

std::string to_text(const Outcome& outcome, const TextStyle& style) {
  std::string text = header(outcome) + "\n" + table(outcome, style.colour);
  text += explanations(outcome, style.colour);
  if (style.classification) text += summary(outcome);
  text += certificates(outcome);
  if (!outcome.not_checked.empty()) {
    text += "\nLeft out or assumed:\n";
    for (const std::string& line : outcome.not_checked) text += "  " + line + "\n";
  }
  return text;
}

}  // namespace isolde::cli
