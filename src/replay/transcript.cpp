#include "replay/transcript.hpp"

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "replay/wording.hpp"

namespace isolde::replay {
namespace {

using State = StepResult::State;

std::string right(std::size_t number, std::size_t width) {
  std::string text = std::to_string(number);
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string left(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

bool has_waited(const Step& step, const StepResult& result, std::size_t index) {
  if (result.state == State::kSkipped || step.kind == Step::Kind::kWait) return false;
  return result.waited || result.done_at > index;
}

bool is_read(const Numbering& numbering, const Step& step) {
  return step.kind == Step::Kind::kOperation &&
         !numbering.history().ops(step.txn)[step.op].is_write();
}

/// What a read returned, beside what the history has for it.
std::string returned(const Numbering& numbering, const Step& step, const StepResult& result,
                     std::string_view was) {
  const Wording wording(numbering, Notation::kTold);
  const Op& op = numbering.history().ops(step.txn)[step.op];
  const std::string now = numbering.history().is_list(op.key)
                              ? wording.numbers(result.elements)
                              : wording.number(op.key, result.value);
  const bool is_open = op.kind == OpKind::kReadUnknown && was != "recorded";
  if (is_open) return "now " + now;
  return std::string(was) + " " + wording.recorded(step.txn, step.op) + ", now " + now;
}

bool has_condition(const Step& step) {
  return step.kind == Step::Kind::kSelect || step.kind == Step::Kind::kDeleteSelected ||
         step.kind == Step::Kind::kAggregate;
}

/// The same of a selection. Scripted ones say nothing of what they returned.
std::string selected(const Numbering& numbering, const Step& step, const StepResult& result,
                     const TranscriptOptions& options) {
  const Wording wording(numbering, Notation::kTold);
  const std::string now =
      "now " + (step.kind == Step::Kind::kAggregate ? wording.computed(result.value)
                                                    : wording.rows(result.rows));
  if (!options.statements.empty()) return now;
  const Selection& selection = numbering.history().selections(step.txn)[step.op];
  return std::string(options.was) + " " + wording.recorded(step.txn, selection) + ", " + now;
}

/// How long a step took, counted in steps.
std::string delay(const Step& step, const StepResult& result, std::size_t index) {
  if (result.tries > 0) {
    return "at attempt " + std::to_string(result.tries + 1);
  }
  if (!has_waited(step, result, index)) return {};
  const std::string until = std::to_string(result.done_at + 1);
  if (step.pace == Step::Pace::kSend) return "answered at step " + until;
  return result.done_at > index ? "waited until step " + until : "waited";
}

/// What came of a step, beside that it was done.
std::string outcome(const Step& step, const StepResult& result, std::size_t index,
                    bool in_turn) {
  const std::string text = in_turn ? delay(step, result, index) : std::string();
  const std::string comma = text.empty() ? "" : ", ";
  switch (result.state) {
    case State::kDone:
      return text;
    case State::kAborted:
      return text + comma + "aborted: " + base::printable_line(result.message);
    case State::kUnknown:
      return text + comma + "outcome unknown: " + base::printable_line(result.message);
    case State::kSkipped:
      return "left out, the transaction is over";
  }
  return text;
}

}  // namespace

std::string transcript(const Numbering& numbering, std::span<const Step> steps,
                       std::span<const StepResult> results, const TranscriptOptions& options) {
  const Wording wording(numbering, Notation::kTold);
  std::size_t session_width = 1;
  std::size_t step_width = 0;
  for (const Step& step : steps) {
    session_width = std::max(session_width, numbering.session(step.txn).size());
    step_width = std::max(step_width, wording.step(step, options.statements).size());
  }
  step_width = std::min<std::size_t>(step_width, 40);
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const StepResult& result = results[i];
    std::string line = "  " + right(i + 1, 3) + "  " +
                       left(numbering.session(step.txn), session_width) + "  " +
                       left(wording.step(step, options.statements), step_width);
    if (has_condition(step) && result.state == State::kDone) {
      line += "  " + selected(numbering, step, result, options);
    }
    if (is_read(numbering, step) && result.state == State::kDone) {
      line += "  " + returned(numbering, step, result, options.was);
    }
    const std::string rest = outcome(step, result, i, options.in_turn);
    if (!rest.empty()) line += "  " + rest;
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

void Obstacles::add(std::span<const Step> steps, std::span<const StepResult> results,
                    bool in_turn) {
  ++attempts_;
  bool refused = false;
  bool waited = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    waited = waited || (in_turn && has_waited(steps[i], results[i], i));
    if (results[i].state != State::kAborted && results[i].state != State::kUnknown) continue;
    refused = true;
    ++words_[results[i].message];
  }
  ++(refused ? refused_ : waited ? waited_ : smooth_);
}

std::string Obstacles::text(std::size_t indent) const {
  const std::string blanks(indent, ' ');
  const auto attempts = [](std::size_t count) {
    return std::to_string(count) + (count == 1 ? " attempt" : " attempts");
  };
  std::string text;
  if (refused_ > 0) {
    text += blanks + "In " + attempts(refused_) + " the database aborted transactions:\n";
    std::vector<std::pair<std::string, std::size_t>> words(words_.begin(), words_.end());
    std::stable_sort(words.begin(), words.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    constexpr std::size_t kShown = 4;
    for (std::size_t i = 0; i < std::min(words.size(), kShown); ++i) {
      text += blanks + "  " + std::to_string(words[i].second) +
              (words[i].second == 1 ? " time: " : " times: ") +
              base::printable_line(words[i].first) + "\n";
    }
  }
  if (waited_ > 0) {
    text += blanks + "In " + attempts(waited_) +
            " it let steps wait for other sessions, and all reads returned what the level "
            "allows.\n";
  }
  if (smooth_ > 0) {
    text += blanks + "In " + attempts(smooth_) +
            " no step had to wait, and all reads returned what the level allows.\n";
  }
  return text;
}

}  // namespace isolde::replay
