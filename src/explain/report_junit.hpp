// JUnit XML, the form in which CI systems take test results: a suite for each history, a case
// for each level. A violated level is a failure, an undecided one an error, for nobody knows
// that it is all right; one that does not apply is skipped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "explain/form.hpp"

namespace isolde::explain {

class JunitReport final : public Collection {
 public:
  struct Counts {
    std::size_t tests = 0;
    std::size_t failures = 0;
    std::size_t errors = 0;
    std::size_t skipped = 0;
  };

  void add(const ReportModel& input) override;
  void add_failure(std::string_view file, std::string_view message) override;
  std::string text() override;

 private:
  void add_suite(std::string_view file, const Counts& counts, double seconds,
                 const std::string& content);

  std::string suites_;
  Counts total_;
  double seconds_ = 0;
};

}  // namespace isolde::explain
