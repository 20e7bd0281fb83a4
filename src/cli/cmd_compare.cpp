// isolde compare: two histories side by side, for example of one workload at two isolation
// settings, or of two versions of a database.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "cli/checking.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "explain/comparison.hpp"
#include "report/comparison_page.hpp"

namespace isolde::cli {
namespace {

bool is_decided(const explain::ReportModel& model) {
  return std::ranges::none_of(model.levels, [](const explain::LevelOutcome& level) {
    return level.verdict == Verdict::kUnknown;
  });
}

class CompareCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "compare", "Compare two histories: levels, anomalies, and rates of commits and aborts");
    parser_ = sub;
    sub->add_option("a", paths_[0], "One history")->required()->type_name("HISTORY");
    sub->add_option("b", paths_[1], "The other one")->required()->type_name("HISTORY");
    sub->add_option("file", paths_[2], "Only right behind --json: see there")
        ->type_name("FILE");
    add_format(*sub, format_);
    sub->add_flag("--json", json_,
                  "Print the comparison as one JSON object in place of the text "
                  "(docs/report.schema.json, its definition comparison). Where a third path is "
                  "given, the one right behind --json is a file to write it to, and - is "
                  "standard output")
        ->option_text("[FILE]");
    sub->add_option("--html", html_,
                    "Write the comparison as a page to open in a browser; - is standard output")
        ->type_name("FILE");
    limits_.add_to(*sub);
    progress_.add_to(*sub);
    sub->footer(
        "An anomaly occurs when it explains a violated level, and is not seen when a level "
        "that\n"
        "forbids it holds and was put to the test; else it is not known. A level that holds "
        "and\n"
        "was not put to the test is untried. See isolde check for each history.\n"
        "Exit codes: 0 compared, 2 some level was not decided, 3 usage error or bad input, 4\n"
        "environment or internal error.");
    return sub;
  }

  ExitCode run() override {
    checking_.take({}, limits_, progress_);
    if (const Status ready = prepare(); !ready) return report(ready.error());
    std::vector<Outcome> outcomes;
    ExitCode code = ExitCode::kSuccess;
    for (const std::string& file : files_) {
      Result<Outcome> checked = checking_.check_next(file, format_);
      if (!checked) return report(checked.error());
      if (const Status told = checking_.explain(*checked, 1); !told) {
        code = worse(code, report(told.error()));
      }
      if (!is_decided(checked->model())) code = worse(code, ExitCode::kUnknown);
      outcomes.push_back(std::move(*checked));
    }
    return worse(code, tell(outcomes[0].model(), outcomes[1].model()));
  }

 private:
  Status prepare() {
    if (const Status sorted = sort_paths(); !sorted) return sorted.error();
    if (html_ == "-" && json_ == "-") {
      return usage_error(
          "--html - and --json cannot share standard output; give a file to one of them");
    }
    if (html_ == json_ && !html_.empty()) {
      return usage_error(html_ + " is written twice; choose another file for one of them");
    }
    for (const std::string* output : {&html_, &json_}) {
      for (const std::string& file : files_) {
        if (const Status safe = check_output(*output, file); !safe) return safe.error();
      }
    }
    return checking_.prepare();
  }

  /// Of three paths the one behind --json is the file for it. The parser cannot tell, because
  /// it may as well be the first history.
  Status sort_paths() {
    const bool as_json = parser_->count("--json") > 0;
    if (paths_[2].empty()) {
      files_ = {given_path(paths_[0]), given_path(paths_[1])};
      if (!as_json) json_.clear();
      if (as_json && json_ == "true") json_ = "-";
      return ok_status();
    }
    std::size_t before = 0;  // paths in front of --json
    for (const CLI::Option* const option : parser_->parse_order()) {
      if (option->get_name() == "--json") break;
      before += option->get_positional() ? 1 : 0;
    }
    if (!as_json || before == paths_.size() || json_ != "true") {
      return usage_error(
          "two histories are compared, and of three paths one is right behind "
          "--json");
    }
    json_ = paths_[before];
    std::size_t next = 0;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (i != before) files_[next++] = given_path(paths_[i]);
    }
    return ok_status();
  }

  ExitCode tell(const explain::ReportModel& a, const explain::ReportModel& b) {
    const Result<std::uint64_t> memory = limits_.memory_bytes();
    if (!memory) return report(memory.error());
    base::Budget budget(0, *memory);
    const base::MemoryGuard guard(budget);
    const explain::Comparison comparison = explain::compare(a, b);
    if (html_ != "-" && json_ != "-") print(explain::to_text(comparison));
    ExitCode code = ExitCode::kSuccess;
    const auto write = [&](const std::string& path, const std::string& text) {
      if (const Status written = write_text(path, text); !written) {
        code = worse(code, report(written.error()));
      }
    };
    if (!html_.empty()) write(html_, report::to_html(comparison));
    if (!json_.empty()) write(json_, explain::to_json(comparison) + "\n");
    return code;
  }

  const CLI::App* parser_ = nullptr;
  std::array<std::string, 3> paths_;  // as given, one of them perhaps a file for --json
  std::array<std::string, 2> files_;
  std::string format_;
  std::string html_;
  std::string json_;
  LimitOptions limits_;
  ProgressOption progress_;
  Checking checking_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace isolde::cli
