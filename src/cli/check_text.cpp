// The report of `isolde check` for people: what was read, a table of verdicts, the explanation
// of the weakest violated levels (stronger levels fall with them), and what was not checked.
#include <algorithm>
#include <array>
#include <set>

#include "base/printable.hpp"
#include "cli/anomalies.hpp"
#include "cli/command.hpp"
#include "cli/outcome.hpp"
#include "explain/narrate.hpp"
#include "explain/place.hpp"
#include "explain/story.hpp"
#include "history/stats.hpp"

namespace isolde::cli {
namespace {

std::string header(const Outcome& outcome) {
  const History& history = outcome.history;
  if (!outcome.loaded) return base::printable_path(history.origin().file) + ": not loaded\n";
  const explain::StatusCounts counts = explain::count_statuses(history);
  std::string text = base::printable_path(history.origin().file) + ": " +
                     history.origin().format + ", " +
                     plural(history.session_count(), "session") + ", " +
                     plural(history.txn_count(), "transaction");
  std::string apart;
  if (counts.aborted > 0) apart = std::to_string(counts.aborted) + " aborted";
  if (counts.indeterminate > 0) {
    apart += (apart.empty() ? "" : ", ") + std::to_string(counts.indeterminate) +
             " with unknown outcome";
  }
  if (!apart.empty()) text += " (" + apart + ")";
  text += ", " + plural(history::operation_count(history), "operation") + ", " +
          plural(history.key_count(), "key") + "\n";
  const std::string setting = explain::setting_text(history.origin());
  return setting.empty() ? text : text + "recorded from " + setting + "\n";
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

std::string detail(const explain::LevelOutcome& outcome) {
  const std::string text =
      outcome.scenario ? explain::label(outcome.scenario->anomaly) : outcome.reason;
  const std::string basis = explain::basis_text(outcome);
  return text + (text.empty() || basis.empty() ? "" : ", ") + basis;
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
    const std::string more = detail(outcome.levels[i]);
    text += "  " + std::string(level_name) + std::string(width + 2 - level_name.size(), ' ') +
            painted(verdict, colour_of(level.verdict), colour);
    if (!more.empty()) text += std::string(kVerdictWidth + 2 - verdict.size(), ' ') + more;
    text += "\n";
  }
  return text;
}

/// The form of a level: as it is, with the order of sessions, in real time.
std::size_t form_of(const LevelInfo& level) {
  return level.real_time ? 2 : level.session_order ? 1 : 0;
}

/// The name that the forms of a base level have in common.
std::string_view base_name(BaseLevel base) {
  std::string_view shortest;
  for (const LevelInfo& row : all_levels()) {
    const bool shorter = shortest.empty() || row.name.size() < shortest.size();
    if (row.base == base && shorter) shortest = row.name;
  }
  return shortest;
}

/// Verdicts of all levels: a line for each base level, a column for each form.
class Matrix {
 public:
  explicit Matrix(bool colour) : colour_(colour) {}

  std::string of(const std::vector<LevelReport>& levels) {
    std::string text = std::string(2 + kNameWidth, ' ');
    for (const std::string_view form : {"plain", "session order", "real time"}) {
      text += padded(form, kVerdictWidth);
    }
    text = trimmed(text);
    std::vector<BaseLevel> bases;
    for (const LevelReport& level : levels) {
      const BaseLevel base = info(level.level).base;
      if (std::find(bases.begin(), bases.end(), base) == bases.end()) bases.push_back(base);
      if (level.verdict == Verdict::kUnknown) note(level);
    }
    for (const BaseLevel base : bases) {
      std::array<const LevelReport*, 3> forms = {};
      for (const LevelReport& level : levels) {
        const LevelInfo& row = info(level.level);
        if (row.base == base) forms[form_of(row)] = &level;
      }
      text += line(base, forms);
    }
    for (const std::string& reason : reasons_) text += "\n  Not applicable: " + reason + ".\n";
    return text + open_text(levels);
  }

 private:
  static constexpr std::size_t kNameWidth = 44;
  static constexpr std::size_t kVerdictWidth = 17;
  static constexpr std::size_t kLineWidth = 96;

  static std::string trimmed(const std::string& text) {
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }

  static bool applies(const LevelReport* form) {
    return form != nullptr && form->verdict != Verdict::kNotApplicable;
  }

  /// Empty when the level applies in none of its forms.
  std::string line(BaseLevel base, const std::array<const LevelReport*, 3>& forms) {
    if (std::none_of(forms.begin(), forms.end(), applies)) return "";
    std::string text = "  " + padded(base_name(base), kNameWidth);
    for (const LevelReport* form : forms) {
      if (form == nullptr) {
        text += std::string(kVerdictWidth, ' ');
        continue;
      }
      const std::string_view verdict = name(form->verdict);
      text += painted(verdict, colour_of(form->verdict), colour_);
      text += std::string(kVerdictWidth - verdict.size(), ' ');
      if (!applies(form)) reasons_.insert(form->reason);
    }
    return trimmed(text);
  }

  std::string open_text(const std::vector<LevelReport>& levels) const {
    const auto is_open = [](const LevelReport& level) {
      return level.verdict == Verdict::kUnknown || level.verdict == Verdict::kNotApplicable;
    };
    if (open_.size() == 1 && std::ranges::all_of(levels, is_open)) {
      return "\n  Unknown, because " + open_.front().first + ".\n";
    }
    std::string text;
    for (const auto& [reason, names] : open_) {
      text += "\n  Unknown, because " + reason + ":\n" + names + "\n";
    }
    return text;
  }

