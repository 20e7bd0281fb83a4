#include "explain/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "explain/lessons.hpp"
#include "explain/phrase.hpp"
#include "explain/place.hpp"
#include "explain/story.hpp"

namespace isolde::explain {
namespace {

using base::fixed;
using base::plural;

constexpr std::array<std::string_view, 2> kNames = {"A", "B"};

std::string name_of(std::size_t side) { return std::string(kNames[side]); }

std::size_t other(std::size_t side) { return 1 - side; }

/// REQUIRES: there are some.
std::int64_t percentile(std::vector<std::int64_t>& all, std::size_t percent) {
  const auto place =
      all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) * percent / 100);
  std::nth_element(all.begin(), place, all.end());
  return *place;
}

std::vector<ComparedViolation> violations_of(const ReportModel& model) {
  std::vector<ComparedViolation> all;
  for (const Story& story : main_stories(model)) {
    all.push_back({base::printable_line(story.scenario->statement), story.levels});
  }
  return all;
}

ComparedSide side_of(const ReportModel& model) {
  const HistoryOrigin& origin = model.history.origin();
  return {model,
          origin.file == "-" ? "standard input" : base::printable_path(origin.file),
          setting_text(origin),
          summary_of(model),
          history::stats_of(model.history),
          pace_of(model.history),
          violations_of(model)};
}

bool tells_of(const Guard& guard, const Lesson& lesson) {
  return std::ranges::find(guard.anomalies, lesson.name) != guard.anomalies.end();
}

Presence presence_of(const Summary& summary, const Guard& guard) {
  const bool not_seen =
      std::ranges::find(summary.not_seen, guard.many) != summary.not_seen.end();
  return not_seen ? Presence::kNotSeen : Presence::kNotKnown;
}

Presence presence_of(const ComparedSide& side, const Lesson& lesson) {
  const std::vector<const Lesson*>& occurs = side.summary.occurs;
  if (std::ranges::find(occurs, &lesson) != occurs.end()) return Presence::kOccurs;
  return is_excluded(side.model, lesson.name) ? Presence::kNotSeen : Presence::kNotKnown;
}

/// Those that occur in one of both, the most damaging of A first; then what can be denied and
/// does not occur.
std::vector<ComparedAnomaly> compare_anomalies(const ComparedSide& a, const ComparedSide& b) {
  std::vector<const Lesson*> occur = a.summary.occurs;
  for (const Lesson* lesson : b.summary.occurs) {
    if (std::ranges::find(occur, lesson) == occur.end()) occur.push_back(lesson);
  }
  std::vector<ComparedAnomaly> rows;
  for (const Lesson* lesson : occur) {
    rows.push_back({lesson->many, {presence_of(a, *lesson), presence_of(b, *lesson)}});
  }
  for (const Guard& guard : guards()) {
    const bool occurs = std::ranges::any_of(
        occur, [&](const Lesson* lesson) { return tells_of(guard, *lesson); });
    if (!occurs)
      rows.push_back(
          {guard.many, {presence_of(a.summary, guard), presence_of(b.summary, guard)}});
  }
  return rows;
}

std::vector<ComparedLevel> compare_levels(const ReportModel& a, const ReportModel& b) {
  std::vector<ComparedLevel> rows;
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    ComparedLevel row{a.levels[i].level, {a.levels[i].verdict, b.levels[i].verdict}, {}};
    const auto is_untried = [](const LevelOutcome& outcome) {
      return outcome.verdict == Verdict::kHolds && outcome.trial == history::Trial::kUntried;
    };
    row.untried = {is_untried(a.levels[i]), is_untried(b.levels[i])};
    rows.push_back(row);
  }
  return rows;
}

std::string count_text(std::uint64_t count) { return base::grouped(count); }

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

std::string time_text(const std::optional<std::int64_t>& nanoseconds) {
  return nanoseconds ? duration_text(*nanoseconds) : "-";
}

std::string speed_text(const std::optional<double>& per_second) {
  if (!per_second) return "-";
  // Nobody compares a tenth of a hundred.
  if (*per_second < 100) return fixed(*per_second, 1);
  return base::grouped(static_cast<std::uint64_t>(std::llround(*per_second)));
}

std::vector<ComparedRate> compare_rates(const ComparedSide& a, const ComparedSide& b) {
  const auto both = [&](std::string_view name, const auto& text) {
    return ComparedRate{name, {text(a), text(b)}};
  };
  using Side = const ComparedSide&;
  return {
      both("transactions", [](Side side) { return count_text(side.stats.transactions); }),
      both("committed", [](Side side) { return count_text(side.stats.committed); }),
      both("committed in a second",
           [](Side side) { return speed_text(side.pace.committed_per_second); }),
      both("latency, median", [](Side side) { return time_text(side.pace.median_ns); }),
      both("latency, 95th percentile", [](Side side) { return time_text(side.pace.p95_ns); }),
      both("aborted",
           [](Side side) { return share_text(side.stats.aborted, side.stats.transactions); }),
      both("outcome unknown", [](Side side) {
        return share_text(side.stats.indeterminate, side.stats.transactions);
      })};
}

