#include "cli/outputs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "report/forms.hpp"

namespace isolde::cli {

using explain::Form;

const std::vector<const Form*>& all_forms() {
  static const std::vector<const Form*> kForms = [] {
    std::vector<const Form*> all;
    for (const Form* form : explain::forms()) all.push_back(form);
    for (const Form* form : report::forms()) all.push_back(form);
    return all;
  }();
  return kForms;
}

bool Outputs::Wish::replaces_report() const {
  return path == "-" || (given && form->place == Form::Place::kReport);
}

namespace {

/// In place of a picture that replaces the report: why there is none.
void say_nothing_is_shown(std::string_view form, const explain::ReportModel& model) {
  std::string why = "no violation to show";
  const auto is_open = [](const explain::LevelOutcome& level) {
    return level.verdict == Verdict::kUnknown;
  };
  if (const auto open = std::ranges::find_if(model.levels, is_open);
      open != model.levels.end()) {
    const auto count = std::ranges::count_if(model.levels, is_open);
    why += "; not decided: " + std::string(info(open->level).name);
    if (count > 1) why += " and " + std::to_string(count - 1) + " more";
    why += ", because " + open->reason;
  }
  std::fprintf(stderr, "isolde: --%s: %s: %s\n", std::string(form).c_str(),
               base::printable_path(model.history.origin().file).c_str(), why.c_str());
}

}  // namespace

Outputs::Outputs(Of of) {
  for (const Form* form : all_forms()) {
    if (of == Of::kAll || form != &explain::text_form()) wishes_.push_back({form, false, {}});
  }
}

void Outputs::add_to(CLI::App& app, bool of_several) {
  for (Wish& wish : wishes_) {
    const std::string name = "--" + std::string(wish.form->name);
    std::string help(wish.form->help);
    if (wish.form == &explain::text_form()) continue;  // there anyway
    if (wish.form->place == Form::Place::kFile) {
      if (of_several && wish.form->render != nullptr) {
        help += "; with several histories to FILE.<n>." + std::string(wish.form->name);
      }
      CLI::Option* const option = app.add_option(name, wish.path, help)->type_name("FILE");
      if (wish.form->available != nullptr) option->check(available(wish.form->available()));
    } else {
      app.add_flag(name, wish.given, help);
    }
  }
}

void Outputs::take(const Outputs& other) {
  for (Wish& wish : wishes_) {
    const auto asked = std::ranges::find(other.wishes_, wish.form, &Wish::form);
    if (asked == other.wishes_.end()) continue;
    wish.given = asked->given;
    wish.path = asked->path;
  }
}

bool Outputs::any_asked_for() const {
  return std::ranges::any_of(wishes_, [](const Wish& wish) {
    return wish.form != &explain::text_form() && wish.is_wanted();
  });
}

Status Outputs::prepare() {
  std::vector<std::string> at_stdout;
  std::vector<std::string> files;
  for (Wish& wish : wishes_) {
    const bool is_beside = wish.given && wish.form->place == Form::Place::kBeside;
    const std::string name = "--" + std::string(wish.form->name);
    if (wish.replaces_report() || is_beside) {
      at_stdout.push_back(name + (wish.path == "-" ? " -" : ""));
    }
    if (wish.is_wanted() && wish.form->collect != nullptr) {
      wish.collection = wish.form->collect();
    }
  }
  Wish& first = wishes_.front();
  if (first.form == &explain::text_form()) first.given = prints_text();
  if (at_stdout.size() < 2) return ok_status();
  return usage_error(base::joined(at_stdout, "and") +
                     " cannot share standard output; give one of them, or files in place of -");
}

bool Outputs::prints_text() const {
  return std::ranges::none_of(wishes_, [](const Wish& wish) {
    return wish.form != &explain::text_form() && wish.replaces_report();
  });
}

Status Outputs::render(const Wish& wish, const explain::ReportModel& model, std::size_t number,
                       const Teller& tell, std::string& printed) const {
  Result<std::string> text = std::string();
  tell([&] { text = wish.form->render(model, {wants_colour()}); });
  if (!text) return text.error();
  if (text->empty()) {
    if (wish.path == "-") say_nothing_is_shown(wish.form->name, model);
    if (wish.path != "-" && !wish.path.empty()) {
      remove_earlier(path_of(wish, number), model.history.origin().file,
                     "there is no violation to show");
    }
    return ok_status();
  }
  if (wish.path.empty() || wish.path == "-") {
    if (wish.form->guard != nullptr && !printed.empty()) printed = wish.form->guard(printed);
    printed += *text;
    return ok_status();
  }
  return write_text(path_of(wish, number), *text);
}

std::string Outputs::path_of(const Wish& wish, std::size_t number) const {
  if (!several_) return wish.path;
  return wish.path + "." + std::to_string(number) + "." + std::string(wish.form->name);
}

Status Outputs::add(const explain::ReportModel& model, std::size_t number, const Teller& tell,
                    std::string& printed) {
  Status result = ok_status();
  for (const Wish& wish : wishes_) {
    if (!wish.is_wanted()) continue;
    if (wish.collection != nullptr) {
      tell([&] { wish.collection->add(model); });
      continue;
    }
    const Status rendered = render(wish, model, number, tell, printed);
    if (result) result = rendered;
  }
  return result;
}

std::string Outputs::add_failure(const std::string& file, const Error& error) {
  const std::string words = told(error);
  std::string printed;
  for (const Wish& wish : wishes_) {
    if (wish.collection != nullptr) wish.collection->add_failure(file, words);
    if (wish.given && wish.form->failure != nullptr) printed += wish.form->failure(file, words);
    const bool is_of_it =
        wish.collection == nullptr && !several_;  // else its name has a number
    if (is_of_it && wish.path != "-" && !wish.path.empty()) {
      remove_earlier(wish.path, file, "there is no history to tell of");
    }
  }
  return printed;
}

Status Outputs::write() {
  for (const Wish& wish : wishes_) {
    if (wish.collection == nullptr) continue;
    if (const Status written = write_text(wish.path, wish.collection->text()); !written) {
      return written;
    }
  }
  return ok_status();
}

}  // namespace isolde::cli
