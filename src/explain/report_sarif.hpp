// SARIF 2.1.0, the form in which code hosts and editors take findings with places in files: a
// result for each story of the weakest violated levels, with the line of the history as its
// location, the other transactions beside it and the cycle as a code flow.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "explain/report_model.hpp"

namespace isolde::explain {

/// One document for all histories of a call of the program.
class SarifReport {
 public:
  explicit SarifReport(std::string_view version);
  ~SarifReport();
  SarifReport(SarifReport&&) noexcept;
  SarifReport& operator=(SarifReport&&) noexcept;

  /// All of it or, when memory is refused, nothing.
  void add(const ReportModel& input);
  /// A history that could not be read.
  void add_failure(std::string_view file, std::string_view message);
  /// The document. Uses up what was added.
  std::string text();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolde::explain
