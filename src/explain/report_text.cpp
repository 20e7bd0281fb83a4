#include "explain/report_text.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "explain/form.hpp"
#include "explain/level_rows.hpp"
#include "explain/narrate.hpp"
#include "explain/place.hpp"
#include "explain/promise.hpp"
#include "explain/story.hpp"
#include "explain/summary.hpp"
#include "history/event_spans.hpp"
#include "history/stats.hpp"

namespace isolde::explain {
namespace {

using base::padded;
using base::plural;
using base::wrapped;

/// As wrapped(), but that the first line begins at the margin.
std::string at_margin(const std::string& text) { return wrapped(text).substr(2); }

std::string header(const ReportModel& model) {
  const History& history = model.history;
  const HistoryOrigin& origin = history.origin();
  const std::string file =
      origin.file.empty() ? "history in memory" : base::printable_path(origin.file);
  if (!model.loaded) return file + ": not loaded\n";
  const Extent extent = extent_of(model);
  std::string text = file + ": " + (origin.format.empty() ? "" : origin.format + ", ") +
                     plural(extent.sessions, "session") + ", " +
                     plural(extent.transactions, "transaction");
  std::string apart;
  if (extent.aborted > 0) apart = base::grouped(extent.aborted) + " aborted";
  if (extent.indeterminate > 0) {
    apart += (apart.empty() ? "" : ", ") + base::grouped(extent.indeterminate) +
             " with unknown outcome";
  }
  if (!apart.empty()) text += " (" + apart + ")";
  text += ", " + plural(extent.operations, "operation") + ", " + plural(extent.keys, "key") +
          (model.streamed ? ", " + plural(model.streamed->rounds, "round") : "") + "\n";
  const std::string setting = setting_text(origin);
  if (!setting.empty()) text += "recorded from " + setting + "\n";
  const std::string events = history::events_text(history);
  if (!events.empty())
    text += "events beside the transactions, on which no verdict depends: " + events + "\n";
  return text;
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

std::string detail(const LevelOutcome& outcome) {
  const std::string text = outcome.scenario ? label(outcome.scenario->anomaly) : outcome.reason;
  const std::string basis = basis_text(outcome);
  return text + (text.empty() || basis.empty() ? "" : ", ") + basis;
}

/// What stands behind the verdict of the level that the database promises.
constexpr std::string_view kPromisedMark = ", promised";

std::string table(const ReportModel& model, bool colour) {
  const LevelOutcome* const promised = promised_outcome(model);
  std::size_t width = 0;
  std::size_t verdict_width = name(Verdict::kNotApplicable).size();
  for (const LevelOutcome& level : model.levels) {
    width = std::max(width, info(level.level).name.size());
    if (&level != promised) continue;
    verdict_width = std::max(verdict_width, name(level.verdict).size() + kPromisedMark.size());
  }
  std::string text;
  for (std::size_t i = 0; i < model.levels.size(); ++i) {
    const LevelOutcome& level = model.levels[i];
    const std::string_view level_name = info(level.level).name;
    const std::string_view verdict = name(level.verdict);
    const std::string_view mark = &level == promised ? kPromisedMark : std::string_view();
    const std::string more = detail(model.levels[i]);
    text += "  " + std::string(level_name) + std::string(width + 2 - level_name.size(), ' ') +
            painted(verdict, colour_of(level.verdict), colour) + std::string(mark);
    if (!more.empty()) {
      text += std::string(verdict_width + 2 - verdict.size() - mark.size(), ' ') + more;
    }
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
  /// `promised` is one of the levels, or null.
  Matrix(bool colour, const LevelOutcome* promised) : colour_(colour), promised_(promised) {
    if (promised == nullptr) return;
    verdict_width_ =
        std::max(verdict_width_, name(promised->verdict).size() + kPromisedMark.size() + 2);
  }

  std::string of(const std::vector<LevelOutcome>& levels) {
    std::string text = std::string(2 + kNameWidth, ' ');
    for (const std::string_view form : {"plain", "session order", "real time"}) {
      text += padded(form, verdict_width_);
    }
    text = trimmed(text);
    std::vector<BaseLevel> bases;
    for (const LevelOutcome& level : levels) {
      const BaseLevel base = info(level.level).base;
      if (std::find(bases.begin(), bases.end(), base) == bases.end()) bases.push_back(base);
      if (level.verdict == Verdict::kUnknown) note(level);
    }
    for (const BaseLevel base : bases) {
      std::array<const LevelOutcome*, 3> forms = {};
      for (const LevelOutcome& level : levels) {
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
  static constexpr std::size_t kLineWidth = 96;

  static std::string trimmed(const std::string& text) {
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }

  static bool applies(const LevelOutcome* form) {
    return form != nullptr && form->verdict != Verdict::kNotApplicable;
  }

  /// Empty when the level applies in none of its forms.
  std::string line(BaseLevel base, const std::array<const LevelOutcome*, 3>& forms) {
    if (std::none_of(forms.begin(), forms.end(), applies)) return "";
    std::string text = "  " + padded(base_name(base), kNameWidth);
    for (const LevelOutcome* form : forms) {
      if (form == nullptr) {
        text += std::string(verdict_width_, ' ');
        continue;
      }
      const std::string_view verdict = name(form->verdict);
      const std::string_view mark = form == promised_ ? kPromisedMark : std::string_view();
      text += painted(verdict, colour_of(form->verdict), colour_) + std::string(mark);
      text += std::string(verdict_width_ - verdict.size() - mark.size(), ' ');
      if (!applies(form)) reasons_.insert(form->reason);
    }
    return trimmed(text);
  }

  std::string open_text(const std::vector<LevelOutcome>& levels) const {
    const auto is_open = [](const LevelOutcome& level) {
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
  void note(const LevelOutcome& level) {
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
  const LevelOutcome* promised_;
  std::size_t verdict_width_ = 17;
  std::set<std::string> reasons_;  // why forms do not apply
  std::vector<std::pair<std::string, std::string>> open_;
};

/// How to read the matrix.
std::string table_notes(const ReportModel& model) {
  if (!model.loaded) return {};
  const std::string settings = settings_text(model);
  return "\n" + wrapped(std::string(columns_text()), 2) +
         (settings.empty() ? "" : wrapped(settings, 2));
}

/// Levels whose verdict follows from that of another one, by that one.
std::string followers(const ReportModel& model) {
  std::string text;
  for (const LevelOutcome& source : model.levels) {
    std::vector<Level> names;
    for (const LevelOutcome& level : model.levels) {
      if (level.follows_from == source.level) names.push_back(level.level);
    }
    if (names.empty()) continue;
    text += "\n" + wrapped("From the verdict of " + std::string(info(source.level).name) +
                               " follows that of: " + names_of(names),
                           2);
  }
  return text;
}

/// What happened, the most damaging anomaly first. Levels that fall by one story share it.
std::string explanations(const ReportModel& model, bool colour) {
  std::string text;
  const std::vector<Level> weakest = model.weakest_violated;
  const std::int64_t zero_point = model.streamed ? model.streamed->first_start : kNoTime;
  for (const Story& story : main_stories(model)) {
    text += "\n" + at_margin("Why not " + names_of(headline_levels(model, story)) + ":") +
            "\n" + narrate(model.history, *story.scenario, {colour, 2, zero_point});
  }
  for (const OpenLevels& left_out : unexplained(model.levels, weakest)) {
    text += "\n" + at_margin("Why not " + names_of(left_out.levels) + ": " +
                             std::string(left_out.reason));
  }
  return text;
}

/// Kinds of anomaly that occur and are explained above for none of the levels: a line each.
std::string elsewhere(const ReportModel& model) {
  std::set<const Lesson*> told;
  for (const Story& story : main_stories(model)) {
    told.insert(&lesson_of(story.scenario->anomaly.name));
  }
  std::string text;
  for (const Story& story : stories(model)) {
    if (!told.insert(&lesson_of(story.scenario->anomaly.name)).second) continue;
    // Weaker levels come last.
    text += wrapped(
        std::string(info(story.levels.back()).name) + ": " + story.scenario->statement, 2);
  }
  return text.empty() ? text
                      : "\nWhat else occurs, at stronger levels; each is told in full where it "
                        "is asked for alone:\n\n" +
                            text;
}

/// Each by its name, or where there are many, what their names have in common.
std::string certificates(const ReportModel& model) {
  constexpr std::size_t kNamedMax = 8;
  std::string text;
  std::size_t count = 0;
  std::string pattern;
  for (const LevelOutcome& level : model.levels) {
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
std::string evidence_lines(const ReportModel& model) {
  std::string text = "\nEvidence:\n  ";
  for (const char c : evidence_text(model)) {
    if (text.ends_with("\n  ") && c == ' ') continue;
    text += c == ';' ? std::string("\n  ") : std::string(1, c);
  }
  const std::string untried = untried_text(model.levels, model.evidence);
  return text + "\n" + (untried.empty() ? "" : wrapped(untried, 2));
}

/// "a, b (not put to the test)".
std::string strongest_text(const ReportModel& model) {
  std::string text;
  for (const Level level : model.strongest) {
    const auto row = std::ranges::find(model.levels, level, &LevelOutcome::level);
    const bool untried = row != model.levels.end() && row->trial == history::Trial::kUntried;
    text += (text.empty() ? "" : ", ") + std::string(info(level).name) +
            (untried ? " (not put to the test)" : "");
  }
  return text.empty() ? "none" : text;
}

/// Repeatable read is weaker than serializable and yet none of the weakest: it falls by the
/// same anomalies, conditions aside (weakest_violated()). Who sees it violated in the table
/// looks for it here.
std::string weakest_text(const ReportModel& model) {
  if (model.weakest_violated.empty()) return "none";
  const auto row =
      std::ranges::find(model.levels, Level::kRepeatableRead, &LevelOutcome::level);
  const bool both = row != model.levels.end() && row->is_violated() &&
                    std::ranges::find(model.weakest_violated, Level::kSerializable) !=
                        model.weakest_violated.end();
  return names_of(model.weakest_violated) +
         (both ? " (and repeatable-read, the same but for conditions)" : "");
}

constexpr char kGap = '\x01';  // a blank that wrapped() keeps

std::string aligned(std::string text) {
  std::ranges::replace(text, kGap, ' ');
  return text;
}

std::string extremes(const ReportModel& model) {
  const std::string clocks = clocks_text(model.clock_error_ns);
  return "\n" + at_margin("Strongest that holds: " + strongest_text(model)) +
         aligned(at_margin("Weakest violated:" + std::string(5, kGap) + weakest_text(model))) +
         (clocks.empty() ? "" : "Real time counts " + clocks + ".\n") +
         (model.history.trusts_versions()
              ? "The versions that the history tells are taken for true.\n"
              : "");
}

std::string list(const std::vector<std::string>& words) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < kShown; ++i) {
    text += (text.empty() ? "" : ", ") + base::printable_name(words[i]);
  }
  if (words.size() > kShown) text += " and " + std::to_string(words.size() - kShown) + " more";
  return text;
}

}  // namespace

std::string notes_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += (text.empty() ? "\nLeft out or assumed:\n" : "") + wrapped(line, 2);
  }
  return text;
}

std::string to_text(const AnomaliesReport& report) {
  std::string text = "\nAnomalies at " + std::string(info(report.level).name) + ": " +
                     base::grouped(report.count) + " found\n";
  for (const AnomalyGroup& group : report.groups) {
    text += "  " + base::grouped(group.count) + " x " + label(group.anomaly);
    if (!group.keys.empty()) {
      text += (group.keys.size() == 1 ? ", key " : ", keys ") + list(group.keys);
    }
    text += group.count == 1 ? ": " : "; the first: ";
    text += list(group.transactions) + "\n";
  }
  for (const std::string& line : report.not_searched) text += "  Not searched: " + line + "\n";
  return text;
}

namespace {

/// Pieces of advice one after the other: none says again what one before it has said.
class AdviceTexts {
 public:
  /// `last`: what all of it ends with.
  explicit AdviceTexts(std::string_view last)
      : order_is_told_(last.find(kOwnPast) != last.npos) {}

  std::string next(std::string text) {
    const std::size_t order = text.find(kNoOrder);
    if (order != text.npos && order_is_told_) text.erase(order);
    order_is_told_ = order_is_told_ || order != text.npos;
    // "use SERIALIZABLE, and run ... again; or look for ..."
    const std::string head = text.substr(0, text.find("; or "));
    const bool is_same = head.size() < text.size() && head == head_;
    if (head_.empty()) head_ = head;
    return is_same ? "the same" + text.substr(head.size()) : text;
  }

 private:
  static constexpr std::string_view kOwnPast = "its own past";
  static constexpr std::string_view kNoOrder =
      "; the isolation does not promise that a session sees its own past";

  std::string head_;  // of the first
  bool order_is_told_;
};

}  // namespace

std::string to_text(const Summary& summary) {
  AdviceTexts advice(summary.one_change);
  std::string text = wrapped("In short: " + summary.verdict, 2);
  if (!summary.totals.empty()) text += wrapped(summary.totals, 2);
  if (!summary.lost.empty()) text += wrapped(summary.lost, 2);
  if (!summary.meaning.empty()) text += wrapped("That means: " + summary.meaning + ".", 2);
  if (!summary.remedy.empty())
    text += wrapped("What helps: " + advice.next(summary.remedy) + ".", 2);
  for (const Advice& each : summary.more_remedies) {
    text += wrapped("Against " + against_text(each) + ": " + advice.next(each.text) + ".", 2);
  }
  if (!summary.locking.empty())
    text += wrapped("What locks bring: " + summary.locking + ".", 2);
  if (!summary.one_change.empty())
    text += wrapped("The one change that helps most: " + summary.one_change + ".", 2);
  if (!summary.promise.empty()) text += "  " + summary.promise + "\n";
  if (!summary.keeper.empty()) text += wrapped(summary.keeper, 2);
  if (!summary.namesake.empty()) text += wrapped(summary.namesake, 2);
  return text;
}

std::string to_text(const ReportModel& model, TextStyle style) {
  std::string text =
      header(model) + "\n" + to_text(summary_of(model)) + "\n" +
      (!model.asked ? Matrix(style.colour, promised_outcome(model)).of(model.levels) +
                          table_notes(model) + followers(model)
                    : table(model, style.colour));
  text += explanations(model, style.colour) + elsewhere(model);
  if (model.loaded) text += evidence_lines(model);
  if (!model.asked) text += extremes(model);
  if (model.anomalies) text += to_text(*model.anomalies);
  text += certificates(model);
  if (model.proofs_verified) {
    text += "\nVerified: the proofs of " +
            base::plural(*model.proofs_verified, "decided level") + "\n";
  }
  return text + notes_text(model.not_checked);
}

const Form& text_form() {
  static constexpr Form kForm = {
      .name = "text",
      .place = Form::Place::kReport,
      .help = {},
      .schema = "for people",
      .render = [](const ReportModel& model, FormStyle style) {
        return Result<std::string>(to_text(model, TextStyle{style.colour}));
      }};
  return kForm;
}

}  // namespace isolde::explain
