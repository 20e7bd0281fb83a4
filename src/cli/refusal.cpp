#include "cli/refusal.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "base/text.hpp"

namespace isolde::cli {
namespace {

/// What is wrong is told by the state of the parser, as far as that goes: the sentences of
/// CLI11 differ between its versions. Where only they tell which option it is, they begin with
/// its name, or have it behind a few words.
const CLI::Option* option_in(const CLI::App& command, std::string_view said) {
  const CLI::Option* found = nullptr;
  std::size_t first = std::string_view::npos;
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = option->get_name();
    const std::size_t at = said.find(name);
    if (at == std::string_view::npos) continue;
    if (at < first || (at == first && name.size() > found->get_name().size())) {
      found = option;
      first = at;
    }
  }
  return found;
}

/// The command that was met last, as databases try; `app` itself, if none was.
const CLI::App& command_met(const CLI::App& app) {
  const std::vector<const CLI::App*> met =
      app.get_subcommands([](const CLI::App* sub) { return sub->parsed(); });
  return met.empty() ? app : command_met(*met.back());
}

/// "isolde databases try".
std::string path_of(const CLI::App& command) {
  const CLI::App* const above = command.get_parent();
  return above == nullptr ? command.get_name() : path_of(*above) + " " + command.get_name();
}

bool is_given(const CLI::Option* option) { return option->count() > 0; }

/// "option --to", "argument history".
std::string kind_and_name(const CLI::Option& option) {
  return (option.nonpositional() ? "option " : "argument ") + option.get_name();
}

/// As in help, but without what its checks say of themselves.
std::string value_of(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

std::string quoted(const std::vector<std::string>& values) {
  std::vector<std::string> words;
  for (const std::string& value : values) words.push_back("'" + value + "'");
  return base::joined(words, "and");
}

/// "isolde convert --to F in out": what cannot be left out, or with all arguments.
std::string form_of(const CLI::App& command, bool with_optional) {
  std::string text = path_of(command);
  for (const CLI::Option* const option : command.get_options()) {
    if (option->nonpositional() && option->get_required()) {
      text += " " + option->get_name() + " " + value_of(*option);
    }
  }
  for (const CLI::Option* const option : command.get_options()) {
    if (option->nonpositional()) continue;
    if (option->get_required()) {
      text += " " + option->get_name();
    } else if (with_optional) {
      text += " [" + option->get_name() + "]";
    }
  }
  return text;
}

/// Of an argument that is missing: "; --level has taken 'x.jsonl'" where an option's value is a
/// file, and was likely meant for it.
std::string taken_words(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->nonpositional() || option->get_items_expected_max() == 0) continue;
    for (const std::string& value : option->results()) {
      std::error_code ignored;
      if (!std::filesystem::exists(value, ignored)) continue;
      return "; " + option->get_name() + " has taken '" + value + "'";
    }
  }
  return {};
}

std::string missing_words(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_required() || is_given(option)) continue;
    const std::string taken = option->nonpositional() ? std::string() : taken_words(command);
    return kind_and_name(*option) + " is missing" + taken +
           "; write at least: " + form_of(command, false);
  }
  return "a command is missing; write " + path_of(command) + " COMMAND";
}

std::string needs_words(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (!is_given(option)) continue;
    for (const CLI::Option* const needed : option->get_needs()) {
      if (is_given(needed)) continue;
      return option->get_name() + " needs the " + kind_and_name(*needed) +
             ", which is not given";
    }
  }
  return {};
}

std::string excludes_words(const CLI::App& command) {
  const std::vector<const CLI::Option*> options = command.get_options();
  for (const CLI::Option* const option : options) {
    if (!is_given(option)) continue;
    // The set is in the order of addresses; the command's options have one of their own.
    const std::set<CLI::Option*> excluded = option->get_excludes();
    std::vector<std::string> names = {option->get_name()};
    for (const CLI::Option* const other : options) {
      const auto is_other = [other](const CLI::Option* each) { return each == other; };
      if (is_given(other) && std::ranges::any_of(excluded, is_other)) {
        names.push_back(other->get_name());
      }
    }
    if (names.size() == 1) continue;
    return base::joined(names, "and") + " cannot be given together; give one of them";
  }
  return {};
}