/// First sentences: what occurs in one of both and not in the other.
class Difference {
 public:
  explicit Difference(const Comparison& all) : all_(all) {}

  std::string text() const {
    const std::string open = undecided(0) + undecided(1);
    std::string text = only(0) + only(1);
    if (text.empty()) text = alike();
    return open + text + speed();
  }

 private:
  bool is_any_decided(std::size_t side) const {
    return std::ranges::any_of(all_.levels, [side](const ComparedLevel& level) {
      const Verdict verdict = level.verdicts[side];
      return verdict == Verdict::kHolds || verdict == Verdict::kViolated;
    });
  }

  /// What of a side the other sentences cannot speak of, and why.
  std::string undecided(std::size_t side) const {
    std::size_t levels = 0;
    std::string why;
    for (const OpenLevels& open :
         open_levels(all_.sides[side].model.levels, Verdict::kUnknown)) {
      levels += open.levels.size();
      why += (why.empty() ? ": " : "; ") + std::string(open.reason);
    }
    if (levels == 0) return {};
    if (!is_any_decided(side)) return "Nothing was decided of " + name_of(side) + why + ". ";
    return plural(levels, "level") + " of " + name_of(side) +
           (levels == 1 ? " was not decided" : " were not decided") + why + ". ";
  }

  std::vector<std::string> names(Presence a, Presence b) const {
    std::vector<std::string> found;
    for (const ComparedAnomaly& anomaly : all_.anomalies) {
      if (anomaly.presence == std::array{a, b}) found.emplace_back(anomaly.many);
    }
    return together(found);
  }

  std::vector<std::string> here_and_there(std::size_t side, Presence there) const {
    return side == 0 ? names(Presence::kOccurs, there) : names(there, Presence::kOccurs);
  }

  std::string only(std::size_t side) const {
    std::string text;
    const std::string here = name_of(side);
    const std::string there = name_of(other(side));
    const std::vector<std::string> unseen = here_and_there(side, Presence::kNotSeen);
    if (!unseen.empty()) {
      text +=
          here + " shows " + base::joined(unseen, "and") + ", which " + there + " does not. ";
    }
    const std::vector<std::string> unknown = here_and_there(side, Presence::kNotKnown);
    if (!unknown.empty()) {
      text += here + " shows " + base::joined(unknown, "and") + "; whether " + there +
              " does is not known. ";
    }
    return text;
  }

  /// Where no anomaly tells them apart.
  std::string alike() const {
    std::string text;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) text += without_story(side);
    const std::vector<std::string> in_both = names(Presence::kOccurs, Presence::kOccurs);
    if (!in_both.empty()) {
      text += "A and B show the same anomalies: " + base::joined(in_both, "and") + ". ";
    } else if (text.empty()) {
      text = none_found();
    }
    const auto differing = std::ranges::count_if(all_.levels, [](const ComparedLevel& level) {
      const auto is = [&](Verdict a, Verdict b) {
        return level.verdicts == std::array{a, b} || level.verdicts == std::array{b, a};
      };
      return is(Verdict::kHolds, Verdict::kViolated);
    });
    if (differing == 0) return text;
    return text + "The verdicts differ at " +
           plural(static_cast<std::uint64_t>(differing), "level") + ". ";
  }

  /// In what was looked into.
  std::string none_found() const {
    std::vector<std::string> sides;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      if (is_any_decided(side)) sides.push_back(name_of(side));
    }
    return sides.empty() ? "" : "No anomaly was found in " + base::joined(sides, "or") + ". ";
  }

  /// What makes "no anomaly was found" say too much of a side.
  std::string without_story(std::size_t side) const {
    std::size_t violated = 0;
    bool tried = false;
    for (const ComparedLevel& level : all_.levels) {
      const Verdict verdict = level.verdicts[side];
      violated += verdict == Verdict::kViolated ? 1 : 0;
      tried = tried || (verdict == Verdict::kHolds && !level.untried[side]);
    }
    if (violated > 0 && all_.sides[side].summary.occurs.empty()) {
      return name_of(side) + " violates " + plural(violated, "level") +
             ", by what was not explained. ";
    }
    if (violated > 0 || tried || !is_any_decided(side)) return {};
    return name_of(side) + " put no level to the test. ";
  }

  /// Of runs alike and long enough; else a ratio would pass for a measurement.
  std::string speed() const {
    constexpr std::size_t kEnough = 1000;
    for (const ComparedSide& side : all_.sides) {
      if (side.stats.committed < kEnough) return {};
    }
    if (all_.sides[0].stats.sessions != all_.sides[1].stats.sessions) return {};
    const auto& a = all_.sides[0].pace.committed_per_second;
    const auto& b = all_.sides[1].pace.committed_per_second;
    if (!a || !b) return {};
    const std::size_t faster = *a > *b ? 0 : 1;
    const double ratio = std::max(*a, *b) / std::min(*a, *b);
    constexpr double kSame = 1.1;
    if (ratio < kSame) return "Both commit about as many transactions a second.";
    constexpr double kLarge = 10;
    return name_of(faster) + " commits " + fixed(ratio, ratio < kLarge ? 1 : 0) +
           " times as many transactions a second.";
  }

  const Comparison& all_;
};

