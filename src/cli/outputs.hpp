// Documents for other programs beside the report: JUnit XML, SARIF and EDN in files,
// annotations for GitHub. docs/outputs.md says which is for whom.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/cli11.hpp"
#include "explain/report_junit.hpp"
#include "explain/report_model.hpp"
#include "explain/report_sarif.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

class Outputs {
 public:
  Outputs();

  /// The parser keeps references into this object.
  void add_to(CLI::App& app);
  /// `json`: the report itself is for a machine. ERRORS: kUsage, when two of them would come
  /// out at standard output together.
  Status prepare(bool json) const;

  bool wanted() const;
  /// A document goes to standard output, where nothing else may be.
  bool takes_stdout() const;

  /// Runs work that writes about the input's levels, perhaps again with fewer explanations.
  using Teller = std::function<void(const std::function<void()>& work)>;
  void add(const explain::ReportModel& input, const Teller& tell);
  /// A history that could not be read, or not written about.
  void add_failure(const std::string& file, const Error& error);

  /// Writes the documents. ERRORS: kEnvironment.
  Status write();

  /// The text, with the annotations since the last call behind it where they are wanted.
  std::string annotated(std::string text);

 private:
  std::string junit_path_;
  std::string sarif_path_;
  std::string edn_path_;
  bool github_ = false;

  explain::JunitReport junit_;
  explain::SarifReport sarif_;
  std::string edn_;
  std::string annotations_;
};

}  // namespace isolde::cli
