#include "explain/report_github.hpp"

#include "explain/encode.hpp"
#include "explain/form.hpp"
#include "explain/place.hpp"
#include "explain/promise.hpp"
#include "explain/story.hpp"

namespace isolde::explain {
namespace {

/// Files of no name (standard input) and lines that are not known are left out.
std::string command(std::string_view kind, const Place& place, std::string_view title,
                    std::string_view message) {
  std::string text = "::" + std::string(kind) + " ";
  if (!place.file.empty()) text += "file=" + annotation_property(place.file) + ",";
  if (place.line > 0) text += "line=" + std::to_string(place.line) + ",";
  return text + "title=" + annotation_property(title) + "::" + annotation_message(message) +
         "\n";
}

Place whole(std::string_view file) {
  return {file == "-" ? std::string() : std::string(file), 0, 0};
}

/// GitHub shows some kilobytes of a message.
constexpr std::size_t kStepsTold = 20;

/// Without line break and full stop.
std::string step_text(const History& history, const ScenarioEdge& step) {
  if (is_alone(step)) return step.because;
  return history.txn_name(step.edge.from) + " < " + history.txn_name(step.edge.to) +
         ", because " + step.because;
}

std::string annotation(const ReportModel& input, const Story& story) {
  const Scenario& scenario = *story.scenario;
  std::string words = scenario.statement + "." + basis_text(story);
  std::size_t steps = 0;
  for (const ScenarioEdge* edge : scenario.edges()) {
    // The statement ends with the only reason there is.
    if (is_alone(*edge) && scenario.statement.ends_with(edge->because)) continue;
    if (++steps > kStepsTold) continue;
    words += "\n" + step_text(input.history, *edge) + ".";
  }
  if (steps > kStepsTold) {
    words += "\nAnd " + std::to_string(steps - kStepsTold) + " more steps.";
  }
  words += "\nThat is: " + std::string(scenario.anomaly.lesson) + ".";
  const Place place = scenario.txns.empty()
                          ? whole(input.history.origin().file)
                          : place_of(input.history, scenario.txns.front().txn);
  return command(
      is_failure(input, story.levels) ? "error" : "warning", place,
      "Not " + names_of(headline_levels(input, story)) + ": " + label(scenario.anomaly), words);
}

}  // namespace

std::string to_annotations(const ReportModel& input) {
  std::string text;
  for (const Story& story : main_stories(input)) {
    text += annotation(input, story);
  }
  const Place file = whole(input.history.origin().file);
  for (const OpenLevels& open : unexplained(input.levels, input.weakest_violated)) {
    text += command(is_failure(input, open.levels) ? "error" : "warning", file,
                    "Not " + names_of(open.levels), open.reason);
  }
  for (const OpenLevels& open : open_levels(input.levels, Verdict::kUnknown)) {
    text += command("warning", file, "Not decided: " + names_of(open.levels), open.reason);
  }
  if (input.run && !input.run->stopped.empty()) {
    text += command("error", file, "The run stopped early", input.run->stopped);
  }
  const LevelOutcome* const promised = promised_outcome(input);
  if (promised != nullptr && promised->is_violated()) {
    text += command("error", file, "Broken promise", promise_text(input));
  }
  text += command("notice", file, "Evidence", evidence_text(input));
  std::string notes;
  for (const std::string& line : remarks(input)) {
    notes += (notes.empty() ? "" : "\n") + line;
  }
  // One for all, because GitHub shows few.
  if (!notes.empty()) text += command("notice", file, "Left out or assumed", notes);
  // Where nobody asked it is no news that levels of some kinds do not apply.
  if (!input.asked) return text;
  for (const OpenLevels& open : open_levels(input.levels, Verdict::kNotApplicable)) {
    text += command("warning", file, "Not applicable: " + names_of(open.levels), open.reason);
  }
  return text;
}

std::string without_commands(std::string_view text) {
  // Nobody can write a text that has its own fingerprint in it.
  const std::string token = "isolde-" + fingerprint(text);
  return "::stop-commands::" + token + "\n" + std::string(text) +
         (text.ends_with('\n') ? "" : "\n") + "::" + token + "::\n";
}

std::string failure_annotation(std::string_view file, std::string_view message) {
  return command("error", whole(file), "Not checked", message);
}

const Form& github_form() {
  static constexpr Form kForm = {
      .name = "github",
      .place = Form::Place::kBeside,
      .help =
          "Also print annotations for GitHub Actions: errors for levels asked for by name, "
          "else warnings",
      .schema = "workflow commands of GitHub Actions",
      .render = [](const ReportModel& model,
                   FormStyle) { return Result<std::string>(to_annotations(model)); },
      .failure = failure_annotation,
      .guard = without_commands};
  return kForm;
}

}  // namespace isolde::explain
