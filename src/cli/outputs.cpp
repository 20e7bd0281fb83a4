#include "cli/outputs.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "base/printable.hpp"
#include "cli/files.hpp"
#include "explain/report_edn.hpp"
#include "explain/report_github.hpp"
#include "isolde/version.h"

namespace isolde::cli {

Outputs::Outputs() : sarif_(ISOLDE_VERSION) {}

void Outputs::add_to(CLI::App& app) {
  app.add_option("--junit", junit_path_,
                 "Write JUnit XML: a suite for each history, a test for each level; best "
                 "together with --level. - is standard output, in place of the report")
      ->type_name("FILE");
  app.add_option("--sarif", sarif_path_,
                 "Write SARIF 2.1.0: a result for each anomaly of the weakest violated levels, "
                 "at the line of the history. - as for --junit")
      ->type_name("FILE");
  app.add_option("--edn", edn_path_,
                 "Write a map like Elle's for each history, one behind the other. - as for "
                 "--junit")
      ->type_name("FILE");
  app.add_flag("--github", github_,
               "Also print annotations for GitHub Actions: errors for levels given with "
               "--level, else warnings");
}

Status Outputs::prepare(bool json) const {
  int at_stdout = json ? 1 : 0;
  for (const std::string* path : {&junit_path_, &sarif_path_, &edn_path_}) {
    if (*path == "-") ++at_stdout;
  }
  if (at_stdout + (github_ ? 1 : 0) < 2 || at_stdout == 0) return ok_status();
  if (github_ && json && at_stdout == 1) {
    return Error{ErrorCode::kUsage,
                 "--json and --github both print to standard output; give one of them. --junit "
                 "FILE, --sarif FILE and --edn FILE go with either"};
  }
  return Error{ErrorCode::kUsage,
               "only one of --json, --github and documents for - can be on standard output; "
               "write the others to files"};
}

bool Outputs::wanted() const {
  return github_ || !junit_path_.empty() || !sarif_path_.empty() || !edn_path_.empty();
}

bool Outputs::takes_stdout() const {
  return junit_path_ == "-" || sarif_path_ == "-" || edn_path_ == "-";
}

void Outputs::add(const explain::ReportModel& input, const Teller& tell) {
  if (!junit_path_.empty()) tell([&] { junit_.add(input); });
  if (!sarif_path_.empty()) tell([&] { sarif_.add(input); });
  if (!edn_path_.empty()) tell([&] { edn_ += explain::to_edn(input); });
  if (github_) tell([&] { annotations_ += explain::to_annotations(input); });
}

void Outputs::add_failure(const std::string& file, const Error& error) {
  const std::string words = base::printable_line(error.message);
  junit_.add_failure(file, words);
  sarif_.add_failure(file, words);
  edn_ += explain::failure_edn(file, words);
  if (github_) annotations_ += explain::failure_annotation(file, words);
}

Status Outputs::write() {
  const std::pair<const std::string*, std::string> documents[] = {
      {&junit_path_, junit_path_.empty() ? "" : junit_.text()},
      {&sarif_path_, sarif_path_.empty() ? "" : sarif_.text()},
      {&edn_path_, edn_},
  };
  for (const auto& [path, text] : documents) {
    if (path->empty()) continue;
    if (const Status written = write_text(*path, text); !written) return written.error();
  }
  return ok_status();
}

std::string Outputs::annotated(std::string text) {
  if (!github_) return text;
  if (!text.empty()) text = explain::without_commands(text);
  return text + std::exchange(annotations_, {});
}

}  // namespace isolde::cli
