// SARIF 2.1.0, the form in which code hosts and editors take findings with places in files: a
// result for each story of the weakest violated levels, with the line of the history as its
// location, the other transactions beside it and the cycle as a code flow.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "explain/form.hpp"

namespace isolde::explain {

class SarifReport final : public Collection {
 public:
  explicit SarifReport(std::string_view version);
  ~SarifReport() override;
  SarifReport(SarifReport&&) noexcept;
  SarifReport& operator=(SarifReport&&) noexcept;

  void add(const ReportModel& input) override;
  void add_failure(std::string_view file, std::string_view message) override;
  std::string text() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolde::explain
