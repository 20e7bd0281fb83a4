// The forms of a report, a row each: what check, run, explain, minimize and replay have options
// for, and what the library renders. A form costs a file report_NAME.cpp, which ends with its
// row, NAME_form(), and a line in CMakeLists.txt; forms that need more than this layer has are
// in src/report/ (report/forms.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "explain/report_model.hpp"
#include "isolde/status.hpp"

namespace isolde::explain {

/// One document for all histories of a call of the program.
class Collection {
 public:
  virtual ~Collection() = default;
  /// All that there is to say or, when memory is refused, nothing.
  virtual void add(const ReportModel& model) = 0;
  /// A history that could not be read, and why.
  virtual void add_failure(std::string_view file, std::string_view message) = 0;
  /// The document. Uses up what was added.
  virtual std::string text() = 0;
};

struct FormStyle {
  bool colour = false;
};

struct Form {
  enum class Place : std::uint8_t {
    kReport,  ///< standard output, one of these for each history
    kBeside,  ///< standard output, behind the report for people
    kFile,    ///< a file, or standard output in place of the report
  };

  std::string_view name;  ///< of the option, too: "junit"
  Place place = Place::kFile;
  std::string_view help;    ///< of the option
  std::string_view schema;  ///< what it keeps to: a standard, or a file of docs/

  /// Whether this build can make it; null: always. ERRORS: kUsage, saying what it lacks.
  Status (*available)() = nullptr;

  // Either the first, where each history has a document of its own, or the second.

  /// Empty: there is nothing to show. ERRORS: where there is, and it cannot be shown.
  Result<std::string> (*render)(const ReportModel& model, FormStyle style) = nullptr;
  std::unique_ptr<Collection> (*collect)() = nullptr;

  /// In place of render(), for a history that could not be read; may be null.
  std::string (*failure)(std::string_view file, std::string_view message) = nullptr;
  /// Of kBeside: what the text in front of it passes through, lest it be taken for this form.
  std::string (*guard)(std::string_view text) = nullptr;
};

/// All of this layer, in the order of the help.
std::span<const Form* const> forms();

/// By name; nullptr when there is none.
const Form* find_form(std::string_view name);

/// The one for people, which needs no option.
const Form& text_form();

/// The report in that form, for one history. ERRORS: as Form::render().
Result<std::string> rendered(const Form& form, const ReportModel& model);

/// The scenario that pictures show: of the weakest violated level. Null when nothing is
/// violated. ERRORS: kLimit when there was no room to explain it.
Result<const Scenario*> pictured(const ReportModel& model);

}  // namespace isolde::explain
