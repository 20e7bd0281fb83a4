// isolde compare: two histories side by side, for example of one workload at two isolation
// settings, or of two versions of a database.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/checking.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "explain/place.hpp"
#include "explain/summary.hpp"
#include "history/stats.hpp"

namespace isolde::cli {
namespace {

using base::padded;

/// What is compared of one history.
struct Half {
  Outcome outcome;
  explain::Summary summary;
  history::HistoryStats stats;
};

std::string share(std::size_t part, std::size_t whole) {
  return whole == 0
             ? "-"
             : fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

std::string rate(const history::HistoryStats& stats) {
  if (stats.span_ns <= 0) return "-";
  return fixed(static_cast<double>(stats.committed) * 1e9 / static_cast<double>(stats.span_ns),
               1);
}

constexpr std::size_t kNameWidth = 44;
constexpr std::size_t kWidth = 17;

std::string row(std::string_view name, std::string_view a, std::string_view b) {
  return "  " + padded(name, kNameWidth) + padded(a, kWidth) + std::string(b) + "\n";
}

std::string heading(const char* which, const Half& half) {
  const HistoryOrigin& origin = half.outcome.history->origin();
  const std::string setting = explain::setting_text(origin);
  return std::string(which) + "  " + base::printable_path(origin.file) +
         (setting.empty() ? "" : ": " + setting) + "\n";
}

std::string counts(const Half& a, const Half& b) {
  const auto number = [](std::size_t count) { return std::to_string(count); };
  return row("", "A", "B") +
         row("transactions", number(a.stats.transactions), number(b.stats.transactions)) +
         row("committed", number(a.stats.committed), number(b.stats.committed)) +
         row("committed in a second", rate(a.stats), rate(b.stats)) +
         row("aborted", share(a.stats.aborted, a.stats.transactions),
             share(b.stats.aborted, b.stats.transactions)) +
         row("outcome unknown", share(a.stats.indeterminate, a.stats.transactions),
             share(b.stats.indeterminate, b.stats.transactions));
}

/// The levels at which the verdicts differ, a line each, and how many are the same.
std::string levels(const explain::ReportModel& a, const explain::ReportModel& b) {
  std::string text;
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const Verdict in_a = a.levels[i].verdict;
    const Verdict in_b = b.levels[i].verdict;
    if (in_a == in_b) {
      ++same;
    } else {
      text += row(info(a.levels[i].level).name, name(in_a), name(in_b));
    }
  }
  const std::string rest = base::plural(same, "level");
  if (text.empty()) return "\nThe same verdict at " + rest + ".\n";
  return "\n" + text + "  the same at " + rest + "\n";
}

using Names = std::vector<std::string>;

std::string anomalies(const explain::Summary& a, const explain::Summary& b) {
  Names in_both;
  const auto only = [&in_both](const explain::Summary& here, const explain::Summary& there,
                               bool tells_both) {
    Names names;
    for (const explain::Lesson* lesson : here.occurs) {
      if (std::ranges::find(there.occurs, lesson) == there.occurs.end()) {
        names.emplace_back(lesson->many);
      } else if (tells_both) {
        in_both.emplace_back(lesson->many);
      }
    }
    return names.empty() ? std::string("none") : base::joined(names, "and");
  };
  const std::string in_a = only(a, b, true);
  const std::string in_b = only(b, a, false);
  return "\nOccurs in A only: " + in_a + "\nOccurs in B only: " + in_b +
         "\nOccurs in both:   " + (in_both.empty() ? "none" : base::joined(in_both, "and")) +
         "\n";
}

class CompareCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "compare", "Compare two histories: levels, anomalies, and rates of commits and aborts");
    sub->add_option("a", files_[0], "One history")->required()->type_name("HISTORY");
    sub->add_option("b", files_[1], "The other one")->required()->type_name("HISTORY");
    add_format(*sub, format_);
    limits_.add_to(*sub);
    progress_.add_to(*sub);
    sub->footer(
        "An anomaly occurs when it explains a violated level; see isolde check for each.\n"
        "Exit codes: 0 compared, 2 some level was not decided, 3 usage error or bad input, 4\n"
        "environment or internal error.");
    return sub;
  }

  ExitCode run() override {
    checking_.take({}, limits_, progress_);
    if (const Status ready = checking_.prepare(); !ready) return report(ready.error());
    std::vector<Half> halves;
    ExitCode code = ExitCode::kSuccess;
    for (const std::string& file : files_) {
      Result<Outcome> checked = checking_.check(given_path(file), format_);
      if (!checked) return report(checked.error());
      if (const Status told = checking_.explain(*checked, 1); !told) {
        code = worse(code, report(told.error()));
      }
      const explain::Summary summary = explain::summary_of(checked->model());
      const history::HistoryStats stats = history::stats_of(*checked->history);
      code = worse(code, checking_.verdict_code(checked->model()));
      halves.push_back({std::move(*checked), summary, stats});
    }
    const Half& a = halves[0];
    const Half& b = halves[1];
    print(heading("A", a) + heading("B", b) + "\n" + counts(a, b) + "\n" +
          base::wrapped("A: " + a.summary.verdict, 2) +
          base::wrapped("B: " + b.summary.verdict, 2) +
          levels(a.outcome.model(), b.outcome.model()) + anomalies(a.summary, b.summary));
    return code;
  }

 private:
  std::array<std::string, 2> files_;
  std::string format_;
  LimitOptions limits_;
  ProgressOption progress_;
  Checking checking_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace isolde::cli
