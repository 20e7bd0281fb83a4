#include "explain/form.hpp"

#include <algorithm>

namespace isolde::explain {

const Form* find_form(std::string_view name) {
  const auto row = std::ranges::find(forms(), name, &Form::name);
  return row == forms().end() ? nullptr : *row;
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