constexpr std::size_t kNameWidth = 44;
constexpr std::size_t kWidth = 17;

std::string line(std::string_view name, std::string_view a, std::string_view b) {
  return "  " + base::padded(name, kNameWidth) + base::padded(a, kWidth) + std::string(b) +
         "\n";
}

/// The levels that differ, a line each, and how many are the same.
std::string levels_text(const std::vector<ComparedLevel>& levels) {
  std::string text;
  std::size_t same = 0;
  for (const ComparedLevel& level : levels) {
    same += level.differs() ? 0 : 1;
    if (!level.differs()) continue;
    text += line(info(level.level).name, verdict_text(level, 0), verdict_text(level, 1));
  }
  const std::string rest = plural(same, "level");
  if (text.empty()) return "The same verdict at " + rest + ".\n";
  return text + "  the same at " + rest + "\n";
}

}  // namespace

std::string_view name(Presence presence) {
  switch (presence) {
    case Presence::kOccurs:
      return "occurs";
    case Presence::kNotSeen:
      return "not seen";
    case Presence::kNotKnown:
      break;
  }
  return "not known";
}

Pace pace_of(const History& history) {
  Pace pace;
  if (history.origin().times_are_order) return pace;
  std::vector<std::int64_t> stays;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool any = false;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnTimes times = history.times(TxnId::at(i));
    if (times.start == kNoTime || times.end == kNoTime || times.start > times.end) continue;
    first = any ? std::min(first, times.start) : times.start;
    last = any ? std::max(last, times.end) : times.end;
    any = true;
    std::int64_t stay = 0;
    const bool fits = !__builtin_sub_overflow(times.end, times.start, &stay);
    if (fits && history.status(TxnId::at(i)) == TxnStatus::kCommitted) stays.push_back(stay);
  }
  // Times are arbitrary, so their difference may not fit 63 bits.
  const double span = static_cast<double>(last) - static_cast<double>(first);
  if (stays.empty() || span <= 0) return pace;
  pace.committed_per_second = static_cast<double>(stays.size()) * 1e9 / span;
  pace.median_ns = percentile(stays, 50);
  pace.p95_ns = percentile(stays, 95);
  return pace;
}

Comparison compare(const ReportModel& a, const ReportModel& b) {
  Comparison comparison{{}, {side_of(a), side_of(b)}, compare_levels(a, b), {}, {}};
  const auto& [one, two] = comparison.sides;
  comparison.anomalies = compare_anomalies(one, two);
  comparison.rates = compare_rates(one, two);
  comparison.difference = Difference(comparison).text();
  while (comparison.difference.ends_with(' ')) comparison.difference.pop_back();
  return comparison;
}

std::string verdict_text(const ComparedLevel& level, std::size_t side) {
  return std::string(name(level.verdicts[side])) + (level.untried[side] ? ", untried" : "");
}

std::string to_text(const Comparison& comparison) {
  std::string text;
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const ComparedSide& each = comparison.sides[side];
    text += name_of(side) + "  " + each.title + (each.setting.empty() ? "" : ": ") +
            each.setting + "\n";
  }
  text += "\n" + base::wrapped(comparison.difference) + "\n";
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const Summary& summary = comparison.sides[side].summary;
    text += base::wrapped(name_of(side) + ": " + summary.verdict, 2);
    if (!summary.promise.empty()) text += base::wrapped("   " + summary.promise, 2);
    if (!summary.keeper.empty()) text += base::wrapped("   " + summary.keeper, 2);
    if (!summary.namesake.empty()) text += base::wrapped("   " + summary.namesake, 2);
  }
  text += "\n" + line("", kNames[0], kNames[1]);
  for (const ComparedRate& rate : comparison.rates) {
    text += line(rate.name, rate.values[0], rate.values[1]);
  }
  text += "\n";
  for (const ComparedAnomaly& anomaly : comparison.anomalies) {
    text += line(anomaly.many, name(anomaly.presence[0]), name(anomaly.presence[1]));
  }
  return text + "\n" + levels_text(comparison.levels);
}

}  // namespace isolde::explain