  /// Collects the levels that are not decided, by reason.
  void note(const LevelReport& level) {
    auto known = std::find_if(open_.begin(), open_.end(),
                              [&](const auto& each) { return each.first == level.reason; });
    const std::string_view level_name = info(level.level).name;
    if (known == open_.end()) {
      open_.emplace_back(level.reason, "    " + std::string(level_name));
      return;
    }
    std::string& names = known->second;
    const std::size_t column = names.size() - (names.rfind('\n') + 1);
    names += column + 2 + level_name.size() > kLineWidth ? ",\n    " : ", ";
    names += level_name;
  }

  bool colour_;
  std::set<std::string> reasons_;  // why forms do not apply
  std::vector<std::pair<std::string, std::string>> open_;
};

/// Levels whose verdict follows from that of another one, by that one.
std::string followers(const Outcome& outcome) {
  std::string text;
  for (const explain::LevelOutcome& source : outcome.levels) {
    std::vector<Level> names;
    for (const explain::LevelOutcome& level : outcome.levels) {
      if (level.follows_from == source.level) names.push_back(level.level);
    }
    if (names.empty()) continue;
    text += "\n  From the verdict of " + std::string(info(source.level).name) +
            " follows that of:\n    " + explain::names_of(names) + "\n";
  }
  return text;
}

/// The weakest violated levels, each explained once: stronger levels fall with them, and levels
/// that fall by the same story share it.
std::string explanations(const Outcome& outcome, bool colour) {
  std::string text;
  const std::vector<Level> weakest = weakest_violated(outcome.report);
  for (const explain::Story& story : explain::stories(outcome.levels, weakest)) {
    text += "\nWhy not " + explain::names_of(story.levels) + ":\n\n" +
            explain::narrate(outcome.history, *story.scenario, {colour, 2});
  }
  for (const explain::OpenLevels& left_out : explain::unexplained(outcome.levels, weakest)) {
    text += "\nWhy not " + explain::names_of(left_out.levels) + ": " +
            std::string(left_out.reason) + "\n";
  }
  return text;
}

/// Each by its name, or where there are many, what their names have in common.
std::string certificates(const Outcome& outcome) {
  constexpr std::size_t kNamedMax = 8;
  std::string text;
  std::size_t count = 0;
  std::string pattern;
  for (const explain::LevelOutcome& level : outcome.levels) {
    if (!level.certificate) continue;
    const std::string level_name(info(level.level).name);
    text += "  " + level_name + ": " + base::printable_path(*level.certificate) + "\n";
    pattern = *level.certificate;
    const std::size_t at = pattern.rfind(level_name);
    if (at != std::string::npos) pattern.replace(at, level_name.size(), "LEVEL");
    ++count;
  }
  if (count > kNamedMax) {
    return "\nCertificates, for the " + std::to_string(count) + " levels decided:\n  " +
           base::printable_path(pattern) + "\n";
  }
  return text.empty() ? text : "\nCertificates:\n" + text;
}

/// A count a line, then what was not put to the test.
std::string evidence_text(const Outcome& outcome) {
  std::string text = "\nEvidence:\n  ";
  for (const char c : history::to_text(outcome.evidence)) {
    if (text.ends_with("\n  ") && c == ' ') continue;
    text += c == ';' ? std::string("\n  ") : std::string(1, c);
  }
  const std::string untried = explain::untried_text(outcome.levels, outcome.evidence);
  return text + "\n" + (untried.empty() ? "" : wrapped(untried, 2));
}

/// "a, b (not put to the test)".
std::string strongest_text(const Outcome& outcome) {
  std::string text;
  for (const Level level : strongest_held(outcome.report)) {
    const auto row = std::ranges::find(outcome.levels, level, &explain::LevelOutcome::level);
    const bool untried = row != outcome.levels.end() && row->trial == history::Trial::kUntried;
    text += (text.empty() ? "" : ", ") + std::string(info(level).name) +
            (untried ? " (not put to the test)" : "");
  }
  return text.empty() ? "none" : text;
}

std::string summary(const Outcome& outcome) {
  const std::vector<Level> weakest = weakest_violated(outcome.report);
  const std::string clocks = explain::clocks_text(outcome.clock_error_ns);
  return "\nStrongest that holds: " + strongest_text(outcome) +
         "\nWeakest violated:     " + (weakest.empty() ? "none" : explain::names_of(weakest)) +
         "\n" + (clocks.empty() ? "" : "Real time counts " + clocks + ".\n");
}

}  // namespace

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
  const explain::StatusCounts counts = explain::count_statuses(history);
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
      if (op.kind == OpKind::kReadUnknown) ++unknown_reads;
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

std::string notes_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += (text.empty() ? "\nLeft out or assumed:\n  " : "  ") + line + "\n";
  }
  return text;
}

std::string why_no_verdict(const History& history, const history::Evidence& evidence,
                           std::uint64_t min_committed) {
  if (evidence.in_effect < min_committed) {
    return evidence.in_effect == 0 && evidence.exact
               ? "no transaction took effect"
               : plural(evidence.in_effect, "transaction") +
                     " took effect; --min-committed asks for " + std::to_string(min_committed);
  }
  return history.origin().truncated ? "the input is cut off; what is there holds" : "";
}

std::string to_text(const Outcome& outcome, const TextStyle& style) {
  std::string text = header(outcome) + "\n" +
                     (style.classification
                          ? Matrix(style.colour).of(outcome.report.levels) + followers(outcome)
                          : table(outcome, style.colour));
  text += explanations(outcome, style.colour);
  if (outcome.loaded) text += evidence_text(outcome);
  if (style.classification) text += summary(outcome);
  if (outcome.anomalies) text += to_text(*outcome.anomalies);
  text += certificates(outcome);
  return text + notes_text(outcome.not_checked);
}

}  // namespace isolde::cli
