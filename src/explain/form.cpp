#include "explain/form.hpp"

#include <algorithm>
#include <array>

namespace isolde::explain {

std::span<const Form* const> forms() {
  static const std::array<const Form*, 7> kForms = {&text_form(),  &json_form(),  &dot_form(),
                                                    &junit_form(), &sarif_form(), &edn_form(),
                                                    &github_form()};
  return kForms;
}

Result<std::string> rendered(const Form& form, const ReportModel& model) {
  if (form.render != nullptr) return form.render(model, {});
  const std::unique_ptr<Collection> collection = form.collect();
  collection->add(model);
  return collection->text();
}

Result<const Scenario*> pictured(const ReportModel& model) {
  if (model.weakest_violated.empty()) return nullptr;
  const auto row =
      std::ranges::find(model.levels, model.weakest_violated.front(), &LevelOutcome::level);
  if (row->scenario) return &*row->scenario;
  return Error{ErrorCode::kLimit, "no picture: " + row->reason};
}

}  // namespace isolde::explain