/// Too few values, or too many of them.
std::string number_words(const CLI::Option& option) {
  const std::vector<std::string>& given = option.results();
  const int most = option.get_items_expected_max();
  if (most == 0) return option.get_name() + " takes no value";
  if (given.size() <= static_cast<std::size_t>(most)) {
    return option.get_name() + " has no value; write " + option.get_name() + " " +
           value_of(option);
  }
  return option.get_name() + " is given " + std::to_string(given.size()) +
         " times; give it once";
}

std::string conversion_words(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) {
    return option.get_name() + " takes no value, and has " + quoted(option.results());
  }
  return option.get_name() + ": " + quoted(option.results()) + " is no " + value_of(option);
}

template <typename Kind>
bool is_a(const CLI::Error& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

/// Of what the parser had no use for, the first that looks like an option. Behind "--" is none.
std::optional<std::string> unknown_option(const std::vector<std::string>& left,
                                          const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.size() < 2 || !argument.starts_with('-')) continue;
    if (std::ranges::find(left, argument) == left.end()) continue;
    return argument.substr(0, argument.find('='));
  }
  return std::nullopt;
}

std::string unknown_words(const CLI::App& command, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& each : option->get_lnames()) known.push_back("--" + each);
  }
  if (std::ranges::find(known, name) != known.end()) {
    return "'" + name + "' stands before its command; write " + path_of(command) + " " + name;
  }
  for (const CLI::Option* const option : command.get_options()) {
    if (option->nonpositional() || "--" + option->get_name() != name) continue;
    return "unknown option '" + name + "'; " + option->get_name() + " is an argument, write " +
           form_of(command, true);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  return "unknown option '" + name + "'" + base::did_you_mean(name, names);
}

/// What the parser had no use for; empty where that is nothing.
std::string left_words(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty()) return {};
  const CLI::App& command = command_met(app);
  if (const auto name = unknown_option(left, arguments)) {
    return unknown_words(command, *name);
  }
  const std::string words = "unexpected " + quoted(left) + "; ";
  const bool takes_options_only = std::ranges::all_of(
      command.get_options(), [](const CLI::Option* each) { return each->nonpositional(); });
  if (takes_options_only) return words + path_of(command) + " takes options only";
  return words + "write " + form_of(command, true);
}

}  // namespace

std::string refused_words(const CLI::App& command, const CLI::Error& error) {
  const std::string said = error.what();
  std::string words;
  if (is_a<CLI::RequiredError>(error)) words = missing_words(command);
  if (is_a<CLI::RequiresError>(error)) words = needs_words(command);
  if (is_a<CLI::ExcludesError>(error)) words = excludes_words(command);
  if (const CLI::Option* const option = option_in(command, said)) {
    if (is_a<CLI::ArgumentMismatch>(error)) words = number_words(*option);
    if (is_a<CLI::ConversionError>(error)) words = conversion_words(*option);
  }
  // A value that a check of ours refused is told in its words.
  return words.empty() ? said : words;
}

Error with_help(const CLI::App& app, const Error& error) {
  const std::string& words = error.message;
  const std::string help = "see " + path_of(command_met(app)) + " --help";
  return {error.code, words + (words.ends_with(')') ? "; " + help : " (" + help + ")")};
}

Error refusal(const CLI::App& app, const CLI::Error& error,
              const std::vector<std::string>& arguments) {
  const CLI::App& command = command_met(app);
  // A name that is not known is what is wrong, also where something is missing for it.
  const bool may_be_left = is_a<CLI::ExtrasError>(error) || is_a<CLI::RequiredError>(error);
  std::string words = may_be_left ? left_words(app, arguments) : std::string();
  if (words.empty()) words = refused_words(command, error);
  return with_help(app, usage_error(words));
}

}  // namespace isolde::cli
